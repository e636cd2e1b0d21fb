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
__global__ void far_around(float* out, const float* in, int ny, int nx) {
  POINT;
  out[y * nx + x] = in[(y + 2) % ny * nx + x];
}
__global__ void around_by(float* out, const float* in, int by, int ny, int nx) {
  POINT;
  float sum = 0;
  for (int d = 0; d <= by; ++d)
    sum += in[(y + 1 + d) % ny * nx + x];
  out[y * nx + x] = sum;
}
__global__ void within(float* out, const float* in, int ny, int nx) {
  POINT;
  out[y * nx + x] = y > 0 ? in[(y - 1) * nx + x] : 0;
}
__global__ void first(float* out, const float* in, int ny, int nx) {
  POINT;
  out[y * nx + x] = in[x];
}
__global__ void given(float* out, const float* in, int k, int ny, int nx) {
  POINT;
  out[y * nx + x] = k >= 0 && k < ny ? in[k * nx + x] : 0;
}
__global__ void all(float* out, const float* in, int ny, int nx) {
  POINT;
  float sum = 0;
  for (int row = 0; row < ny; ++row)
    sum += in[row * nx + x];
  out[y * nx + x] = sum;
}
__global__ void next_element(float* out, const float* in, int ny, int nx) {
  POINT;
  out[y * nx + x] = in[y * nx + x + 1];
}
__global__ void elements(float* out, const float* in, int nx, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= nx && i < n)
    out[i] = in[i - nx];
}
__global__ void one_row(float* out, const float* in, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < nx)
    out[x] = in[(ny - 1) * nx + (x + 1) % nx];
}
__global__ void walls(float* out, const float* in, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < nx) {
    out[x] = in[2 * nx + x];
    out[(ny - 1) * nx + x] = in[nx + x];
  }
}
__global__ void halved(float* out, const float* in, int ny, int nx) {
  POINT;
  out[y * nx + x] = in[y / 2 * nx + x];
}
__global__ void coarse(float* out, const float* in) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 32 && y < 32)
    out[y * 32 + x] = in[2 * y * 64 + 2 * x];
}
__global__ void of_bits(float* out, const float* in, const int* rows, int ny, int nx) {
  POINT;
  const int row = rows[y] & 1023;
  out[y * nx + x] = row < ny ? in[row * nx + x] : 0;
}
__global__ void moved(float* out, const float* in, int by, int ny, int nx) {
  POINT;
  out[y * nx + x] = y + by < ny ? in[(y + by) * nx + x] : 0;
}
__global__ void clamped(float* out, const float* in, int last, int ny, int nx) {
  POINT;
  out[y * nx + x] = in[min(y, last) * nx + x];
}
__global__ void between(float* out, const float* in, const int* begin, const int* end, int ny, int nx) {
  POINT;
  float sum = 0;
  for (int row = begin[y]; row < end[y]; ++row)
    sum += in[row * nx + x];
  for (int row = 0; row < end[y]; ++row)
    sum += in[row * nx + x];
  out[y * nx + x] = sum + in[min(max(y + begin[y], 0), ny - 1) * nx + x];
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
    far_around<<<grid, block>>>(v, u, ny, nx);
    around_by<<<grid, block>>>(v, u, s, ny, nx);
    within<<<grid, block>>>(v, u, ny, nx);
    found<<<grid, block>>>(v, u, rows, ny, nx);
    behind<<<grid, block>>>(u, v, ny, nx);
  }
}
void others(float* u, float* v, const int* begin, const int* end, int k, int ny, int nx, dim3 grid, dim3 block) {
#pragma gpurma persistent distribute(u, v : rows(ny, nx)) halo(u : 0)
  for (int s = 0; s < 10; ++s) {
    first<<<grid, block>>>(v, u, ny, nx);
    given<<<grid, block>>>(v, u, k, ny, nx);
    all<<<grid, block>>>(v, u, ny, nx);
    next_element<<<grid, block>>>(v, u, ny, nx);
    elements<<<100, 256>>>(v, u, nx, nx * ny);
    one_row<<<10, 256>>>(v, u, ny, nx);
    walls<<<10, 256>>>(v, u, ny, nx);
    halved<<<grid, block>>>(v, u, ny, nx);
    of_bits<<<grid, block>>>(v, u, begin, ny, nx);
    moved<<<grid, block>>>(v, u, k, ny, nx);
    clamped<<<grid, block>>>(v, u, k, ny, nx);
    between<<<grid, block>>>(v, u, begin, end, ny, nx);
  }
}
void levels(float* u, float* v, dim3 grid, dim3 block) {
#pragma gpurma persistent distribute(u : rows(64, 64)) distribute(v : rows(32, 32)) halo(u : 4)
  for (int s = 0; s < 10; ++s)
    coarse<<<grid, block>>>(v, u);
}
// CHECK: :[[@LINE-134]]:29: error: kernel 'before' reads the row 2 before its logical block's own of 'in' here, and a clause 'halo' says 1; state 2, or leave it out where subscripts say how far launches read [gpurma-0243]
// CHECK: :[[@LINE-129]]:25: error: kernel 'behind' reads the row 3 behind its logical block's own of 'in' here, and a clause 'halo' says 1; state 3, or leave it out where subscripts say how far launches read [gpurma-0243]
// CHECK: :[[@LINE-121]]:21: error: kernel 'far_around' reads the row 2 behind its logical block's own of 'in' here, and a clause 'halo' says 1; state 2, or leave it out where subscripts say how far launches read [gpurma-0243]
// CHECK: :[[@LINE-107]]:21: error: kernel 'first' reads rows far from its logical block's own of 'in' here, and a clause 'halo' says 0; state as many as the array has, or leave it out, and run one process [gpurma-0243]
// CHECK: :[[@LINE-104]]:40: error: kernel 'given' reads rows far from its logical block's own of 'in' here, and a clause 'halo' says 0; state as many as the array has, or leave it out, and run one process [gpurma-0243]
// CHECK: :[[@LINE-99]]:12: error: kernel 'all' reads rows far from its logical block's own of 'in' here, and a clause 'halo' says 0; state as many as the array has, or leave it out, and run one process [gpurma-0243]
// CHECK: :[[@LINE-95]]:21: error: kernel 'next_element' reads the row 1 behind its logical block's own of 'in' here, and a clause 'halo' says 0; state 1, or leave it out where subscripts say how far launches read [gpurma-0243]
// CHECK: :[[@LINE-91]]:14: error: kernel 'elements' reads the row 1 before its logical block's own of 'in' here, and a clause 'halo' says 0; state 1, or leave it out where subscripts say how far launches read [gpurma-0243]
// CHECK: :[[@LINE-87]]:14: error: kernel 'one_row' reads the row 1 before its logical block's own of 'in' here, and a clause 'halo' says 0; state 1, or leave it out where subscripts say how far launches read [gpurma-0243]
// CHECK: :[[@LINE-83]]:14: error: kernel 'walls' reads the row 2 behind its logical block's own of 'in' here, and a clause 'halo' says 0; state 2, or leave it out where subscripts say how far launches read [gpurma-0243]
// CHECK: :[[@LINE-83]]:30: error: kernel 'walls' reads the row 2 behind its logical block's own of 'in' here, and a clause 'halo' says 0; state 2, or leave it out where subscripts say how far launches read [gpurma-0243]
// CHECK: :[[@LINE-79]]:21: error: kernel 'halved' reads rows far from its logical block's own of 'in' here, and a clause 'halo' says 0; state as many as the array has, or leave it out, and run one process [gpurma-0243]
// CHECK: :[[@LINE-75]]:23: error: kernel 'coarse' reads rows far from its logical block's own of 'in' here, and a clause 'halo' says 4; state as many as the array has, or leave it out, and run one process [gpurma-0243]
