// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Kernels that end in a barrier: of threads that work each for itself it is left out, so that they may be played by any others, behind returns, too,
// and of a template; where threads work together it stays.
// RUN: %gpurmacc_cpu %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=4 %mpirun -np 2 %t quiet | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 3 %t quiet | diff - %t.expected
// CHECK: u {{[0-9]+}}
// CHECK: sum {{[0-9]+}}
#include "Inputs/region.h"

#include <cstdio>
#include <utility>

// In one dimension.
__global__ void scale(float *u, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    u[i] = u[i] * 0.5f + 1;
  __syncthreads();
}
__global__ void leave(float *u, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  u[i] = u[i] * 0.5f + i % 5;
  __syncthreads();
}
template <class T> __global__ void grow(T *u, T f, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    u[i] = max(u[i] * f, T(3));
  __syncthreads();
}
__global__ void total(float *sum, const float *u, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(sum, float(int(u[i])));
  __syncthreads();
}
// Of fixed rows.
__global__ void walls(float *u, int nx, int ny) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < nx) {
    u[x] = u[nx + x];
    u[(ny - 1) * nx + x] = 3;
  }
  __syncthreads();
}
// In blocks, also of another size.
__global__ void blocks(float *v, const float *u, int nx, int ny) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny)
    return;
  v[y * nx + x] = u[y * nx + x] + (y > 0 ? u[(y - 1) * nx + x] : 0);
  __syncthreads();
}
__global__ void tile(float *v, const float *u, int nx, int ny) {
  __shared__ float part[4][17];
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  part[threadIdx.y][threadIdx.x] = x < nx && y < ny ? u[y * nx + x] : 0;
  if (threadIdx.x == 0)
    part[threadIdx.y][16] = 1;
  __syncthreads();
  if (x < nx && y < ny)
    v[y * nx + x] = part[threadIdx.y][threadIdx.x] * 0.5f + part[threadIdx.y][threadIdx.x + 1];
  __syncthreads();
}

int main(int argc, char **argv) {
  gpurma::init(&argc, &argv);
  if (is_quiet(argc))
    std::freopen("/dev/null", "w", stdout);
  const int nx = 50, ny = 90, n = nx * ny;
  float *u = device_array<float>(n, [](std::size_t i) { return static_cast<float>(i * i % 13); });
  float *v = device_array<float>(n, [](std::size_t i) { return static_cast<float>(i * i % 13); });
  float *sum = device_array<float>(1, [](std::size_t) { return 0.0f; });
  const dim3 block(16, 4), grid((nx + 15) / 16, (ny + 3) / 4);
#pragma gpurma persistent distribute(u, v : rows(ny, nx)) reduce(+ : *sum)
  for (int k = 0; k < 4; ++k) {
    scale<<<(n + 127) / 128, 128>>>(u, n);
    leave<<<(n + 127) / 128, 128>>>(u, n);
    grow<<<30, 64>>>(u, 1.25f, n);
    walls<<<1, 64>>>(u, nx, ny);
    blocks<<<grid, block>>>(v, u, nx, ny);
    tile<<<grid, block>>>(u, v, nx, ny);
    blocks<<<dim3((nx + 31) / 32, (ny + 7) / 8), dim3(32, 8)>>>(v, u, nx, ny);
    total<<<(n + 127) / 128, 128>>>(sum, v, n);
    std::swap(u, v);
  }
  print_sum("u", u, n);
  print_sum("sum", sum, 1);
}
