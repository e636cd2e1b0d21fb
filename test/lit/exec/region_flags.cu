// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Flags that kernels of a region set or clear by plain stores: what nobody stores into keeps its value, whatever it is, and the constant
// may be any. In memory of all kinds, of several types, in functions, templates, macros and lambdas, in launches in blocks, in one dimension
// and in blocks of another size, in loops over the rows and by whole grids, beside sums, and in several launches between two reads.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S -Wno-unused %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=1 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t quiet | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t quiet | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 GPURMA_DISTRIBUTED_ARRAYS=banded %mpirun -np 5 %t quiet | diff - %t.expected
// CHECK: components: 50 steps, 2 labels
// CHECK: settled: 28 steps
// CHECK: kept: 5 2 2 -7 -7 0 1 16843009 0 7 0
// CHECK: limit 40: 0 0 0 0
// CHECK: limit 28: 0 1 0 -0.5
// CHECK: limit 12: 1 1 4 -0.5
#include "Inputs/region.h"

#include <cstdio>
#include <set>
#include <utility>

constexpr int ny = 44, nx = 30, n = ny * nx;

// Each point takes the least label of its neighbours, if it is no wall.
__global__ void propagate(int *next, const int *labels, volatile int *changed) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny)
    return;
  const int i = y * nx + x;
  int least = labels[i];
  const auto meet = [&](int other) { least = other >= 0 ? min(least, other) : least; };
  if (least >= 0 && x > 0 && x < nx - 1 && y > 0 && y < ny - 1) {
    meet(labels[i - 1]);
    meet(labels[i + 1]);
    meet(labels[i - nx]);
    meet(labels[i + nx]);
  }
  next[i] = least;
  if (least != labels[i])
    *changed = 1;
}

// Values sink until none is above its limit.
__device__ void clear(bool *flag) { *flag = false; }
__device__ int lowered(int value, int limit, bool *settled) {
  if (value <= limit)
    return value;
  clear(settled);
  return value - 1;
}
__global__ void sink(int *next, const int *values, bool *settled) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny)
    next[y * nx + x] = lowered(values[y * nx + x], (y + x) % 13, settled);
}

// One thread at most stores.
template <class T, T Value> __global__ void set_at(int *a, T *flag, int row) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny)
    return;
  a[y * nx + x] += 1;
  if (y == row && x == 3)
    flag[0] = Value;
}
enum { raised = 2 };
__global__ void set_raised(const int *a, int *flag) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny && a[y * nx + x] < 0)
    *flag = raised;
}

#define SET(flag) (*(flag) = 1)

__global__ void in_one_dimension(int *a, int *flag, int limit) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const auto set = [=] { SET(flag); };
  if (a[i] > limit)
    set();
  a[i] += i % 3;
}
__global__ void by_whole_grids(const int *a, unsigned *flag, int limit) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    if (a[i] > limit)
      *flag = 4u;
}
__global__ void in_rows(int *next, const int *a, int *flag, int limit) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= nx)
    return;
  for (int y = 0; y < ny; ++y) {
    const int i = y * nx + x;
    next[i] = y > 0 ? (a[i] + a[i - nx]) / 2 : a[i];
    if (next[i] > limit)
      *flag = 1;
  }
}
// A sum over the block, and a flag before it.
__global__ void with_sum(const int *a, int *sum, float *flag, int limit) {
  __shared__ int parts[32];
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const int value = x < nx && y < ny ? a[y * nx + x] : 0;
  if (value > limit)
    *flag = -0.5f;
  const int thread = threadIdx.y * blockDim.x + threadIdx.x;
  parts[thread] = value;
  __syncthreads();
  for (int w = 16; w > 0; w /= 2) {
    if (thread < w)
      parts[thread] += parts[thread + w];
    __syncthreads();
  }
  if (thread == 0)
    atomicAdd(sum, parts[0]);
}
// Reads what others have set so far.
__global__ void add_flag(int *a, const int *flag) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny)
    a[y * nx + x] += *flag;
}

