// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Windows and barriers over one device only; ranks in it are device ranks.
// RUN: %gpurmacc_cpu -O2 %s -o %t
// RUN: env GPURMA_CPU_RANKS=4 %mpirun -np 2 %t | FileCheck %s
// CHECK: device_communicator: ok
#include "Inputs/exec.h"

__global__ void neighbours(int *memory, int *out, int *failures) {
  int me = gpurma::device_rank(), ranks = gpurma::device_size();
  expect(failures, me == (int)blockIdx.x && ranks == (int)gridDim.x);
#pragma gpurma window(w = memory[me * 4:4]) comm(device)
#pragma gpurma barrier comm(device)
  int *values = out + me * 4;
  if (threadIdx.x < 4)
    values[threadIdx.x] = me * 10 + threadIdx.x;
  __syncthreads();
#pragma gpurma put(values[0:4]) to((me + 1) % ranks) at(w[0]) notify(2)
#pragma gpurma wait tag(2) from((me + ranks - 1) % ranks) on(w)
  for (int i = 0; i < 4; ++i)
    expect(failures, memory[me * 4 + i] == ((me + ranks - 1) % ranks) * 10 + i);
}

int main() {
  auto layout = gpurma::query(neighbours, 64);
  int *memory = managed<int>(4 * layout.device_ranks), *out = managed<int>(4 * layout.device_ranks);
  int *failures = managed<int>(1);
  neighbours<<<layout.device_ranks, 64>>>(memory, out, failures);
  return finish("device_communicator", layout, failures);
}
