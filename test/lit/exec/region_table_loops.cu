// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Kernels that go through tables of neighbours by range-based loops and by pointers, copy structures out of constant memory, walk
// through a distributed array by pointers that are compared, and by subscripts that leave a row by more than one; and one that loads
// tiles with mirrored rows.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t | diff - %t.expected
// RUN: %gpurmacc_cpu -fsyntax-only -Rgpurma %s 2>&1 | FileCheck --check-prefix=REMARK %s
// REMARK-NOT: warning
// REMARK: stage 'by_value' reads 'u' with halo 2, writes 'v'
// REMARK: stage 'by_parts' reads 'u' with halo 2, writes 'v'
// REMARK: stage 'by_pointer' reads 'u' with halo 2, writes 'v'
// REMARK: stage 'by_copy' reads 'u' with halo 3, writes 'v'
// REMARK: stage 'along_column' reads 'u' with halo 1, writes 'v'
// REMARK: stage 'from_row_before' reads 'u' with halo 1, writes 'v'
// REMARK: stage 'two_rows_back' reads 'u' with halo 2, writes 'v'
// REMARK: stage 'three_rows_on' reads 'u' with halo 3, writes 'v'
// REMARK: stage 'mirrored' reads 'u' with halo 4, writes 'v'
// CHECK: table loops {{[1-9][0-9]*}}
#include "Inputs/region.h"

#include <utility>

struct neighbour {
  int dy, dx;
};
struct reach {
  int rows, columns;
  float weight;
};
__constant__ int shifts[] = {-2, 0, 1};
__constant__ neighbour around[] = {{-2, 0}, {0, 2}, {1, -1}};
__constant__ reach far = {3, 1, 0.5f};

#define INSIDE                                                                                                                   \
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;                                \
  if (x < 3 || y < 3 || x >= nx - 3 || y >= ny - 3)                                                                              \
  return

__global__ void by_value(const int *u, int *v, int nx, int ny) {
  INSIDE;
  int sum = 0;
  for (int shift : shifts)
    sum += u[(y + shift) * nx + x];
  for (neighbour n : around)
    sum += u[(y + n.dy) * nx + x + n.dx];
  v[y * nx + x] = sum % 1009;
}
__global__ void by_parts(const int *u, int *v, int nx, int ny) {
  INSIDE;
  int sum = 0;
  for (const auto &[dy, dx] : around)
    if (dy != 0 || u[y * nx + x] % 2 == 0)
      sum += 3 * u[(y + dy) * nx + x + dx];
  v[y * nx + x] = sum % 1009;
}
__global__ void by_pointer(const int *u, int *v, int nx, int ny) {
  INSIDE;
  int sum = 0;
  for (const neighbour *n = around; n != around + 3; n++)
    sum += u[(y + n->dy) * nx + x + n->dx];
  for (const int *shift = shifts + 3; shift-- != shifts;)
    sum += 5 * u[(y + *shift) * nx + x];
  v[y * nx + x] = sum % 1009;
}
__global__ void by_copy(const int *u, int *v, int nx, int ny) {
  INSIDE;
  const reach r = far;
  v[y * nx + x] = (u[(y - r.rows) * nx + x] + u[(y + r.rows) * nx + x - r.columns]) % 1009;
}
__global__ void along_column(const int *u, int *v, int nx, int ny) {
  INSIDE;
  int sum = 0;
  const int *const end = u + (y + 2) * nx;
  for (const int *from = u + (y - 1) * nx + x; from < end; from += nx)
    sum = 3 * sum % 1009 + *from;
  v[y * nx + x] = sum % 1009;
}
__global__ void from_row_before(const int *u, int *v, int nx, int ny) {
  INSIDE;
  int sum = 0;
  for (const int *from = u + (y - 1) * nx; from != u + y * nx + x; ++from)
    sum = 3 * sum % 1009 + *from;
  v[y * nx + x] = sum % 1009;
}
__global__ void two_rows_back(const int *u, int *v, int nx, int ny) {
  INSIDE;
  int sum = 0;
  for (int back = 0; back < 2 * nx; ++back)
    sum = 3 * sum % 1009 + u[y * nx + x - back];
  v[y * nx + x] = sum % 1009;
}
__global__ void three_rows_on(const int *u, int *v, int nx, int ny) {
  INSIDE;
  int sum = 0;
  const int *from = u + y * nx + x, *const end = u + (y + 3) * nx;
  while (from++ < end)
    sum = 3 * sum % 1009 + *from;
  v[y * nx + x] = sum % 1009;
}
// Rows beyond the last one come from before it; those of the last block's tile are up to four before it.
__global__ void mirrored(const int *u, int *v, int nx, int ny) {
  __shared__ int tile[6][8];
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  for (int row = threadIdx.y; row < 6; row += 4) {
    int from = static_cast<int>(blockIdx.y * 4) + row - 1;
    from = from < 0 ? -from : from >= ny ? 2 * ny - 2 - from : from;
    if (from >= 0)
      tile[row][threadIdx.x] = x < nx ? u[from * nx + x] : 0;
  }
  __syncthreads();
  if (x < nx && y < ny)
    v[y * nx + x] = (tile[threadIdx.y][threadIdx.x] + 3 * tile[threadIdx.y + 2][threadIdx.x]) % 1009;
}

int main() {
  const int ny = 61, nx = 26;
  const dim3 block(8, 4), grid((nx + block.x - 1) / block.x, (ny + block.y - 1) / block.y);
  int *u = device_array<int>(ny * nx, [](std::size_t i) { return static_cast<int>(i * 7919 % 1009); });
  int *v = device_array<int>(ny * nx, [](std::size_t i) { return static_cast<int>(i * 104729 % 1009); });
#pragma gpurma persistent distribute(u, v : rows(ny, nx))
  for (int step = 0; step < 3; ++step) {
    by_value<<<grid, block>>>(u, v, nx, ny);
    by_parts<<<grid, block>>>(v, u, nx, ny);
    by_pointer<<<grid, block>>>(u, v, nx, ny);
    by_copy<<<grid, block>>>(v, u, nx, ny);
    along_column<<<grid, block>>>(u, v, nx, ny);
    from_row_before<<<grid, block>>>(v, u, nx, ny);
    two_rows_back<<<grid, block>>>(u, v, nx, ny);
    three_rows_on<<<grid, block>>>(v, u, nx, ny);
    mirrored<<<grid, block>>>(u, v, nx, ny);
    std::swap(u, v);
  }
  print_sum("table loops", u, ny * nx);
  print_sum("table loops", v, ny * nx);
}
