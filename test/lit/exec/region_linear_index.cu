// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// The number of an element that threads in blocks of rows and columns compute, and functions take apart again by division.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t --gpurma-print-after=InferStages | FileCheck --check-prefix=PLAN %s
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t | diff - %t.expected
#include "Inputs/region.h"
#include <utility>

__device__ int north(int i, int ny, int nx) {
  const int y = i / nx, x = i % nx;
  return (y + ny - 1) % ny * nx + x;
}
__device__ int east(int i, int nx) {
  const int y = i / nx, x = i % nx;
  return y * nx + (x + 1) % nx;
}

// PLAN: stage neighbours: rows y; writes out (own), published (y 0..1); reads in (x whole, y -1..0 periodic) along axes
__global__ void neighbours(int *out, const int *in, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny)
    return;
  const int i = y * nx + x;
  out[i] = (in[north(i, ny, nx)] + 3 * in[east(i, nx)]) % 10007;
}

// PLAN: stage mirrored: rows y; writes out (own), published (y -1..0); reads in (x whole, y 0..1)
__global__ void mirrored(int *out, const int *in, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny)
    return;
  const int i = y * nx + x, column = i % nx, row = i / nx;
  out[i] = (in[i - column + (column + 1) % nx] + in[(row + 1 < ny ? row + 1 : row) * nx + nx - 1 - column]) % 10007;
}

// PLAN: stage planes: rows z; writes out (own), published (z -1..0); reads in (y -1..0, z -1..0) along axes
__global__ void planes(int *out, const int *in, int nz, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
  if (x >= nx || y < 1 || y >= ny || z < 1 || z >= nz)
    return;
  const int i = (z * ny + y) * nx + x;
  const int column = i % nx, line = i / nx % ny, plane = i / (nx * ny);
  out[i] = (in[((plane - 1) * ny + line) * nx + column] + in[(plane * ny + line - 1) * nx + column]) % 10007;
}

int main() {
  const int nx = 37, ny = 53, nz = 11, lines = 9;
  const std::size_t points = static_cast<std::size_t>(nx) * ny, in_space = static_cast<std::size_t>(nx) * lines * nz;
  int *u = array_of_numbers<int>(points), *v = array_of_numbers<int>(points);
  int *p = array_of_numbers<int>(in_space), *q = array_of_numbers<int>(in_space);
  const dim3 block(16, 8);
#pragma gpurma persistent distribute(u, v : rows(ny, nx))
  for (int t = 0; t < 5; ++t) {
    neighbours<<<dim3((nx + 15) / 16, (ny + 7) / 8), block>>>(v, u, ny, nx);
    mirrored<<<dim3((nx + 15) / 16, (ny + 7) / 8), block>>>(u, v, ny, nx);
  }
#pragma gpurma persistent distribute(p, q : rows(nz, lines, nx))
  for (int t = 0; t < 5; ++t) {
    planes<<<dim3((nx + 15) / 16, (lines + 7) / 8, nz), block>>>(q, p, nz, lines, nx);
    std::swap(p, q);
  }
  CHECK(cudaDeviceSynchronize());
  // CHECK: u {{[0-9]+}}
  print_sum("u", u, points);
  print_sum("p", p, in_space);
}
