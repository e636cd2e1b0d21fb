// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Subscripts that are one of several, in rows that differ: neighbours at a boundary as `y > 0 ? i - nx : i`, steps that are 0 there or lead
// to the other end, one inside of another, assigned in branches, by what was loaded, in space, in launches in one dimension, and in stores.
// RUN: %gpurmacc_cpu -Rgpurma %s -o %t 2>&1 | FileCheck --check-prefix=REMARK %s
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=1 %mpirun -np 5 %t | diff - %t.expected
// CHECK: neighbours {{[0-9]+}}
// CHECK: steps {{[0-9]+}}
// CHECK: around {{[0-9]+}}
// CHECK: branches {{[0-9]+}}
// CHECK: in_line {{[0-9]+}}
// CHECK: stores {{[0-9]+}}
// CHECK: by_data {{[0-9]+}}
// CHECK: space {{[0-9]+}}
// REMARK: stage 'neighbours' reads 'in' with halo 1, writes 'out'
// REMARK: stage 'steps' reads 'in' with halo 2, writes 'out'
// REMARK: stage 'around' reads 'in' with halo 1, periodically, writes 'out'
// REMARK: stage 'branches' reads 'in' with halo 2, writes 'out'
// REMARK: stage 'in_line' reads 'in' with halo 1, writes 'out'
// REMARK: stage 'stores' reads 'in', writes 'out'
// REMARK: stage 'by_data' reads 'in' with halo 1, writes 'out' (publishes 1 row to the process before, 1 to the one after)
// REMARK: stage 'space' reads 'in' with halo 1, writes 'out'
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

__global__ void neighbours(number *out, const number *in, int ny, int nx) {
  PLACE;
  int up = y > 0 ? i - nx : i, down = y < ny - 1 ? i + nx : i, left = x > 0 ? i - 1 : i, right = x < nx - 1 ? i + 1 : i;
  out[i] = (in[up] + 3 * in[down] + 5 * in[left] + 7 * in[right]) % modulus;
}

__global__ void steps(number *out, const number *in, int ny, int nx) {
  PLACE;
  const int up = y == 0 ? 0 : y == 1 ? -nx : -2 * nx, right = x == nx - 1 ? 0 : 1;
  out[i] = (in[i + up] + 3 * in[i + up + right]) % modulus;
}

__global__ void around(number *out, const number *in, int ny, int nx) {
  PLACE;
  const int up = y == 0 ? (ny - 1) * nx : -nx, down = y == ny - 1 ? -(ny - 1) * nx : nx;
  out[i] = (in[i + up] + 3 * in[i + down] + 7 * in[i]) % modulus;
}

__global__ void branches(number *out, const number *in, int ny, int nx) {
  PLACE;
  const number *from = in + i;
  int j = i;
  if (in[i] % 3 == 0) {
    j = y > 1 ? i - 2 * nx : i;
    from = y < ny - 1 ? &in[i + nx] : from;
  } else if (y < ny - 2) {
    j += 2 * nx;
  }
  out[i] = (in[j] + 3 * *from) % modulus;
}

__global__ void in_line(number *out, const number *in, int ny, int nx) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= ny * nx)
    return;
  const int y = i / nx, x = i % nx;
  const int up = y > 0 ? i - nx : i, right = x < nx - 1 ? i + 1 : i;
  out[i] = (in[up] + 3 * in[right]) % modulus;
}

__global__ void stores(number *out, const number *in, int ny, int nx) {
  PLACE;
  const int to = y % 2 == 0 ? i : y * nx + nx - 1 - x;
  out[to] = in[to] + y;
}

// As an edge detector suppresses what is no largest value along the gradient.
__global__ void by_data(number *out, const number *in, int ny, int nx) {
  const int x = threadIdx.x + blockDim.x * blockIdx.x, y = threadIdx.y + blockDim.y * blockIdx.y;
  if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1)
    return;
  const int i = y * nx + x;
  int by = 0;
  switch (static_cast<int>(in[i]) & 3) {
  case 0:
    by = 1;
    break;
  case 1:
    by = nx + 1;
    break;
  case 2:
    by = nx;
    break;
  default:
    by = nx - 1;
  }
  const int other = static_cast<int>(in[i]) % 5 == 0 ? 1 - nx : -1;
  out[i] = in[i] + 3 * in[i - by] - 2 * in[i + by] + in[i + other];
}
__global__ void space(number *out, const number *in, int nz, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x >= nx || y >= ny || z >= nz)
    return;
  const int i = (z * ny + y) * nx + x, plane = nx * ny;
  const int below = z > 0 ? i - plane : i, above = z < nz - 1 ? i + plane : i, north = y > 0 ? i - nx : i, south = y < ny - 1 ? i + nx : i;
  out[i] = (in[below] + 3 * in[above] + 5 * in[north] + 7 * in[south]) % modulus;
}

int main(int argc, char **argv) {
  gpurma::init(&argc, &argv);
  int nx = 37, ny = 53, nz = 17, n = nx * ny;
  const dim3 block(16, 4), grid((nx + 15) / 16, (ny + 3) / 4);
  number *a = array_of_numbers<number>(n), *b = array_of_numbers<number>(n);
#define RUN(name, grid, block)                                                                                                   \
  for (int t = 0; t < 4; ++t) {                                                                                                  \
    name<<<grid, block>>>(b, a, ny, nx);                                                                                         \
    std::swap(a, b);                                                                                                             \
  }
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  RUN(neighbours, grid, block)
  print_sum("neighbours", a, n);
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  RUN(steps, grid, block)
  print_sum("steps", a, n);
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  RUN(around, grid, block)
  print_sum("around", a, n);
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  RUN(branches, grid, block)
  print_sum("branches", a, n);
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  RUN(in_line, (n + 127) / 128, 128)
  print_sum("in_line", a, n);
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  RUN(stores, grid, block)
  print_sum("stores", a, n);
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  RUN(by_data, grid, block)
  print_sum("by_data", a, n);
  {
    number *u = array_of_numbers<number>(n * nz), *v = array_of_numbers<number>(n * nz);
    const dim3 cubes(8, 4, 2), grid((nx + 7) / 8, (ny + 3) / 4, (nz + 1) / 2);
#pragma gpurma persistent distribute(u, v : rows(nz, ny, nx))
    for (int t = 0; t < 4; ++t) {
      space<<<grid, cubes>>>(v, u, nz, ny, nx);
      std::swap(u, v);
    }
    print_sum("space", u, n * nz);
  }
}
