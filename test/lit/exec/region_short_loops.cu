// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Kernels with loops of one iteration, as macros have them, and over lists in braces.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=4 %mpirun -np 3 %t | diff - %t.expected
// RUN: %gpurmacc_cpu -fsyntax-only -Rgpurma %s 2>&1 | FileCheck --check-prefix=REMARK %s
// REMARK: stage 'in_macros' reads 'u' with halo 2, writes 'v'
// REMARK: stage 'by_list' reads 'u' with halo 3, writes 'v'
// CHECK: short loops {{[1-9][0-9]*}}
#include "Inputs/region.h"

#include <initializer_list>
#include <utility>

constexpr int ny = 64, nx = 24;

#define INSIDE                                                                                                                   \
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;                                \
  if (x >= nx || y >= ny)                                                                                                        \
  return
#define GO_UP(row)                                                                                                               \
  do {                                                                                                                           \
    if (row + 1 < ny)                                                                                                            \
      row++;                                                                                                                     \
  } while (0)

__global__ void in_macros(const int *u, int *v) {
  INSIDE;
  int row = y;
  GO_UP(row);
  GO_UP(row);
  v[y * nx + x] = (u[row * nx + x] + 3 * u[y * nx + x]) % 1009;
}
__global__ void by_list(const int *u, int *v) {
  INSIDE;
  int sum = 0;
  for (int by : {-1, 1, 3})
    if (y + by >= 0 && y + by < ny)
      sum += u[(y + by) * nx + x] * (by + 5);
  v[y * nx + x] = sum % 1009;
}

int main() {
  int *u = device_array<int>(ny * nx, [](std::size_t i) { return i * 37 % 101; });
  int *v = device_array<int>(ny * nx, [](std::size_t i) { return i * 41 % 103; });
  const dim3 block(8, 4), grid((nx + 7) / 8, (ny + 3) / 4);
#pragma gpurma persistent distribute(u, v : rows(ny, nx))
  for (int i = 0; i < 15; ++i) {
    in_macros<<<grid, block>>>(u, v);
    by_list<<<grid, block>>>(v, u);
  }
  print_sum("short loops", u, ny * nx);
  CHECK(cudaFree(u));
  CHECK(cudaFree(v));
}
