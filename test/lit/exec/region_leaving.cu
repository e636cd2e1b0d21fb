// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Threads that return before others come to barriers, directly, in a loop, and with barriers in lambdas of a template; that only do not
// come there, by a condition; and barriers in functions that are called for some threads; and launches without blocks, which do nothing, also of kernels that go on by whole grids.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t 1 | diff - %t.expected
// CHECK: direct {{[0-9]+}}
// CHECK: loop {{[0-9]+}}
// CHECK: lambda {{[0-9]+}}
// CHECK: condition {{[0-9]+}}
// CHECK: empty {{[0-9]+}}
#include "Inputs/region.h"

#include <cstdio>
#include <utility>

typedef long long number;

__global__ void direct(number *out, const number *in, int ny, int nx) {
  __shared__ number tile[4][8];
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (threadIdx.x == 0)
    tile[threadIdx.y][0] = -1;
  if (x >= nx || y >= ny)
    return;
  tile[threadIdx.y][threadIdx.x] = in[y * nx + x];
  __syncthreads();
  out[y * nx + x] = (tile[threadIdx.y][threadIdx.x] + 3 * tile[threadIdx.y][threadIdx.x / 2]) % 10007;
}

__global__ void in_loop(number *out, const number *in, int ny, int nx) {
  __shared__ number tile[4][8];
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny)
    return;
  for (int k = 0; k < 3; ++k) {
    tile[threadIdx.y][threadIdx.x] = in[y * nx + x] + k;
    __syncthreads();
    if (k == 1 && x % 5 == 4)
      return;
    out[y * nx + x] = (tile[threadIdx.y][threadIdx.x] + 3 * tile[threadIdx.y][threadIdx.x / 2]) % 10007;
    __syncthreads();
  }
}

template <class T> __global__ void in_lambda(T *out, const T *in, int ny, int nx) {
  __shared__ T tile[4][8];
  auto wait = [&] { __syncthreads(); };
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny)
    return;
  tile[threadIdx.y][threadIdx.x] = in[y * nx + x];
  wait();
  out[y * nx + x] = (tile[threadIdx.y][threadIdx.x] + 3 * tile[threadIdx.y][threadIdx.x / 2]) % 10007;
}

__global__ void in_condition(number *out, const number *in, int ny, int nx) {
  __shared__ number tile[4][8];
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny) {
    tile[threadIdx.y][threadIdx.x] = in[y * nx + x];
    __syncthreads();
    out[y * nx + x] = (tile[threadIdx.y][threadIdx.x] + 3 * tile[threadIdx.y][threadIdx.x / 2]) % 10007;
  }
}

template <class T> __device__ T half_way(T (&tile)[4][8], T value) {
  tile[threadIdx.y][threadIdx.x] = value;
  __syncthreads();
  return tile[threadIdx.y][threadIdx.x / 2];
}
template <class T> __global__ void in_function(T *out, const T *in, int ny, int nx) {
  __shared__ T tile[4][8];
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny)
    out[y * nx + x] = (half_way(tile, in[y * nx + x]) * 3 + in[y * nx + x]) % 10007;
}

__global__ void step(number *out, const number *in, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y > 0 && y < ny - 1)
    out[y * nx + x] = (in[(y - 1) * nx + x] + in[(y + 1) * nx + x]) % 10007;
}

__global__ void by_grids(number *out, const number *in, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < nx)
    for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < ny; y += gridDim.y * blockDim.y)
      out[y * nx + x] = (out[y * nx + x] + 3 * in[y * nx + x]) % 10007;
}

__global__ void axpy(number *out, const number *in, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    out[i] = (out[i] + 5 * in[i]) % 10007;
}

int main(int argc, char **argv) {
  gpurma::init(&argc, &argv);
  const int nx = 29, ny = 43;
  const auto initial = [](size_t i) { return i * 7919 % 1009; };
  number *u = device_array<number>(nx * ny, initial), *v = device_array<number>(nx * ny, initial);
  const dim3 block(8, 4), grid((nx + 7) / 8, (ny + 3) / 4);
  const auto show = [&](const char *what) {
    const number first = ordered_sum(u, nx * ny), second = ordered_sum(v, nx * ny);
    if (!is_quiet(argc))
      std::printf("%s %lld\n", what, first * 31 + second);
  };

#pragma gpurma persistent distribute(u, v : rows(ny, nx))
  for (int t = 0; t < 5; ++t) {
    direct<<<grid, block>>>(u, v, ny, nx);
    std::swap(u, v);
  }
  show("direct");

#pragma gpurma persistent distribute(u, v : rows(ny, nx))
  for (int t = 0; t < 5; ++t) {
    in_loop<<<grid, block>>>(u, v, ny, nx);
    std::swap(u, v);
  }
  show("loop");

#pragma gpurma persistent distribute(u, v : rows(ny, nx))
  for (int t = 0; t < 5; ++t) {
    in_lambda<<<grid, block>>>(u, v, ny, nx);
    std::swap(u, v);
  }
  show("lambda");

#pragma gpurma persistent distribute(u, v : rows(ny, nx))
  for (int t = 0; t < 5; ++t) {
    in_condition<<<grid, block>>>(u, v, ny, nx);
    in_function<<<grid, block>>>(v, u, ny, nx);
  }
  show("condition");

#pragma gpurma persistent distribute(u, v : rows(ny, nx))
  for (int t = 0; t < 6; ++t) {
    step<<<dim3(t % 2 * 4, 11), block>>>(u, v, ny, nx);
    by_grids<<<dim3(4, t % 3), block>>>(u, v, ny, nx);
    axpy<<<t % 3, 64>>>(v, u, nx * ny);
    std::swap(u, v);
  }
  show("empty");
}
