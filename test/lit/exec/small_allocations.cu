// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Windows in allocations that share a block of device memory, and in others that come where earlier ones were.
// RUN: %gpurmacc_cpu -O2 %s -o %t
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 2 %t | FileCheck %s
// CHECK: small_allocations: ok
#include "Inputs/exec.h"
#include <vector>

// The first rank of each process sends `elements` values to that of the next one.
__global__ void pass_on(const int *own, int *next, int elements, int to, int from) {
#pragma gpurma window(w = next[0 : elements]) comm(world)
  if (gpurma::device_rank() == 0) {
#pragma gpurma put(own[0 : elements]) to(to) at(w[0]) notify(0)
#pragma gpurma wait tag(0) from(from)
  }
}

int main() {
  const gpurma::layout ranks = gpurma::query(pass_on, 64);
  const int previous = (ranks.process + ranks.processes - 1) % ranks.processes;
  const int to = (ranks.first_rank + ranks.device_ranks) % ranks.world_ranks;
  const int from = (ranks.first_rank - ranks.device_ranks + ranks.world_ranks) % ranks.world_ranks;
  int *own = nullptr, failures = 0;
  cudaMalloc(&own, 1000 * sizeof(int));
  for (int round = 0; round < 4; ++round) {
    // Two at a time; sizes change from round to round, and with them the places.
    int *next[2] = {};
    const int elements[2] = {100 + 300 * round, 1000 - 200 * round};
    for (int n = 0; n < 2; ++n)
      cudaMalloc(&next[n], elements[n] * sizeof(int));
    for (int repetition = 0; repetition < 2; ++repetition) {
      for (int n = 0; n < 2; ++n) {
        const auto value = [&](int process, int e) { return ((process * 4 + round) * 2 + repetition) * 2000 + n * 1000 + e; };
        std::vector<int> host(elements[n]);
        for (int e = 0; e < elements[n]; ++e)
          host[e] = value(ranks.process, e);
        cudaMemcpy(own, host.data(), elements[n] * sizeof(int), cudaMemcpyHostToDevice);
        pass_on<<<ranks.device_ranks, 64>>>(own, next[n], elements[n], to, from);
        cudaMemcpy(host.data(), next[n], elements[n] * sizeof(int), cudaMemcpyDeviceToHost);
        for (int e = 0; e < elements[n]; ++e)
          failures += host[e] != value(previous, e);
      }
    }
    for (int *memory : next)
      cudaFree(memory);
  }
  return finish("small_allocations", ranks, &failures);
}
