// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// A put whose notification finds no room at its target, which waits for others: the table says so.
// RUN: %gpurmacc_cpu -O2 %s -o %t
// RUN: env GPURMA_TIMEOUT=1 GPURMA_PENDING_ENTRIES=64 GPURMA_CPU_RANKS=2 not %mpirun -np 1 %t 2>&1 | FileCheck %s
// CHECK: rank directive where {{ *}}window {{ *}}source tag {{ *}}wanted arrived seconds
#include <gpurma/gpurma.h>

__global__ void flood(int *memory) {
#pragma gpurma window(w = memory[0:8])
  if (gpurma::rank() == 1) {
    for (int i = 0; i < 1000; ++i) {
// CHECK: 1 put {{.*}}put_without_room.cu:[[#@LINE+1]] {{.*}} 0 {{[0-9]+}} - - {{[0-9.]+}}
#pragma gpurma put(memory[0:4]) to(0) at(w[4]) notify(i)
    }
  }
// CHECK: the put of rank 1 waits: rank 0 has no room for more notifications; wait for them there earlier, or set GPURMA_PENDING_ENTRIES larger
#pragma gpurma barrier
}

int main() {
  gpurma::init();
  int *memory = nullptr;
  cudaMalloc(&memory, 8 * sizeof(int));
  flood<<<2, 32>>>(memory);
  return cudaDeviceSynchronize() != cudaSuccess;
}
