// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// get reads another rank's part; flush completes it at the origin; with notify the target learns that its data was read.
// RUN: %gpurmacc_cpu -O2 %s -o %t
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 2 %t | FileCheck %s
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t | FileCheck %s
// CHECK: get: ok
#include "Inputs/exec.h"

constexpr int n = 70;

__global__ void read_next(double *memory, int *failures) {
  double *mine = memory + gpurma::device_rank() * 2 * n;
  double *got = mine + n;
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    mine[i] = gpurma::rank() + i * 0.5;
#pragma gpurma window(w = mine[0:n])
  int next = (gpurma::rank() + 1) % gpurma::size();
#pragma gpurma barrier
#pragma gpurma get(got[0:n - 10]) from(next) at(w[10]) notify(4)
#pragma gpurma flush on(w)
  for (int i = threadIdx.x; i < n - 10; i += blockDim.x)
    if (got[i] != next + (i + 10) * 0.5)
      atomicAdd(failures, 1);
  // Somebody has read mine: it may change now.
#pragma gpurma wait tag(4) on(w)
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    mine[i] = -1;
}

int main() {
  auto layout = gpurma::query(read_next, 32);
  double *memory = managed<double>(2 * n * layout.device_ranks);
  int *failures = managed<int>(1);
  read_next<<<layout.device_ranks, 32>>>(memory, failures);
  return finish("get", layout, failures);
}
