// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collective operations of the hosts, as non-blocking ones of MPI on a communicator of their own.
#ifndef GPURMA_TRANSPORT_MPI_MPI_COLLECTIVES_H
#define GPURMA_TRANSPORT_MPI_MPI_COLLECTIVES_H

#include <mpi.h>

#include <cstddef>
#include <memory>

#include "../transport.h"

namespace gpurma::host {

// Ends all processes if code is an error. Error classes are fatal inside MPI by default; a program
// may have set MPI_ERRORS_RETURN on the communicator that ours are made from.
void check_mpi(int code, const char* what);

class mpi_collectives final : public collectives {
public:
  // Collective over `parent`, which is duplicated.
  explicit mpi_collectives(MPI_Comm parent);
  ~mpi_collectives() override;
  mpi_collectives(const mpi_collectives&) = delete;
  mpi_collectives& operator=(const mpi_collectives&) = delete;

  std::unique_ptr<collective> start_barrier() override;
  std::unique_ptr<collective> start_allgather(const void* mine, std::size_t bytes,
                                              void* all) override;
  std::unique_ptr<collective> start_alltoall(const void* to, std::size_t bytes,
                                             void* from) override;

private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

} // namespace gpurma::host

#endif
