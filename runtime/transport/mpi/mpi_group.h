// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The processes of MPI_COMM_WORLD.
#ifndef GPURMA_TRANSPORT_MPI_MPI_GROUP_H
#define GPURMA_TRANSPORT_MPI_MPI_GROUP_H

#include <mpi.h>

#include "../process_group.h"

namespace gpurma::host {

class mpi_group final : public process_group {
public:
  // MPI must run, with MPI_THREAD_MULTIPLE.
  mpi_group();

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  int node_leader() override;
  std::unique_ptr<collectives> make_collectives() override;
  std::unique_ptr<heartbeat_link> make_heartbeat_link() override;
  void leave() override {}
  [[noreturn]] void end_all(int code) override;

private:
  int rank_ = 0;
  int size_ = 1;
};

// Between MPI_Init and MPI_Finalize.
bool mpi_runs();

} // namespace gpurma::host

#endif
