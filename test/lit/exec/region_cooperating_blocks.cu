// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Launches whose threads work together, in blocks of several sizes: of other shapes, with fewer threads than the ranks, of parts of
// warps, with threads that return before barriers, and barriers in functions.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror -DLARGE_SUMS %s -o %t.large
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=4 GPURMA_GHOST_ROWS=8 %mpirun -np 3 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t.large | diff - %t.expected
// CHECK: tiles {{[1-9][0-9]*}} {{[1-9][0-9]*}} {{[1-9][0-9]*}} {{[1-9][0-9]*}}
// CHECK: only sums {{[1-9][0-9]*}} {{[1-9][0-9]*}}
// CHECK: planes {{[1-9][0-9]*}}
#include "Inputs/region.h"

#include <utility>

constexpr int ny = 61, nx = 45;
#ifdef LARGE_SUMS // ranks are as large as the blocks of a launch in one dimension
constexpr int threads_of_dot = 512;
#else
constexpr int threads_of_dot = 64;
#endif
constexpr int threads_of_total = 96;

template <int Width, int Height> __global__ void blur(int *out, const int *in, int ny, int nx) {
  __shared__ int tile[Height + 2][Width + 2];
  const int x0 = blockIdx.x * Width - 1, y0 = blockIdx.y * Height - 1;
  for (int j = threadIdx.y; j < Height + 2; j += Height)
    for (int i = threadIdx.x; i < Width + 2; i += Width)
      tile[j][i] = in[min(max(y0 + j, 0), ny - 1) * nx + min(max(x0 + i, 0), nx - 1)];
  __syncthreads();
  const int i = threadIdx.x + 1, j = threadIdx.y + 1, x = x0 + i, y = y0 + j;
  if (x < nx && y < ny)
    out[y * nx + x] = (tile[j - 1][i] + tile[j + 1][i] + 2 * tile[j][i - 1] + tile[j][i + 1]) % 1009;
}

// Of 96 threads or of 20 x 3, some of which return.
__global__ void slide(int *out, const int *in, int ny, int nx) {
  __shared__ int tile[8][20];
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny)
    return;
  tile[threadIdx.y][threadIdx.x] = in[y * nx + x];
  __syncthreads();
  const int left = threadIdx.x > 0 ? tile[threadIdx.y][threadIdx.x - 1] : 7;
  out[y * nx + x] = (left + 3 * in[y * nx + x]) % 1013;
}

template <typename T> __device__ T sum_of_warp(T value) {
  for (int apart = 16; apart > 0; apart /= 2)
    value += __shfl_down_sync(0xffffffff, value, apart);
  return value;
}
template <typename T> __device__ T sum_of_block(T value) {
  static __shared__ T part[32];
  const int thread = threadIdx.x + threadIdx.y * blockDim.x, warps = blockDim.x * blockDim.y / 32;
  value = sum_of_warp(value);
  if (thread % 32 == 0)
    part[thread / 32] = value;
  __syncthreads();
  return thread < 32 ? sum_of_warp(thread < warps ? part[thread] : 0) : 0;
}
__global__ void differ(const int *a, const int *b, int *sum, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const int difference = sum_of_block(x < nx && y < ny ? abs(a[y * nx + x] - b[y * nx + x]) : 0);
  if (threadIdx.x == 0 && threadIdx.y == 0)
    atomicAdd(sum, difference);
}

