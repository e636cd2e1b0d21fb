// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels on arrays of integers, and functions that launch them, for region_calls.cu.
#ifndef REGION_CALLS_H
#define REGION_CALLS_H

#include "region.h"

#include <cstdio>

#define TRY(call)                                                                                  \
  do {                                                                                             \
    cudaError_t status_ = (call);                                                                  \
    if (status_ != cudaSuccess)                                                                    \
      return status_;                                                                              \
  } while (0)

template <class T> __global__ void relax(T *out, const T *in, int nx, int ny, T w) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny)
    return;
  const int i = y * nx + x;
  if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1)
    out[i] = in[i];
  else
    out[i] = (in[i] * 3 + in[i - 1] + in[i + 1] + in[i - nx] * 2 + in[i + nx] + w) % 10007;
}
__global__ void add_source(int *u, int nx, int ny, int at, int s) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny && x % 7 == at)
    u[y * nx + x] += s;
}
__global__ void most_of(const int *u, int *most, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny)
    atomicMax(most, u[y * nx + x]);
}

namespace steps {
namespace detail {
constexpr int tile = 8;
int counter = 0;
enum kind { slow = 1, fast = 2 };
} // namespace detail

// Its names mean other things where it is called.
inline void go(int *u, const int *v, int nx, int ny, detail::kind k = detail::slow, const int *mask = nullptr) {
  using namespace detail;
  static const int it = 4;
  constexpr int n = tile;
  const dim3 block(n, it);
  relax<<<dim3((nx + n - 1) / n, (ny + it - 1) / it), block>>>(u, v, nx, ny, k * 3);
  CHECK(cudaGetLastError());
  counter += tile + (mask == nullptr) + (mask ? 100 : 0);
}
inline cudaError_t forth(int *a, int *b, int nx, int ny, const dim3 &block = dim3(16, 2)) {
  const dim3 grid((nx + block.x - 1) / block.x, (ny + block.y - 1) / block.y);
  relax<<<grid, block>>>(b, a, nx, ny, 1);
  TRY(cudaGetLastError());
  TRY(cudaDeviceSynchronize());
  return cudaSuccess;
}
} // namespace steps

#endif
