// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Heartbeats between the watchdogs of all processes, as small MPI messages on a communicator of
// their own.
#ifndef GPURMA_TRANSPORT_MPI_MPI_HEARTBEAT_LINK_H
#define GPURMA_TRANSPORT_MPI_MPI_HEARTBEAT_LINK_H

#include <mpi.h>

#include <list>

#include "../../host/watchdog.h"

namespace gpurma::host {

class mpi_heartbeat_link final : public heartbeat_link {
public:
  // Collective over `parent`, which is duplicated; so is the destructor.
  explicit mpi_heartbeat_link(MPI_Comm parent);
  ~mpi_heartbeat_link() override;

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  void send(int process, const heartbeat& beat) override;
  bool receive(int& process, heartbeat& beat) override;

private:
  struct pending {
    int process;
    heartbeat beat;
    MPI_Request request;
  };
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
  std::list<pending> sends_;
};

} // namespace gpurma::host

#endif
