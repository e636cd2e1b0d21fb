// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Statements that the analysis does not follow.
// RUN: not %gpurmacc_cpu -fsyntax-only %s 2>&1 | %filecheck %s
#include <gpurma/gpurma.h>

#define POINT                                                                                      \
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;        \
  if (x >= nx || y >= ny)                                                                          \
  return

__global__ void jumps(float* out, int ny, int nx) {
  POINT;
again:
  out[y * nx + x] += 1;
  if (out[y * nx + x] < 5)
    goto again;
}
__global__ void assembles(float* out, int ny, int nx) {
  POINT;
  asm volatile("" ::: "memory");
  out[y * nx + x] = 0;
}

void run(float* a, int ny, int nx) {
  dim3 grid(8, 8), block(32, 8);
#pragma gpurma persistent distribute(a : rows(ny, nx))
  {
    jumps<<<grid, block>>>(a, ny, nx);
    assembles<<<grid, block>>>(a, ny, nx);
  }
}

// CHECK: :[[@LINE-20]]:1: error: this statement is not understood in a kernel of a persistent region; use structured control flow [gpurma-0209]
// CHECK: :[[@LINE-18]]:5: error: this statement is not understood in a kernel of a persistent region; use structured control flow [gpurma-0209]
// CHECK: :[[@LINE-15]]:3: error: this statement is not understood in a kernel of a persistent region; use structured control flow [gpurma-0209]
