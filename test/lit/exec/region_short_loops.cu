// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Kernels with loops of one iteration, as macros have them, over lists in braces, and until a counter is a number, also where the
// condition moves it.
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
// REMARK: stage 'by_condition' reads 'u' with halo 4, writes 'v'
// REMARK: stage 'until_number' reads 'u' with halo 5, writes 'v'
// REMARK: stage 'down_rows' reads 'u' with halo 1, writes 'v'
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
__global__ void by_condition(const int *u, int *v) {
  INSIDE;
  int sum = 0, left = 3, up = -1;
  for (int j = 4; j-- > 0;) // 3 to 0
    sum += j * u[(y >= j ? y - j : 0) * nx + x];
  while (left--) { // 2 to 0
    if (sum % 5 == left)
      continue;
    sum += u[(y >= 2 * left ? y - 2 * left : 0) * nx + x];
  }
  while (++up < 3) // 0 to 2
    sum += up * u[(y + up < ny ? y + up : ny - 1) * nx + x];
  for (int j = 5; --j > 0;) { // 4 to 1
    if (sum % 3 == 0)
      break;
    if (j <= 3)
      sum += j * u[(y + j < ny ? y + j : ny - 1) * nx + x];
  }
  v[y * nx + x] = sum % 1009;
}
__global__ void until_number(const int *u, int *v) {
  INSIDE;
  int sum = 0;
  for (int j = 0; j != 6; ++j)
    sum += (j + 1) * u[(y >= j ? y - j : 0) * nx + x];
  for (int j = 3; 0 != j; --j)
    sum += j * u[(y + j < ny ? y + j : ny - 1) * nx + x];
  v[y * nx + x] = sum % 1009;
}
__global__ void down_rows(const int *u, int *v) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= nx)
    return;
  for (int y = ny; y-- > 0;)
    v[y * nx + x] = (u[y * nx + x] * 3 + (y > 0 ? u[(y - 1) * nx + x] : 0)) % 1009;
}

int main() {
  int *u = device_array<int>(ny * nx, [](std::size_t i) { return i * 37 % 101; });
  int *v = device_array<int>(ny * nx, [](std::size_t i) { return i * 41 % 103; });
  const dim3 block(8, 4), grid((nx + 7) / 8, (ny + 3) / 4);
#pragma gpurma persistent distribute(u, v : rows(ny, nx))
  for (int i = 0; i < 15; ++i) {
    in_macros<<<grid, block>>>(u, v);
    by_list<<<grid, block>>>(v, u);
    by_condition<<<grid, block>>>(u, v);
    until_number<<<grid, block>>>(v, u);
    down_rows<<<(nx + 7) / 8, 8>>>(u, v);
    std::swap(u, v);
  }
  print_sum("short loops", u, ny * nx);
  CHECK(cudaFree(u));
  CHECK(cudaFree(v));
}
