// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constructors that do not say what a member is: by variables of their own, by other members, behind a condition or a return, in functions.
// RUN: not %gpurmacc_cpu -fsyntax-only -DKIND=0 %s 2>&1 | %filecheck %s
// RUN: not %gpurmacc_cpu -fsyntax-only -DKIND=1 %s 2>&1 | %filecheck %s
// RUN: not %gpurmacc_cpu -fsyntax-only -DKIND=2 %s 2>&1 | %filecheck %s
// RUN: not %gpurmacc_cpu -fsyntax-only -DKIND=3 %s 2>&1 | %filecheck %s
#include <gpurma/gpurma.h>

template <int Kind> struct view {
  float* p;
  int ny, nx;
  __host__ __device__ view(float* p, int h, int w) : p(p), ny(h), nx(w) {
    if (Kind == 0) {
      nx = h;
    }
  }
};
template <> struct view<1> {
  float* p;
  int ny, nx;
  __host__ __device__ view(float* p, int h, int w) : p(p), ny(h) {
    const int width = w;
    nx = width;
  }
};
template <> struct view<2> {
  float* p;
  int ny, nx;
  __host__ __device__ view(float* p, int h, int w) : p(p), ny(h), nx(h) {
    if (!p)
      return;
    nx = w;
  }
};
template <> struct view<3> {
  float* p;
  int ny, nx;
  __host__ __device__ view(float* p, int h, int w) : p(p), ny(h) { set(w); }
  __host__ __device__ void set(int w) { nx = w; }
};
template <int Kind> __global__ void set(view<Kind> v) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < v.nx && y < v.ny)
    v.p[y * v.nx + x] = 0;
}
// CHECK: :[[@LINE-2]]:5: error: rows of 'v.p' have nx elements by its clause, but threads next to each other along grid dimension 'y' are v.nx elements apart here; state the extents by which the kernel goes through the array [gpurma-0245]
// CHECK: note: what launches pass for the size 'v.nx' is not known
// CHECK: 1 error generated.
void sizes(float* u, int ny, int nx) {
  const dim3 grid(8, 8), block(32, 8);
#pragma gpurma persistent distribute(u : rows(ny, nx))
  for (int i = 0; i < 3; ++i) {
    set<<<grid, block>>>(view<KIND>(u, ny, nx));
  }
}
