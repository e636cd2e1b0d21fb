// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Rows that a clause `halo` speaks of, and that go on with the first one behind the last: by radii that only the running program knows, by
// remainders, conditions and bits, for a launch whose subscripts say so; by tables of neighbours and of directions, in two and three
// dimensions, of components, by the number of an element, of levels with a row more, next to clamped ones, with rows written at an end, and of
// one of two arrays with clauses of their own.
// RUN: %gpurmacc_cpu %s -o %t --gpurma-print-after=InferStages | FileCheck --check-prefix=PLAN %s
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=16 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t quiet | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t quiet | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 GPURMA_DISTRIBUTED_ARRAYS=banded %mpirun -np 3 %t quiet | diff - %t.expected
// PLAN-COUNT-2: stage convolve: {{.*}}reads in ({{.*}}y whole periodic)
// PLAN: stage masked: {{.*}}reads in ({{.*}}y whole perhaps periodic)
// PLAN: stage clamped: {{.*}}reads in (x whole, y whole){{$}}
// PLAN: stage shifted: {{.*}}reads in ({{.*}}y -1..1 periodic)
// PLAN: stage neighbours: {{.*}}reads in ({{.*}}y -1..1 perhaps periodic)
// PLAN: stage stream: {{.*}}reads f ({{.*}}y -1..1 periodic)
// PLAN: stage elements: rows y in one dimension; {{.*}}reads in ({{.*}}y -1..1 perhaps periodic)
// PLAN: stage cube: {{.*}}reads in ({{.*}}z -2..2 periodic)
// PLAN: stage faces: {{.*}}reads u ({{.*}}y -2..2 perhaps periodic)
// PLAN: stage bordered: {{.*}} and its first row{{.*}}reads in ({{.*}}y whole perhaps periodic)
// PLAN-COUNT-2: stage neighbours: {{.*}}reads in ({{.*}}y -3..3 perhaps periodic)
// CHECK: remainders {{[1-9]}}
// CHECK: conditions {{[1-9]}}
// CHECK: bits {{[1-9]}}
// CHECK: clamped {{[1-9]}}
// CHECK: known {{[1-9]}}
// CHECK: neighbours {{[1-9]}}
// CHECK: stream {{[1-9]}}
// CHECK: elements {{[1-9]}}
// CHECK: cube {{[1-9]}}
// CHECK: faces {{[1-9]}}
// CHECK: bordered {{[1-9]}}
// CHECK: chosen {{[1-9]}}
#include "Inputs/region.h"

#include <utility>

#define POINT(nx, ny)                                                                                                            \
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;                                \
  if (x >= nx || y >= ny)                                                                                                        \
  return

