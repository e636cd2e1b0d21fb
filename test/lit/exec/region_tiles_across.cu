// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Rows that x walks, in blocks of fewer rows than the tiles of a kernel for fixed rows have: bands are too low for these.
// RUN: %gpurmacc_cpu %s -o %t
// RUN: %t | FileCheck %s
// RUN: not %mpirun -np 2 %t 2>&1 | FileCheck --check-prefix=LOW %s
// CHECK: sum {{[1-9]}}
#include "Inputs/region.h"

__global__ void step(int *b, const int *a, int nx, int ny) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i > 0 && i < nx - 1 && j > 0 && j < ny - 1)
    b[i * ny + j] = a[(i - 1) * ny + j] + a[(i + 1) * ny + j];
}
__global__ void walls(int *u, int nx, int ny) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < ny) {
    u[k] = 1;
    u[(nx - 1) * ny + k] = 2;
  }
}

int main(int argc, char **argv) {
  gpurma::init(&argc, &argv);
  const int nx = 40, ny = 52;
  int *a = array_of_numbers<int>(nx * ny), *b = array_of_numbers<int>(nx * ny);
  // LOW: [[#@LINE+1]]: process {{[01]}} of 2 would have 16 of 40 rows, but the launches touch 16 rows before and 16 after those of a process (tiles of 'walls' have 16 rows and reach over the ends of others), which may only be its neighbours', so that it needs 32, and its rows begin at multiples of 8, which a block of 'step' has
#pragma gpurma persistent distribute(a, b : rows(nx, ny))
  {
    walls<<<1, 64>>>(a, nx, ny);
    step<<<dim3(5, 4), dim3(8, 16)>>>(b, a, nx, ny);
  }
  print_sum("sum", b, nx * ny);
}
