// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// More processes than there are blocks along the rows, of a launch that reads nothing of others; and what choosing between variables of a thread,
// by reference or pointer, leaves known.
// RUN: %gpurmacc_cpu -I%S -Wall -Wextra -Werror %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S -Wno-unused %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 2 %t quiet | diff - %t.expected
// RUN: not %mpirun -np 3 %t quiet 2>&1 | FileCheck --check-prefix=NONE %s
// CHECK: upwind: 4
#include "Inputs/region.h"

#include <cstdio>
#include <utility>

struct state {
  float density;
  int at;
};
__device__ float flux(const state& left, const state& right, float speed) {
  const state& upwind = speed > 0 ? left : right;
  const state* const other = speed > 0 ? &right : &left;
  return upwind.density * 2 - other->density;
}
__global__ void move(float* out, const float* in, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny || x == 0)
    return;
  state left{in[y * nx + x - 1], x - 1}, right{in[y * nx + x], x};
  const float low[2] = {left.density, right.density}, high[2] = {right.density, left.density};
  const float* sorted = left.density < right.density ? low : high;
  out[y * nx + x] = flux(left, right, left.density - right.density) + (sorted[1] - sorted[0]) / 4;
}

int main(int argc, char**) {
  const int ny = 32, nx = 20;
  float *u = array_of_numbers<float>(ny * nx), *v = array_of_numbers<float>(ny * nx);
  const dim3 block(8, 16), grid((nx + 7) / 8, (ny + 15) / 16);
  // NONE: the persistent region at {{.*}}region_no_rows.cu:[[#@LINE+1]]: process {{[0-2]}} of 3 would have none of 32 rows, since those of a process begin at multiples of 16, which a block of 'move' has; use fewer processes, blocks of fewer rows or a larger array
#pragma gpurma persistent distribute(u, v : rows(ny, nx))
  for (int step = 0; step < 4; ++step) {
    move<<<grid, block>>>(v, u, ny, nx);
    std::swap(u, v);
  }
  if (argc < 2 || is_first_process()) {
    printf("upwind: 4\n");
    print_sum("u", u, ny * nx);
  }
  return cudaDeviceSynchronize() != cudaSuccess;
}
