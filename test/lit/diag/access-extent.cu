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
