// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rank kernels that the functions of CUDA launch, by name and by pointer, in templates and with a configuration: they have ranks.
// RUN: %gpurmacc_cpu -O2 %s -o %t
// RUN: env GPURMA_CPU_RANKS=3 %t | FileCheck %s
// CHECK: launch_calls: ok
#include "Inputs/exec.h"

__global__ void add(int *a, int by, int *failures) {
  const int next = (gpurma::rank() + 1) % gpurma::size();
#pragma gpurma notify(next) tag(1)
#pragma gpurma wait tag(1)
  if (threadIdx.x == 0)
    a[blockIdx.x] += by;
  expect(failures, gpurma::size() == static_cast<int>(gridDim.x));
}
template <class... Arguments> cudaError_t launch_by_pointer(const void *kernel, int blocks, Arguments... passed) {
  void *arguments[] = {&passed...};
  return cudaLaunchKernel(kernel, dim3(blocks), dim3(32), arguments, 0, nullptr);
}

int main() {
  auto layout = gpurma::query(add, 32);
  const int ranks = layout.device_ranks;
  int *a = managed<int>(ranks), *failures = managed<int>(1);
  int by = 1;
  void *arguments[] = {&a, &by, &failures};
  auto check = [&](cudaError_t error) { *failures += error != cudaSuccess; };
  check(cudaLaunchKernel((const void *)add, dim3(ranks), dim3(32), arguments, 0, nullptr));
  check(launch_by_pointer((const void *)add, ranks, a, 2, failures));
  check(cudaLaunchCooperativeKernel((const void *)add, dim3(ranks), dim3(32), arguments, 0, nullptr));
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(ranks);
  config.blockDim = dim3(32);
  check(cudaLaunchKernelEx(&config, add, a, 4, failures));
  check(cudaLaunchKernelExC(&config, (const void *)add, arguments));
  add<<<ranks, 32>>>(a, 8, failures);
  cudaDeviceSynchronize();
  for (int i = 0; i < ranks; ++i)
    *failures += a[i] != 1 + 2 + 1 + 4 + 1 + 8;
  return finish("launch_calls", layout, failures);
}
