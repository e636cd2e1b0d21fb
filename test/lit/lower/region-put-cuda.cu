// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A put before a launch on the CUDA target: both parses see it, one makes the region of it, and nvcc takes the result.
// REQUIRES: nvcc
// RUN: %lower_cuda %s | %filecheck %s
// RUN: %check_cuda -c %s -o %t.o
#include <gpurma/gpurma.h>

__global__ void smooth(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 1 && i < n)
    out[i] = in[i - 2];
}

void iterate(float* a, float* b, int n) {
// CHECK: static constexpr ::gpurma::stages::written_box boxes[] = {{[{][{][{][{]}}0, {0, 0}}}, 2, 2}, {{[{][{]}}}, -1, -1, 2, 0}};
// CHECK-NOT: put(b
#pragma gpurma persistent distribute(a, b : rows(n))
  for (int i = 0; i < n; ++i) {
#pragma gpurma put(b : halo(2)) notify
    smooth<<<n / 32 + 1, 32>>>(b, a, n);
    float* last = a;
    a = b;
    b = last;
  }
}
