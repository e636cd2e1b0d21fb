// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that take any group of threads, and groups whose size is known at run time only.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t && %t | FileCheck %s
// RUN: %if nvcc %{ %check_cuda -c %s -o %t.o %}
#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;

__device__ int sum_of(cg::thread_group group, int *x, int value) {
  const int rank = static_cast<int>(group.thread_rank());
  for (int i = static_cast<int>(group.size()) / 2; i > 0; i /= 2) {
    x[rank] = value;
    group.sync();
    if (rank < i)
      value += x[rank + i];
    cg::sync(group);
  }
  return value;
}

__global__ void sums(int *out, int size) {
  extern __shared__ int shared[];
  const cg::thread_block block = cg::this_thread_block();
  const int whole = sum_of(block, shared, static_cast<int>(block.thread_rank()));
  block.sync();
  const cg::thread_group tile = cg::tiled_partition(block, size);
  const int of_tile = sum_of(tile, shared + threadIdx.x / size * size, 1);
  const int of_eight = sum_of(cg::tiled_partition<8>(block), shared + threadIdx.x / 8 * 8, 2);
  const int of_part = sum_of(cg::tiled_partition(tile, 4), shared + threadIdx.x / 4 * 4, static_cast<int>(threadIdx.x));
  if (threadIdx.x == 0)
    out[0] = whole;
  if (threadIdx.x == 16)
    out[1] = of_tile;
  if (threadIdx.x == 24)
    out[2] = of_eight;
  if (threadIdx.x == 20)
    out[3] = of_part;
  if (threadIdx.x % 2 == 1) {
    const cg::coalesced_group odd = cg::coalesced_threads();
    const cg::coalesced_group four = cg::tiled_partition(odd, 4);
    const int most = four.shfl(static_cast<int>(threadIdx.x), 3);
    if (threadIdx.x == 9)
      out[4] = 100 * most + 10 * static_cast<int>(four.thread_rank()) + static_cast<int>(four.size());
  }
}

int main() {
  int *out;
  cudaMallocManaged(&out, 5 * sizeof(int));
  sums<<<1, 64, 64 * sizeof(int)>>>(out, 16);
  if (cudaDeviceSynchronize() != cudaSuccess)
    return 1;
  // CHECK: 2016 16 16 86 1504
  std::printf("%d %d %d %d %d\n", out[0], out[1], out[2], out[3], out[4]);
  cudaDeviceProp properties;
  cudaGetDeviceProperties(&properties, 0);
  // CHECK: textures: {{[0-9]+}}
  std::printf("textures: %d\n", properties.maxTexture1D + properties.maxTexture2D[1] + properties.maxTexture3D[2]);
}
