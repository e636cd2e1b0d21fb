// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Rows of as many elements as a block has threads, by constants, in grids of several dimensions: where a row begins looks like where a block does.
// RUN: %gpurmacc_cpu -Wall -Wextra %s -o %t --gpurma-print-after=InferStages 2>&1 | FileCheck --check-prefix=PLAN --implicit-check-not=warning: %s
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 GPURMA_DISTRIBUTED_ARRAYS=banded %mpirun -np 3 %t | diff - %t.expected
// PLAN: warning: cannot show that this index of 'now' stays within the extent of its second fastest dimension
// PLAN: warning: cannot show that this index of 'now' stays within the extent of its second fastest dimension
// PLAN: stage bounded: rows y; writes next (own), {{.*}}; reads now (x -1..1, y -1..1) along axes; {{.*}}blocks begin 1 apart in x
// PLAN: stage cube: rows y; writes next (own), {{.*}}; reads now (x -1..1, y -1..1) along axes; {{.*}}blocks begin 1 apart in x
// PLAN: stage slowest: rows x; writes next (own), {{.*}}; reads now (x -1..1, y -1..1) along axes; {{.*}}blocks begin 1 apart in x
// PLAN: stage parts: rows y; writes next (own), {{.*}}; reads now (x -1..1, y -1..1) along axes; blocks begin 4 apart in x; blocks begin 1 apart in y
// PLAN: stage vectors: rows y; writes next (own), {{.*}}; reads now (y -1..1); {{.*}}blocks begin 1 apart in x
// PLAN: stage directions: rows y; writes next (own), {{.*}}; reads now (y -1..0 periodic); blocks begin 1 apart in x
// PLAN: stage columns: rows y; writes next (own), {{.*}}; reads now (x -1..1, y -1..1) along axes{{$}}
// CHECK: rows {{[1-9][0-9]*}}
// CHECK: directions {{[1-9][0-9]*}}
// CHECK: columns {{[1-9][0-9]*}}
#include "Inputs/region.h"

#include <utility>

constexpr int nx = 16, ny = 8, nz = 30, around = 9;

// Of a cube whose faces stay as they are.
#define INTERIOR (x > 0 && x < nx - 1 && y > 0 && y < ny - 1 && z > 0 && z < nz - 1)
#define STEP                                                                                                                     \
  const int i = (z * ny + y) * nx + x;                                                                                           \
  next[i] = (now[i] + now[i - 1] + 2 * now[i + 1] + now[i - nx] + 3 * now[i + nx] + now[i - nx * ny] + now[i + nx * ny]) % 10007

__global__ void bounded(int *next, const int *now) {
  const int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;
  if (INTERIOR) {
    STEP;
  }
}
// What is not known of y is taken of its own row.
__global__ void cube(int *next, const int *now, int planes) {
  const int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;
  if (x == 0 || x == nx - 1 || y == 0 || y == ny - 1 || z == 0 || z == planes - 1)
    return;
  STEP;
}
__global__ void slowest(int *next, const int *now) {
  const int x = threadIdx.x, y = blockIdx.y, z = blockIdx.x;
  if (INTERIOR) {
    STEP;
  }
}
__global__ void parts(int *next, const int *now) {
  const int x = threadIdx.x, y = threadIdx.y + blockIdx.x * blockDim.y, z = blockIdx.y;
  if (INTERIOR) {
    STEP;
  }
}
__global__ void vectors(int *next, const int *now) {
  const int i = (blockIdx.y * ny + blockIdx.x) * nx + 4 * threadIdx.x;
  if (blockIdx.x < ny && blockIdx.y > 0 && blockIdx.y < nz - 1) {
    const int4 at = *reinterpret_cast<const int4 *>(now + i), above = *reinterpret_cast<const int4 *>(now + i - nx * ny);
    const int4 below = *reinterpret_cast<const int4 *>(now + i + nx * ny);
    *reinterpret_cast<int4 *>(next + i) = make_int4((at.x + above.y) % 10007, (at.y + below.x) % 10007, (above.z + below.w) % 10007, at.z);
  }
}
// As many as threads of a block are the elements of a point, of rows of any length.
__global__ void directions(int *next, const int *now, int points, int rows) {
  const int q = threadIdx.x, x = blockIdx.x, y = blockIdx.y, above = (y + rows - 1) % rows;
  next[(y * points + x) * around + q] = (now[(y * points + x) * around + q] + now[(above * points + x) * around + around - 1 - q]) % 10007;
}
// Blocks of a part of a row, by a constant.
__global__ void columns(int *next, const int *now, int height, int width) {
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y;
  if (x > 0 && x < width - 1 && y > 0 && y < height - 1)
    next[y * width + x] = (now[y * width + x] + now[y * width + x - 1] + now[y * width + x + 1] + now[(y - 1) * width + x] + now[(y + 1) * width + x]) % 10007;
}

int main() {
  int *a = array_of_numbers<int>(nx * ny * nz), *b = array_of_numbers<int>(nx * ny * nz);
#pragma gpurma persistent distribute(a, b : rows(nz, ny, nx))
  for (int i = 0; i < 6; ++i) {
    bounded<<<dim3(ny, nz), nx>>>(b, a);
    cube<<<dim3(ny, nz), nx>>>(a, b, nz);
    slowest<<<dim3(nz, ny), nx>>>(b, a);
    parts<<<dim3(ny / 4, nz), dim3(nx, 4)>>>(a, b);
    vectors<<<dim3(ny, nz), nx / 4>>>(b, a);
    std::swap(a, b);
  }
  print_sum("rows", a, nx * ny * nz);
  const int points = 11, rows = 27;
  int *c = array_of_numbers<int>(points * rows * around), *d = array_of_numbers<int>(points * rows * around);
#pragma gpurma persistent distribute(c, d : rows(rows, points, around))
  for (int i = 0; i < 9; ++i) {
    directions<<<dim3(points, rows), around>>>(d, c, points, rows);
    std::swap(c, d);
  }
  print_sum("directions", c, points * rows * around);
  const int width = 80, height = nx * ny * nz / width;
#pragma gpurma persistent distribute(a, b : rows(height, width))
  for (int i = 0; i < 5; ++i) {
    columns<<<dim3(width / 16, height), 16>>>(b, a, height, width);
    std::swap(a, b);
  }
  print_sum("columns", a, width * height);
  for (int *each : {a, b, c, d})
    CHECK(cudaFree(each));
}
