// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is not understood in a function of a system header is reported where a kernel calls it.
// RUN: not %gpurmacc_cpu -fsyntax-only -isystem %S/Inputs/system %s 2>&1 | %filecheck --implicit-check-not=error: %s
#include <fetch.h>
#include <gpurma/gpurma.h>

__global__ void smooth(float* v, unsigned long long t, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  // CHECK: access-system-headers.cu:[[@LINE+2]]:25: error: this statement is not understood in a kernel of a persistent region; use structured control flow [gpurma-0209]
  if (x < nx && y < ny)
    v[y * nx + x] = 1 + fetch<float>(t, y * nx + x);
}

void run(float* v, unsigned long long t, int ny, int nx, dim3 grid, dim3 block) {
#pragma gpurma persistent distribute(v : rows(ny, nx))
  for (int step = 0; step < 6; ++step)
    smooth<<<grid, block>>>(v, t, ny, nx);
}
