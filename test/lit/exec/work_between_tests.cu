// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// A rank that works between tests that find nothing makes progress, however long the others wait for it; one that only polls does not, whatever it looks for.
// RUN: %gpurmacc_cpu -O2 %s -o %t
// RUN: env GPURMA_TIMEOUT=1 GPURMA_CPU_RANKS=2 %mpirun -np 2 %t 50 | FileCheck %s
// RUN: env GPURMA_TIMEOUT=1 GPURMA_CPU_RANKS=2 not %mpirun -np 2 %t 0 2>&1 | FileCheck %s --check-prefix=POLLS
// CHECK: work_between_tests: ok
#include "Inputs/exec.h"

#include <cstdlib>

// Some 40 ms of work for a block of the CPU target.
__device__ int work(int seed) {
  for (int i = 0; i < 1000000; ++i)
    seed = seed * 1103515245 + 12345;
  return seed;
}

// With 0 pieces, rank 0 polls for ever.
__global__ void pieces(int *memory, int number) {
  if (gpurma::rank() == 0) {
    int last = 1;
    for (int i = 0; number == 0 || i < number; ++i) {
      if (number != 0)
        last = work(last);
      for (int tag = 2; tag < 12; ++tag) {
        bool found = false;
// POLLS: 0 test {{.*}}work_between_tests.cu:[[#@LINE+1]]
#pragma gpurma test(found) tag(tag)
        if (found)
          last = tag;
      }
      __syncthreads();
    }
    memory[threadIdx.x] = last;
  }
#pragma gpurma barrier
}

int main(int argc, char **argv) {
  const auto layout = gpurma::query(pieces, 32);
  int *memory = managed<int>(32);
  int *failures = managed<int>(1);
  pieces<<<layout.device_ranks, 32>>>(memory, argc < 2 ? 50 : std::atoi(argv[1]));
  return finish("work_between_tests", layout, failures);
}
