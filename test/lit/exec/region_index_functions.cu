// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Functions that name threadIdx, blockIdx, blockDim and gridDim themselves, one by way of another, members, templates, lambdas and
// __ldg in what kernels call; for launches in two dimensions, in one, and with shared memory.
// RUN: %gpurmacc_cpu -Werror %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=4 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t 1 | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t 1 | diff - %t.expected
// CHECK: fields: {{[1-9][0-9]*}} {{[1-9][0-9]*}}
// CHECK: total: {{[1-9][0-9]*}}
#include "Inputs/region.h"

#include <cstdio>
#include <utility>
#include <vector>

__device__ int column() { return blockIdx.x * blockDim.x + threadIdx.x; }
template <int Dimension> __device__ int row(int first = 0) {
  return first + (Dimension == 1 ? blockIdx.y * blockDim.y + threadIdx.y : 0);
}
__device__ bool is_inside(int nx, int ny) { return column() < nx && row<1>() < ny; }
__device__ int blocks() { return gridDim.x * 1000 + gridDim.y; }
struct View {
  const int* data;
  int nx;
  static __device__ int own_row() { return row<1>(); }
  __device__ int at(int y, int x) const { return __ldg(&data[y * nx + x]); }
  __device__ int above() const { return at(max(own_row() - 1, 0), column()); }
  __device__ int below(int ny) const { return at(min(own_row() + 1, ny - 1), column()); }
};

__global__ void smooth(int* out, const int* in, int nx, int ny) {
  if (!is_inside(nx, ny))
    return;
  const View u{in, nx};
  const auto place = [=] { return row<1>() * nx + column(); };
  out[place()] = (u.above() + 2 * u.below(ny) + u.at(row<1>(), column()) + blocks()) % 1009;
}
// Threads work together.
__device__ void load(int* tile, const int* in, int nx, int ny) {
  const int y = blockIdx.y * blockDim.y + threadIdx.y - 1;
  tile[threadIdx.y * 8 + threadIdx.x] = column() < nx && y >= 0 && y < ny ? in[y * nx + column()] : 1;
}
__global__ void shared(int* out, const int* in, int nx, int ny) {
  __shared__ int tile[4 * 8];
  load(tile, in, nx, ny);
  __syncthreads();
  if (is_inside(nx, ny))
    out[row<1>() * nx + column()] = (tile[threadIdx.y * 8 + threadIdx.x] * 3 + tile[threadIdx.y * 8 + 7 - threadIdx.x]) % 1013;
}
// In one dimension, over all elements.
__device__ int element() { return blockIdx.x * blockDim.x + threadIdx.x; }
__global__ void axpy(int* y, const int* x, int n) {
  if (const int i = element(); i < n)
    y[i] = (y[i] * 3 + x[i]) % 1019;
}
__device__ int weight() { return blockIdx.y; }
__global__ void sum(const int* a, int* total, int nx, int ny) {
  if (is_inside(nx, ny))
    atomicAdd(total, a[row<1>() * nx + column()] % 7 + weight());
}

int main(int argc, char** argv) {
  gpurma::init(&argc, &argv);
  const int nx = 21, ny = 97, n = nx * ny;
  int *a = nullptr, *b = nullptr, *total = nullptr, seen = 0;
  std::vector<int> values(n);
  for (int i = 0; i < n; ++i)
    values[i] = i * 7919LL % 1009;
  for (int** array : {&a, &b}) {
    cudaMalloc(array, n * sizeof(int));
    cudaMemcpy(*array, values.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  }
  cudaMallocManaged(&total, sizeof *total);
  *total = 0;
  const dim3 block(8, 4), grid((nx + 7) / 8, (ny + 3) / 4);
#pragma gpurma persistent distribute(a, b : rows(ny, nx)) reduce(+ : *total)
  for (int step = 0; step < 4; ++step) {
    smooth<<<grid, block>>>(b, a, nx, ny);
    shared<<<grid, block>>>(a, b, nx, ny);
    axpy<<<(n + 31) / 32, 32>>>(b, a, n);
    sum<<<grid, block>>>(b, total, nx, ny);
    std::swap(a, b);
    cudaDeviceSynchronize();
    seen = (seen * 31 + *total) % 1000003;
  }
  if (is_quiet(argc))
    return 0;
  std::printf("fields: %lld %lld\n", ordered_sum(a, n), ordered_sum(b, n));
  std::printf("total: %d\n", seen);
}
