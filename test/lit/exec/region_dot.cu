// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Scalar products in one dimension whose threads work together, next to stencils in two and three dimensions and alone: loops by
// whole grids, `for` and `while`, and an element for each thread, trees in shared memory, shuffles, functions that know their thread, dynamic shared
// memory, sums that count how often each element is taken, or the elements of a kind, weights that differ between threads, and the most and least. A function
// adds up what a loop over the rows has found, too.
// RUN: %gpurmacc_cpu %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=4 %mpirun -np 3 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 5 %t | diff - %t.expected
// CHECK: tree {{[0-9]+}}
// CHECK: short {{[0-9]+}}
// CHECK: cube {{[0-9]+}}
// CHECK: alone {{[0-9]+}}
// CHECK: planes {{[0-9]+}}
#include "Inputs/region.h"

#include <climits>
#include <cstdio>
#include <utility>

typedef unsigned long long number;

__global__ void star(number *out, const number *in, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1) {
    const int i = y * nx + x;
    out[i] = (in[i - nx] + 3 * in[i + nx] + 5 * in[i - 1] + 7 * in[i + 1]) % 1000003;
  }
}
__global__ void star_of_space(number *out, const number *in, int nz, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < nx && y < ny && z > 0 && z < nz - 1)
    out[(z * ny + y) * nx + x] = (in[(z * ny + y) * nx + x] + 3 * in[((z - 1) * ny + y) * nx + x] + in[((z + 1) * ny + y) * nx + x]) % 1000003;
}

// By whole grids, a tree in shared memory.
__global__ void tree(const number *a, const number *b, number *sum, int n) {
  __shared__ number part[256];
  number s = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    s += a[i] * b[i];
  part[threadIdx.x] = s;
  __syncthreads();
  for (int w = blockDim.x / 2; w > 0; w /= 2) {
    if (threadIdx.x < w)
      part[threadIdx.x] += part[threadIdx.x + w];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    atomicAdd(sum, part[0]);
}
// As a first book on CUDA has it.
__global__ void in_while(const number *a, const number *b, number *sum, int n) {
  __shared__ number cache[256];
  int tid = threadIdx.x + blockIdx.x * blockDim.x;
  const int stride = blockDim.x * gridDim.x, cacheIndex = threadIdx.x;
  number temp = 0;
  while (tid < n) {
    const number product = a[tid] * b[tid];
    if (product % 3 != 0)
      temp += product;
    tid += stride;
  }
  cache[cacheIndex] = temp;
  __syncthreads();
  int i = blockDim.x / 2;
  while (i != 0) {
    if (cacheIndex < i)
      cache[cacheIndex] += cache[cacheIndex + i];
    __syncthreads();
    i /= 2;
  }
  if (cacheIndex == 0)
    atomicAdd(sum, cache[0]);
}
// An element for each thread, zero for the others; some threads count more than others.
__global__ void element(const number *a, const number *b, number *sum, int n) {
  __shared__ number part[256];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    part[threadIdx.x] = a[i] * b[i];
  else
    part[threadIdx.x] = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    number all = 0;
    for (int t = 0; t < 256; ++t)
      all += part[t] * (t % 7 + 1);
    atomicAdd(sum, all * (blockIdx.x % 3 + 1));
  }
}
// Shuffles within warps, and the first warp adds up those of all.
__device__ number of_warp(number value) {
  for (int off = 16; off > 0; off /= 2)
    value += __shfl_down_sync(0xffffffffu, value, off);
  return value;
}
__device__ number of_block(number value) {
  __shared__ number warps[32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  value = of_warp(value);
  if (lane == 0)
    warps[warp] = value;
  __syncthreads();
  value = threadIdx.x < blockDim.x / 32 ? warps[lane] : 0;
  if (warp == 0)
    value = of_warp(value);
  return value;
}
__global__ void shuffled(const number *a, const number *b, number *sum, number *elements, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  number s = i < n ? a[i] * b[i] : 0;
  s = of_block(s);
  if (threadIdx.x == 0)
    atomicAdd(sum, s);
  if (i < n && a[i] != 0)
    atomicAdd(elements, 1ull);
}
template <class T> __device__ void add_halves(T *values, int t) {
  for (int w = blockDim.x / 2; w > 0; w /= 2) {
    if (t < w)
      values[t] += values[t + w];
    __syncthreads();
  }
}
template <class T> __global__ void norms(const T *a, number *sum, int *most, int *least, int n) {
  extern __shared__ number dynamic[];
  __shared__ int ends[2];
  const int t = threadIdx.x;
  number s = 0;
  int high = INT_MIN, low = INT_MAX;
  for (size_t i = size_t(blockIdx.x) * blockDim.x + t; i < n; i += size_t(gridDim.x) * blockDim.x) {
    const T value = a[i];
    if (value % 5 == 0)
      continue;
    s += value * value;
    high = max(high, static_cast<int>(value));
    low = min(low, static_cast<int>(value));
  }
  if (t == 0) {
    ends[0] = INT_MIN;
    ends[1] = INT_MAX;
  }
  dynamic[t] = s;
  __syncthreads();
  atomicMax(&ends[0], high);
  add_halves(dynamic, t);
  if (t == 0) {
    atomicAdd(sum, dynamic[0]);
    atomicMax(most, ends[0]);
  }
  for (int off = 16; off > 0; off /= 2)
    low = min(low, __shfl_xor_sync(0xffffffffu, low, off));
  if (t % 32 == 0)
    atomicMin(least, low);
}
__global__ void axpy(int n, number a, const number *p, number *u) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    u[i] = (u[i] + a * p[i]) % 1000003;
}
// Of rows that are neighbours, without the last.
__global__ void between_rows(const number *a, number *sum, int nx, int n) {
  __shared__ number total;
  if (threadIdx.x == 0)
    total = 0;
  __syncthreads();
  number s = 0;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n - nx)
    s = a[i] * a[i + nx];
  atomicAdd(&total, s);
  __syncthreads();
  if (threadIdx.x == 0)
    atomicAdd(sum, total);
}
// Elements of a kind, and what remains of elements, which threads count and add up in shared memory.
__global__ void count_even(const number *a, number *sum, int n) {
  __shared__ number total;
  if (threadIdx.x == 0)
    total = 0;
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && a[i] % 2 == 0)
    atomicAdd(&total, 1ull);
  __syncthreads();
  if (threadIdx.x == 0)
    atomicAdd(sum, total);
}
__global__ void count_by_grids(const number *a, number *sum, int n) {
  __shared__ number total;
  if (threadIdx.x == 0)
    total = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    if (a[i] % 5 < 2)
      atomicAdd(&total, 3ull);
  __syncthreads();
  if (threadIdx.x == 0)
    atomicAdd(sum, total);
}
__global__ void remainders(const number *a, number *sum, int n) {
  __shared__ number bins[4];
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  if (t < 4)
    bins[t] = 0;
  __syncthreads();
  if (i < n)
    atomicAdd(&bins[a[i] % 4], a[i] % 7);
  __syncthreads();
  if (t < 4)
    atomicAdd(sum, (t + 1) * bins[t]);
}

