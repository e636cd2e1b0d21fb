// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mpi_heartbeat_link.h"

#include <algorithm>

namespace gpurma::host {

mpi_heartbeat_link::mpi_heartbeat_link(MPI_Comm parent) {
  MPI_Comm_dup(parent, &comm_);
  MPI_Comm_rank(comm_, &rank_);
  MPI_Comm_size(comm_, &size_);
}

mpi_heartbeat_link::~mpi_heartbeat_link() {
  for (pending& each : sends_)
    MPI_Wait(&each.request, MPI_STATUS_IGNORE);
  MPI_Barrier(comm_);
  int process = 0;
  heartbeat beat;
  while (receive(process, beat)) {
  }
  MPI_Comm_free(&comm_);
}

void mpi_heartbeat_link::send(int process, const heartbeat& beat) {
  sends_.remove_if([](pending& each) {
    int done = 0;
    MPI_Test(&each.request, &done, MPI_STATUS_IGNORE);
    return done != 0;
  });
  // A process that does not take heartbeats is not sent more of them.
  if (beat.what == heartbeat::kind::alive &&
      std::any_of(sends_.begin(), sends_.end(),
                  [&](const pending& each) { return each.process == process; }))
    return;
  pending& entry = sends_.emplace_back(pending{process, beat, MPI_REQUEST_NULL});
  MPI_Isend(&entry.beat, sizeof entry.beat, MPI_BYTE, process, 0, comm_, &entry.request);
}

bool mpi_heartbeat_link::receive(int& process, heartbeat& beat) {
  int here = 0;
  MPI_Status status;
  MPI_Iprobe(MPI_ANY_SOURCE, 0, comm_, &here, &status);
  if (!here)
    return false;
  process = status.MPI_SOURCE;
  MPI_Recv(&beat, sizeof beat, MPI_BYTE, process, 0, comm_, MPI_STATUS_IGNORE);
  return true;
}

} // namespace gpurma::host
