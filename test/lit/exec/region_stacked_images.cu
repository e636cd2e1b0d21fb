// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Images one above the other in one array: a row's number is divided by the height of an image, which the compiler cannot follow, so that a
// clause says how far rows are read.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t | diff - %t.expected
// RUN: %gpurmacc_cpu -fsyntax-only -Rgpurma %s 2>&1 | FileCheck --check-prefix=REMARK %s
// REMARK: stage 'blur' reads 'from' with halo 1, writes 'to'
// CHECK: images {{[1-9][0-9]*}}
#include "Inputs/region.h"

#include <utility>

__global__ void blur(int *to, const int *from, int images, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || row >= images * ny)
    return;
  const int image = row / ny, y = row % ny;
  const int *const in = from + image * ny * nx;
  const int up = y > 0 ? y - 1 : 0, down = y < ny - 1 ? y + 1 : ny - 1;
  to[row * nx + x] = (2 * in[y * nx + x] + 3 * in[up * nx + x] + 5 * in[down * nx + x]) % 1009;
}

int main() {
  const int images = 6, ny = 10, nx = 40;
  int *u = device_array<int>(images * ny * nx, [](std::size_t i) { return static_cast<int>(i * 7919 % 1009); });
  int *v = device_array<int>(images * ny * nx, [](std::size_t i) { return static_cast<int>(i * 104729 % 1009); });
#pragma gpurma persistent distribute(u, v : rows(images * ny, nx)) halo(u, v : 1)
  for (int step = 0; step < 5; ++step) {
    blur<<<dim3(3, 15), dim3(16, 4)>>>(v, u, images, ny, nx);
    std::swap(u, v);
  }
  print_sum("images", u, images * ny * nx);
}
