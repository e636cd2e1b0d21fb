// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Kernels with functions of the C++20 library that are constexpr, of which Clang knows some itself. nvcc needs an option for them.
// RUN: %gpurmacc_cpu -std=c++20 -Wall -Wextra -Werror %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.plain.cu
// RUN: %gpurmacc_cpu -std=c++20 -I%S %t.plain.cu -o %t.plain
// RUN: %t.plain > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t | diff - %t.expected
// CHECK: swapped {{[1-9][0-9]*}}
#include "Inputs/region.h"

#include <utility>

constexpr int ny = 64, nx = 24;

__global__ void by_swap(const int *u, int *v) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny)
    return;
  int here = y, there = min(y + 4, ny - 1);
  std::swap(here, there);
  const int &same = std::as_const(here);
  v[y * nx + x] = (u[here * nx + x] + 3 * u[there * nx + x] + u[same * nx + x]) % 1009;
}

int main() {
  int *u = device_array<int>(ny * nx, [](std::size_t i) { return i * 37 % 101; });
  int *v = device_array<int>(ny * nx, [](std::size_t i) { return i * 41 % 103; });
  const dim3 block(8, 4), grid((nx + 7) / 8, (ny + 3) / 4);
#pragma gpurma persistent distribute(u, v : rows(ny, nx))
  for (int i = 0; i < 15; ++i) {
    by_swap<<<grid, block>>>(u, v);
    std::swap(u, v);
  }
  print_sum("swapped", u, ny * nx);
  CHECK(cudaFree(u));
  CHECK(cudaFree(v));
}