__global__ void convolve(unsigned *out, const unsigned *in, int radius, bool by_conditions, int ny, int nx) {
  POINT(nx, ny);
  unsigned sum = 0;
  for (int r = -radius; r <= radius; ++r) {
    int row = y + r;
    if (row < 0)
      row += ny;
    if (row >= ny)
      row -= ny;
    sum += (radius + r + 1) * (by_conditions ? in[row * nx + x] : in[(y + r + ny) % ny * nx + x]);
  }
  out[y * nx + x] = sum % 100999;
}
__global__ void masked(unsigned *out, const unsigned *in, int radius, int ny, int nx) {
  POINT(nx, ny);
  unsigned sum = 0;
  for (int r = -radius; r <= radius; ++r)
    sum += (radius + r + 1) * in[((y + r) & (ny - 1)) * nx + x];
  out[y * nx + x] = sum % 100999;
}
__global__ void clamped(unsigned *out, const unsigned *in, int radius, int ny, int nx) {
  POINT(nx, ny);
  unsigned sum = 0;
  for (int r = -radius; r <= radius; ++r)
    sum += (radius + r + 1) * in[min(max(y + r, 0), ny - 1) * nx + x];
  out[y * nx + x] = sum % 100999;
}
__global__ void shifted(unsigned *out, const unsigned *in, int ny, int nx) {
  POINT(nx, ny);
  out[y * nx + x] = (in[(y + 1) % ny * nx + x] + 3 * in[y * nx + x]) % 100999;
}
__global__ void neighbours(unsigned *out, const unsigned *in, const int *above, const int *below, const int *left, int ny, int nx) {
  POINT(nx, ny);
  out[y * nx + x] = (in[above[y] * nx + x] + 3 * in[below[y] * nx + x] + 5 * in[y * nx + left[x]] + 7 * in[y * nx + x]) % 100999;
}
// f[q][y][x] with directions in memory.
__global__ void stream(unsigned *g, const unsigned *f, const int *ex, const int *ey, int nq, int ny, int nx) {
  POINT(nx, ny);
  for (int q = 0; q < nq; ++q) {
    const int from_y = (y - ey[q] + ny) % ny, from_x = (x - ex[q] + nx) % nx;
    g[(q * ny + y) * nx + x] = (f[(q * ny + from_y) * nx + from_x] + q + 1) % 100999;
  }
}
__global__ void elements(unsigned *out, const unsigned *in, const int *above, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = (in[above[i]] + 3 * in[i]) % 100999;
}
__global__ void cube(unsigned *out, const unsigned *in, const int *planes, int nz, int ny, int nx) {
  POINT(nx, ny);
  const int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (z >= nz)
    return;
  const int far = (z + planes[x] + nz) % nz;
  out[(z * ny + y) * nx + x] = (in[(far * ny + y) * nx + x] + 3 * in[(z * ny + y) * nx + x]) % 100999;
}
// u has a row more than v.
__global__ void faces(unsigned *v, const unsigned *u, const int *moves, int ny, int nx) {
  POINT(nx, ny);
  const int row = min(max(y + moves[x], 0), ny);
  v[y * nx + x] = (u[row * nx + x] + 3 * v[y * nx + x]) % 100999;
}
__global__ void back(unsigned *u, const unsigned *v, int ny, int nx) {
  POINT(nx, ny);
  u[y * nx + x] = (v[y * nx + x] + 5 * u[y * nx + x]) % 100999;
}
__global__ void bordered(unsigned *out, const unsigned *in, const int *moves, int ny, int nx) {
  POINT(nx, ny);
  if (y == 0)
    return;
  const unsigned sum = (in[min(max(y + moves[x], 0), ny - 1) * nx + x] + 3 * in[y * nx + x]) % 100999;
  out[y * nx + x] = sum;
  if (y == 1)
    out[x] = sum + 1;
}

