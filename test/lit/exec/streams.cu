// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// A launch stays what CUDA says it is: asynchronous, ordered on its stream, among kernels without directives and copies.
// RUN: %gpurmacc_cpu -O2 %s -o %t
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 2 %t | FileCheck %s
// CHECK: streams: ok
#include "Inputs/exec.h"

__global__ void set(int *value, int to) { *value = to; }
__global__ void add_over_ranks(int *value) {
#pragma gpurma barrier
  if (threadIdx.x == 0)
    atomicAdd(value, 1);
#pragma gpurma barrier
}

int main() {
  auto layout = gpurma::query(add_over_ranks, 32);
  int *value = managed<int>(1), host = 0, failures = 0;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  for (int round = 0; round < 3; ++round) {
    set<<<1, 1, 0, stream>>>(value, 100 * round);
    add_over_ranks<<<layout.device_ranks, 32, 0, stream>>>(value);
    add_over_ranks<<<layout.device_ranks, 32, 0, stream>>>(value);
    cudaMemcpyAsync(&host, value, sizeof(int), cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    failures += host != 100 * round + 2 * layout.device_ranks;
  }
  cudaStreamDestroy(stream);
  return finish("streams", layout, &failures);
}
