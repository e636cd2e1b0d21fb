// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Clauses state what cannot be inferred, and override what can.
// RUN: %gpurmacc_cpu --gpurma-print-after=InferStages --gpurma-emit-source=%t.lowered.cu %s 2>&1 | %filecheck %s
#include <gpurma/gpurma.h>

__global__ void loaded(const float* in, float* out, const int* map, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny)
    out[y * nx + x] = in[map[y * nx + x]];
}
__global__ void shifted(const float* in, float* out, int by, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y + by < ny)
    out[y * nx + x] = in[(y + by) * nx + x];
}
__global__ void sum(const float* in, float* total, int ny, int nx) {
  int y = blockIdx.x * blockDim.x + threadIdx.x;
  if (y < ny)
    atomicAdd(total, in[y * nx] + in[0]);
}

struct Size {
  int rows, columns;
};

void run(float* a, float* b, const int* map, float* total, int depth, Size size) {
  const int ny = size.rows, nx = size.columns;
  dim3 grid(8, 8);
  const dim3 block(32, 8);
#pragma gpurma persistent distribute(a, b : rows(ny, nx)) halo(a : 2) reduce(+ : *total)           \
    map(sum : rows = x)
  {
    // CHECK: // after InferStages
    // CHECK-NEXT: :[[@LINE+1]]: stage loaded: rows y; reads in (x whole, y -2..2 perhaps periodic); writes out (own)
    loaded<<<grid, block>>>(a, b, map, ny, nx);
    // An argument that is constant is a constant in the kernel.
    // CHECK-NEXT: :[[@LINE+1]]: stage shifted: rows y; reads in (y 3..3); writes out (own)
    shifted<<<grid, block>>>(b, a, 3, ny, nx);
    // CHECK-NEXT: :[[@LINE+1]]: stage sum: rows x; reads in (x whole); adds to *total
    sum<<<grid, 128>>>(b, total, ny, nx);
  }
  // Members of structures are extents as well; a depth that is known at run time only leaves all open here.
#pragma gpurma persistent distribute(a, b : rows(size.rows, size.columns)) halo(a : depth)
  {
    // CHECK-NEXT: :[[@LINE+1]]: stage shifted: rows y; reads in (x whole, y whole); writes out (own)
    shifted<<<grid, block>>>(a, b, depth, size.rows, size.columns);
    // Constants are what they were computed from.
    // CHECK-NEXT: :[[@LINE+1]]: stage shifted: rows y; reads in (y 1..1); writes out (own)
    shifted<<<grid, block>>>(b, a, 1, ny, nx);
  }
}
