// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// A block that takes milliseconds, in launches of which now one and now the other comes next: the ranks around it look for it longer than they do in
// silence, also where they have expected the other launch.
// RUN: %gpurmacc_cpu -I%S -Wall -Wextra -Werror %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S -Wno-unused %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=1 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t quiet | diff - %t.expected
// CHECK: u {{[0-9]+}}
#include "Inputs/region.h"

#include <utility>

__device__ int delayed(int value) {
  if (blockIdx.x == 1 && blockIdx.y == 2)
    for (volatile int k = 0; k < 100000; ++k)
      value = (value * 31 + k) % 10007;
  return value;
}
__global__ void smooth(int* v, const int* u, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x > 0 && y > 0 && x < nx - 1 && y < ny - 1)
    v[y * nx + x] = delayed((u[y * nx + x - 1] + 3 * u[y * nx + x + 1] + u[(y - 1) * nx + x] + u[(y + 1) * nx + x]) % 10007);
}
__global__ void shift(int* v, const int* u, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x > 0 && y > 1 && x < nx && y < ny)
    v[y * nx + x] = delayed((u[(y - 2) * nx + x] * 5 + u[y * nx + x - 1]) % 10007);
}

int main(int argc, char**) {
  const int ny = 61, nx = 67;
  int *u = array_of_numbers<int>(ny * nx), *v = array_of_numbers<int>(ny * nx);
  const dim3 block(16, 8), grid((nx + 15) / 16, (ny + 7) / 8);
#pragma gpurma persistent distribute(u, v : rows(ny, nx))
  for (int step = 0; step < 12; ++step) {
    smooth<<<grid, block>>>(v, u, ny, nx);
    std::swap(u, v);
    if (step % 3 != 1) {
      shift<<<grid, block>>>(v, u, ny, nx);
      std::swap(u, v);
    }
  }
  if (argc < 2 || is_first_process())
    print_sum("u", u, ny * nx);
  return cudaDeviceSynchronize() != cudaSuccess;
}
