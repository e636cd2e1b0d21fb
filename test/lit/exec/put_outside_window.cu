// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// A put beyond the end of the target's part names the rank, the line and the values, and ends all processes.
// RUN: %gpurmacc_cpu -O2 %s -o %t
// RUN: env GPURMA_CPU_RANKS=1 not %mpirun -np 2 %t 2>&1 | FileCheck %s
#include <gpurma/gpurma.h>

__global__ void overrun(int *memory) {
#pragma gpurma window(w = memory[0:8])
  int target = 0;
  if (gpurma::rank() == 1) {
    // Elements 6 to 9 of 8.
// CHECK: put at {{.*}}put_outside_window.cu:[[#@LINE+1]] on rank 1: elements [6, 10) lie outside what rank 0 exposes in the window, 8 elements
#pragma gpurma put(memory[0:4]) to(target) at(w[6]) notify(1)
  }
#pragma gpurma barrier
}

int main() {
  gpurma::init(); // chooses the device
  int *memory = nullptr;
  cudaMalloc(&memory, 8 * sizeof(int));
  overrun<<<1, 32>>>(memory);
  return cudaDeviceSynchronize() != cudaSuccess;
}
