// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Windows of different sizes, also 0; two windows at once; a wait that names one of them; a new window in each round.
// RUN: %gpurmacc_cpu -O2 %s -o %t
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t | FileCheck %s
// CHECK: windows: ok
#include "Inputs/exec.h"

__global__ void gather(int *memory, int *values, float *other, int *failures) {
  int me = gpurma::rank(), ranks = gpurma::size();
  for (int round = 0; round < 3; ++round) {
    // Only one rank exposes anything.
    int root = round % ranks;
    int length = me == root ? ranks : 0;
#pragma gpurma window(w = memory[0:length])
#pragma gpurma window(v = other[gpurma::device_rank():1])
    expect(failures, w.size() == (std::size_t)length && w.size(root) == (std::size_t)ranks);
    int *value = values + gpurma::device_rank();
    float *weight = other + gpurma::device_size() + gpurma::device_rank();
    if (threadIdx.x == 0) {
      *value = me * 10 + round;
      *weight = me + 0.25f;
    }
    __syncthreads();
#pragma gpurma put(weight[0:1]) to((me + 1) % ranks) at(v[0]) notify(1)
#pragma gpurma put(value[0:1]) to(root) at(w[me]) notify(1)
    if (me == root) {
#pragma gpurma wait tag(1) on(w) count(ranks)
      for (int i = 0; i < ranks; ++i)
        expect(failures, memory[i] == i * 10 + round);
    }
#pragma gpurma wait tag(1) on(v)
    expect(failures, other[gpurma::device_rank()] == (me + ranks - 1) % ranks + 0.25f);
#pragma gpurma flush
#pragma gpurma barrier
  }
}

int main() {
  auto layout = gpurma::query(gather, 32);
  int *memory = managed<int>(layout.world_ranks), *values = managed<int>(layout.device_ranks), *failures = managed<int>(1);
  float *other = managed<float>(2 * layout.device_ranks);
  gather<<<layout.device_ranks, 32>>>(memory, values, other, failures);
  return finish("windows", layout, failures);
}
