// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes that cannot be split over processes.
// RUN: not %gpurmacc_cpu -fsyntax-only %s 2>&1 | %filecheck %s
#include <gpurma/gpurma.h>

#define POINT                                                                                      \
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;        \
  if (x >= nx || y >= ny)                                                                          \
  return

__device__ int total;

__global__ void collects(const float* in, float* out, int ny, int nx) {
  POINT;
  out[y * nx] = in[y * nx + x];
}
__global__ void overlaps(float* out, int ny, int nx) {
  POINT;
  out[y * nx + x] = 0;
  if (x + 1 < nx)
    out[y * nx + x + 1] = 1;
}
__global__ void flags_columns(float* out, int* flags, int ny, int nx) {
  POINT;
  out[y * nx + x] = 0;
  flags[x] = 1;
}
__global__ void counts(float* out, int ny, int nx) {
  POINT;
  out[y * nx + x] = 0;
  total = 1;
}
__global__ void exchanges(float* out, int* flag, int ny, int nx) {
  POINT;
  out[y * nx + x] = 0;
  atomicExch(flag, 1);
}
__global__ void sums(const float* in, float* norm, int ny, int nx) {
  POINT;
  atomicAdd(norm, in[y * nx + x]);
}
__global__ void largest(const int* in, int* most, int ny, int nx) {
  POINT;
  atomicMax(most, in[y * nx + x]);
}

void run(float* a, float* b, int* c, int* flags, float* norm, int* most, int ny, int nx) {
  dim3 grid(8, 8), block(32, 8);
#pragma gpurma persistent distribute(a, b, c : rows(ny, nx))
  {
    collects<<<grid, block>>>(a, b, ny, nx);
    overlaps<<<grid, block>>>(a, ny, nx);
    flags_columns<<<grid, block>>>(a, flags, ny, nx);
    counts<<<grid, block>>>(a, ny, nx);
    exchanges<<<grid, block>>>(a, flags, ny, nx);
    sums<<<grid, block>>>(a, norm, ny, nx);
    largest<<<grid, block>>>(c, most, ny, nx);
  }
}

// CHECK: :[[@LINE-46]]:3: error: two logical blocks that differ in x may write the same element of 'out', so its rows cannot be split over processes [gpurma-0202]
// CHECK: :[[@LINE-43]]:3: error: two logical blocks that differ in x may write the same element of 'out', so its rows cannot be split over processes [gpurma-0202]
// CHECK: :[[@LINE-42]]:5: note: the other write is here
// CHECK: :[[@LINE-38]]:3: error: 'flags' is written here, but each process has a copy of its own; name it in 'distribute', or in 'collect' if kernels only store some of its elements, reduce it with an atomic, or name it in 'reduce(|| : ...)' if it is a flag that threads set to a constant [gpurma-0206]
// CHECK: :[[@LINE-34]]:3: error: 'total' is written here, but each process has a copy of its own; as a variable of the device it can be neither distributed nor reduced [gpurma-0206]
// CHECK: :[[@LINE-30]]:3: error: 'atomicExch' on 'flag' cannot be combined over processes; use atomicAdd, atomicMax or atomicMin, or plain stores for a flag [gpurma-0213]
// CHECK: :[[@LINE-27]]:3: error: blocks of all processes combine 'norm' here; say so with the clause 'reduce(+ : *norm)' [gpurma-0216]
// CHECK: :[[@LINE-24]]:3: error: blocks of all processes combine 'most' here; say so with the clause 'reduce(max : *most)' [gpurma-0216]
