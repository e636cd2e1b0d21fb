// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Ranks go through many tiles in pieces of 64, in columns and (1 and 3 ranks) one by one, also (on GPUs) with two copies of
// shared memory in turn, and with odd and even numbers of tiles.
// RUN: %gpurmacc_cpu -O1 %s -o %t
// RUN: env GPURMA_CPU_RANKS=6 GPURMA_TIMEOUT=20 %t | FileCheck %s
// RUN: env GPURMA_CPU_RANKS=2 GPURMA_TIMEOUT=20 %t | FileCheck %s
// RUN: env GPURMA_CPU_RANKS=1 GPURMA_TIMEOUT=20 %t | FileCheck %s
// RUN: env GPURMA_CPU_RANKS=3 GPURMA_TIMEOUT=20 %t | FileCheck %s
// RUN: env GPURMA_CPU_RANKS=3 GPURMA_TIMEOUT=20 %mpirun -np 2 %t | FileCheck %s
// RUN: env GPURMA_CPU_RANKS=6 GPURMA_TIMEOUT=20 %mpirun -np 2 %t | FileCheck %s
// RUN: env GPURMA_CPU_RANKS=4 GPURMA_TIMEOUT=20 GPURMA_ROUTE=proxy %mpirun -np 3 %t | FileCheck %s
// RUN: %gpurmacc --gpurma-target=cuda --gpurma-emit-source=%t.cu %s && FileCheck --check-prefix=TEXT %s < %t.cu
// TEXT: struct gpurma_launch_0_0 {
// TEXT: between_tiles::nothing
// TEXT: struct gpurma_launch_0_1 {
// TEXT: between_tiles::other_copy
// CHECK: 0 elements are wrong
#include "Inputs/region.h"

#include <cstdio>
#include <utility>
#include <vector>

__global__ void sum_of_rows(int *out, const int *in, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y > 0 && y < ny - 1)
    out[y * nx + x] = in[(y - 1) * nx + x] + 3 * in[(y + 1) * nx + x] + 1;
}
__global__ void reversed_in_tiles(int *out, const int *in, int nx, int ny) {
  __shared__ int values[2][8];
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  values[threadIdx.y][threadIdx.x] = x < nx && y < ny ? in[y * nx + x] : 0;
  __syncthreads();
  if (x < nx && y < ny)
    out[y * nx + x] = values[threadIdx.y][7 - threadIdx.x] % 1000;
}

int main() {
  const int nx = 16, ny = 399, steps = 5;
  std::vector<int> expected(nx * ny), next(expected), found(expected);
  for (int i = 0; i < nx * ny; ++i)
    expected[i] = next[i] = i % 97;
  int *a, *b;
  const std::size_t bytes = expected.size() * sizeof(int);
  cudaMalloc(&a, bytes);
  cudaMalloc(&b, bytes);
  cudaMemcpy(a, expected.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(b, expected.data(), bytes, cudaMemcpyHostToDevice);
  const dim3 block(8, 2), grid(nx / 8, (ny + 1) / 2);
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  for (int step = 0; step < steps; ++step) {
    sum_of_rows<<<grid, block>>>(b, a, nx, ny);
    reversed_in_tiles<<<grid, block>>>(a, b, nx, ny);
  }
  cudaMemcpy(found.data(), a, bytes, cudaMemcpyDeviceToHost);
  for (int step = 0; step < steps; ++step) {
    for (int y = 1; y < ny - 1; ++y)
      for (int x = 0; x < nx; ++x)
        next[y * nx + x] = expected[(y - 1) * nx + x] + 3 * expected[(y + 1) * nx + x] + 1;
    for (int y = 0; y < ny; ++y)
      for (int x = 0; x < nx; ++x)
        expected[y * nx + x] = next[y * nx + x / 8 * 8 + 7 - x % 8] % 1000;
  }
  int wrong = 0;
  for (int i = 0; i < nx * ny; ++i)
    wrong += found[i] != expected[i];
  if (is_first_process())
    std::printf("%d elements are wrong\n", wrong);
  return wrong != 0;
}
