// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A clause 'halo' that says another thing than subscripts do, and clauses that say what these do not.
// RUN: not %gpurmacc_cpu -fsyntax-only %s 2>&1 | %filecheck %s --implicit-check-not=error:
#include <gpurma/gpurma.h>

#define POINT                                                                                      \
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;        \
  if (x >= nx || y >= ny)                                                                          \
  return

__global__ void before(float* out, const float* in, int ny, int nx) {
  POINT;
  out[y * nx + x] = y > 1 ? in[(y - 2) * nx + x] : 0;
}
__global__ void behind(float* out, const float* in, int ny, int nx) {
  POINT;
  float sum = 0;
  for (int d = 0; d <= 3; ++d)
    sum += y + d < ny ? in[(y + d) * nx + x] : 0;
  out[y * nx + x] = sum;
}
__global__ void around(float* out, const float* in, int ny, int nx) {
  POINT;
  out[y * nx + x] = in[(y + 1) % ny * nx + x];
}
__global__ void within(float* out, const float* in, int ny, int nx) {
  POINT;
  out[y * nx + x] = y > 0 ? in[(y - 1) * nx + x] : 0;
}
__global__ void found(float* out, const float* in, const int* rows, int ny, int nx) {
  POINT;
  out[y * nx + x] = in[rows[y] * nx + x];
}
void steps(float* u, float* v, const int* rows, int ny, int nx, dim3 grid, dim3 block) {
#pragma gpurma persistent distribute(u, v : rows(ny, nx)) halo(u : 1)
  for (int s = 0; s < 10; ++s) {
    before<<<grid, block>>>(v, u, ny, nx);
    behind<<<grid, block>>>(v, u, ny, nx);
    around<<<grid, block>>>(v, u, ny, nx);
    within<<<grid, block>>>(v, u, ny, nx);
    found<<<grid, block>>>(v, u, rows, ny, nx);
    behind<<<grid, block>>>(u, v, ny, nx);
  }
}
// CHECK: :[[@LINE-32]]:29: error: kernel 'before' reads the row 2 before its logical block's own of 'in' here, and a clause 'halo' says 1; state 2, or leave it out where subscripts say how far launches read [gpurma-0243]
// CHECK: :[[@LINE-27]]:25: error: kernel 'behind' reads the row 3 behind its logical block's own of 'in' here, and a clause 'halo' says 1; state 3, or leave it out where subscripts say how far launches read [gpurma-0243]
// CHECK: :[[@LINE-23]]:21: error: kernel 'around' reads rows at the array's other end of 'in' here, and a clause 'halo' says 1; leave it out [gpurma-0243]
