// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Threads of the first block have the row behind a boundary, so that tiles lie across the ends of bands: a stencil; two rows of boundary
// and two arrays; two rows in each thread; sums of a launch that writes nothing; and launches that begin at different rows.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t --gpurma-print-after=InferStages | FileCheck --check-prefix=PLAN %s
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=7 %mpirun -np 3 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 GPURMA_ROUTE=proxy %mpirun -np 3 %t | diff - %t.expected
// PLAN: stage blur: rows y; writes out (x 1..1, y 1..1), published (y 0..2); reads in (x 1..1, y 0..2)
// PLAN: stage up: rows z; writes a (y 1..1, z 2..2), published (z 0..2); reads b (y 1..1, z 2..4)
// PLAN: stage down: rows z; writes b (y 1..1, z 2..2), published (z 0..4); reads a (y 1..1, z 0..2)
// PLAN: stage pair: rows y (2 per thread); {{.*}}published (y 0..2)
// PLAN: stage blur: {{.*}}published (y 0..2)
// PLAN: stage add: rows y; {{.*}}reads in (x 1..1, y 0..2)
// PLAN: stage blur: {{.*}}not published
// PLAN: stage copy: rows y; writes out (own), published (y 0..2)
// CHECK: stencil {{-?[0-9]+}}
// CHECK: two rows {{-?[0-9]+}}
// CHECK: pairs {{-?[0-9]+}}
// CHECK: sums {{-?[0-9]+}}
// CHECK: different {{-?[0-9]+}}
#include "Inputs/region.h"

#include <utility>

__global__ void blur(int *out, const int *in, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (x < nx - 1 && y < ny - 1)
    out[y * nx + x] = (in[(y - 1) * nx + x] + 3 * in[y * nx + x] + 5 * in[(y + 1) * nx + x]) % 100999;
}
__global__ void up(int *a, const int *b, int nx, int ny, int nz) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  const int z = blockIdx.z * blockDim.z + threadIdx.z + 2;
  if (x < nx && y < ny - 1 && z < nz - 2)
    a[(z * ny + y) * nx + x] = (b[(z * ny + y) * nx + x] + 3 * b[((z + 2) * ny + y) * nx + x]) % 100999;
}
__global__ void down(int *b, const int *a, int nx, int ny, int nz) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  const int z = blockIdx.z * blockDim.z + threadIdx.z + 2;
  if (x < nx && y < ny - 1 && z < nz - 2)
    b[(z * ny + y) * nx + x] = (a[(z * ny + y) * nx + x] + 7 * a[((z - 2) * ny + y) * nx + x]) % 100999;
}
__global__ void pair(int *out, const int *in, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, first = 2 * (blockIdx.y * blockDim.y + threadIdx.y) + 1;
  for (int y = first; y < first + 2; ++y)
    if (x < nx && y < ny - 1)
      out[y * nx + x] = (in[(y - 1) * nx + x] + 3 * in[(y + 1) * nx + x]) % 100999;
}
__global__ void add(int *sum, const int *in, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (x < nx - 1 && y < ny - 1)
    atomicAdd(sum, in[(y - 1) * nx + x] % 7 + in[(y + 1) * nx + x] % 5);
}
__global__ void copy(int *out, const int *in, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny)
    out[y * nx + x] = in[y * nx + x] + 1;
}

int main() {
  const int nx = 37, ny = 91;
  int *a = array_of_numbers<int>(nx * ny), *b = array_of_numbers<int>(nx * ny);
  const dim3 block(8, 4), grid((nx + 7) / 8, (ny + 3) / 4), half(grid.x, (ny + 7) / 8);
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  for (int step = 0; step < 6; ++step) {
    blur<<<grid, block>>>(b, a, nx, ny);
    std::swap(a, b);
  }
  print_sum("stencil", a, nx * ny);

  const int mx = 9, my = 7, mz = 47;
  int *c = array_of_numbers<int>(mx * my * mz), *d = array_of_numbers<int>(mx * my * mz);
  const dim3 cubes(4, 4, 2), boxes(3, 2, (mz + 1) / 2);
#pragma gpurma persistent distribute(c, d : rows(mz, my, mx))
  for (int step = 0; step < 5; ++step) {
    up<<<boxes, cubes>>>(c, d, mx, my, mz);
    down<<<boxes, cubes>>>(d, c, mx, my, mz);
  }
  print_sum("two rows", c, mx * my * mz);
  print_sum("two rows", d, mx * my * mz);

#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  for (int step = 0; step < 6; ++step) {
    pair<<<half, block>>>(b, a, nx, ny);
    std::swap(a, b);
  }
  print_sum("pairs", a, nx * ny);

  int *sum = device_array<int>(1, [](std::size_t) { return 0; });
#pragma gpurma persistent distribute(a, b : rows(ny, nx)) reduce(+ : *sum)
  for (int step = 0; step < 3; ++step) {
    blur<<<grid, block>>>(b, a, nx, ny);
    add<<<grid, block>>>(sum, b, nx, ny);
    std::swap(a, b);
  }
  print_sum("sums", sum, 1);
  print_sum("sums", a, nx * ny);

#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  for (int step = 0; step < 4; ++step) {
    blur<<<grid, block>>>(b, a, nx, ny);
    copy<<<grid, block>>>(a, b, nx, ny);
  }
  print_sum("different", a, nx * ny);
  return 0;
}
