// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays of indices of which it is not known what is in them when they are read: something may have changed them by another name.
// RUN: not %gpurmacc_cpu -c %s -o %t.o 2>&1 | FileCheck %s
#include <utility>

typedef long long number;
#define PLACE                                                                                                                    \
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;                                      \
  if (x < 5 || x >= nx - 5 || y < 5 || y >= ny - 5)                                                                              \
  return

__global__ void pointers(number *out, const number *in, int ny, int nx, int steps) {
  PLACE;
  int ys[2] = {y, y};
  int *p = ys;
  number s = 0;
  for (int k = 0; k < steps; ++k) {
    // CHECK: [[#@LINE+1]]:{{[0-9]+}}: error: cannot tell which elements of 'in' are read here: the subscript depends on a value that is loaded from memory [gpurma-0200]
    s += in[ys[1] * nx + x];
    p[1] = y + k;
  }
  out[y * nx + x] = s;
}

__global__ void lambdas(number *out, const number *in, int ny, int nx, int steps) {
  PLACE;
  int ys[2] = {y, y};
  number s = 0;
  auto move = [&](int k) { ys[1] = y + k; };
  for (int k = 0; k < steps; ++k) {
    // CHECK: [[#@LINE+1]]:{{[0-9]+}}: error: cannot tell which elements of 'in' are read here
    s += in[ys[1] * nx + x];
    move(k);
  }
  out[y * nx + x] = s;
}

struct places {
  int y[2];
  __device__ void move(int i, int to) { y[i] = to; }
};
__global__ void members(number *out, const number *in, int ny, int nx, int steps) {
  PLACE;
  places at = {{y, y}};
  number s = 0;
  for (int k = 0; k < steps; ++k) {
    // CHECK: [[#@LINE+1]]:{{[0-9]+}}: error: cannot tell which elements of 'in' are read here
    s += in[at.y[1] * nx + x];
    at.move(1, y + k);
  }
  out[y * nx + x] = s;
}

__device__ void store(int *to, int value) { *to = value; }
__global__ void calls(number *out, const number *in, int ny, int nx, int steps) {
  PLACE;
  int ys[2] = {y, y};
  number s = 0;
  for (int k = 0; k < steps; ++k) {
    // CHECK: [[#@LINE+1]]:{{[0-9]+}}: error: cannot tell which elements of 'in' are read here
    s += in[ys[1] * nx + x];
    store(&ys[k % 2], y + k);
  }
  out[y * nx + x] = s;
}

__global__ void bytes(number *out, const number *in, int ny, int nx, int steps) {
  PLACE;
  int ys[2] = {y, y};
  reinterpret_cast<short *>(ys)[0] += steps;
  // CHECK: [[#@LINE+1]]:{{[0-9]+}}: error: cannot tell which elements of 'in' are read here
  out[y * nx + x] = in[ys[0] * nx + x];
}

// Not all elements are stored.
__global__ void some(number *out, const number *in, int ny, int nx, int steps) {
  PLACE;
  int ys[4];
  for (int k = 0; k < 4; k += 2)
    ys[k] = y + k;
  number s = 0;
  for (int k = 0; k < 4; k += 2)
    s += in[ys[k] * nx + x];
  // CHECK: [[#@LINE+1]]:{{[0-9]+}}: error: cannot tell which elements of 'in' are read here
  out[y * nx + x] = s + in[ys[steps & 3] * nx + x];
}

// CHECK-NOT: error: cannot tell
__global__ void others(number *out, const number *in, int ny, int nx, int steps) {
  PLACE;
  __shared__ int ys[2];
  ys[0] = y;
  __syncthreads();
  // CHECK: [[#@LINE+1]]:{{[0-9]+}}: error: cannot tell which elements of 'in' are read here
  out[y * nx + x] = in[ys[0] * nx + x];
}

void run(number *a, number *b, int ny, int nx, int steps) {
  const dim3 block(16, 4), grid((nx + 15) / 16, (ny + 3) / 4);
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  for (int t = 0; t < steps; ++t) {
    pointers<<<grid, block>>>(b, a, ny, nx, t);
    lambdas<<<grid, block>>>(a, b, ny, nx, t);
    members<<<grid, block>>>(b, a, ny, nx, t);
    calls<<<grid, block>>>(a, b, ny, nx, t);
    bytes<<<grid, block>>>(b, a, ny, nx, t);
    some<<<grid, block>>>(a, b, ny, nx, t);
    others<<<grid, block>>>(b, a, ny, nx, t);
  }
}
