// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Extents that are not the same throughout a region.
// RUN: not %gpurmacc_cpu -fsyntax-only %s 2>&1 | %filecheck %s
#include <gpurma/gpurma.h>

#define POINT                                                                                      \
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;        \
  if (x >= nx || y >= ny)                                                                          \
  return

int rows_now();
__global__ void plain(float* out, int ny, int nx) {
  POINT;
  out[y * nx + x] = 0;
}

void run(float* a, float* b, int ny, int nx) {
  dim3 grid(8, 8), block(32, 8);
#pragma gpurma persistent distribute(a : rows(ny, nx))
  for (int i = 0; i < 10; ++i) {
    plain<<<grid, block>>>(a, ny, nx);
    ny /= 2;
  }
#pragma gpurma persistent distribute(b : rows(rows_now(), nx))
  {
    plain<<<grid, block>>>(b, ny, nx);
  }
}

// CHECK: :[[@LINE-11]]:47: error: this extent of 'a' may change while the region runs; give a variable that nothing in the region changes [gpurma-0214]
// CHECK: :[[@LINE-7]]:47: error: this extent of 'b' may change while the region runs; give a variable that nothing in the region changes [gpurma-0214]

// What may change it.
struct piece {
  int ny, nx;
  float *values, *others;
};
void launch(piece* all, int count, dim3 grid, dim3 block) {
  for (int i = 0; i < count; ++i)
    plain<<<grid, block>>>(all[i].values, all[i].ny, all[i].nx);
}
void by_address(piece p, int n) {
  dim3 grid(8, 8), block(32, 8);
#pragma gpurma persistent distribute(p.values : rows(p.ny, p.nx))
  for (int i = 0; i < n; ++i)
    launch(&p, 1, grid, block);
}
// CHECK: :[[@LINE-4]]:56: error: this extent of 'p.values' may change while the region runs; give a variable that nothing in the region changes [gpurma-0214]
// CHECK: :[[@LINE-3]]:13: note: 'p' is assigned here, or may be through the address or reference that is taken

// A pointer behind another member is none of the arrays next to it.
struct with_others {
  int ny, nx;
  float* values;
  piece* others;
};
__global__ void both(float* out, float* other, int ny, int nx) {
  POINT;
  out[y * nx + x] = 0;
  other[0] = 1;
}
void behind_pointer(with_others p, int n) {
  dim3 grid(8, 8), block(32, 8);
#pragma gpurma persistent distribute(p.values : rows(p.ny, p.nx))
  for (int i = 0; i < n; ++i) {
    both<<<grid, block>>>(p.values, p.others->values, p.ny, p.nx);
    both<<<grid, block>>>(p.values, p.values + 1, p.ny, p.nx);
  }
}
// CHECK: :[[@LINE-10]]:3: error: 'other' is written here, but each process has a copy of its own{{.*}} [gpurma-0206]
// CHECK: :[[@LINE-4]]:{{[0-9]+}}: error: 'p.values' must be passed to 'both' as it is, or chosen by '?:'; an offset belongs into the kernel [gpurma-0215]
