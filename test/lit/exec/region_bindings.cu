// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Structured bindings that stand before a region, of structures, pairs and arrays, as extents, arrays, bounds, and values that the region or the host in
// it changes; and an element of an array as an extent.
// RUN: %gpurmacc_cpu -I%S -Wall -Wextra -Werror %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t | diff - %t.expected
// CHECK: u {{[1-9][0-9]*}}
// CHECK: numbers 135 8 1 1
// CHECK: w {{[1-9][0-9]*}}
#include "Inputs/region.h"

#include <utility>

struct extents {
  int ny, nx;
};
struct fields {
  int *u, *v;
};
static extents shape() { return {90, 20}; }

__global__ void step(int* out, const int* in, int ny, int nx, int by) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y > 0 && y < ny - 1)
    out[y * nx + x] = (in[(y - 1) * nx + x] + by * in[(y + 1) * nx + x]) % 100999;
}

int main() {
  const dim3 threads(8, 8), grid(3, 12);
  {
    const auto [ny, nx] = shape();
    const auto [first, by] = std::make_pair(30, 3);
    auto [u, v] = fields{array_of_numbers<int>(90 * 20), array_of_numbers<int>(90 * 20)};
    int limits[2] = {3, 5};
    auto& [low, high] = limits;
    auto [sum, count] = extents{first, 0};
#pragma gpurma persistent distribute(u, v : rows(ny, nx))
    for (int t = 0; t < low + high; ++t) {
      step<<<grid, threads>>>(v, u, ny, nx, by);
      std::swap(u, v);
      sum += t;
      high -= t == 3;
      if (t == 2) {
#pragma gpurma host
        {
          sum += 100;
          low += 1;
          high -= 3;
        }
      }
      ++count;
    }
    print_sum("u", u, 90 * 20);
    if (is_first_process())
      std::printf("numbers %d %d %d %d\n", sum - count, limits[0] * 2, limits[1], high);
  }
  int size[2] = {90, 20};
  int *w = array_of_numbers<int>(90 * 20), *z = array_of_numbers<int>(90 * 20);
#pragma gpurma persistent distribute(w, z : rows(size[0], size[1]))
  for (int t = 0; t < 6; ++t) {
    step<<<grid, threads>>>(z, w, size[0], size[1], 7);
    std::swap(w, z);
  }
  print_sum("w", w, 90 * 20);
}
