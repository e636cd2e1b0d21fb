// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Payloads beyond the eager limit, many at once, with small ones between them.
// RUN: %gpurmacc_cpu -O2 %s -o %t
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 2 %t | FileCheck %s
// RUN: env GPURMA_CPU_RANKS=2 GPURMA_EAGER=64 %mpirun -np 2 %t | FileCheck %s
// CHECK: large_messages: ok
#include "Inputs/exec.h"

constexpr std::size_t big = 200000, parts = 4;

__global__ void exchange(int *memory, int *failures) {
  int ranks = gpurma::size(), next = (gpurma::rank() + ranks / 2) % ranks;
  int *in = memory + gpurma::device_rank() * 2 * (big + parts), *out = in + big + parts;
  for (std::size_t i = threadIdx.x; i < big + parts; i += blockDim.x)
    out[i] = gpurma::rank() * 7 + int(i);
#pragma gpurma window(w = in[0:big + parts])
  for (std::size_t part = 0; part < parts; ++part) {
#pragma gpurma put(out[part * (big / parts):big / parts]) to(next) at(w[part * (big / parts)])
#pragma gpurma put(out[big + part:1]) to(next) at(w[big + part]) notify(3)
  }
#pragma gpurma wait tag(3) count(int(parts)) on(w)
  // The notification of a small put comes after the data of the large put before it.
  for (std::size_t i = threadIdx.x; i < big + parts; i += blockDim.x)
    if (in[i] != next * 7 + int(i))
      atomicAdd(failures, 1);
}

int main() {
  auto layout = gpurma::query(exchange, 64);
  int *memory = managed<int>(layout.device_ranks * 2 * (big + parts)), *failures = managed<int>(1);
  exchange<<<layout.device_ranks, 64>>>(memory, failures);
  return finish("large_messages", layout, failures);
}
