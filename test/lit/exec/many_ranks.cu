// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Two processes with 64 ranks of 256 threads each, whatever the number of cores: waiting ranks give way.
// RUN: %gpurmacc_cpu -O2 %s -o %t
// RUN: env GPURMA_CPU_RANKS=64 %mpirun -np 2 %t | FileCheck %s
// CHECK: many_ranks: ok
#include "Inputs/exec.h"

__global__ void around(int *memory, int *failures) {
  int *mine = memory + 2 * gpurma::device_rank();
  int ranks = gpurma::size(), previous = (gpurma::rank() + ranks - 1) % ranks;
#pragma gpurma window(w = mine[0:1])
  for (int step = 0; step < 3; ++step) {
    if (threadIdx.x == 0)
      mine[1] = gpurma::rank() + step;
#pragma gpurma put(mine[1:1]) to((gpurma::rank() + 1) % ranks) at(w[0]) notify(step)
#pragma gpurma wait tag(step) on(w)
    expect(failures, mine[0] == previous + step);
#pragma gpurma barrier
  }
}

int main() {
  auto layout = gpurma::query(around, 256);
  int *memory = managed<int>(2 * layout.device_ranks), *failures = managed<int>(1);
  around<<<layout.device_ranks, 256>>>(memory, failures);
  int too_few = layout.device_ranks != 64;
  *failures += too_few;
  return finish("many_ranks", layout, failures);
}