int main(int argc, char **argv) {
  if (is_quiet(argc))
    std::freopen("/dev/null", "w", stdout);
  // Bands of two and three processes end in the middle of the array; radii are no constants.
  const int given = argc < 3 ? 3 : std::atoi(argv[2]);
  int nx = 40, ny = 72, nz = 80, radius = given, two = given - 1, nq = 5;
  const dim3 block(16, 4), grid((nx + 15) / 16, (ny + 3) / 4);
  const auto rows_moved_by = [](int n, int by) { return device_array<int>(n, [=](int i) { return (i + n + by) % n; }); };
  int *above = rows_moved_by(ny, -1), *below = rows_moved_by(ny, 1), *left = rows_moved_by(nx, -1);
  unsigned *u = array_of_numbers<unsigned>(nx * ny), *v = array_of_numbers<unsigned>(nx * ny);
  {
#pragma gpurma persistent distribute(u, v : rows(ny, nx)) halo(u, v : radius)
    for (int s = 0; s < 6; ++s) {
      convolve<<<grid, block>>>(v, u, radius, false, ny, nx);
      std::swap(u, v);
    }
    print_sum("remainders", u, nx * ny);
  }
  {
#pragma gpurma persistent distribute(u, v : rows(ny, nx)) halo(u, v : radius)
    for (int s = 0; s < 6; ++s) {
      convolve<<<grid, block>>>(v, u, radius, true, ny, nx);
      std::swap(u, v);
    }
    print_sum("conditions", u, nx * ny);
  }
  {
    int rows = 64;
#pragma gpurma persistent distribute(u, v : rows(rows, nx)) halo(u, v : radius)
    for (int s = 0; s < 6; ++s) {
      masked<<<grid, block>>>(v, u, radius, rows, nx);
      std::swap(u, v);
    }
    print_sum("bits", u, nx * rows);
  }
  {
#pragma gpurma persistent distribute(u, v : rows(ny, nx)) halo(u, v : radius)
    for (int s = 0; s < 6; ++s) {
      clamped<<<grid, block>>>(v, u, radius, ny, nx);
      std::swap(u, v);
    }
    print_sum("clamped", u, nx * ny);
  }
  {
#pragma gpurma persistent distribute(u, v : rows(ny, nx)) halo(u, v : 1)
    for (int s = 0; s < 6; ++s) {
      shifted<<<grid, block>>>(v, u, ny, nx);
      std::swap(u, v);
    }
    print_sum("known", u, nx * ny);
  }
  {
#pragma gpurma persistent distribute(u, v : rows(ny, nx)) halo(u, v : 1)
    for (int s = 0; s < 6; ++s) {
      neighbours<<<grid, block>>>(v, u, above, below, left, ny, nx);
      std::swap(u, v);
    }
    print_sum("neighbours", u, nx * ny);
  }
  {
    const int x_of[] = {0, 1, 0, -1, 0}, y_of[] = {0, 0, 1, 0, -1};
    int *ex = device_array<int>(nq, [&](int q) { return x_of[q]; }), *ey = device_array<int>(nq, [&](int q) { return y_of[q]; });
    unsigned *f = array_of_numbers<unsigned>(nq * nx * ny), *g = array_of_numbers<unsigned>(nq * nx * ny);
#pragma gpurma persistent distribute(f, g : components(nq), rows(ny, nx)) halo(f, g : 1)
    for (int s = 0; s < 6; ++s) {
      stream<<<grid, block>>>(g, f, ex, ey, nq, ny, nx);
      std::swap(f, g);
    }
    print_sum("stream", f, nq * nx * ny);
  }
  {
    int n = nx * ny, *element_above = rows_moved_by(n, -nx);
#pragma gpurma persistent distribute(u, v : rows(ny, nx)) halo(u, v : 1)
    for (int s = 0; s < 6; ++s) {
      elements<<<(n + 127) / 128, 128>>>(v, u, element_above, n);
      std::swap(u, v);
    }
    print_sum("elements", u, nx * ny);
  }
  {
    const int cy = 8;
    int *planes = device_array<int>(nx, [](int x) { return x % 5 - 2; });
    unsigned *a = array_of_numbers<unsigned>(nz * cy * nx), *b = array_of_numbers<unsigned>(nz * cy * nx);
#pragma gpurma persistent distribute(a, b : rows(nz, cy, nx)) halo(a, b : 2)
    for (int s = 0; s < 6; ++s) {
      cube<<<dim3((nx + 15) / 16, cy, (nz + 1) / 2), dim3(16, 1, 2)>>>(b, a, planes, nz, cy, nx);
      std::swap(a, b);
    }
    print_sum("cube", a, nz * cy * nx);
  }
  int *moves = device_array<int>(nx, [](int x) { return x % 5 - 2; });
  {
    int more = ny + 1;
    unsigned *longer = array_of_numbers<unsigned>(more * nx);
#pragma gpurma persistent distribute(v : rows(ny, nx)) distribute(longer : rows(more, nx)) halo(longer : 2)
    for (int s = 0; s < 6; ++s) {
      faces<<<grid, block>>>(v, longer, moves, ny, nx);
      back<<<grid, block>>>(longer, v, ny, nx);
    }
    print_sum("faces", longer, more * nx);
  }
  {
#pragma gpurma persistent distribute(u, v : rows(ny, nx)) halo(u, v : two)
    for (int s = 0; s < 6; ++s) {
      bordered<<<grid, block>>>(v, u, moves, ny, nx);
      std::swap(u, v);
    }
    print_sum("bordered", u, nx * ny);
  }
  {
    int *far_above = rows_moved_by(ny, -3);
    unsigned *fields[2] = {u, v};
    int now = 0;
#pragma gpurma persistent distribute(fields[0], fields[1] : rows(ny, nx)) halo(fields[0] : 3) halo(fields[1] : 1)
    for (int s = 0; s < 6; ++s) {
      if (now == 0)
        neighbours<<<grid, block>>>(fields[1 - now], fields[now], far_above, below, left, ny, nx);
      else
        neighbours<<<grid, block>>>(fields[1 - now], fields[now], above, below, left, ny, nx);
      now = 1 - now;
    }
    print_sum("chosen", u, nx * ny);
  }
}
