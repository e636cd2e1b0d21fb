// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Kernels for launches in one dimension that divide their number by extents: where that gives the place of the element, the tile knows
// it; elsewhere the division stays.
// RUN: %gpurmacc_cpu %s -o %t
// RUN: %gpurmacc_cpu --gpurma-emit-source=%t.lowered.cu %s
// RUN: grep -v TEXT %t.lowered.cu | FileCheck --check-prefix=TEXT %s
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t 1 | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t 1 | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 5 %t 1 | diff - %t.expected
// CHECK: cube {{-?[0-9]+}}
// CHECK: plane {{-?[0-9]+}}
// CHECK: stripes {{-?[0-9]+}}
// CHECK: line {{-?[0-9]+}}
#include "Inputs/region.h"


// The original comes first.
// TEXT: void gpurma_element_{{[0-9]+}}_through_rows(
__global__ void through_rows(long long *out, const long long *in, int nz, int ny, int nx) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // TEXT: const int row = static_cast<decltype(i / nx)>(gpurma_at.row), x = i - row * nx;
  const int row = i / nx, x = i - row * nx;
  // TEXT: int y = static_cast<decltype(row % ny)>(gpurma_at.y), z = static_cast<decltype(row / ny)>(gpurma_at.z);
  int y = row % ny, z = row / ny;
  if (z < 1 || z >= nz - 1 || y >= ny - 1 || x < 1)
    return;
  out[i] = (in[i - nx * ny] + 3 * in[i + nx * ny] + 5 * in[i - 1] + 7 * in[i + nx] + x + 10 * y + 100 * z) % 1000003;
}

// TEXT: void gpurma_element_{{[0-9]+}}_nested(
__global__ void nested(long long *u, int nz, int ny, int nx) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= nx * ny * nz)
    return;
  // TEXT: unsigned short y = static_cast<decltype((i / nx) % ny)>(gpurma_at.y);
  unsigned short y = (i / nx) % ny;
  // TEXT: u[i] += (y > 2 ? static_cast<decltype(i / (nx * ny))>(gpurma_at.z) : 4) + static_cast<decltype(i / nx / ny)>(gpurma_at.z);
  u[i] += (y > 2 ? i / (nx * ny) : 4) + i / nx / ny;
}

// A macro's text, what has effects, what a lambda has captured, assignments.
#define COLUMN (i % nx)
// TEXT: void gpurma_element_{{[0-9]+}}_kept(
__global__ void kept(long long *u, int ny, int nx) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = i;
  if (i >= nx * ny)
    return;
  // TEXT: const int row = j++ / nx;
  const int row = j++ / nx;
  // TEXT: int column = i;
  int column = i;
  // TEXT-NEXT: column %= nx;
  column %= nx;
  // TEXT: auto weight = [i, nx](int by) { return by * (i % nx); };
  auto weight = [i, nx](int by) { return by * (i % nx); };
  // TEXT: u[i] += row + COLUMN + 3 * column + weight(5) + j % 7;
  u[i] += row + COLUMN + 3 * column + weight(5) + j % 7;
}

// Of one launch the place, of another not.
// TEXT: void gpurma_element_{{[0-9]+}}_striped(
__global__ void striped(long long *u, int n, int width) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // TEXT: u[i] += 1000 * (i % width);
  if (i < n)
    u[i] += 1000 * (i % width);
}

// TEXT: void gpurma_element_{{[0-9]+}}_of_template(
template <int Width> __global__ void of_template(long long *out, const long long *in, int n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  // TEXT: const unsigned x = static_cast<decltype(i % Width)>(gpurma_at.x);
  const unsigned x = i % Width;
  if (i < n && x > 0 && x + 1 < Width)
    out[i] = (in[i - 1] + 3 * in[i + 1] + x) % 1000003;
}

// In one dimension over an array of two, and of the coordinates of an array of one. One function would not do for both.
// TEXT: void gpurma_element_[[TWICE:[0-9]+]]_twice(
// TEXT: void gpurma_thread_[[TWICE]]_twice(
__global__ void twice(long long *u, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    u[i] = (2 * u[i] + 1) % 1000003;
}
__global__ void neighbours(long long *out, const long long *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n - 1)
    out[i] = (in[i - 1] + 3 * in[i + 1]) % 1000003;
}

using extent = unsigned long;

int main() {
  const int nx = 19, ny = 13, nz = 29, cube = nx * ny * nz;
  long long *a = array_of_numbers<long long>(cube), *b = array_of_numbers<long long>(cube);
#pragma gpurma persistent distribute(a, b : rows(nz, ny, nx))
  for (int step = 0; step < 4; ++step) {
    through_rows<<<(cube + 63) / 64, 64>>>(b, a, nz, ny, nx);
    nested<<<(cube + 95) / 96, 96>>>(b, nz, ny, nx);
    through_rows<<<(cube + 63) / 64, 64>>>(a, b, nz, ny, nx);
  }
  print_sum("cube", a, cube);

  constexpr int width = 24, height = 43, plane = width * height;
  int w = width, h = height;
  long long *c = array_of_numbers<long long>(plane), *d = array_of_numbers<long long>(plane);
#pragma gpurma persistent distribute(c, d : rows(h, w))
  for (int step = 0; step < 4; ++step) {
    kept<<<(plane + 63) / 64, 64>>>(c, h, w);
    // Casts to types that are printed as several words.
    striped<<<(extent(plane) + extent{63} + extent{}) / 64, 64>>>(c, int(extent(h) * w), w);
    twice<<<(plane + 63) / 64 + extent(), 64>>>(c, h * w);
  }
  print_sum("plane", c, plane);
#pragma gpurma persistent distribute(c, d : rows(height, width))
  for (int step = 0; step < 4; ++step) {
    of_template<width><<<(plane + 63) / 64, 64>>>(d, c, plane);
    striped<<<(plane + 63) / 64, 64>>>(d, plane, 7);
    of_template<width><<<(plane + 63) / 64, 64>>>(c, d, plane);
  }
  print_sum("stripes", c, plane);

  const int n = plane;
#pragma gpurma persistent distribute(c, d : rows(n))
  for (int step = 0; step < 4; ++step) {
    neighbours<<<(n + 63) / 64, 64>>>(d, c, n);
    twice<<<(n + 95) / 96, 96>>>(d, n);
    neighbours<<<(n + 63) / 64, 64>>>(c, d, n);
  }
  print_sum("line", c, n);
}
