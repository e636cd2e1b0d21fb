// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mpi_collectives.h"

#include <string>

#include "../../host/log.h"

namespace gpurma::host {

namespace {

class mpi_collective final : public collective {
public:
  ~mpi_collective() override {
    if (request != MPI_REQUEST_NULL)
      MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  bool test() override {
    int done = 0;
    check_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "testing a collective operation");
    return done;
  }
  MPI_Request request = MPI_REQUEST_NULL;
};

} // namespace

void check_mpi(int code, const char* what) {
  if (code == MPI_SUCCESS)
    return;
  char message[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, message, &length);
  fatal(text("MPI: ", what, ": ", std::string(message, static_cast<std::size_t>(length))));
}

mpi_collectives::mpi_collectives(MPI_Comm parent) {
  check_mpi(MPI_Comm_dup(parent, &comm_), "duplicating a communicator");
}

mpi_collectives::~mpi_collectives() {
  MPI_Comm_free(&comm_);
}

std::unique_ptr<collective> mpi_collectives::start_barrier() {
  auto operation = std::make_unique<mpi_collective>();
  check_mpi(MPI_Ibarrier(comm_, &operation->request), "starting a barrier");
  return operation;
}

std::unique_ptr<collective> mpi_collectives::start_allgather(const void* mine, std::size_t bytes,
                                                             void* all) {
  auto operation = std::make_unique<mpi_collective>();
  check_mpi(MPI_Iallgather(mine, static_cast<int>(bytes), MPI_BYTE, all, static_cast<int>(bytes),
                           MPI_BYTE, comm_, &operation->request),
            "starting an allgather");
  return operation;
}

std::unique_ptr<collective> mpi_collectives::start_alltoall(const void* to, std::size_t bytes,
                                                            void* from) {
  auto operation = std::make_unique<mpi_collective>();
  check_mpi(MPI_Ialltoall(to, static_cast<int>(bytes), MPI_BYTE, from, static_cast<int>(bytes),
                          MPI_BYTE, comm_, &operation->request),
            "starting an alltoall");
  return operation;
}

} // namespace gpurma::host