__device__ number of_plane(number value) {
  __shared__ number part[128];
  part[threadIdx.y * blockDim.x + threadIdx.x] = value;
  __syncthreads();
  number all = 0;
  for (int t = 0; t < 128; ++t)
    all += part[t];
  return all;
}
__global__ void planes(const number *a, number *sum, int nz, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  number s = 0;
  if (x < nx && y < ny)
    for (int z = 1; z < nz; ++z)
      s += a[(z * ny + y) * nx + x];
  s = of_plane(s);
  if (threadIdx.x == 0 && threadIdx.y == 0)
    atomicAdd(sum, s);
}

template <class T> static T *scalar(T value) {
  T *memory = nullptr;
  cudaMallocManaged(&memory, sizeof(T));
  *memory = value;
  return memory;
}

int main(int argc, char **argv) {
  gpurma::init(&argc, &argv);
  number *sum = scalar(0ull), *other = scalar(0ull), *weighted = scalar(0ull), *elements = scalar(0ull), *rows = scalar(0ull);
  int *most = scalar(INT_MIN), *least = scalar(INT_MAX);
  auto print = [&](const char *name) {
    cudaDeviceSynchronize();
    if (is_first_process())
      std::printf("%s %llu %llu %llu %llu %llu %d %d\n", name, *sum, *other, *weighted, *elements, *rows, *most, *least);
    *sum = *other = *weighted = *elements = *rows = 0;
    *most = INT_MIN;
    *least = INT_MAX;
  };
  const dim3 block(16, 16);

  {
    const int nx = 301, ny = 131, n = nx * ny;
    number *a = array_of_numbers<number>(n), *b = array_of_numbers<number>(n);
    const dim3 grid((nx + 15) / 16, (ny + 15) / 16);
#pragma gpurma persistent distribute(a, b : rows(ny, nx)) reduce(+ : *sum, *other, *weighted, *elements, *rows) reduce(max : *most) reduce(min : *least)
    for (int i = 0; i < 3; ++i) {
      star<<<grid, block>>>(b, a, ny, nx);
      tree<<<7, 256>>>(a, b, sum, nx * ny);
      in_while<<<7, 256>>>(a, b, other, nx * ny);
      cudaDeviceSynchronize();
      axpy<<<(n + 127) / 128, 128>>>(n, *sum % 10, b, a);
      shuffled<<<(n + 255) / 256, 256>>>(a, b, other, elements, n);
      element<<<(n + 255) / 256 + 2, 256>>>(a, b, weighted, n);
      norms<<<11, 256, 256 * sizeof(number)>>>(a, sum, most, least, nx * ny);
      between_rows<<<(n + 255) / 256, 256>>>(a, rows, nx, n);
      count_even<<<(n + 255) / 256, 256>>>(a, elements, n);
      remainders<<<(n + 255) / 256, 256>>>(b, elements, n);
      count_by_grids<<<5, 256>>>(b, rows, nx * ny);
      std::swap(a, b);
    }
    print("tree");
  }
  {
    // Several rows in a tile, and fewer threads than elements.
    const int nx = 19, ny = 157, n = nx * ny;
    number *a = array_of_numbers<number>(n), *b = array_of_numbers<number>(n);
    const dim3 grid((nx + 15) / 16, (ny + 15) / 16);
#pragma gpurma persistent distribute(a, b : rows(ny, nx)) reduce(+ : *sum, *other, *weighted, *elements, *rows) reduce(max : *most) reduce(min : *least)
    for (int i = 0; i < 3; ++i) {
      star<<<grid, block>>>(b, a, ny, nx);
      tree<<<2, 256>>>(a, b, sum, nx * ny);
      in_while<<<2, 256>>>(a, b, other, nx * ny);
      shuffled<<<5, 256>>>(a, b, other, elements, n);
      element<<<(n + 255) / 256, 256>>>(a, b, weighted, n);
      between_rows<<<(n + 255) / 256, 256>>>(a, rows, nx, n);
      norms<<<1, 256, 256 * sizeof(number)>>>(a, sum, most, least, nx * ny);
    }
    print("short");
  }
  {
    const int nz = 29, ny = 21, nx = 37, n = nx * ny * nz;
    number *a = array_of_numbers<number>(n), *b = array_of_numbers<number>(n);
    const dim3 cubes(8, 8, 4), grid((nx + 7) / 8, (ny + 7) / 8, (nz + 3) / 4);
#pragma gpurma persistent distribute(a, b : rows(nz, ny, nx)) reduce(+ : *sum, *other, *weighted, *elements) reduce(max : *most) reduce(min : *least)
    for (int i = 0; i < 3; ++i) {
      star_of_space<<<grid, cubes>>>(b, a, nz, ny, nx);
      tree<<<7, 256>>>(a, b, sum, nx * ny * nz);
      in_while<<<7, 256>>>(a, b, other, nx * ny * nz);
      shuffled<<<(n + 255) / 256, 256>>>(a, b, other, elements, n);
      element<<<(n + 255) / 256, 256>>>(a, b, weighted, n);
      norms<<<3, 256, 256 * sizeof(number)>>>(b, sum, most, least, nx * ny * nz);
      count_even<<<(n + 255) / 256, 256>>>(b, weighted, n);
      count_by_grids<<<5, 256>>>(a, elements, nx * ny * nz);
    }
    print("cube");
  }
  {
    // The blocks of the ranks are those whose threads work together.
    const int nx = 67, ny = 71, n = nx * ny;
    number *a = array_of_numbers<number>(n), *b = array_of_numbers<number>(n);
#pragma gpurma persistent distribute(a, b : rows(ny, nx)) reduce(+ : *sum, *other, *elements)
    for (int i = 0; i < 3; ++i) {
      axpy<<<(n + 63) / 64, 64>>>(n, 3, a, b);
      tree<<<4, 256>>>(a, b, sum, nx * ny);
      in_while<<<4, 256>>>(a, b, other, nx * ny);
      shuffled<<<(n + 255) / 256, 256>>>(a, b, other, elements, n);
    }
    print("alone");
  }
  {
    const int nz = 43, ny = 21, nx = 37;
    number *a = array_of_numbers<number>(nx * ny * nz);
#pragma gpurma persistent distribute(a : rows(nz, ny, nx)) reduce(+ : *sum)
    for (int i = 0; i < 3; ++i)
      planes<<<dim3((nx + 31) / 32, (ny + 3) / 4), dim3(32, 4)>>>(a, sum, nz, ny, nx);
    print("planes");
  }
}
