// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Kernels that get arrays which they do not use, or never come to use.
// RUN: %gpurmacc_cpu %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t quiet | diff - %t.expected
// CHECK: u {{[0-9a-f]+}} v {{[0-9a-f]+}}
#include "Inputs/region.h"

#include <cstdio>
#include <utility>

__global__ void add(int *v, const int *u, const int *, int *spare, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny)
    return;
  v[y * nx + x] = (u[y * nx + x] + (y > 0 ? u[(y - 1) * nx + x] : 3)) % 1009;
}
// Threads behind the first three columns are not in the first one.
__global__ void add_to_first_column(int *v, const int *u, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny || x < 3)
    return;
  if (x == 0)
    v[y * nx] += u[y * nx];
}

int main(int argc, char **argv) {
  gpurma::init(&argc, &argv);
  const int ny = 90, nx = 20;
  const dim3 block(8, 4), grid((nx + 7) / 8, (ny + 3) / 4);
  int *u = device_array<int>(ny * nx, [](size_t i) { return i * 37 % 101; });
  int *v = device_array<int>(ny * nx, [](size_t) { return 0; });
  int *w = device_array<int>(ny * nx, [](size_t) { return 0; });
#pragma gpurma persistent distribute(u, v, w : rows(ny, nx))
  for (int step = 0; step < 7; ++step) {
    add<<<grid, block>>>(v, u, w, w, ny, nx);
    add_to_first_column<<<grid, block>>>(v, u, ny, nx);
    std::swap(u, v);
  }
  const auto of_u = ordered_sum(u, ny * nx), of_v = ordered_sum(v, ny * nx);
  if (!is_quiet(argc))
    std::printf("u %llx v %llx\n", of_u, of_v);
}
