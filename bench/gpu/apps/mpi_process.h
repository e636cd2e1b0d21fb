// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <mpi.h>

#include "field.h"

/// This process among those of the run. Each has the GPU of its number on the host.
struct mpi_process {
  int rank = 0;
  int size = 1;

  mpi_process() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
#if !GPURMA_TARGET_CPU // where each process is a device
    MPI_Comm host;
    int device = 0, devices = 0;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    MPI_Comm_rank(host, &device);
    MPI_Comm_free(&host);
    check(cudaGetDeviceCount(&devices), "count of devices");
    if (device >= devices)
      stop("there is no GPU for process " + std::to_string(rank));
    check(cudaSetDevice(device), "choice of a device");
#endif
  }

  int previous() const { return rank > 0 ? rank - 1 : MPI_PROC_NULL; }
  int next() const { return rank + 1 < size ? rank + 1 : MPI_PROC_NULL; }
};
