// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Subscripts that are chosen behind conditions on what was loaded, which are true of numbers below and above others: `if (mask[i])`, `!= 0`,
// returns, masks of bits, one of two, `else`, `switch`, two masks, loops, and where an arm of the choice leaves early. What is not stored
// keeps its value.
// RUN: %gpurmacc_cpu -Rgpurma %s -o %t 2>&1 | FileCheck --check-prefix=REMARK %s
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=1 %mpirun -np 5 %t | diff - %t.expected
// CHECK: masked {{[0-9]+}}
// CHECK: returned {{[0-9]+}}
// CHECK: bits {{[0-9]+}}
// CHECK: one_of_two {{[0-9]+}}
// CHECK: otherwise {{[0-9]+}}
// CHECK: switched {{[0-9]+}}
// CHECK: two_masks {{[0-9]+}}
// CHECK: around {{[0-9]+}}
// CHECK: branches {{[0-9]+}}
// CHECK: left {{[0-9]+}}
// CHECK: in_line {{[0-9]+}}
// REMARK: stage 'masked' reads 'in', reads 'mask', writes 'out'
// REMARK: stage 'around' reads 'in' with halo 1, periodically, reads 'mask', writes 'out'
// REMARK: stage 'in_line' reads 'in' with halo 1, reads 'mask', writes 'out'
#include "Inputs/region.h"

#include <cstdio>
#include <utility>

typedef long long number;
constexpr int modulus = 1000003;

#define PLACE                                                                                                                    \
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;                                      \
  if (x >= nx || y >= ny)                                                                                                        \
    return;                                                                                                                      \
  const int i = y * nx + x
#define PARAMETERS number *out, const number *in, const int *mask, const int *other, int ny, int nx

__device__ int west(int x, int nx) { return x == 0 ? nx - 1 : x - 1; }
__device__ int east(int x, int nx) {
  if (x == nx - 1)
    return 0;
  return x + 1;
}

__global__ void masked(PARAMETERS) {
  PLACE;
  if (mask[i])
    out[i] = (in[y * nx + west(x, nx)] + 3 * in[y * nx + east(x, nx)]) % modulus;
}

__global__ void returned(PARAMETERS) {
  PLACE;
  if (!mask[i])
    return;
  out[i] = (in[y * nx + west(x, nx)] + y) % modulus;
}

__global__ void bits(PARAMETERS) {
  PLACE;
  if (mask[i] & 1)
    out[i] = (in[y * nx + west(x, nx)] + 2) % modulus;
}

__global__ void one_of_two(PARAMETERS) {
  PLACE;
  const int kind = mask[i];
  if (kind == 1 || kind == 3)
    out[i] = (in[y * nx + east(x, nx)] + kind) % modulus;
}

__global__ void otherwise(PARAMETERS) {
  PLACE;
  if (mask[i] == 0)
    out[i] = 1;
  else
    out[i] = (in[y * nx + west(x, nx)] + 5) % modulus;
}

__global__ void switched(PARAMETERS) {
  PLACE;
  switch (mask[i]) {
  case 0:
    break;
  case 2:
    out[i] = (in[y * nx + west(x, nx)] + 7) % modulus;
    break;
  default:
    out[i] = (in[y * nx + east(x, nx)] + 8) % modulus;
  }
}

__global__ void two_masks(PARAMETERS) {
  PLACE;
  if (mask[i] != 0 && other[i] != 1) {
    const int to = x > 0 ? x - 1 : nx - 1;
    out[i] = (in[y * nx + to] + in[y * nx + east(x, nx)]) % modulus;
  }
}

__global__ void around(PARAMETERS) {
  PLACE;
  if (mask[i] != 2) {
    const int up = y == 0 ? ny - 1 : y - 1, down = y == ny - 1 ? 0 : y + 1;
    out[i] = (in[up * nx + x] + 3 * in[down * nx + west(x, nx)]) % modulus;
  }
}

__global__ void branches(PARAMETERS) {
  PLACE;
  number sum = 0;
  for (int k = 0; k < 3; ++k)
    if (mask[i] != k) {
      int from;
      if (x == 0)
        from = nx - 1;
      else
        from = x - 1;
      sum += in[y * nx + from] * k;
    }
  out[i] = sum % modulus;
}

__global__ void left(PARAMETERS) {
  PLACE;
  int from = x - 1;
  if (x == 0) {
    if (mask[i] == 1)
      return;
    from = nx - 1;
  }
  out[i] = (in[y * nx + from] + 9) % modulus;
}

__global__ void in_line(PARAMETERS) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= ny * nx)
    return;
  const int y = i / nx, x = i % nx;
  if (mask[i])
    out[i] = (in[y > 0 ? i - nx : i] + 3 * in[x < nx - 1 ? i + 1 : i]) % modulus;
}

__global__ void reduce_to_masks(int *mask, int *other, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    mask[i] = (i * 7 + i / 5) % 4;
    other[i] = (i * 3 + i / 11) % 4;
  }
}

int main(int argc, char **argv) {
  gpurma::init(&argc, &argv);
  int nx = 37, ny = 53, n = nx * ny;
  const dim3 block(16, 4), grid((nx + 15) / 16, (ny + 3) / 4);
  number *a = array_of_numbers<number>(n), *b = array_of_numbers<number>(n);
  int *mask = array_of_numbers<int>(n), *other = array_of_numbers<int>(n);
  reduce_to_masks<<<(n + 127) / 128, 128>>>(mask, other, n);
#define RUN(name, grid, block)                                                                                                   \
  for (int t = 0; t < 4; ++t) {                                                                                                  \
    name<<<grid, block>>>(b, a, mask, other, ny, nx);                                                                            \
    std::swap(a, b);                                                                                                             \
  }
#pragma gpurma persistent distribute(a, b, mask, other : rows(ny, nx))
  RUN(masked, grid, block)
  print_sum("masked", a, n);
#pragma gpurma persistent distribute(a, b, mask, other : rows(ny, nx))
  RUN(returned, grid, block)
  print_sum("returned", a, n);
#pragma gpurma persistent distribute(a, b, mask, other : rows(ny, nx))
  RUN(bits, grid, block)
  print_sum("bits", a, n);
#pragma gpurma persistent distribute(a, b, mask, other : rows(ny, nx))
  RUN(one_of_two, grid, block)
  print_sum("one_of_two", a, n);
#pragma gpurma persistent distribute(a, b, mask, other : rows(ny, nx))
  RUN(otherwise, grid, block)
  print_sum("otherwise", a, n);
#pragma gpurma persistent distribute(a, b, mask, other : rows(ny, nx))
  RUN(switched, grid, block)
  print_sum("switched", a, n);
#pragma gpurma persistent distribute(a, b, mask, other : rows(ny, nx))
  RUN(two_masks, grid, block)
  print_sum("two_masks", a, n);
#pragma gpurma persistent distribute(a, b, mask, other : rows(ny, nx))
  RUN(around, grid, block)
  print_sum("around", a, n);
#pragma gpurma persistent distribute(a, b, mask, other : rows(ny, nx))
  RUN(branches, grid, block)
  print_sum("branches", a, n);
#pragma gpurma persistent distribute(a, b, mask, other : rows(ny, nx))
  RUN(left, grid, block)
  print_sum("left", a, n);
#pragma gpurma persistent distribute(a, b, mask, other : rows(ny, nx))
  RUN(in_line, (n + 127) / 128, 128)
  print_sum("in_line", a, n);
}
