// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Blocks that overlap, as kernels with tiles in shared memory have them whose threads at the edge load what the others read: two fields
// with a border of one and of two elements, in two and in one dimension, next to a kernel in blocks of the same size that lie side by
// side, to a copy of a row and to a sum.
// RUN: %gpurmacc_cpu %s -o %t --gpurma-print-after=InferStages | FileCheck --check-prefix=PLAN %s
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t quiet | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=4 %mpirun -np 3 %t quiet | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 5 %t quiet | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 GPURMA_DISTRIBUTED_ARRAYS=banded %mpirun -np 3 %t quiet | diff - %t.expected
// CHECK: hot: {{[1-9]}}
// CHECK: alone: {{[1-9]}}
// CHECK: path: {{[1-9]}}
#include "Inputs/region.h"

#include <utility>

typedef unsigned long long number;
#define BLOCK 16
#define IN_RANGE(x, low, high) ((x) >= (low) && (x) <= (high))

__global__ void hot(number *out, const number *in, int ny, int nx) {
  const int border = 1;
  __shared__ number tile[BLOCK][BLOCK];
  int tx = threadIdx.x, ty = threadIdx.y;
  const int small_block = BLOCK - 2 * border;
  int blkY = small_block * blockIdx.y - border, blkX = small_block * blockIdx.x - border;
  int y = blkY + ty, x = blkX + tx;
  if (IN_RANGE(y, 0, ny - 1) && IN_RANGE(x, 0, nx - 1))
    tile[ty][tx] = in[y * nx + x];
  __syncthreads();
  if (IN_RANGE(tx, border, BLOCK - 1 - border) && IN_RANGE(ty, border, BLOCK - 1 - border) && y < ny && x < nx) {
    const int north = y == 0 ? ty : ty - 1, south = y == ny - 1 ? ty : ty + 1, west = x == 0 ? tx : tx - 1, east = x == nx - 1 ? tx : tx + 1;
    out[y * nx + x] = (tile[ty][tx] + 3 * tile[north][tx] + 5 * tile[south][tx] + 7 * tile[ty][west] + 11 * tile[ty][east]) % 10007;
  }
}
__global__ void add(const number *u, number *v, number *sum, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny) {
    v[y * nx + x] = (v[y * nx + x] + u[y * nx + x]) % 10009;
    atomicAdd(sum, u[y * nx + x] * (1 + (x + 2 * y) % 7));
  }
}
template <int Border> __global__ void path(number *out, const number *in, int n) {
  __shared__ number line[32];
  const int i = (int)blockIdx.x * (32 - 2 * Border) - Border + (int)threadIdx.x;
  if (i >= 0 && i < n)
    line[threadIdx.x] = in[i];
  __syncthreads();
  if (threadIdx.x >= Border && threadIdx.x < 32 - Border && i >= Border && i < n - Border)
    out[i] = (line[threadIdx.x - Border] + 3 * line[threadIdx.x] + 5 * line[threadIdx.x + Border]) % 10007;
}

static number *numbers(size_t n) {
  return device_array<number>(n, [](size_t i) { return i * 7919 / 13 % 10007; });
}

// PLAN: // after InferStages
int main(int argc, char **) {
  const bool quiet = is_quiet(argc);
  const int nx = 75, ny = 247, n = 801, inside = BLOCK - 2;
  number *u = numbers(nx * ny), *next = numbers(nx * ny), *v = numbers(nx * ny), *sum = nullptr;
  CHECK(cudaMallocManaged(&sum, sizeof(number)));
  const dim3 block(BLOCK, BLOCK), grid((nx + inside - 1) / inside, (ny + inside - 1) / inside);
  const dim3 whole((nx + BLOCK - 1) / BLOCK, (ny + BLOCK - 1) / BLOCK);
  long long all = 0;
#pragma gpurma persistent distribute(u, next, v : rows(ny, nx)) reduce(+ : *sum)
  for (int i = 0; i < 12; ++i) {
    // PLAN-NEXT: stage hot: rows y; writes out (own), published (y -1..1); reads in (x -1..1, y -1..1); blocks begin 14 apart in x; blocks begin 14 apart in y
    hot<<<grid, block>>>(next, u, ny, nx);
    std::swap(u, next);
    *sum = 0;
    // PLAN-NEXT: stage add: rows y; reads u (own)
    add<<<whole, block>>>(u, v, sum, ny, nx);
    cudaMemcpy(u + 20 * nx, v + 21 * nx, nx * sizeof(number), cudaMemcpyDeviceToDevice);
    cudaDeviceSynchronize();
    all = (all * 31 + *sum) % 1000000007;
  }
  all += ordered_sum(u, nx * ny) + 2 * ordered_sum(v, nx * ny);
  if (!quiet)
    std::printf("hot: %lld\n", all);

#pragma gpurma persistent distribute(u, next : rows(ny, nx))
  for (int i = 0; i < 9; ++i) {
    hot<<<grid, block>>>(next, u, ny, nx);
    std::swap(u, next);
  }
  all = ordered_sum(u, nx * ny);
  if (!quiet)
    std::printf("alone: %lld\n", all);

  number *a = numbers(n), *b = numbers(n);
#pragma gpurma persistent distribute(a, b : rows(n))
  for (int i = 0; i < 9; ++i) {
    // PLAN: stage path: rows x; writes out (own), published (x -2..2); reads in (x -2..2); blocks begin 28 apart in x
    path<2><<<(n + 27) / 28, 32>>>(b, a, n);
    std::swap(a, b);
  }
  all = ordered_sum(a, n);
  if (!quiet)
    std::printf("path: %lld\n", all);
}
