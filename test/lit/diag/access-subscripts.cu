// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Subscripts that do not say which elements they mean.
// RUN: not %gpurmacc_cpu -fsyntax-only %s 2>&1 | %filecheck %s
#include <gpurma/gpurma.h>

#define POINT                                                                                      \
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;        \
  if (x >= nx || y >= ny)                                                                          \
  return

__device__ int opaque(int);

__global__ void loaded(const float* in, float* out, const int* map, int ny, int nx) {
  POINT;
  out[y * nx + x] = in[map[x] * nx + x];
}
__global__ void scattered(const float* in, float* out, const int* map, int ny, int nx) {
  POINT;
  out[map[y] * nx + x] = in[y * nx + x];
}
__global__ void searched(const float* in, float* out, int ny, int nx) {
  POINT;
  int row = y;
  while (in[y * nx + x] > 0 && row < ny - 1)
    row = row + (x ? 1 : 2);
  out[y * nx + x] = in[row * nx + x];
}
__global__ void called(const float* in, float* out, int ny, int nx) {
  POINT;
  out[y * nx + x] = in[opaque(y) * nx + x];
}
__global__ void squared(const float* in, float* out, int ny, int nx) {
  POINT;
  out[y * nx + x] = in[y * y + x];
}
__global__ void pitched(const float* in, float* out, int pitch, int ny, int nx) {
  POINT;
  out[y * nx + x] = in[y * pitch + x];
}
__global__ void distant(const float* in, float* out, int radius, int ny, int nx) {
  POINT;
  out[y * nx + x] = y + radius < ny ? in[(y + radius) * nx + x] : 0;
}

void run(float* a, float* b, const int* map, int pitch, int radius, int ny, int nx) {
  dim3 grid(8, 8), block(32, 8);
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  {
    loaded<<<grid, block>>>(a, b, map, ny, nx);
    scattered<<<grid, block>>>(a, b, map, ny, nx);
    searched<<<grid, block>>>(a, b, ny, nx);
    called<<<grid, block>>>(a, b, ny, nx);
    squared<<<grid, block>>>(a, b, ny, nx);
    pitched<<<grid, block>>>(a, b, pitch, ny, nx);
    distant<<<grid, block>>>(a, b, radius, ny, nx);
  }
}

// CHECK: :[[@LINE-44]]:21: error: cannot tell which elements of 'in' are read here: the subscript depends on a value that is loaded from memory [gpurma-0200]
// CHECK: :[[@LINE-45]]:24: note: the value comes from here
// CHECK: :[[@LINE-46]]:21: note: if it stays within n rows of the logical block's own, say so with the clause 'halo(a : n)', which holds for all launches of the region that are passed the array
// CHECK: :[[@LINE-43]]:3: error: cannot tell which elements of 'out' are written here: the subscript depends on a value that is loaded from memory [gpurma-0200]
// CHECK: :[[@LINE-44]]:7: note: the value comes from here
// CHECK: :[[@LINE-38]]:21: error: cannot tell which elements of 'in' are read here: the subscript depends on what earlier iterations of a loop did [gpurma-0200]
// CHECK: :[[@LINE-41]]:3: note: the value comes from here
// CHECK: :[[@LINE-40]]:21: note: if it stays within n rows of the logical block's own, say so with the clause 'halo(a : n)', which holds for all launches of the region that are passed the array
// CHECK: :[[@LINE-37]]:21: error: cannot tell which elements of 'in' are read here: the subscript depends on the result of a call that is not understood [gpurma-0200]
// CHECK: :[[@LINE-38]]:24: note: the value comes from here
// CHECK: :[[@LINE-39]]:21: note: if it stays within n rows of the logical block's own, say so with the clause 'halo(a : n)', which holds for all launches of the region that are passed the array
// CHECK: :[[@LINE-36]]:21: error: cannot tell which elements of 'in' are read here: the subscript is not affine in block, thread and loop indices [gpurma-0200]
// CHECK: :[[@LINE-37]]:21: note: if it stays within n rows of the logical block's own, say so with the clause 'halo(a : n)', which holds for all launches of the region that are passed the array
// CHECK: :[[@LINE-34]]:21: error: rows of 'in' have nx elements by its clause, but threads next to each other along grid dimension 'y' are pitch elements apart here; state the extents by which the kernel goes through the array [gpurma-0245]
// CHECK: :[[@LINE-31]]:39: error: cannot bound how far from a logical block's own rows 'in' is read here: the distance is no constant [gpurma-0201]
// CHECK: :[[@LINE-32]]:39: note: if it stays within n rows of the logical block's own, say so with the clause 'halo(a : n)', which holds for all launches of the region that are passed the array
