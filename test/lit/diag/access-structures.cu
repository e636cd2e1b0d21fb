// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Structures that hold pointers hide which arrays a kernel is passed.
// RUN: not %gpurmacc_cpu -fsyntax-only %s 2>&1 | %filecheck %s
#include <gpurma/gpurma.h>

struct view {
  float* data;
  int nx, ny;
  __device__ float& operator()(int x, int y) const { return data[y * nx + x]; }
};
struct fields {
  view all[2];
};

__global__ void scale(view out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < out.nx && y < out.ny)
    out(x, y) *= 2;
}
__global__ void scale_both(fields of) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  for (view out : of.all)
    if (x < out.nx && y < out.ny)
      out(x, y) *= 2;
}

void run(float* a, int ny, int nx) {
  dim3 grid(8, 8), block(32, 8);
  fields both{{{a, nx, ny}, {a, nx, ny}}};
#pragma gpurma persistent distribute(a : rows(ny, nx))
  {
    scale<<<grid, block>>>(view{a, nx, ny});
    scale_both<<<grid, block>>>(both);
  }
}

// CHECK: :[[@LINE-5]]:28: error: 'a' must be passed to 'scale' as it is, or chosen by '?:'; an offset belongs into the kernel [gpurma-0215]
// CHECK: :[[@LINE-5]]:33: error: cannot tell which array is read here; index a pointer parameter of the kernel, which no branch or loop exchanges [gpurma-0205]