int main(int argc, char **) {
  gpurma::init();
  const bool quiet = is_quiet(argc);
  const dim3 block(8, 4), grid((nx + 7) / 8, (ny + 3) / 4);
  auto label = [](std::size_t i) { return i / nx == 20 ? -1 : static_cast<int>(i); };
  int *a = device_array<int>(n, label), *b = device_array<int>(n, label);

  volatile int *changed;
  int steps = 0;
  CHECK(cudaMallocManaged(reinterpret_cast<void **>(const_cast<int **>(&changed)), sizeof *changed));
#pragma gpurma persistent distribute(a, b : rows(ny, nx)) reduce(|| : *changed)
  while (true) {
    *changed = 0;
    propagate<<<grid, block>>>(b, a, changed);
    cudaDeviceSynchronize();
    std::swap(a, b);
    ++steps;
    if (!*changed)
      break;
  }
  const auto labels = host_copy(a, n);
  std::set<int> inner;
  for (int y = 1; y < ny - 1; ++y)
    for (int x = 1; x < nx - 1; ++x)
      if (y != 20)
        inner.insert(labels[y * nx + x]);
  if (!quiet)
    std::printf("components: %d steps, %zu labels, hash %lld\n", steps, inner.size(), ordered_sum(a, n));
  else
    ordered_sum(a, n);

  bool *settled, done = false;
  CHECK(cudaMalloc(&settled, sizeof *settled));
  int *c = device_array<int>(n, [](std::size_t i) { return i * 37 % 29; }), *d = device_array<int>(n, [](std::size_t) { return 0; });
#pragma gpurma persistent distribute(c, d : rows(ny, nx)) reduce(&& : *settled)
  for (steps = 0; !done; ++steps) {
    done = true;
    cudaMemcpy(settled, &done, sizeof(bool), cudaMemcpyHostToDevice);
    sink<<<grid, block>>>(d, c, settled);
    cudaMemcpy(&done, settled, sizeof(bool), cudaMemcpyDeviceToHost);
    std::swap(c, d);
  }
  const long long settled_hash = ordered_sum(c, n);
  if (!quiet)
    std::printf("settled: %d steps, hash %lld\n", steps, settled_hash);

  // 5 before; a row that is there sets 2, or -7, or clears.
  int *two, *minus, *cleared, seen[11], count = 0;
  bool *raised_once;
  CHECK(cudaMalloc(&raised_once, sizeof *raised_once));
  CHECK(cudaMallocHost(&two, sizeof *two));
  CHECK(cudaMalloc(&minus, sizeof *minus));
  CHECK(cudaMallocManaged(&cleared, sizeof *cleared));
  for (int &each : seen)
    each = -1;
#pragma gpurma persistent distribute(c : rows(ny, nx)) reduce(|| : *two, *minus, *raised_once) reduce(&& : *cleared)
  {
    *two = 5;
    set_at<int, 2><<<grid, block>>>(c, two, ny);
    cudaDeviceSynchronize();
    seen[count++] = *two;
    set_at<int, 2><<<grid, block>>>(c, two, ny - 1);
    set_raised<<<grid, block>>>(c, two);
    cudaDeviceSynchronize();
    seen[count++] = *two;
    *two += 1;
    set_at<int, 2><<<grid, block>>>(c, two, 7);
    set_at<int, 2><<<grid, block>>>(c, two, ny);
    cudaDeviceSynchronize();
    seen[count++] = *two;
    cudaMemset(minus, 0, sizeof(int));
    set_at<int, -7><<<grid, block>>>(c, minus, 0);
    cudaMemcpy(&seen[count++], minus, sizeof(int), cudaMemcpyDeviceToHost);
    set_at<int, -7><<<grid, block>>>(c, minus, ny);
    cudaMemcpy(seen + count++, minus, sizeof(int), cudaMemcpyDeviceToHost);
    for (int row : {ny, 9}) {
      bool is_raised;
      cudaMemset(raised_once, 0, sizeof(bool));
      set_at<bool, true><<<grid, block>>>(c, raised_once, row);
      cudaMemcpy(&is_raised, raised_once, sizeof(bool), cudaMemcpyDeviceToHost);
      seen[count++] = is_raised;
    }
    cudaMemset(minus, 1, sizeof(int));
    set_at<int, -7><<<grid, block>>>(c, minus, ny);
    cudaMemcpy(&seen[count++], minus, sizeof(int), cudaMemcpyDeviceToHost);
    *cleared = 7;
    set_at<int, 0><<<grid, block>>>(c, cleared, 11);
    cudaDeviceSynchronize();
    seen[count++] = *cleared;
    *cleared = 7;
    set_at<int, 0><<<grid, block>>>(c, cleared, ny);
    cudaDeviceSynchronize();
    seen[count++] = *cleared;
    set_at<int, 0><<<grid, block>>>(c, cleared, ny - 1);
  }
  cudaDeviceSynchronize();
  seen[count++] = *cleared;
  if (!quiet)
    std::printf("kept: %d %d %d %d %d %d %d %d %d %d %d\n", seen[0], seen[1], seen[2], seen[3], seen[4], seen[5], seen[6], seen[7], seen[8],
                seen[9], seen[10]);

  int *flag, *other, *sum;
  unsigned *bits;
  float *real;
  CHECK(cudaMallocManaged(&flag, sizeof *flag));
  CHECK(cudaMallocManaged(&other, sizeof *other));
  CHECK(cudaMallocManaged(&sum, sizeof *sum));
  CHECK(cudaMallocManaged(&bits, sizeof *bits));
  CHECK(cudaMallocManaged(&real, sizeof *real));
  steps = 0;
#pragma gpurma persistent distribute(c, d : rows(ny, nx)) reduce(|| : *flag, *other, *bits, *real) reduce(+ : *sum)
  for (int limit = 40; limit > 8; limit -= 4) {
    *flag = *other = 0;
    *bits = 0;
    *real = 0;
    *sum = 0;
    in_one_dimension<<<(n + 63) / 64, 64>>>(c, flag, limit);
    by_whole_grids<<<3, 64>>>(c, bits, limit + 5);
    in_rows<<<(nx + 15) / 16, 16>>>(d, c, other, limit - 4);
    with_sum<<<grid, block>>>(d, sum, real, limit);
    add_flag<<<grid, block>>>(d, other);
    cudaDeviceSynchronize();
    printf("limit %d: %d %d %u %g, sum %d\n", limit, *flag, *other, *bits, static_cast<double>(*real), *sum);
    std::swap(c, d);
    ++steps;
  }
  const long long hash = ordered_sum(c, n);
  if (!quiet)
    std::printf("forms: %d steps, hash %lld\n", steps, hash);
}
