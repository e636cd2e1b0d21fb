// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Points whose subscript is the number of an element, in any row: passed as it is, one of two, by a remainder, in space and in components,
// with what lies beside it, and recorded. Points and a line in one of several rows of a constant length.
// RUN: %gpurmacc_cpu %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=1 %mpirun -np 5 %t | diff - %t.expected
// RUN: not %gpurmacc_cpu -DTWO -c %s -o %t.o 2>&1 | FileCheck --check-prefix=TWO %s
// CHECK: passed {{[0-9]+}}
// CHECK: chosen {{[0-9]+}}
// CHECK: remainder {{[0-9]+}}
// CHECK: beside {{[0-9]+}}
// CHECK: recorded {{[0-9]+}}
// CHECK: space {{[0-9]+}}
// CHECK: rows {{[0-9]+}}
#include "Inputs/region.h"

#include <cstdio>
#include <utility>

typedef long long number;
constexpr int modulus = 1000003;

__global__ void step(number *out, const number *in, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1)
    return;
  out[y * nx + x] = (in[y * nx + x] + 3 * in[(y - 1) * nx + x] + 5 * in[(y + 1) * nx + x]) % modulus;
}
__global__ void passed(number *u, number *, int point, int) {
  if (blockIdx.x == 0 && threadIdx.x == 0)
    u[point] += 17;
}
__global__ void chosen(number *u, number *, int t, int nx) {
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    const int point = t % 2 ? 25 * nx + 3 : 37 * nx + 2;
    u[point] += 17 * t;
  }
}
__global__ void remainder_of(number *u, number *, int t, int nx) {
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    const int point = t * 977 % (nx * 40);
    const number old = u[point];
    u[point] = old + 17;
  }
}
__global__ void beside(number *u, number *v, int point, int nx) {
  if (blockIdx.x == 0 && threadIdx.x == 0)
    u[point] = (v[point - nx] + 3 * v[point + 1] + 5 * v[point - 1]) % modulus;
}
__global__ void record(number *trace, const number *u, int point, int nx, int t) {
  if (blockIdx.x == 0 && threadIdx.x == 0)
    trace[t] = u[point] + 3 * u[point + nx];
}
__global__ void in_space(number *u, int point) {
  if (blockIdx.x == 0 && threadIdx.x == 0)
    u[point] += 17;
}
__global__ void fade(number *out, const number *in, int nz, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < nx && y < ny && z >= 1 && z < nz)
    out[(z * ny + y) * nx + x] = (in[(z * ny + y) * nx + x] + in[((z - 1) * ny + y) * nx + x]) % modulus;
}
__global__ void point_in_row(number *u, int t, const int nx, const int ny) {
  const int row = t % 2 == 0 ? ny - 10 : ny / 2 - 10;
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x, i = row * nx + x;
  if (x == nx / 2u)
    u[i] += 17;
}
__global__ void line_in_row(number *u, int t, const int nx, const int ny) {
  const int row = t == 2 ? 3 : t % 2 == 0 ? ny - 4 : 20, x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < nx)
    u[row * nx + x] += 17 * t;
}
#ifdef TWO
// What lies in the row of one point may not lie in that of the other.
__global__ void two(number *u, const number *v, int first, int second) {
  if (blockIdx.x == 0 && threadIdx.x == 0)
    // TWO: [[#@LINE+1]]:{{[0-9]+}}: error: cannot tell which elements of 'v' are read here: the subscript is no row and column of the array's shape [gpurma-0200]
    u[first] = v[second];
}
#endif

int main(int argc, char **argv) {
  gpurma::init(&argc, &argv);
  int nx = 37, ny = 53, nz = 17, n = nx * ny;
  const dim3 block(16, 4), grid((nx + 15) / 16, (ny + 3) / 4);
  number *a = array_of_numbers<number>(n), *b = array_of_numbers<number>(n), *trace = array_of_numbers<number>(9);
#define RUN(kernel, number)                                                                                                \
  for (int t = 0; t < 9; ++t) {                                                                                                  \
    step<<<grid, block>>>(b, a, ny, nx);                                                                                         \
    kernel<<<1, 32>>>(b, a, number, nx);                                                                                         \
    std::swap(a, b);                                                                                                             \
  }
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  RUN(passed, (t * 5 + 2) * nx + t)
  print_sum("passed", a, n);
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  RUN(chosen, t)
  print_sum("chosen", a, n);
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  RUN(remainder_of, t)
  print_sum("remainder", a, n);
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  RUN(beside, (t * 5 + 2) * nx + 4 * t)
  print_sum("beside", a, n);
#ifdef TWO
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  for (int t = 0; t < 9; ++t)
    two<<<1, 32>>>(b, a, 5 * t, 6 * t);
#endif
#pragma gpurma persistent distribute(a, b : rows(ny, nx)) collect(trace : 9)
  for (int t = 0; t < 9; ++t) {
    step<<<grid, block>>>(b, a, ny, nx);
    record<<<1, 32>>>(trace, b, (t * 5 + 2) * nx + t, nx, t);
    std::swap(a, b);
  }
  print_sum("recorded", trace, 9);
  {
    number *u = array_of_numbers<number>(n * nz), *v = array_of_numbers<number>(n * nz);
    const dim3 cubes(8, 4, 2), grid((nx + 7) / 8, (ny + 3) / 4, (nz + 1) / 2);
#pragma gpurma persistent distribute(u, v : rows(nz, ny, nx))
    for (int t = 0; t < 9; ++t) {
      fade<<<grid, cubes>>>(v, u, nz, ny, nx);
      in_space<<<1, 32>>>(v, (t + 3) * nx * ny + 5 * nx + t);
      std::swap(u, v);
    }
    print_sum("space", u, n * nz);
  }
  {
    constexpr int columns = 37, rows = 60;
    number *u = array_of_numbers<number>(columns * rows), *v = array_of_numbers<number>(columns * rows);
#pragma gpurma persistent distribute(u, v : rows(rows, columns))
    for (int t = 0; t < 9; ++t) {
      step<<<dim3(3, 15), block>>>(v, u, rows, columns);
      point_in_row<<<2, 32>>>(v, t, columns, rows);
      line_in_row<<<2, 32>>>(v, t, columns, rows);
      std::swap(u, v);
    }
    print_sum("rows", u, columns * rows);
  }
}
