// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// A wait that never ends: the run stops with a table of who waits for what, and all processes end with a non-zero code.
// RUN: %gpurmacc_cpu -O2 %s -o %t
// RUN: env GPURMA_CPU_RANKS=2 GPURMA_TIMEOUT=2 not %mpirun -np 2 %t 2>&1 | FileCheck %s
#include <gpurma/gpurma.h>

__global__ void lonely() {
  // Rank 0 waits for a notification that nobody sends.
  if (gpurma::rank() == 0) {
// CHECK: {{.*}}wait{{.*}}wait_forever.cu:[[#@LINE+1]]
#pragma gpurma wait tag(42) from(1)
  }
#pragma gpurma barrier
}

int main() {
  lonely<<<2, 32>>>();
  return cudaDeviceSynchronize() != cudaSuccess;
}
