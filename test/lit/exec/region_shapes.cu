// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Kernels whose threads do not stand at their own point: first rows left out by the grid, asymmetric reads, one dimension, grids
// that are smaller or larger than the array, several rows for each thread, loops through rows by whole grids, and arrays of different
// height in one region. A kernel that reads a reduced scalar.
// RUN: %gpurmacc_cpu %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t 1 | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=4 %mpirun -np 4 %t 1 | diff - %t.expected
// CHECK: line {{-?[0-9]+}}
// CHECK: inner {{-?[0-9]+}}
// CHECK: staggered {{-?[0-9]+}}
// CHECK: rows {{-?[0-9]+}}
#include "Inputs/region.h"

#include <cstdio>
#include <utility>

__global__ void line(long long *out, const long long *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x + 2;
  if (i < n - 1)
    out[i] = (in[i - 2] + 3 * in[i + 1]) % 1000003;
}
__global__ void inner(long long *out, const long long *in, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (x < nx - 1 && y < ny - 1)
    out[y * nx + x] = (in[(y - 1) * nx + x - 1] + 5 * in[(y + 1) * nx + x + 1] + in[y * nx + x]) % 1000003;
}
// flux has a row more than cells: row y lies before cell y.
__global__ void fluxes(long long *flux, const long long *cells, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y > 0 && y < ny)
    flux[y * nx + x] = cells[y * nx + x] - cells[(y - 1) * nx + x];
}
__global__ void update(long long *cells, const long long *flux, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny)
    cells[y * nx + x] = (3 * cells[y * nx + x] + flux[(y + 1) * nx + x] - flux[y * nx + x]) % 1000003;
}

template <int Rows> __global__ void rows_of_a_thread(long long *out, const long long *in, const unsigned long long *sum, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, first = (blockIdx.y * blockDim.y + threadIdx.y) * Rows;
  for (int y = first; y < first + Rows; ++y)
    if (x < nx && y > 0 && y < ny - 1)
      out[y * nx + x] = (in[(y - 1) * nx + x] + 5 * in[(y + 1) * nx + x] + static_cast<long long>(sum[0] % 97)) % 1000003;
}
__global__ void rows_of_a_block(long long *out, const long long *in, int ny, int nx) {
  int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 12 + threadIdx.y;
  for (int j = 0; j < 12; j += 4)
    if (x < nx && y + j < ny)
      out[(y + j) * nx + x] = in[(y + j) * nx + nx - 1 - x] + y;
}
__global__ void rows_of_a_grid(const long long *in, unsigned long long *sum, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned long long part = 0;
  for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < ny; y += blockDim.y * gridDim.y)
    part += x < nx ? in[y * nx + x] : 0;
  atomicAdd(sum, part);
}

static long long *device(int n) {
  return device_array<long long>(n, [](size_t i) { return i * 7919 % 1009; });
}
static void print(const char *name, const long long *memory, int n, bool quiet) {
  const long long sum = ordered_sum(memory, n);
  if (!quiet)
    std::printf("%s %lld\n", name, sum);
}

int main(int argc, char **argv) {
  gpurma::init(&argc, &argv);
  const bool quiet = is_quiet(argc);
  const int n = 331;
  long long *a = device(n), *b = device(n);
#pragma gpurma persistent distribute(a, b : rows(n))
  for (int i = 0; i < 9; ++i) {
    line<<<(n - 3 + 15) / 16, 16>>>(b, a, n);
    std::swap(a, b);
  }
  print("line", a, n, quiet);

  const int nx = 23, ny = 61;
  long long *c = device(nx * ny), *d = device(nx * ny);
  const dim3 block(8, 4), grid(4, 17);
#pragma gpurma persistent distribute(c, d : rows(ny, nx))
  for (int i = 0; i < 9; ++i) {
    inner<<<grid, block>>>(d, c, ny, nx);
    std::swap(c, d);
  }
  print("inner", c, nx * ny, quiet);

  const int high = ny + 1;
  long long *flux = device(nx * high);
#pragma gpurma persistent distribute(c : rows(ny, nx)) distribute(flux : rows(high, nx))
  for (int i = 0; i < 7; ++i) {
    fluxes<<<grid, block>>>(flux, c, ny, nx);
    update<<<grid, block>>>(c, flux, ny, nx);
  }
  print("staggered", c, nx * ny, quiet);

  unsigned long long *sum;
  cudaMallocManaged(&sum, sizeof *sum);
  *sum = 0;
#pragma gpurma persistent distribute(c, d : rows(ny, nx)) reduce(+ : *sum)
  for (int i = 0; i < 5; ++i) {
    rows_of_a_thread<3><<<dim3(4, 6), block>>>(d, c, sum, ny, nx);
    rows_of_a_block<<<dim3(3, 6), block>>>(c, d, ny, nx);
    rows_of_a_grid<<<dim3(3, 2), block>>>(c, sum, ny, nx);
  }
  print("rows", c, nx * ny, quiet);
  if (!quiet)
    std::printf("sum %llu\n", *sum);
}
