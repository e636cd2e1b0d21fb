// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// One thread stores the corners of a grid, from elements beside them in the first and the last row. Rows have to be long enough for what is read there.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t | diff - %t.expected
// RUN: not %t narrow 2>&1 | FileCheck --check-prefix=NARROW %s
// NARROW: the persistent region at {{.*}}region_corners.cu:[[#]]: 'corners' takes an extent of 'x' to be at least 2, and it is 1
// CHECK: corners {{[1-9][0-9]*}}
#include "Inputs/region.h"

#include <cstring>
#include <utility>

__global__ void smooth(int *to, const int *from, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x > 0 && y > 0 && x < nx - 1 && y < ny - 1)
    to[y * nx + x] = (from[(y - 1) * nx + x] + from[(y + 1) * nx + x] + 3 * from[y * nx + x - 1] + 5 * from[y * nx + x + 1]) % 1009;
}
__global__ void corners(int *x, int nx, int ny) {
  x[0] = (x[1] + 3 * x[nx]) % 1009;
  x[nx - 1] = (x[nx - 2] + 3 * x[2 * nx - 1]) % 1009;
  x[(ny - 1) * nx] = (x[(ny - 1) * nx + 1] + 3 * x[(ny - 2) * nx]) % 1009;
  x[ny * nx - 1] = (x[ny * nx - 2] + 3 * x[(ny - 1) * nx - 1]) % 1009;
}
__global__ void beside(int *x, int nx) {
  if (threadIdx.x == 0 && blockIdx.x == 0) {
    x[0] += x[2];
    x[nx - 1] += x[nx - 3];
  }
}

int main(int argc, char **argv) {
  const int ny = 37, nx = argc > 1 && std::strcmp(argv[1], "narrow") == 0 ? 1 : 26;
  const dim3 block(8, 4), grid((nx + block.x - 1) / block.x, (ny + block.y - 1) / block.y);
  int *u = device_array<int>(ny * nx, [](std::size_t i) { return static_cast<int>(i * 7919 % 1009); });
  int *v = device_array<int>(ny * nx, [](std::size_t i) { return static_cast<int>(i * 104729 % 1009); });
#pragma gpurma persistent distribute(u, v : rows(ny, nx))
  for (int step = 0; step < 9; ++step) {
    smooth<<<grid, block>>>(v, u, nx, ny);
    corners<<<1, 1>>>(v, nx, ny);
    beside<<<1, 32>>>(v, nx);
    std::swap(u, v);
  }
  print_sum("corners", u, ny * nx);
}