// By whole grids, and with a thread for each element.
__global__ void dot(const int *a, const int *b, int *sum, int n) {
  extern __shared__ int part[];
  int s = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    s += a[i] % 7 * (b[i] % 5);
  part[threadIdx.x] = s;
  __syncthreads();
  for (unsigned w = blockDim.x / 2; w > 0; w /= 2) {
    if (threadIdx.x < w)
      part[threadIdx.x] += part[threadIdx.x + w];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    atomicAdd(sum, part[0]);
}
__global__ void total(const int *a, int *sum, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int s = i < n ? a[i] % 11 : 0;
  s = sum_of_block(s); // which names y, too
  if (threadIdx.x == 0)
    atomicAdd(sum, s);
}

// A loop through the planes with a tile of each.
template <int Width, int Height> __global__ void planes(int *out, const int *in, int nz, int ny, int nx) {
  __shared__ int tile[Height][Width];
  const int x = blockIdx.x * Width + threadIdx.x, y = blockIdx.y * Height + threadIdx.y;
  const bool is_inside = x < nx && y < ny;
  for (int z = 1; z < nz - 1; ++z) {
    const int i = (z * ny + y) * nx + x;
    tile[threadIdx.y][threadIdx.x] = is_inside ? in[i] : 0;
    __syncthreads();
    if (is_inside)
      out[i] = (tile[threadIdx.y][threadIdx.x ^ 1] + in[i - ny * nx] + 2 * in[i + ny * nx]) % 1019;
    __syncthreads();
  }
}

static int value(const int *scalar) {
  int found;
  cudaMemcpy(&found, scalar, sizeof found, cudaMemcpyDeviceToHost);
  return found;
}
static dim3 grid_of(int height, int width, dim3 block) { return dim3((width + block.x - 1) / block.x, (height + block.y - 1) / block.y); }

int main() {
  static int start[ny * nx];
  int *a, *b, *apart, *product, *all;
  cudaMalloc(&a, sizeof start);
  cudaMalloc(&b, sizeof start);
  for (int **each : {&apart, &product, &all}) {
    cudaMalloc(each, sizeof **each);
    cudaMemset(*each, 0, sizeof **each);
  }
  for (int i = 0; i < ny * nx; ++i)
    start[i] = i * 7919 % 1009;
  cudaMemcpy(a, start, sizeof start, cudaMemcpyHostToDevice);
  const dim3 of_ranks(16, 16), flat(32, 2), across(128, 2), of_sums(32, 4), of_slide(12, 8), of_few(20, 3);
  const dim3 grid = grid_of(ny, nx, of_ranks), grid_flat = grid_of(ny, nx, flat), grid_across = grid_of(ny, nx, across);
  const dim3 grid_sums = grid_of(ny, nx, of_sums), grid_slide = grid_of(ny, nx, of_slide), grid_few = grid_of(ny, nx, of_few);
#pragma gpurma persistent distribute(a, b : rows(ny, nx)) reduce(+ : *apart, *product, *all)
  for (int k = 0; k < 6; ++k) {
    blur<32, 2><<<grid_flat, flat>>>(b, a, ny, nx);
    differ<<<grid_sums, of_sums>>>(a, b, apart, ny, nx);
    blur<16, 16><<<grid, of_ranks>>>(a, b, ny, nx);
    blur<128, 2><<<grid_across, across>>>(b, a, ny, nx);
    dot<<<7, threads_of_dot, threads_of_dot * sizeof(int)>>>(a, b, product, nx * ny);
    slide<<<grid_slide, of_slide>>>(a, b, ny, nx);
    slide<<<grid_few, of_few>>>(b, a, ny, nx);
    std::swap(a, b);
    total<<<(nx * ny + threads_of_total - 1) / threads_of_total, threads_of_total>>>(a, all, nx * ny);
  }
  const long long sum = ordered_sum(a, ny * nx);
  if (is_first_process())
    std::printf("tiles %lld %d %d %d\n", sum, value(apart), value(product), value(all));

  // The ranks' threads are those of the larger one.
#pragma gpurma persistent distribute(a, b : rows(ny, nx)) reduce(+ : *product, *all)
  {
    total<<<(nx * ny + threads_of_total - 1) / threads_of_total, threads_of_total>>>(a, all, nx * ny);
    dot<<<7, threads_of_dot, threads_of_dot * sizeof(int)>>>(a, b, product, nx * ny);
  }
  if (is_first_process())
    std::printf("only sums %d %d\n", value(product), value(all));

  constexpr int nz = 15, height = 13, width = 14;
  static_assert(nz * height * width <= ny * nx);
  const dim3 small(8, 4), large(16, 8);
  const dim3 grid_small = grid_of(height, width, small), grid_large = grid_of(height, width, large);
#pragma gpurma persistent distribute(a, b : rows(nz, height, width))
  for (int k = 0; k < 5; ++k) {
    planes<16, 8><<<grid_large, large>>>(b, a, nz, height, width);
    planes<8, 4><<<grid_small, small>>>(a, b, nz, height, width);
  }
  print_sum("planes", a, ny * nx);
  for (int *each : {a, b, apart, product, all})
    cudaFree(each);
}
