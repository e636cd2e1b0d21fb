// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Threads beside the ends of an array also store its ghost rows: one and two of them, with ghost columns and corners, planes, of
// components, in one dimension, in arrays of which nothing else is written, and at one end only.
// RUN: %gpurmacc_cpu %s -o %t --gpurma-print-after=InferStages -Rgpurma 2> %t.remarks | FileCheck --check-prefix=INFER %s
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=16 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t 1 | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=4 %mpirun -np 3 %t 1 | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 5 %t 1 | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 GPURMA_ROUTE=proxy %mpirun -np 3 %t 1 | diff - %t.expected
// CHECK: walls {{-?[0-9]+}}
// CHECK: corners {{-?[0-9]+}}
// CHECK: late {{-?[0-9]+}}
// CHECK: mirrors {{-?[0-9]+}}
// CHECK: planes {{-?[0-9]+}}
// CHECK: bounces {{-?[0-9]+}}
// CHECK: line {{-?[0-9]+}}
#include "Inputs/region.h"

#include <utility>

constexpr long long prime = 1000003;

// Its threads begin behind the ghost cells.
__global__ void walls(long long *v, const long long *u, int nx, int ny) {
  int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  const int w = nx + 2;
  if (x > nx || y > ny)
    return;
  const int i = y * w + x;
  const long long r = (u[i] + 3 * u[i - 1] + 5 * u[i + 1] + 7 * u[i - w] + 11 * u[i + w]) % prime;
  v[i] = r;
  if (x == 1)
    v[y * w] = r;
  if (x == nx)
    v[y * w + nx + 1] = -r;
  if (y == 1)
    v[x] = r;
  if (y == ny)
    v[(ny + 1) * w + x] = -r;
}
// Its blocks begin with the ghost cells, so that those of the last row are in other blocks than their threads above.
__global__ void all_rows(long long *out, const long long *v, int w, int h, int it) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h)
    out[y * w + x] = (v[y * w + x] + it) % prime;
}
// Reads corners, too; q has walls only.
__global__ void corners(long long *v, const long long *u, long long *q, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || x >= w - 1 || y < 1 || y >= h - 1)
    return;
  const int i = y * w + x;
  const long long r = (u[i] + 3 * u[i - w - 1] + 5 * u[i + w - 1] + 7 * u[i - w + 1] + 11 * u[i + w + 1]) % prime;
  v[i] = r;
  if (y == 1) {
    v[x] = r + 1;
    q[x] += r;
    if (x == 1)
      v[0] = r + 2;
    if (x == w - 2)
      v[w - 1] = r + 3;
  } else if (y == h - 2) {
    v[(h - 1) * w + x] = r + 4;
    q[(h - 1) * w + x] = r - q[(h - 1) * w + x];
    if (x == 1)
      v[(h - 1) * w] = r + 5;
    if (x == w - 2)
      v[(h - 1) * w + w - 1] = r + 6;
  }
}
// Reads no other rows, so that nobody waits for its last block but for the last row, which it takes long to compute.
__global__ void late(long long *v, const long long *u, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h - 1)
    return;
  long long r = u[y * w + x];
  v[y * w + x] = r + 1;
  if (y == h - 2) {
    for (int k = 0; k < 3000; ++k)
      r = (3 * r + k) % prime;
    v[(h - 1) * w + x] = r;
  }
}
// Two ghost rows, the farther one from the thread that is farther away.
__global__ void mirrors(long long *v, const long long *u, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 2 || x >= w - 2 || y < 2 || y >= h - 2)
    return;
  const int i = y * w + x;
  const long long r = (u[i] + 3 * u[i - 2 * w] + 5 * u[i - w] + 7 * u[i + w] + 11 * u[i + 2 * w] + 13 * u[i - 2] + 17 * u[i + 1]) % prime;
  v[i] = r;
  if (y < 4)
    v[(3 - y) * w + x] = r;
  if (y >= h - 4)
    v[(2 * h - 5 - y) * w + x] = r;
}
__global__ void planes(long long *v, const long long *u, int nx, int ny, int nz) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < 1 || x >= nx - 1 || y < 1 || y >= ny - 1 || z < 1 || z >= nz - 1)
    return;
  const int plane = nx * ny, i = z * plane + y * nx + x;
  const long long r = (u[i] + 3 * u[i - plane] + 5 * u[i + plane] + 7 * u[i - nx] + 11 * u[i + nx] + 13 * u[i + 1]) % prime;
  v[i] = r;
  if (y == 1)
    v[i - nx] = r + 1;
  if (y == ny - 2)
    v[i + nx] = r + 2;
  if (z == 1)
    v[i - plane] = r + 3;
  if (z == nz - 2)
    v[i + plane] = r + 4;
}
// What bounces back at walls goes into the ghost rows of other components.
__global__ void bounces(long long *v, const long long *u, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || x >= w - 1 || y < 1 || y >= h - 1)
    return;
  for (int c = 0; c < 3; ++c) {
    const long long r = (u[(c * h + y + c - 1) * w + x + 1 - c] + 3 * u[((2 - c) * h + y) * w + x]) % prime;
    v[(c * h + y) * w + x] = r;
    if (y == 1)
      v[((2 - c) * h) * w + x] = r + c;
    if (y == h - 2)
      v[((2 - c) * h + h - 1) * w + x] = r - c;
  }
}
// The first row only.
__global__ void line(long long *v, const long long *u, int w, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < w || i >= n - w)
    return;
  const long long r = (u[i] + 7 * u[i - w] + 11 * u[i + w]) % prime;
  v[i] = r;
  if (i / w == 1)
    v[i - w] = r + 1;
}

