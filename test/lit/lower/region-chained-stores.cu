// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The value of an assignment is what it has stored: nothing is read of the array.
// RUN: %gpurmacc --gpurma-target=cpu --gpurma-print-after=InferStages -fsyntax-only %s | FileCheck %s
#include <gpurma/gpurma.h>

// CHECK: stage both: rows y; writes v (own), not published; writes w (own), not published; reads u (y -1..-1){{$}}
__global__ void both(float* v, float* w, const float* u, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y > 0 && y < ny)
    v[y * nx + x] = (w[y * nx + x] = u[(y - 1) * nx + x]);
}
// CHECK: stage counted: rows y; writes v (own), not published; reads w (own); writes w (own), not published; reads u (own){{$}}
__global__ void counted(float* v, float* w, const float* u, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny)
    v[y * nx + x] = w[y * nx + x] += u[y * nx + x];
}

void run(float* v, float* w, float* u, int ny, int nx, dim3 grid, dim3 block) {
#pragma gpurma persistent distribute(u, v, w : rows(ny, nx))
  for (int step = 0; step < 5; ++step) {
    both<<<grid, block>>>(v, w, u, ny, nx);
    counted<<<grid, block>>>(v, w, u, ny, nx);
  }
}
