// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Rows that a kernel stores by number are fixed rows also where the sizes are numbers, and so seem to be rows of its threads.
// RUN: %gpurmacc_cpu -I%S -Wall -Wextra -Werror %s -o %t --gpurma-print-after=InferStages | FileCheck --check-prefix=PLAN %s
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S -Wno-unused %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t quiet | diff - %t.expected
// PLAN: stage walls: rows y of stores into fixed rows; reads u (y {{.*}} periodic); writes u (own)
// CHECK: u {{[0-9]+}}
#include "Inputs/region.h"

#include <utility>

__global__ void smooth(int* v, const int* u, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y > 0 && y < ny - 1)
    v[y * nx + x] = (u[(y - 1) * nx + x] + 3 * u[(y + 1) * nx + x]) % 1009;
}
__global__ void walls(int* u, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < nx) {
    u[nx + x] = u[2 * nx + x];
    u[x] = u[(ny - 2) * nx + x];
  }
}

int main(int argc, char**) {
  const int ny = 100, nx = 20;
  int *u = array_of_numbers<int>(ny * nx), *v = array_of_numbers<int>(ny * nx);
#pragma gpurma persistent distribute(u, v : rows(ny, nx))
  for (int step = 0; step < 9; ++step) {
    smooth<<<dim3((nx + 7) / 8, (ny + 3) / 4), dim3(8, 4)>>>(v, u, ny, nx);
    walls<<<(nx + 63) / 64, 64>>>(v, ny, nx);
    std::swap(u, v);
  }
  if (argc < 2 || is_first_process())
    print_sum("u", u, ny * nx);
  return cudaDeviceSynchronize() != cudaSuccess;
}
