// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// A column by its number, in rows that have it, and in rows that are shorter: it would be one of the next row. And what lies beside a place
// out of a list: it would be in the row behind the next.
// RUN: %gpurmacc_cpu %s -o %t
// RUN: %t 4 | FileCheck %s
// RUN: %mpirun -np 2 %t 4 | FileCheck %s
// RUN: not %t 3 2>&1 | FileCheck --check-prefix=SHORT %s
// RUN: not %t 2 2>&1 | FileCheck --check-prefix=BESIDE %s
// CHECK: sum {{[1-9]}}
#include "Inputs/region.h"

__global__ void from_fourth(int *u, int nx, int ny) {
  const int y = blockIdx.x * blockDim.x + threadIdx.x;
  if (y < ny)
    u[y * nx] = u[y * nx + 3] + 1;
}

__global__ void from_beside(int *u, const int *v, const int *places, int nx) {
  const int k = places[threadIdx.x];
  u[k] = v[k + 3] + v[k - nx - 2];
}

int main(int argc, char **argv) {
  gpurma::init(&argc, &argv);
  const int nx = std::atoi(argv[1]), ny = 40;
  int *u = array_of_numbers<int>(nx * ny), *v = array_of_numbers<int>(nx * ny);
  int *places = device_array<int>(6, [=](std::size_t i) { return (6 * i + 3) * nx - 1; });
  // BESIDE: [[#@LINE+1]]: 'from_beside' takes an extent of 'v' to be at least 3, and it is 2; some of what it touches would be in the next row
#pragma gpurma persistent distribute(u, v : rows(ny, nx))
  for (int it = 0; it < 3; ++it)
    from_beside<<<1, 6>>>(u, v, places, nx);
  // SHORT: [[#@LINE+1]]: 'from_fourth' takes an extent of 'u' to be at least 4, and it is 3; some of what it touches would be in the next row
#pragma gpurma persistent distribute(u : rows(ny, nx))
  for (int it = 0; it < 3; ++it)
    from_fourth<<<10, 4>>>(u, nx, ny);
  print_sum("sum", u, nx * ny);
}
