// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// A column by its number, in rows that have it, and in rows that are shorter: it would be one of the next row.
// RUN: %gpurmacc_cpu %s -o %t
// RUN: %t 4 | FileCheck %s
// RUN: %mpirun -np 2 %t 4 | FileCheck %s
// RUN: not %t 3 2>&1 | FileCheck --check-prefix=SHORT %s
// CHECK: sum {{[1-9]}}
#include "Inputs/region.h"

__global__ void from_fourth(int *u, int nx, int ny) {
  const int y = blockIdx.x * blockDim.x + threadIdx.x;
  if (y < ny)
    u[y * nx] = u[y * nx + 3] + 1;
}

int main(int argc, char **argv) {
  gpurma::init(&argc, &argv);
  const int nx = std::atoi(argv[1]), ny = 40;
  int *u = array_of_numbers<int>(nx * ny);
  // SHORT: [[#@LINE+1]]: 'from_fourth' takes an extent of 'u' to be at least 4, and it is 3; some of what it touches would be in the next row
#pragma gpurma persistent distribute(u : rows(ny, nx))
  for (int it = 0; it < 3; ++it)
    from_fourth<<<10, 4>>>(u, nx, ny);
  print_sum("sum", u, nx * ny);
}
