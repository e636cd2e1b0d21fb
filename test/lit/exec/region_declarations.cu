// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Variables that are declared several times, where functions that the region calls name an earlier declaration; and constants of
// classes, which are declared only.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror -O0 %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t quiet | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t quiet | diff - %t.expected
// CHECK: count 14
// CHECK: moved {{[1-9]}}
#include "Inputs/region.h"

#include <utility>

extern unsigned *in, *out;
extern int nx, count;
extern dim3 block, grid;
extern const int ny;
struct constants {
  static const int steps = 9, radius = 1;
  static const int stride;
};

__global__ void step(unsigned *out, const unsigned *in, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y < constants::radius || y >= ny - constants::radius)
    return;
  unsigned sum = 0;
  for (int j = -constants::radius; j <= constants::radius; ++j)
    sum = 3 * sum + in[(y + j) * nx + x];
  out[y * nx + x] = sum % 100999;
}
static void advance() {
  step<<<grid, block>>>(out, in, ny, nx);
  unsigned *const old = in;
  in = out;
  out = old;
  ++count;
}

unsigned *in, *out;
int nx = 24, count;
const int ny = 37, constants::stride = 2;
dim3 block(8, 4), grid;
static void again() {
  extern int count;
  step<<<grid, block>>>(out, in, ny, nx);
  std::swap(in, out);
  ++count;
}

int main(int argc, char **) {
  in = array_of_numbers<unsigned>(ny * nx);
  out = array_of_numbers<unsigned>(ny * nx);
  grid = dim3((nx + 7) / 8, (ny + 3) / 4);
#pragma gpurma persistent distribute(in, out : rows(ny, nx))
  for (int k = 0; k < constants::steps; ++k) {
    advance();
    if (k % constants::stride == 0)
      again();
  }
  if (!is_quiet(argc))
    std::printf("count %d\n", count);
  print_sum("moved", in, ny * nx);
}
