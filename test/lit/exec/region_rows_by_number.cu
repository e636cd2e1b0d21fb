// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conditions that name rows by numbers: sources and fixed rows in launches for more threads than there are rows. Numbers that are constant ask
// for an array with so many rows, if the launch has threads behind its last.
// REQUIRES: mpi
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 2 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=1 %mpirun -np 3 %t | diff - %t.expected
// RUN: %t quiet 24 && not %t quiet 20 2>&1 | FileCheck --check-prefix=FEW %s
// RUN: not %t quiet 53 53 2>&1 | FileCheck --check-prefix=BEHIND %s
// RUN: %t quiet 53 1000
#include "Inputs/region.h"
#include <utility>

__global__ void source(int *u, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x == 10 && y == 20)
    u[y * nx + x] += 3;
}

__global__ void moving_source(int *u, int sy, int sx, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && x == sx && y == sy + 1)
    u[y * nx + x] += 5;
}

__global__ void smooth(int *v, const int *u, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y > 0 && y < ny - 1)
    v[y * nx + x] = (u[(y - 1) * nx + x] + u[(y + 1) * nx + x]) % 1000;
  if (x < nx && y == 3)
    v[y * nx + x] = 1;
}

__global__ void first_rows(int *u, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < 4)
    u[y * nx + x] += y;
}

__global__ void inner_rows(int *u, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && (y == 1 || y == ny - 2))
    u[y * nx + x] = 7 * y;
}

int main(int argc, char **argv) {
  const int nx = 37, ny = argc > 2 ? std::atoi(argv[2]) : 53;
  const int first = argc > 3 ? std::atoi(argv[3]) : 2;
  int *u = array_of_numbers<int>(ny * nx), *v = array_of_numbers<int>(ny * nx);
  const dim3 block(16, 8), grid((nx + 15) / 16, (ny + 7) / 8);
#pragma gpurma persistent distribute(u, v : rows(ny, nx))
  for (int t = 0; t < 6; ++t) {
    smooth<<<grid, block>>>(v, u, ny, nx);
    // FEW: :[[@LINE+1]] on rank {{[0-9]+}}: along y, the launch has 24 threads, and no condition of the kernel keeps those behind the first 20 in the rows
    source<<<grid, block>>>(v, nx);
    // BEHIND: :[[@LINE+1]] on rank {{[0-9]+}}: along y, the launch has 56 threads, and no condition of the kernel keeps those behind the first 53 in the rows
    moving_source<<<grid, block>>>(v, first + 3 * t, 5 + t, nx);
    first_rows<<<grid, block>>>(v, nx);
    inner_rows<<<grid, block>>>(v, ny, nx);
    std::swap(u, v);
  }
  CHECK(cudaDeviceSynchronize());
  // CHECK: u {{[0-9]+}}
  print_sum("u", u, static_cast<std::size_t>(ny) * nx);
}
