// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Kernels for the columns at both ends of the rows, whose blocks have two columns and many rows: what one thread stores another of the same block may
// store, too, where rows are short, so that blocks stay as they are; and the ranks have those of the other kernel, though it comes second.
// RUN: %gpurmacc_cpu -I%S -Wall -Wextra -Werror --gpurma-print-after=InferStages %s -o %t | FileCheck --check-prefix=STAGES %s
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S -Wno-unused %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=1 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t quiet | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t quiet | diff - %t.expected
// CHECK: u {{[0-9]+}}
#include "Inputs/region.h"

#include <cstdio>
#include <utility>

// STAGES: stage walls: rows y; {{.*}}writes u (x whole), {{.*}}in blocks of another size
// STAGES: stage smooth: rows y; {{[^;]*}}; {{[^;]*$}}
__global__ void walls(int* u, int ny, int nx) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (y < ny && j < 2) {
    u[y * nx + j] = u[y * nx + 3 - j];
    u[y * nx + nx - 1 - j] = u[y * nx + nx - 4 + j];
  }
}
__global__ void smooth(int* v, const int* u, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x > 1 && y > 0 && x < nx - 2 && y < ny - 1)
    v[y * nx + x] = (u[y * nx + x - 1] + 3 * u[y * nx + x + 1] + u[(y - 1) * nx + x] + u[(y + 1) * nx + x]) % 10007;
}

int main(int argc, char**) {
  const int ny = 140, nx = 27;
  int *u = array_of_numbers<int>(ny * nx), *v = array_of_numbers<int>(ny * nx);
  const dim3 block(16, 8), grid((nx + 15) / 16, (ny + 7) / 8);
#pragma gpurma persistent distribute(u, v : rows(ny, nx))
  for (int step = 0; step < 5; ++step) {
    walls<<<dim3(1, (ny + 15) / 16), dim3(2, 16)>>>(u, ny, nx);
    smooth<<<grid, block>>>(v, u, ny, nx);
    std::swap(u, v);
  }
  if (argc < 2 || is_first_process())
    print_sum("u", u, ny * nx);
  return cudaDeviceSynchronize() != cudaSuccess;
}
