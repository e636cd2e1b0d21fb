// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Copies of the built-in variables, as structures and as arguments of a function, what a block of cooperative groups says of its threads,
// and pointers that a launch may leave out.
// RUN: %gpurmacc_cpu -Rgpurma %s -o %t 2>&1 | FileCheck --check-prefix=REMARK %s
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=1 %mpirun -np 5 %t | diff - %t.expected
// CHECK: copies {{[0-9]+}}
// CHECK: optional {{[0-9]+}}
// REMARK: stage 'structures' reads 'in' with halo 1, writes 'out'
// REMARK: stage 'arguments' reads 'in' with halo 2, writes 'out'
// REMARK: stage 'groups' reads 'in' with halo 1, writes 'out'
// REMARK: stage 'ranks' reads 'in' with halo 1, writes 'out'
// REMARK: stage 'optional' reads 'in' with halo 1, reads 'mask', writes 'out'
// REMARK: stage 'optional' reads 'in' with halo 1, reads 'source' with halo 2, writes 'out'
#include "Inputs/region.h"

#include <cooperative_groups.h>
#include <cstdio>
#include <utility>

typedef long long number;
constexpr int modulus = 1000003;

__device__ number lap(const number *in, int x, int y, int nx, int reach) {
  return (in[y * nx + x] + 3 * in[(y - reach) * nx + x] + 5 * in[(y + reach) * nx + x]) % modulus;
}
__device__ bool isInside(int x, int y, int ny, int nx) { return x >= 2 && y >= 2 && x < nx - 2 && y < ny - 2; }

__global__ void structures(number *out, const number *in, int ny, int nx) {
  const uint3 b = blockIdx;
  const dim3 t = threadIdx, d = blockDim;
  const int x = b.x * d.x + t.x, y = b.y * d.y + t.y;
  if (isInside(x, y, ny, nx))
    out[y * nx + x] = lap(in, x, y, nx, 1);
}

__device__ int2 place(uint3 block, dim3 size, const uint3 &thread) { return make_int2(block.x * size.x + thread.x, block.y * size.y + thread.y); }
__global__ void arguments(number *out, const number *in, int ny, int nx) {
  const uint3 thread = threadIdx;
  const int2 at = place(blockIdx, blockDim, thread);
  if (isInside(at.x, at.y, ny, nx))
    out[at.y * nx + at.x] = lap(in, at.x, at.y, nx, 2);
}

__global__ void groups(number *out, const number *in, int ny, int nx) {
  const auto block = cooperative_groups::this_thread_block();
  const int x = blockIdx.x * block.dim_threads().x + block.thread_index().x, y = blockIdx.y * block.group_dim().y + block.thread_index().y;
  if (isInside(x, y, ny, nx))
    out[y * nx + x] = lap(in, x, y, nx, 1);
}

__global__ void ranks(number *out, const number *in, int ny, int nx) {
  const int rank = cooperative_groups::this_thread_block().thread_rank();
  const int x = blockIdx.x * 16 + rank % 16, y = blockIdx.y * 4 + rank / 16;
  if (isInside(x, y, ny, nx))
    out[y * nx + x] = lap(in, x, y, nx, 1);
}

__global__ void optional(number *out, const number *in, const unsigned char *mask, const number *source, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (!isInside(x, y, ny, nx))
    return;
  const int i = y * nx + x;
  number value = mask == nullptr || mask[i] ? lap(in, x, y, nx, 1) : 1;
  if (source)
    value += source[i - 2 * nx];
  out[i] = value % modulus;
}

int main(int argc, char **argv) {
  gpurma::init(&argc, &argv);
  const int nx = 37, ny = 53, n = nx * ny;
  number *a = array_of_numbers<number>(n), *b = array_of_numbers<number>(n), *c = array_of_numbers<number>(n);
  auto *mask = device_array<unsigned char>(n, [](size_t i) { return i % 3; });
  const dim3 block(16, 4), grid((nx + 15) / 16, (ny + 3) / 4);
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  for (int t = 0; t < 4; ++t) {
    structures<<<grid, block>>>(b, a, ny, nx);
    arguments<<<grid, block>>>(a, b, ny, nx);
    groups<<<grid, block>>>(b, a, ny, nx);
    ranks<<<grid, block>>>(a, b, ny, nx);
  }
  print_sum("copies", a, n);
#pragma gpurma persistent distribute(a, b, c, mask : rows(ny, nx))
  for (int t = 0; t < 4; ++t) {
    optional<<<grid, block>>>(b, a, mask, nullptr, ny, nx);
    optional<<<grid, block>>>(c, b, nullptr, a, ny, nx);
    std::swap(a, c);
  }
  print_sum("optional", a, n);
}
