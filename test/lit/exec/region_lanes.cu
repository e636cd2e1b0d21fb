// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Masks of all lanes where some of a warp do not come: they have returned, or a condition keeps them. CUDA does not wait for those that
// have left the kernel.
// RUN: %gpurmacc_cpu %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t | diff - %t.expected
// RUN: %gpurmacc_cpu --gpurma-emit-source=%t.lowered.cu %s
// RUN: FileCheck --check-prefix=TEXT %s < %t.lowered.cu
// TEXT: __global__ void half_a_warp
// TEXT: if (threadIdx.x == 0)
// TEXT: if (const ::gpurma::stages::lanes_where [[ROW:gpurma_lanes_[0-9]+_3]]{0xffffffffu, static_cast<bool>(threadIdx.y == 0)}; [[ROW]].holds) {
// TEXT: __shfl_down_sync([[ROW]].mask, value, offset);
// TEXT: void behind_returns
// TEXT: const ::gpurma::stages::lanes_where [[X:gpurma_lanes_[0-9]+_3]]{0xffffffffu, static_cast<bool>(x >= nx)}; if ([[X]].holds)
// TEXT: const ::gpurma::stages::lanes_where [[Y:gpurma_lanes_[0-9]+_3]]{[[X]].rest, static_cast<bool>(y >= ny)}; if ([[Y]].holds) {
// TEXT: if (nx < 1)
// TEXT: __shfl_sync([[Y]].rest, value, 0)
// TEXT: if (const ::gpurma::stages::lanes_where [[THIRD:gpurma_lanes_[0-9]+_3]]{[[Y]].rest, static_cast<bool>(x % 3 == 0)}; [[THIRD]].holds)
// TEXT: __syncwarp([[THIRD]].rest);
// TEXT: if (__any_sync([[THIRD]].rest, value % 3 == 0))
// TEXT: __any_sync([[THIRD]].rest, value % 8 > k)
// TEXT: __all_sync([[THIRD]].rest, value % 4 > 1)
// TEXT: __any_sync([[THIRD]].rest, value % 16 == 3)
// TEXT: __ballot_sync([[THIRD]].rest, value % 2)
// TEXT: if (const ::gpurma::stages::lanes_where [[EVEN:gpurma_lanes_[0-9]+_5]]{[[THIRD]].rest, static_cast<bool>(value % 2 == 0)}; [[EVEN]].holds)
// TEXT: __ballot_sync([[EVEN]].mask, value % 7 < 3)
// CHECK: u {{[1-9]}}
// CHECK: sum {{[1-9]}}
#include "Inputs/region.h"

#include <utility>

#define EVERY_LANE 0xffffffff

// A warp is two rows of the block; the sum over the block is one row's.
__global__ void half_a_warp(unsigned *out, const unsigned *in, unsigned long long *sum, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  __shared__ unsigned rows[16];
  unsigned value = 0;
  if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1)
    out[y * nx + x] = value = (in[(y - 1) * nx + x] + in[(y + 1) * nx + x] + in[y * nx + x - 1] + in[y * nx + x + 1]) % 1009;
  for (int offset = 8; offset > 0; offset /= 2)
    value += __shfl_down_sync(EVERY_LANE, value, offset);
  if (threadIdx.x == 0)
    rows[threadIdx.y] = value;
  __syncthreads();
  if (threadIdx.y == 0) {
    value = rows[threadIdx.x];
    for (int offset = 8; offset > 0; offset /= 2)
      value += __shfl_down_sync(EVERY_LANE, value, offset);
    if (threadIdx.x == 0)
      atomicAdd(sum, (unsigned long long)value);
  }
}

// Behind returns, and where those that do not come exchange nothing more: in branches of both kinds, within each other, without a mask.
template <class T> __global__ void behind_returns(T *out, const T *in, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx)
    return;
  if (y >= ny) {
    return;
  }
  T value = in[y * nx + x];
  if (nx < 1)
    value = __shfl_sync(~0u, value, 0);
  value += __any_sync(EVERY_LANE, value % 5 == 1) ? 3 : 1;
  if (x % 3 == 0)
    value += 7;
  else {
    __syncwarp();
    value ^= __all_sync(0xffffffffu, value % 3 < 2);
    if (__any_sync(EVERY_LANE, value % 3 == 0))
      value += 1;
    for (int k = 0; __any_sync(EVERY_LANE, value % 8 > k); ++k)
      ++value;
    while (__all_sync(EVERY_LANE, value % 4 > 1))
      value += 1;
    do
      value += 3;
    while (!__any_sync(EVERY_LANE, value % 16 == 3));
    switch (ny % 2) {
    case 1:
      value += __popc(__ballot_sync(EVERY_LANE, value % 2));
    }
    if (value % 2 == 0)
      value += __popc(__ballot_sync(-1, value % 7 < 3));
  }
  out[y * nx + x] = value % 1009;
}

int main() {
  const int ny = 83, nx = 57;
  unsigned *u = device_array<unsigned>(ny * nx, [](size_t i) { return i % 17; });
  unsigned *v = device_array<unsigned>(ny * nx, [](size_t i) { return i % 17; });
  unsigned long long *sum;
  cudaMallocManaged(&sum, sizeof *sum);
  *sum = 0;
  const dim3 block(16, 16), grid((nx + 15) / 16, (ny + 15) / 16);
#pragma gpurma persistent distribute(u, v : rows(ny, nx)) reduce(+ : *sum)
  for (int t = 0; t < 7; ++t) {
    half_a_warp<<<grid, block>>>(v, u, sum, ny, nx);
    behind_returns<<<grid, block>>>(u, v, ny, nx);
  }
  cudaDeviceSynchronize();
  // In the kernel by itself, too.
  behind_returns<<<grid, block>>>(v, u, ny, nx);
  const long long total = ordered_sum(v, ny * nx);
  if (is_first_process())
    std::printf("u %lld\nsum %llu\n", total, *sum);
}
