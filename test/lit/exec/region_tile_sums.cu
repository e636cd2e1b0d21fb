// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Kernels whose threads work together on what they have found, which is done once for all tiles of a rank where that is the same: sums and
// mosts, several at a time, in templates, by functions, shuffles and shared memory, behind a loop through the rows and in one dimension.
// And others that look like them, of which each tile must do it: what follows depends on the block, counts blocks, is no sum, or
// the sum of many tiles has no room.
// RUN: %gpurmacc_cpu -O1 %s -o %t --gpurma-print-after=InferStages | FileCheck --check-prefix=PLAN %s
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=1 %mpirun -np 2 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=4 %mpirun -np 3 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 5 %t | diff - %t.expected
// CHECK: step 0: {{[1-9]}}
// CHECK: step 5: {{[1-9]}}
#include "Inputs/region.h"

#include <cstdio>
#include <utility>

typedef unsigned long long number;

__device__ number sum_of_warp(number v) {
  for (int w = 16; w > 0; w /= 2)
    v += __shfl_down_sync(~0u, v, w);
  return v;
}

// PLAN-DAG: stage shuffled: {{.*}}; change first over all tiles
__global__ void shuffled(number *out, const number *in, number *sum, int ny, int nx) {
  __shared__ number sums[32];
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  number change = 0;
  if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1) {
    const int i = y * nx + x;
    out[i] = (in[i - nx] + 3 * in[i + nx] + 5 * in[i - 1] + 7 * in[i + 1]) % 1000003;
    change = out[i] % 1009;
  }
  change = sum_of_warp(change);
  if (threadIdx.x == 0)
    sums[threadIdx.y] = change;
  __syncthreads();
  if (threadIdx.x == 0 && threadIdx.y == 0) {
    for (int w = 1; w < blockDim.y; ++w)
      change += sums[w];
    atomicAdd(sum, change);
  }
}

// Two values, whose thread has a number that both parts of the kernel use, in an alias that both know.
// PLAN-DAG: stage both_found: {{.*}}; total first over all tiles; most first over all tiles
template <class T, int Threads> __global__ void both_found(const T *a, T *sum, T *largest, T factor, int ny, int nx) {
  using value = T;
  const int lane = threadIdx.x + threadIdx.y * blockDim.x;
  __shared__ value totals[Threads];
  __shared__ value mosts[Threads];
  value total = 0, most = 0;
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny) {
    total = a[y * nx + x] % (7 + lane % 3);
    most = a[y * nx + x];
  }
  totals[lane] = total * factor;
  mosts[lane] = most;
  __syncthreads();
  for (int w = Threads / 2; w > 0; w /= 2) {
    if (lane < w) {
      totals[lane] += totals[lane + w];
      mosts[lane] = max(mosts[lane], mosts[lane + w]);
    }
    __syncthreads();
  }
  if (lane == 0) {
    atomicAdd(sum, value(totals[0]));
    atomicMax(largest, mosts[0]);
  }
}

// What follows depends on the block.
// PLAN-DAG: stage of_some_blocks: {{.*}}adds to *sum; *sum first in each thread{{$}}
__global__ void of_some_blocks(const number *a, number *sum, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  number found = 0;
  if (x < nx && y < ny)
    found = a[y * nx + x];
  found = sum_of_warp(found);
  if (threadIdx.x == 0)
    atomicAdd(sum, blockIdx.x % 2 == 0 ? found : 3 * found);
}

// PLAN-DAG: stage also_counts: {{.*}}adds to *sum; *sum first in each thread{{$}}
__global__ void also_counts(const number *a, number *sum, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  number found = 0;
  if (x < nx && y < ny)
    found = a[y * nx + x];
  found = sum_of_warp(found);
  if (threadIdx.x == 0) {
    atomicAdd(sum, found);
    atomicAdd(sum, 1ull);
  }
}

// PLAN-DAG: stage no_sum: {{.*}}adds to *sum; *sum first in each thread{{$}}
__global__ void no_sum(const number *a, number *sum, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  number found = 0;
  if (x < nx && y < ny)
    found = a[y * nx + x];
  found = sum_of_warp(found);
  if (threadIdx.x == 0)
    atomicAdd(sum, found % 1000);
}

// A warp's sum has room in an int, that of many tiles has not.
// PLAN-DAG: stage narrow: {{.*}}adds to *sum; *sum first in each thread{{$}}
__global__ void narrow(const number *a, number *sum, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  unsigned found = 0;
  if (x < nx && y < ny)
    found = 100000000u + a[y * nx + x] % 1000;
  for (int w = 16; w > 0; w /= 2)
    found += __shfl_down_sync(~0u, found, w);
  if (threadIdx.x == 0)
    atomicAdd(sum, found);
}

