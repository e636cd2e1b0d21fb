// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Pointers of the region itself that are some of the arrays, beside an array of another shape, which they never are: chosen by '?:' and in branches, elements of an array
// of pointers, the variable of a loop over some, and what functions return and exchange.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t | diff - %t.expected
// CHECK: chosen pointers {{[1-9][0-9]*}}
#include "Inputs/region.h"

#include <utility>

__global__ void step(int *to, const int *from, int *wide, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny)
    return;
  to[y * nx + x] = (from[y * nx + x] + (y > 0 ? 3 * from[(y - 1) * nx + x] : 0) + (y < ny - 1 ? 5 * from[(y + 1) * nx + x] : 0)) % 1009;
  wide[y * (nx + 1) + x] += from[y * nx + x];
}
__global__ void first_row(int *of, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < nx)
    of[x] = (7 * of[x] + 1) % 1009;
}
static int *either(bool first, int *one, int *other) { return first ? one : other; }
static void take(int *&from, int *&to, bool first, int *one, int *other) {
  from = first ? one : other;
  to = first ? other : one;
}

int main() {
  const int ny = 37, nx = 29;
  const dim3 block(8, 4), grid((nx + 7) / 8, (ny + 3) / 4);
  int *a = device_array<int>(ny * nx, [](std::size_t i) { return static_cast<int>(i * 7919 % 1009); });
  int *b = device_array<int>(ny * nx, [](std::size_t i) { return static_cast<int>(i * 104729 % 1009); });
  int *c = device_array<int>(ny * nx, [](std::size_t i) { return static_cast<int>(i * 31 % 1009); });
  int *wide = device_array<int>(ny * (nx + 1), [](std::size_t) { return 0; });
#pragma gpurma persistent distribute(a, b, c : rows(ny, nx)) distribute(wide : rows(ny, nx + 1))
  for (int t = 0; t < 7; ++t) {
    int *from = t % 2 ? b : a, *to = t % 2 ? a : b;
    step<<<grid, block>>>(to, from, wide, nx, ny);
    int *fields[] = {a, c};
    for (int k = 0; k < 2; ++k)
      first_row<<<1, 32>>>(fields[k], nx);
    for (int *each : {b, c})
      first_row<<<1, 32>>>(each, nx);
    if (t % 3 == 0)
      from = c;
    step<<<grid, block>>>(to, from, wide, nx, ny);
    int *in, *out;
    take(in, out, t % 3 == 1, a, c);
    step<<<grid, block>>>(out, either(t % 2, in, b), wide, nx, ny);
  }
  print_sum("chosen pointers", a, ny * nx);
  print_sum("chosen pointers", b, ny * nx);
  print_sum("chosen pointers", c, ny * nx);
  print_sum("chosen pointers", wide, ny * (nx + 1));
}
