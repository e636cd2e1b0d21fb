// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Kernels that keep indices in small arrays: of rows, of columns and of whole subscripts, with initialisers and filled in loops of constant
// length, clamped, in structures and by functions that are passed the array, read by subscripts that loops move, and changed later.
// RUN: %gpurmacc_cpu -Rgpurma %s -o %t 2>&1 | FileCheck --check-prefix=REMARK %s
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=1 %mpirun -np 5 %t | diff - %t.expected
// CHECK: rows {{[0-9]+}}
// CHECK: filled {{[0-9]+}}
// CHECK: clamped {{[0-9]+}}
// CHECK: subscripts {{[0-9]+}}
// CHECK: structures {{[0-9]+}}
// CHECK: passed {{[0-9]+}}
// CHECK: tables {{[0-9]+}}
// CHECK: changed {{[0-9]+}}
// CHECK: later {{[0-9]+}}
// CHECK: planes {{[0-9]+}}
// REMARK: stage 'rows' reads 'in' with halo 1, writes 'out'
// REMARK: stage 'filled' reads 'in' with halo 2, writes 'out'
// REMARK: stage 'clamped' reads 'in' with halo 2, writes 'out'
// REMARK: stage 'subscripts' reads 'in' with halo 1, writes 'out'
// REMARK: stage 'structures' reads 'in' with halo 1, writes 'out'
// REMARK: stage 'passed' reads 'in' with halo 1, writes 'out'
// REMARK: stage 'tables' reads 'in' with halo 2, writes 'out'
// REMARK: stage 'changed' reads 'in' with halo 3, writes 'out'
// REMARK: stage 'later' reads 'in' with halo 3, writes 'out'
// REMARK: stage 'planes' reads 'in' with halo 1, writes 'out'
#include "Inputs/region.h"

#include <cstdio>
#include <utility>

typedef long long number;
constexpr int modulus = 1000003;

#define PLACE int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y

__global__ void rows(number *out, const number *in, int ny, int nx) {
  PLACE;
  if (x < 1 || x >= nx - 1 || y < 1 || y >= ny - 1)
    return;
  const int ys[3] = {y - 1, y, y + 1};
  out[ys[1] * nx + x] = (in[ys[0] * nx + x] + 3 * in[ys[1] * nx + x] + 7 * in[ys[2] * nx + x - 1]) % modulus;
}

// The last two elements have no initialiser of their own.
__global__ void filled(number *out, const number *in, int ny, int nx) {
  PLACE;
  if (x < 1 || x >= nx - 1 || y < 2 || y >= ny - 2)
    return;
  int ys[5] = {-2, -1};
  for (int k = 2; k < 5; ++k)
    ys[k] += k - 2;
  for (int k = 0; k < 5; ++k)
    ys[k] += y;
  number s = 0;
  for (int k = 0; k < 5; ++k)
    s += (k + 2) * in[ys[k] * nx + x];
  out[y * nx + x] = s % modulus;
}

__global__ void clamped(number *out, const number *in, int ny, int nx) {
  PLACE;
  if (x >= nx || y >= ny)
    return;
  int ys[5], xs[5];
#pragma unroll
  for (int k = -2; k <= 2; k++) {
    ys[k + 2] = max(0, min(ny - 1, y + k));
    xs[k + 2] = max(0, min(nx - 1, x + k));
  }
  number s = 0;
#pragma unroll
  for (int j = 0; j < 5; ++j)
    for (int i = 0; i < 5; ++i)
      s += (j * 5 + i + 2) * in[ys[j] * nx + xs[i]];
  out[y * nx + x] = s % modulus;
}

__global__ void subscripts(number *out, const number *in, int ny, int nx) {
  PLACE;
  if (x >= nx || y >= ny)
    return;
  int near[4] = {y > 0 ? (y - 1) * nx + x : y * nx + x, y < ny - 1 ? (y + 1) * nx + x : y * nx + x, x > 0 ? y * nx + x - 1 : y * nx + x,
                 x < nx - 1 ? y * nx + x + 1 : y * nx + x};
  number s = 0;
  for (int i : near)
    s += 3 * s + in[i];
  int all[3][3], n = 0;
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i, ++n)
      all[j][i] = (y + j - 1) * nx + x + n % 3 - 1;
  if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1)
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 3; ++i)
        s += (j * 3 + i) * in[all[j][i]];
  out[y * nx + x] = s % modulus;
}

struct neighbours {
  int y[3];
  int x[3];
};
__device__ neighbours neighbours_of(int x, int y, int nx, int ny) {
  neighbours n;
  for (int k = 0; k < 3; ++k) {
    n.y[k] = min(max(y + k - 1, 0), ny - 1);
    n.x[k] = min(max(x + k - 1, 0), nx - 1);
  }
  return n;
}
__global__ void structures(number *out, const number *in, int ny, int nx) {
  PLACE;
  if (x >= nx || y >= ny)
    return;
  const neighbours n = neighbours_of(x, y, nx, ny);
  number s = 0;
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i)
      s += (j * 3 + i + 2) * in[n.y[j] * nx + n.x[i]];
  out[y * nx + x] = s % modulus;
}