// Threads leave before the others work together.
// PLAN-DAG: stage leaves: {{.*}}adds to *sum; *sum first in each thread{{$}}
__global__ void leaves(const number *a, number *sum, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (y >= ny)
    return;
  number found = x < nx ? a[y * nx + x] : 0;
  found = sum_of_warp(found);
  if (threadIdx.x == 0)
    atomicAdd(sum, found);
}

// Shared memory is used for the stencil, too.
// PLAN-DAG: stage in_tiles: {{.*}}adds to *sum; *sum first in each thread{{$}}
__global__ void in_tiles(number *out, const number *in, number *sum, int ny, int nx) {
  __shared__ number tile[256];
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const int lane = threadIdx.x + threadIdx.y * blockDim.x;
  tile[lane] = x < nx && y < ny ? in[y * nx + x] : 0;
  __syncthreads();
  number found = tile[lane ^ 1] % 11;
  if (x < nx && y < ny)
    out[y * nx + x] = tile[lane] + (threadIdx.x % 2 == 0 && x + 1 < nx ? found : 0);
  found = sum_of_warp(found);
  if (threadIdx.x == 0)
    atomicAdd(sum, found);
}

// PLAN-DAG: stage planes: {{.*}}; found first over all tiles
__global__ void planes(const number *a, number *sum, int nz, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  number found = 0;
  if (x < nx && y < ny)
    for (int z = 0; z < nz; ++z)
      found += a[(z * ny + y) * nx + x] % (z + 2);
  found = sum_of_warp(found);
  if (threadIdx.x == 0)
    atomicAdd(sum, found);
}

// PLAN-DAG: stage product: {{.*}} of parts of blocks in one dimension{{.*}}; found first over all tiles
__global__ void product(const number *a, const number *b, number *sum, int n) {
  __shared__ number part[256];
  number found = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    found += a[i] * b[i];
  part[threadIdx.x] = found;
  __syncthreads();
  for (int w = blockDim.x / 2; w > 0; w /= 2) {
    if (threadIdx.x < w)
      part[threadIdx.x] += part[threadIdx.x + w];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    atomicAdd(sum, part[0]);
}

static number *device(size_t n) {
  return device_array<number>(n, [](size_t i) { return i * 7919 % 10007 + 1; });
}

int main() {
  const int nx = 150, ny = 211, n = nx * ny;
  number *u = device(n), *v = device(n), *of = nullptr;
  cudaMallocManaged(&of, 10 * sizeof(number));
  number *found = of, *totals = of + 1, *mosts = of + 2, *some = of + 3, *counted = of + 4, *odd = of + 5, *wide = of + 6, *left = of + 7, *tiled = of + 8,
         *dot = of + 9;
  const dim3 block(32, 8), grid((nx + 31) / 32, (ny + 7) / 8);
#pragma gpurma persistent distribute(u, v : rows(ny, nx)) reduce(+ : *found, *totals, *some, *counted, *odd, *wide, *left, *tiled, *dot) reduce(max : *mosts)
  for (int step = 0; step < 6; ++step) {
    *found = *totals = *mosts = *some = *counted = *wide = *left = *tiled = *dot = 0;
    *odd = 5;
    shuffled<<<grid, block>>>(v, u, found, ny, nx);
    both_found<number, 256><<<grid, block>>>(v, totals, mosts, 3, ny, nx);
    of_some_blocks<<<grid, block>>>(v, some, ny, nx);
    also_counts<<<grid, block>>>(v, counted, ny, nx);
    no_sum<<<grid, block>>>(v, odd, ny, nx);
    narrow<<<grid, block>>>(v, wide, ny, nx);
    leaves<<<grid, block>>>(v, left, ny, nx);
    in_tiles<<<grid, block>>>(u, v, tiled, ny, nx);
    product<<<40, 256>>>(u, v, dot, n);
    cudaDeviceSynchronize();
    printf("step %d: %llu %llu %llu %llu %llu %llu %llu %llu %llu %llu\n", step, *found, *totals, *mosts, *some, *counted, *odd, *wide, *left, *tiled, *dot);
  }

  const int mx = 40, my = 19, mz = 23;
  number *w = device(size_t(mx) * my * mz);
  *found = 0;
  const dim3 grid_of_planes((mx + 31) / 32, (my + 7) / 8);
#pragma gpurma persistent distribute(w : rows(mz, my, mx)) reduce(+ : *found)
  for (int step = 0; step < 3; ++step) {
    planes<<<grid_of_planes, block>>>(w, found, mz, my, mx);
    cudaDeviceSynchronize();
    printf("planes %llu\n", *found);
  }
}
