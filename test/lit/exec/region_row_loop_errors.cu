// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One array under two names, which a thread would read in the order of its loop.
// RUN: %gpurmacc_cpu %s -o %t
// RUN: %t
// RUN: not %t same 2>&1 | FileCheck %s
// CHECK: launch in a persistent region at {{.*}}region_row_loop_errors.cu:[[#@LINE+25]] on rank {{[0-9]+}}: the kernel goes through the rows of the array at 0x{{[0-9a-f]+}} in a loop, and reads other rows of it under another name, which other ranks write; pass it two arrays, and swap them behind the launch
#include <cstdio>

__global__ void shift(float* out, const float* in, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < nx)
    for (int y = 1; y < ny; ++y)
      out[y * nx + x] = in[(y - 1) * nx + x];
}

int main(int argc, char**) {
  const int nx = 40, ny = 30;
  float *a, *b;
  cudaMalloc(&a, nx * ny * sizeof(float));
  cudaMalloc(&b, nx * ny * sizeof(float));
  cudaMemset(a, 0, nx * ny * sizeof(float));
  cudaMemset(b, 0, nx * ny * sizeof(float));
  const int steps = 4;
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  for (int i = 0; i < steps; ++i) {
    float* from = i % 2 ? a : b;
    float* to = i % 2 ? b : a;
    if (argc > 1)
      to = from;
    // The run ends here.
    shift<<<(nx + 31) / 32, 32>>>(to, from, nx, ny);
  }
  return 0;
}