__device__ void fill(int *ys, int y, int ny) {
  for (int k = 0; k < 3; ++k)
    ys[k] = min(max(y + k - 1, 0), ny - 1);
}
__device__ number sum(const number *in, const int (&ys)[3], int x, int nx) {
  number s = 0;
  for (int j = 0; j < 3; ++j)
    s += (j + 2) * in[ys[j] * nx + x];
  return s;
}
__global__ void passed(number *out, const number *in, int ny, int nx) {
  PLACE;
  if (x >= nx || y >= ny)
    return;
  int ys[3];
  fill(ys, y, ny);
  out[y * nx + x] = sum(in, ys, x, nx) % modulus;
}

// Which element it is decides: the first three are not reached by the first loop.
__global__ void tables(number *out, const number *in, int ny, int nx) {
  PLACE;
  if (x < 1 || x >= nx - 1 || y < 2 || y >= ny - 2)
    return;
  const int2 directions[4] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
  constexpr int far[6] = {-9, 9, 7, -2, 0, 2};
  number s = 0;
  for (int k = 0; k < 4; ++k)
    s += (k + 2) * in[(y + directions[k].y) * nx + x + directions[k].x];
  for (int k = 3; k < 6; ++k)
    s += (k + 2) * in[(y + far[k]) * nx + x];
  out[y * nx + x] = s % modulus;
}

// Elements that are changed under conditions, by subscripts that are not known, in lambdas and through pointers.
__global__ void changed(number *out, const number *in, int ny, int nx, int which) {
  PLACE;
  if (x < 3 || x >= nx - 3 || y < 3 || y >= ny - 3)
    return;
  int at[2] = {x, y};
  if (in[y * nx + x] % 2 == 0)
    at[1] -= 1;
  const int d = which & 1;
  at[d] += 1;
  auto back = [&] { at[1] -= 1; };
  back();
  int *p = &at[1];
  *p -= 1;
  out[y * nx + x] = (in[at[1] * nx + at[0]] * 5 + in[y * nx + x] * 3) % modulus;
}

// What an iteration reads an earlier one may have stored.
__global__ void later(number *out, const number *in, int ny, int nx, int steps) {
  PLACE;
  if (x < 1 || x >= nx - 1 || y < 3 || y >= ny - 3)
    return;
  const int down[2] = {y, y + 3};
  int ys[2] = {y, y - 1};
  number s = 0;
  for (int k = 0; k < steps; ++k) {
    s = (s * 3 + in[min(max(ys[0], y - 3), y + 3) * nx + x]) % modulus;
    ys[0] = down[k % 2];
    ys[1] -= 1;
  }
  out[y * nx + x] = (s + in[min(max(ys[1], y - 3), y + 3) * nx + x]) % modulus;
}

// The planes are walked by a loop.
__global__ void planes(number *out, const number *in, int nz, int ny, int nx) {
  PLACE;
  if (x < 1 || x >= nx - 1 || y < 1 || y >= ny - 1)
    return;
  const int steps[6] = {-nx * ny, nx * ny, -nx, nx, -1, 1};
  for (int z = 1; z < nz - 1; ++z) {
    number s = 0;
    const int i = (z * ny + y) * nx + x;
    for (int k = 0; k < 6; ++k)
      s += (k + 1) * in[i + steps[k]];
    out[i] = s % modulus;
  }
}

int main(int argc, char **argv) {
  gpurma::init(&argc, &argv);
  int nx = 37, ny = 53, nz = 33, n = nx * ny;
  const dim3 block(16, 4), grid((nx + 15) / 16, (ny + 3) / 4);
  number *a = array_of_numbers<number>(n), *b = array_of_numbers<number>(n);
#define RUN(name, ...)                                                                                                           \
  for (int t = 0; t < 4; ++t) {                                                                                                  \
    name<<<grid, block>>>(b, a, ny, nx __VA_OPT__(, ) __VA_ARGS__);                                                              \
    std::swap(a, b);                                                                                                             \
  }
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  RUN(rows)
  print_sum("rows", a, n);
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  RUN(filled)
  print_sum("filled", a, n);
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  RUN(clamped)
  print_sum("clamped", a, n);
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  RUN(subscripts)
  print_sum("subscripts", a, n);
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  RUN(structures)
  print_sum("structures", a, n);
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  RUN(passed)
  print_sum("passed", a, n);
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  RUN(tables)
  print_sum("tables", a, n);
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  RUN(changed, t)
  print_sum("changed", a, n);
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  RUN(later, 2 + t)
  print_sum("later", a, n);
  {
    number *u = array_of_numbers<number>(n * nz), *v = array_of_numbers<number>(n * nz);
#pragma gpurma persistent distribute(u, v : rows(nz, ny, nx))
    for (int t = 0; t < 4; ++t) {
      planes<<<grid, block>>>(v, u, nz, ny, nx);
      std::swap(u, v);
    }
    print_sum("planes", u, n * nz);
  }
}
