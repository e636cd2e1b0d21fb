// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Atomic operations of several blocks on elements of their rows: sums and extrema of rows, sums in a column, and deposits beside the block.
// One process runs all blocks of a row. Rows of other blocks are not a process's to update.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t --gpurma-print-after=InferStages | FileCheck --check-prefix=PLAN %s
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 GPURMA_GHOST_ROWS=3 %mpirun -np 3 %t | diff - %t.expected
// RUN: not %gpurmacc_cpu -DBELOW -c %s -o %t.o 2>&1 | FileCheck --check-prefix=BELOW %s
// RUN: not %gpurmacc_cpu -DSTORED -c %s -o %t.o 2>&1 | FileCheck --check-prefix=STORED %s
#include "Inputs/region.h"
#include <utility>

// PLAN: stage sums: rows y; reads sum (x whole); writes sum (x whole), published (y -1..0); reads most (x whole); writes most (x whole)
__global__ void sums(int *sum, int *most, const int *u, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny)
    return;
  atomicAdd(&sum[y], u[y * nx + x] % 7);
  atomicMax(&most[y], u[y * nx + x]);
#ifdef STORED
  // STORED: [[@LINE+1]]:3: error: two logical blocks that differ in x may write the same element of 'sum'
  sum[y] = 1;
#endif
}

__global__ void first_column(int *u, const int *v, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny)
    atomicAdd(&u[y * nx], v[y * nx + x] % 101);
}

__global__ void deposit(int *u, const int *v, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx - 1 || y >= ny - 1)
    return;
  atomicAdd(&u[y * nx + x], v[y * nx + x] % 3);
  atomicSub(&u[y * nx + x + 1], v[y * nx + x] % 3);
#ifdef BELOW
  // BELOW: [[@LINE+1]]:{{[0-9]+}}: error: logical blocks may write rows of 'u' that lie among those of the next block
  atomicAdd(&u[(y + 1) * nx + x], 1);
#endif
}

__global__ void use(int *out, const int *u, const int *sum, const int *most, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny)
    out[y * nx + x] = (u[y * nx + x] + sum[y] + (y > 0 ? sum[y - 1] : 0) + (y < ny - 1 ? most[y + 1] : 0)) % 10007;
}

int main() {
  const int nx = 75, ny = 53;
  const std::size_t points = static_cast<std::size_t>(nx) * ny;
  int *u = array_of_numbers<int>(points), *v = array_of_numbers<int>(points);
  int *sum = array_of_numbers<int>(ny), *most = array_of_numbers<int>(ny);
  const dim3 block(16, 8), grid((nx + 15) / 16, (ny + 7) / 8);
#pragma gpurma persistent distribute(u, v : rows(ny, nx)) distribute(sum, most : rows(ny))
  for (int t = 0; t < 5; ++t) {
    cudaMemsetAsync(sum, 0, ny * sizeof(int));
    cudaMemsetAsync(most, 0, ny * sizeof(int));
    sums<<<grid, block>>>(sum, most, u, ny, nx);
    use<<<grid, block>>>(v, u, sum, most, ny, nx);
    first_column<<<grid, block>>>(v, u, ny, nx);
    deposit<<<grid, block>>>(v, u, ny, nx);
    std::swap(u, v);
  }
  CHECK(cudaDeviceSynchronize());
  // CHECK: u {{[0-9]+}}
  print_sum("u", u, points);
  print_sum("sum", sum, ny);
  print_sum("most", most, ny);
}
