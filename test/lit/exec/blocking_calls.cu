// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Calls that wait for a rank kernel inside CUDA do not hold back the copies that the kernel needs to end.
// RUN: %gpurmacc_cpu -O2 %s -o %t
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 2 %t | FileCheck %s
// CHECK: blocking_calls: ok
#include "Inputs/exec.h"
#include <functional>
#include <vector>

constexpr int Elements = 100000;

__device__ int Symbol;

// The first rank of each process sends to that of the next one, in windows that are created while the host already waits.
__global__ void pass_on(const int *own, int *next, int to, int from) {
  const bool sends = gpurma::device_rank() == 0;
  for (int round = 0; round < 3; ++round) {
#pragma gpurma window(w = next[0 : Elements]) comm(world)
    if (sends) {
#pragma gpurma put(own[0 : Elements]) to(to) at(w[0]) notify(round)
#pragma gpurma wait tag(round) from(from)
    }
  }
  if (sends && threadIdx.x == 0)
    Symbol = next[0];
}

int main() {
  const gpurma::layout ranks = gpurma::query(pass_on, 64);
  const int previous = (ranks.process + ranks.processes - 1) % ranks.processes;
  const int to = (ranks.first_rank + ranks.device_ranks) % ranks.world_ranks;
  const int from = (ranks.first_rank - ranks.device_ranks + ranks.world_ranks) % ranks.world_ranks;
  const auto value = [](int process, int round) { return 1000 * round + process + 1; };
  std::vector<int> host(Elements);
  int *own = nullptr, *next = nullptr, *pinned = nullptr, *other = nullptr, got = 0, failures = 0, round = 0;
  const std::size_t bytes = Elements * sizeof(int);
  cudaMalloc(&own, bytes);
  cudaMallocHost(&pinned, bytes);

  // Each reads what the kernel has left, or leaves that to a copy after it.
  const std::function<void()> calls[] = {
      [&] { cudaMemcpy(&got, next, sizeof(int), cudaMemcpyDeviceToHost); },
      [&] {
        cudaMemcpy(pinned, next, bytes, cudaMemcpyDeviceToHost);
        got = pinned[Elements - 1];
      },
      [&] { cudaMemcpy2D(&got, 4, next + 5, 4, 4, 1, cudaMemcpyDeviceToHost); },
      [&] { cudaMemcpyFromSymbol(&got, Symbol, sizeof(int)); },
      [&] {
        cudaMemcpyToSymbol(Symbol, &round, sizeof(int));
        cudaMemcpy(&got, next, sizeof(int), cudaMemcpyDeviceToHost);
      },
      [&] {
        cudaMemcpyAsync(host.data(), next, bytes, cudaMemcpyDeviceToHost, 0);
        cudaStreamSynchronize(0);
        got = host[Elements / 2];
      },
      [&] {
        cudaMemcpyAsync(own, host.data(), bytes, cudaMemcpyHostToDevice, 0);
        cudaMemcpy(&got, next, sizeof(int), cudaMemcpyDeviceToHost);
      },
      [&] {
        cudaMemcpyFromSymbolAsync(&got, Symbol, sizeof(int), 0, cudaMemcpyDeviceToHost, 0);
        cudaStreamSynchronize(0);
      },
      [&] {
        cudaFree(other);
        cudaMemcpy(&got, next, sizeof(int), cudaMemcpyDeviceToHost);
      },
      [&] {
        cudaDeviceSynchronize();
        cudaMemcpy(&got, next, sizeof(int), cudaMemcpyDeviceToHost);
      },
  };
  for (const auto &call : calls) {
    cudaMalloc(&next, bytes); // other processes have not seen it
    cudaMalloc(&other, bytes);
    host.assign(Elements, value(ranks.process, round));
    cudaMemcpy(own, host.data(), bytes, cudaMemcpyHostToDevice);
    pass_on<<<ranks.device_ranks, 64>>>(own, next, to, from);
    got = 0;
    call();
    failures += got != value(previous, round);
    ++round;
    cudaFree(next);
  }
  return finish("blocking_calls", ranks, &failures);
}