int main(int argc, char **argv) {
  gpurma::init(&argc, &argv);
  const int w = 45, h = 81, n = w * h;
  long long *a = array_of_numbers<long long>(n), *b = array_of_numbers<long long>(n), *q = array_of_numbers<long long>(n);
  const dim3 block(16, 4), grid((w + 15) / 16, (h + 3) / 4), inner((w - 2 + 15) / 16, (h - 2 + 3) / 4);

  // INFER: stage walls: rows y; writes v (x 0..2, y 1..1) and its first row and its last row, not published; reads u (x 0..2, y 0..2)
  // REMARK: stage 'walls' reads 'u' with halo 2, writes 'v' and its first row and its last row
#pragma gpurma persistent distribute(a, b, q : rows(h, w))
  for (int it = 0; it < 40; ++it) {
    walls<<<inner, block>>>(b, a, w - 2, h - 2);
    all_rows<<<grid, block>>>(q, b, w, h, it);
    std::swap(a, q);
  }
  print_sum("walls", a, n);

  // INFER: stage corners: rows y; {{.*}}reads q (y -1..1); writes q (own) and its first row and its last row
#pragma gpurma persistent distribute(a, b, q : rows(h, w))
  for (int it = 0; it < 20; ++it) {
    corners<<<grid, block>>>(b, a, q, w, h);
    corners<<<grid, block>>>(a, b, q, w, h);
    all_rows<<<grid, block>>>(b, q, w, h, it);
  }
  print_sum("corners", a, n);
  print_sum("corners", b, n);

  // INFER: stage late: rows y; writes v (own) and its last row, {{.*}}; reads u (own)
#pragma gpurma persistent distribute(a, b : rows(h, w))
  for (int it = 0; it < 20; ++it) {
    late<<<grid, block>>>(b, a, w, h);
    all_rows<<<grid, block>>>(a, b, w, h, it);
  }
  print_sum("late", a, n);

  // INFER: stage mirrors: rows y; {{.*}}writes v (own) and its first 2 rows and its last 2 rows
#pragma gpurma persistent distribute(a, b : rows(h, w))
  for (int it = 0; it < 20; ++it) {
    mirrors<<<grid, block>>>(b, a, w, h);
    std::swap(a, b);
  }
  print_sum("mirrors", a, n);

  const int nx = 9, ny = 10, nz = n / (nx * ny);
  // INFER: stage planes: rows z; {{.*}}writes v (y -1..1) and its first row and its last row
#pragma gpurma persistent distribute(a, b : rows(nz, ny, nx))
  for (int it = 0; it < 20; ++it) {
    planes<<<dim3((nx + 3) / 4, (ny + 3) / 4, (nz + 3) / 4), dim3(4, 4, 4)>>>(b, a, nx, ny, nz);
    std::swap(a, b);
  }
  print_sum("planes", a, n);

  long long *c = array_of_numbers<long long>(3 * n), *d = array_of_numbers<long long>(3 * n);
  // INFER: stage bounces: rows y; {{.*}}writes v (own) and its first row and its last row
#pragma gpurma persistent distribute(c, d : components(3), rows(h, w))
  for (int it = 0; it < 20; ++it) {
    bounces<<<grid, block>>>(d, c, w, h);
    std::swap(c, d);
  }
  print_sum("bounces", c, 3 * n);

  // INFER: stage line: rows y in one dimension; {{.*}}writes v (own) and its first row
#pragma gpurma persistent distribute(a, b : rows(h, w))
  for (int it = 0; it < 20; ++it) {
    line<<<(n + 63) / 64, 64>>>(b, a, w, n);
    std::swap(a, b);
  }
  print_sum("line", a, n);
  gpurma::finalize();
}
