// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// put(array : halo(n)) before a launch: arrays that it does not write, and depths that are less than what is read later.
// RUN: not %gpurmacc_cpu -c %s -o %t.o 2>&1 | %filecheck %s
#include <gpurma/gpurma.h>
#include <utility>

#define POINT                                                                                                                     \
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;                                       \
  if (x >= nx || y < 2 || y >= ny - 2)                                                                                            \
  return
__global__ void step(float* out, const float* in, int ny, int nx) {
  POINT;
  out[y * nx + x] = in[(y - 1) * nx + x] + in[(y + 2) * nx + x];
}
__global__ void scale(float* out, int ny, int nx) {
  POINT;
  out[y * nx + x] *= 2;
}

void not_written(float* a, float* b, int ny, int nx, dim3 grid, dim3 block) {
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  for (int i = 0; i < 8; ++i) {
#pragma gpurma put(a, b : halo(2)) notify
    step<<<grid, block>>>(b, a, ny, nx);
  }
}

void too_shallow(float* a, float* b, int ny, int nx, dim3 grid, dim3 block) {
  // The next step reads b as a.
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  for (int i = 0; i < 8; ++i) {
#pragma gpurma put(b : halo(1)) notify
    step<<<grid, block>>>(b, a, ny, nx);
    std::swap(a, b);
  }

  // Here only a is read farther.
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  for (int i = 0; i < 8; ++i) {
#pragma gpurma put(b : halo(0)) notify
    step<<<grid, block>>>(b, a, ny, nx);
    scale<<<grid, block>>>(b, ny, nx);
#pragma gpurma put(a : halo(0)) notify
    scale<<<grid, block>>>(a, ny, nx);
  }
}

// What was launched before does not count, unless a loop brings it back.
void once(float* a, float* b, float* c, int ny, int nx, dim3 grid, dim3 block) {
#pragma gpurma persistent distribute(a, b, c : rows(ny, nx))
  {
    for (int i = 0; i < 8; ++i) {
      step<<<grid, block>>>(b, a, ny, nx);
      void* last[] = {a};
      a = c;
      b = static_cast<float*>(last[0]);
    }
#pragma gpurma put(a : halo(0)) notify
    scale<<<grid, block>>>(a, ny, nx);
#pragma gpurma put(b : halo(0)) notify
    scale<<<grid, block>>>(b, ny, nx);
    step<<<grid, block>>>(c, a, ny, nx);
  }
}

// What a clause states counts as what is inferred.
void stated(float* a, float* b, int ny, int nx, dim3 grid, dim3 block) {
#pragma gpurma persistent distribute(a, b : rows(ny, nx)) halo(b : 3)
  for (int i = 0; i < 8; ++i) {
#pragma gpurma put(b : halo(2)) notify
    step<<<grid, block>>>(b, a, ny, nx);
    step<<<grid, block>>>(a, b, ny, nx);
  }
}

struct fields { float *u, *v; };
void members(fields now, fields next, int ny, int nx, dim3 grid, dim3 block) {
#pragma gpurma persistent distribute(now.u, now.v, next.u, next.v : rows(ny, nx))
  for (int i = 0; i < 8; ++i) {
#pragma gpurma put(now.v : halo(0)) notify
    scale<<<grid, block>>>(now.v, ny, nx);
#pragma gpurma put(next.u : halo(0)) notify
    step<<<grid, block>>>(next.u, now.u, ny, nx);
    std::swap(now.u, next.u);
    std::swap(now.v, next.v);
  }
}

// What is written is not stated by what is put.
__global__ void scatter(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i * i % n] = in[i];
}
void not_understood(float* a, float* b, int n) {
#pragma gpurma persistent distribute(a, b : rows(n)) halo(a, b : 2)
  for (int i = 0; i < n; ++i) {
#pragma gpurma put(b : halo(2)) notify
    scatter<<<n / 32 + 1, 32>>>(b, a, n);
  }
}

// CHECK: :23:20: error: there is nothing to put: this launch of 'step' does not write 'a' [gpurma-0139]
// CHECK: :32:20: error: 'b' is put with halo 1, but a later launch of 'step' reads it with halo 2; it would read old values of other processes' rows [gpurma-0140]
// CHECK: :33:5: note: that launch is here
// CHECK: :43:20: error: 'a' is put with halo 0, but a later launch of 'step' reads it with halo 2; it would read old values of other processes' rows [gpurma-0140]
// CHECK: :41:5: note: that launch is here
// CHECK: :58:20: error: 'a' is put with halo 0, but a later launch of 'step' reads it with halo 2; it would read old values of other processes' rows [gpurma-0140]
// CHECK: :62:5: note: that launch is here
// CHECK: :60:20: error: 'b' is put with halo 0, but a later launch of 'step' reads it with halo 2; it would read old values of other processes' rows [gpurma-0140]
// CHECK: :62:5: note: that launch is here
// CHECK: :70:20: error: 'b' is put with halo 2, but a later launch of 'step' reads it with halo 3; it would read old values of other processes' rows [gpurma-0140]
// CHECK: :72:5: note: that launch is here
// CHECK: :82:20: error: 'next.u' is put with halo 0, but a later launch of 'step' reads it with halo 2; it would read old values of other processes' rows [gpurma-0140]
// CHECK: :83:5: note: that launch is here
// CHECK: :93:5: error: each logical block must write rows of its own, but this may be any row of 'out' [gpurma-0210]
