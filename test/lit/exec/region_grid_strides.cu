// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Kernels that go through the rows by whole grids, and what they may do around their rows: sums in the block's memory, variables of
// the kernel that each row begins anew, pointers that go on with the row, while loops, several loops, tiles, structures that know their array.
// RUN: %gpurmacc_cpu %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t 1 | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=4 %mpirun -np 5 %t 1 | diff - %t.expected
// CHECK: u {{-?[1-9][0-9]*}}
// CHECK: total {{[1-9][0-9]*}} most {{[1-9][0-9]*}}
#include "Inputs/region.h"

#include <cstdio>
#include <utility>

using Count = unsigned long long;
constexpr int across = 8, down = 4;

__global__ void sum_of_block(long long *u, Count *total, int ny, int nx) {
  __shared__ Count part;
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x + threadIdx.y == 0)
    part = 0;
  __syncthreads();
  for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < ny; y += blockDim.y * gridDim.y)
    if (x < nx) {
      u[y * nx + x] = (3 * u[y * nx + x] + y) % 1009;
      atomicAdd(&part, static_cast<Count>(u[y * nx + x]));
    }
  __syncthreads();
  if (threadIdx.x + threadIdx.y == 0)
    atomicAdd(total, 3 * part);
}
__global__ void sums_of_threads(long long *u, Count *total, int ny, int nx) {
  __shared__ Count parts[down][across];
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  parts[threadIdx.y][threadIdx.x] = 0;
  for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < ny; y += blockDim.y * gridDim.y)
    if (x < nx) {
      parts[threadIdx.y][threadIdx.x] += u[y * nx + x] % 7;
      parts[threadIdx.y][threadIdx.x] = parts[threadIdx.y][threadIdx.x] + 1;
    }
  __syncthreads();
  for (int half = down / 2; half > 0; half /= 2) {
    if (threadIdx.y < half)
      parts[threadIdx.y][threadIdx.x] += parts[threadIdx.y + half][threadIdx.x];
    __syncthreads();
  }
  if (threadIdx.y == 0)
    atomicAdd(total, parts[0][threadIdx.x]);
}
__global__ void most_of_block(const long long *u, Count *most, int ny, int nx) {
  __shared__ Count found;
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x + threadIdx.y == 0)
    found = 5;
  __syncthreads();
  for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < ny; y += blockDim.y * gridDim.y)
    if (x < nx)
      atomicMax(&found, static_cast<Count>(u[y * nx + x] * 3 % 997));
  __syncthreads();
  if (threadIdx.x + threadIdx.y == 0)
    atomicMax(most, found);
}
// As it is written in C.
__global__ void with_pointers(long long *out, const long long *in, Count *total, int ny, int nx) {
  int x, y, k, stride;
  long long value, *to;
  Count s = 0;
  x = blockIdx.x * blockDim.x + threadIdx.x;
  y = blockIdx.y * blockDim.y + threadIdx.y;
  to = out + y * nx + x;
  while (y < ny) {
    if (x < nx) {
      value = y > 0 ? in[(y - 1) * nx + x] : 0;
      for (k = 0; k < 3; ++k)
        value += in[y * nx + x] + k;
      *to = value % 1009;
      s += value % 3;
    }
    y += blockDim.y * gridDim.y;
    to += blockDim.y * gridDim.y * nx;
  }
  atomicAdd(total, s);
}
__global__ void two_loops(long long *u, long long *v, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y;
  for (y = blockIdx.y * blockDim.y + threadIdx.y; y < ny; y += blockDim.y * gridDim.y)
    if (x < nx)
      u[y * nx + x] += 1;
  for (y = blockIdx.y * blockDim.y + threadIdx.y; y < ny; y += blockDim.y * gridDim.y)
    if (x < nx)
      v[y * nx + x] = (v[y * nx + x] + u[y * nx + x]) % 1009;
}
__global__ void mirrored(long long *u, int ny, int nx) {
  __shared__ long long tile[down][across];
  const int x = blockIdx.x * blockDim.x + threadIdx.x, rows = blockDim.y * gridDim.y;
  for (int first = blockIdx.y * blockDim.y; first < ny; first += rows) {
    const int y = first + threadIdx.y;
    if (x < nx && y < ny)
      tile[threadIdx.y][threadIdx.x] = u[y * nx + x];
    __syncthreads();
    if (x < nx / across * across && y < ny)
      u[y * nx + x] = tile[threadIdx.y][across - 1 - threadIdx.x];
    __syncthreads();
  }
}
/// Its functions could be const.
struct field {
  long long *data;
  int ny, nx;
  __device__ int index(int y, int x) { return y * nx + x; }
  __device__ long long &operator()(int y, int x) { return data[index(y, x)]; }
  __device__ long long at(int y, int x) { return (*this)(y, x); }
  __device__ void set(int y, int x, long long to) {
    const int i = index(y, x);
    data[i] = to;
  }
};
__global__ void with_accessors(field u, field v) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < u.ny; y += gridDim.y * blockDim.y)
    if (x < u.nx)
      u.set(y, x, (u(y, x) + 3 * v.at(max(y - 1, 0), x)) % 1009);
}

int main(int argc, char **argv) {
  gpurma::init(&argc, &argv);
  const bool quiet = is_quiet(argc);
  const int nx = 37, ny = 45;
  long long *u = device_array<long long>(nx * ny, [](size_t i) { return i * 7919 % 1009; });
  long long *v = device_array<long long>(nx * ny, [](size_t i) { return i * 31 % 1009; });
  Count *total, *most;
  CHECK(cudaMallocManaged(&total, sizeof *total));
  CHECK(cudaMallocManaged(&most, sizeof *most));
  *total = 0;
  *most = 0;
  const dim3 block(across, down), grid(5, 2);
#pragma gpurma persistent distribute(u, v : rows(ny, nx)) reduce(+ : *total) reduce(max : *most)
  for (int it = 0; it < 7; ++it) {
    sum_of_block<<<grid, block>>>(u, total, ny, nx);
    sums_of_threads<<<grid, block>>>(u, total, ny, nx);
    most_of_block<<<grid, block>>>(u, most, ny, nx);
    with_pointers<<<grid, block>>>(v, u, total, ny, nx);
    two_loops<<<grid, block>>>(u, v, ny, nx);
    mirrored<<<grid, block>>>(u, ny, nx);
    with_accessors<<<grid, block>>>(field{u, ny, nx}, field{v, ny, nx});
    std::swap(u, v);
  }
  const long long of_u = ordered_sum(u, nx * ny), of_v = ordered_sum(v, nx * ny);
  if (!quiet)
    std::printf("u %lld v %lld\ntotal %llu most %llu\n", of_u, of_v, *total, *most);
}
