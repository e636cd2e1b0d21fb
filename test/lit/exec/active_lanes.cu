// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lanes that ask who is with them in both branches of an `if` are not with each other: neither where they ask by one function that both
// call, nor where the backend could make one call of two.
// RUN: %gpurmacc_cpu -O0 %s -o %t && %t | FileCheck %s
// RUN: %gpurmacc_cpu -O2 %s -o %t && %t | FileCheck %s
// RUN: %gpurmacc_cpu -O3 %s -o %t && %t | FileCheck %s
// RUN: %gpurmacc_cpu --gpurma-emit-source=- %s | FileCheck --check-prefix=LOWERED %s
// LOWERED: __attribute__((nomerge)) __device__ int add_together(
// LOWERED: __attribute__((nomerge)) __noinline__ __device__ int added_by(
// LOWERED-NOT: nomerge
#include <cooperative_groups.h>
#include <cstdio>

namespace cg = cooperative_groups;

template <class T> __device__ int add_together(T *counter) {
  const auto group = cg::coalesced_threads();
  int first = 0;
  if (group.thread_rank() == 0)
    first = atomicAdd(counter, static_cast<T>(group.size()));
  return group.shfl(first, 0) + static_cast<int>(group.thread_rank());
}
__noinline__ __device__ int added_by(int *counter) { return add_together(counter); }
__device__ int twice(int value) { return 2 * value; }

__global__ void filter(int n, int *odd, int *even, int *counters) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  if (i % 2 != 0)
    odd[added_by(counters)] = twice(i);
  else
    even[added_by(counters + 1)] = twice(i);
}
__global__ void masks(unsigned *of) {
  if (threadIdx.x < 10)
    of[threadIdx.x] = __activemask();
  else
    of[threadIdx.x] = __activemask();
}

int main() {
  constexpr int n = 1000;
  int *odd, *even, *counters;
  unsigned *of;
  cudaMallocManaged(&odd, n * sizeof(int));
  cudaMallocManaged(&even, n * sizeof(int));
  cudaMallocManaged(&counters, 2 * sizeof(int));
  cudaMallocManaged(&of, 32 * sizeof(unsigned));
  counters[0] = counters[1] = 0;
  filter<<<8, 128>>>(n, odd, even, counters);
  masks<<<1, 32>>>(of);
  if (cudaDeviceSynchronize() != cudaSuccess)
    return 1;
  long long sum = 0;
  for (int i = 0; i < counters[0]; ++i)
    sum += odd[i];
  // CHECK: odd 500, even 500, sum 500000
  std::printf("odd %d, even %d, sum %lld\n", counters[0], counters[1], sum);
  // CHECK: 3ff fffffc00
  std::printf("%x %x\n", of[0], of[10]);
}
