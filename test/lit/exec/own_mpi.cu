// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// A program that uses MPI itself, before, between and after, and finalises it.
// RUN: %gpurmacc_cpu -O2 %s -o %t
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t | FileCheck %s
// CHECK: own_mpi: ok
#include "Inputs/exec.h"
#include <mpi.h>

__global__ void count_ranks(int *count) {
#pragma gpurma barrier
  if (threadIdx.x == 0)
    atomicAdd(count, 1);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int process = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &process);
  auto layout = gpurma::query(count_ranks, 32);
  int *count = managed<int>(1), sum = 0;
  count_ranks<<<layout.device_ranks, 32>>>(count);
  cudaDeviceSynchronize();
  MPI_Allreduce(count, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  int failures = (sum != layout.world_ranks) + (process != layout.process);
  int code = finish("own_mpi", layout, &failures);
  MPI_Finalize();
  return code;
}
