// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Launches that could be one, but for grids that come from elements of arrays of the host which change between them; and a variable that is
// changed by a reference at file scope.
// RUN: %gpurmacc_cpu -I%S -Wall -Wextra -Werror --gpurma-print-after=FuseLaunches %s -o %t | FileCheck --check-prefix=PLAN %s
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S -Wno-unused %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t quiet | diff - %t.expected
// CHECK: steps 5
// CHECK: a {{[1-9]}}
// CHECK: b {{[1-9]}}
#include "Inputs/region.h"

static int all_steps = 0;
static int& steps = all_steps;

__global__ void add(int* v, int by, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny)
    v[y * nx + x] += by;
}

// PLAN-NOT: together
int main(int argc, char**) {
  const int ny = 61, nx = 40;
  int *a = array_of_numbers<int>(ny * nx), *b = array_of_numbers<int>(ny * nx);
  int blocks[2] = {5, 16};
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  for (int step = 0; step < 5; ++step) {
    const dim3 grid(blocks[0], blocks[1]);
    add<<<grid, dim3(8, 4)>>>(a, step, ny, nx);
    blocks[0] = 1 + step % 4;
    add<<<dim3(blocks[0], blocks[1]), dim3(8, 4)>>>(b, 1, ny, nx);
    steps++;
  }
  if (argc < 2 || is_first_process()) {
    std::printf("steps %d\n", all_steps);
    print_sum("a", a, ny * nx);
    print_sum("b", b, ny * nx);
  }
  return cudaDeviceSynchronize() != cudaSuccess;
}
