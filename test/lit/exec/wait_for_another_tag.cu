// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Waits whose tags are not those that come: below its table, the run says what has come instead.
// RUN: %gpurmacc_cpu -O2 %s -o %t
// RUN: env GPURMA_CPU_RANKS=2 GPURMA_TIMEOUT=1 not %mpirun -np 1 %t 2>&1 | FileCheck %s --check-prefix=QUEUE
// RUN: %gpurmacc_cpu -O2 -DSOURCE= -DTESTS %s -o %t.counter
// RUN: env GPURMA_CPU_RANKS=2 GPURMA_TIMEOUT=1 not %mpirun -np 1 %t.counter 2>&1 | FileCheck %s --check-prefix=COUNTER
#include <gpurma/gpurma.h>

#ifndef SOURCE
#define SOURCE from(1)
#endif

__global__ void mistaken(int *memory) {
#pragma gpurma window(w = memory[0:8])
  if (gpurma::rank() == 1) {
#pragma gpurma put(memory[0:1]) to(0) at(w[0]) notify(8)
#pragma gpurma notify(0) tag(9)
#pragma gpurma notify(0) tag(8)
  } else {
#ifdef TESTS
    bool come = false;
    while (!come) {
#pragma gpurma test(come) tag(7) SOURCE
    }
#else
#pragma gpurma wait tag(7) SOURCE
#endif
#pragma gpurma wait tag(8) count(2) SOURCE
#pragma gpurma wait tag(9) SOURCE
  }
#pragma gpurma barrier
}
// QUEUE: rank directive
// QUEUE: 0 wait {{.*}} any 1 7 1 0
// QUEUE-NEXT: 1 barrier
// QUEUE-NEXT: rank 0 keeps for later waits: 3, the first from rank 1 with tag 8 for window world #
// COUNTER: 0 test {{.*}} any any 7 1 0
// COUNTER: rank 0 keeps for later waits: 2 counted with tag 8; 1 counted with tag 9

int main() {
  gpurma::init();
  int *memory = nullptr;
  cudaMalloc(&memory, 8 * sizeof(int));
  mistaken<<<2, 32>>>(memory);
  return cudaDeviceSynchronize() != cudaSuccess;
}
