// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mpi_group.h"

#include <unistd.h>

#include <cstdlib>

#include "mpi_collectives.h"
#include "mpi_heartbeat_link.h"

namespace gpurma::host {

bool mpi_runs() {
  int initialized = 0, finalized = 0;
  PMPI_Initialized(&initialized);
  PMPI_Finalized(&finalized);
  return initialized && !finalized;
}

mpi_group::mpi_group() {
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  PMPI_Comm_size(MPI_COMM_WORLD, &size_);
}

int mpi_group::node_leader() {
  MPI_Comm node = MPI_COMM_NULL;
  PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &node);
  int leader = rank_;
  PMPI_Bcast(&leader, 1, MPI_INT, 0, node);
  PMPI_Comm_free(&node);
  return leader;
}

std::unique_ptr<collectives> mpi_group::make_collectives() {
  return std::make_unique<mpi_collectives>(MPI_COMM_WORLD);
}

std::unique_ptr<heartbeat_link> mpi_group::make_heartbeat_link() {
  return std::make_unique<mpi_heartbeat_link>(MPI_COMM_WORLD);
}

void mpi_group::end_all(int code) {
  if (mpi_runs()) {
    alarm(10); // MPI_Abort has to talk to the launcher, which may be gone
    PMPI_Abort(MPI_COMM_WORLD, code);
  }
  std::_Exit(code);
}

} // namespace gpurma::host
