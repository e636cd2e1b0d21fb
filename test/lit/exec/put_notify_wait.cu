// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// A notified put to the next rank, around the ring of all ranks of all processes; the wait makes the data visible.
// RUN: %gpurmacc_cpu -O2 %s -o %t
// RUN: env GPURMA_CPU_RANKS=3 %t | FileCheck %s
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t | FileCheck %s
// RUN: env GPURMA_CPU_RANKS=1 %mpirun -np 3 %t | FileCheck %s
// CHECK: put_notify_wait: ok
#include "Inputs/exec.h"

constexpr int n = 100;

__global__ void ring(int *memory, int *failures) {
  int *mine = memory + gpurma::device_rank() * 2 * n;
  int *in = mine, *out = mine + n;
#pragma gpurma window(w = in[0:n])
  int next = (gpurma::rank() + 1) % gpurma::size();
  int previous = (gpurma::rank() + gpurma::size() - 1) % gpurma::size();
  for (int step = 0; step < 5; ++step) {
    for (int i = threadIdx.x; i < n; i += blockDim.x)
      out[i] = gpurma::rank() * 1000 + step * 100 + i;
#pragma gpurma put(out[0:n]) to(next) at(w[0]) notify(step)
#pragma gpurma wait tag(step) from(previous) on(w)
    for (int i = threadIdx.x; i < n; i += blockDim.x)
      if (in[i] != previous * 1000 + step * 100 + i)
        atomicAdd(failures, 1);
    // The next put may overwrite what this rank has read.
#pragma gpurma barrier
  }
}

int main() {
  auto layout = gpurma::query(ring, 64);
  int *memory = managed<int>(2 * n * layout.device_ranks), *failures = managed<int>(1);
  ring<<<layout.device_ranks, 64>>>(memory, failures);
  return finish("put_notify_wait", layout, failures);
}
