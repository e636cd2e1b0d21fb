// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A parameter that is taken to be what the only call passes, and has become another number.
// RUN: %gpurmacc_cpu %s -o %t
// RUN: %t | FileCheck --check-prefix=RIGHT %s
// RUN: not %t other 2>&1 | FileCheck --check-prefix=OTHER %s
// RIGHT: done
// OTHER: the persistent region at {{.*}}region_size_variables_errors.cu:[[#@LINE+16]] takes 'n' to be 24, which is what that file gives it, and it is 16: let kernels and 'rows' have their sizes from the same variables, and distances between rows from constants
#include <cstdio>

#define SIZE 24

__global__ void add(int *u, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < n && y < n)
    u[y * SIZE + x] += 1;
}

void run(bool other, int n) {
  int *u;
  cudaMalloc(&u, SIZE * SIZE * sizeof(int));
  if (other)
    n = 16;
#pragma gpurma persistent distribute(u : rows(n, n))
  for (int k = 0; k < 3; ++k)
    add<<<dim3(3, 6), dim3(8, 4)>>>(u, n);
  std::puts("done");
}

int main(int argc, char **) { run(argc > 1, SIZE); }
