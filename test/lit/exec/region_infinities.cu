// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Statements of a region with INFINITY, NAN, HUGE_VAL and HUGE_VALF, which are calls of functions of the compiler.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided | FileCheck %s
// RUN: env GPURMA_CPU_RANKS=3 %t | FileCheck %s
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 2 %t | FileCheck %s
// CHECK: 7 steps, least 3, nan 1, infinite 1
#include "Inputs/region.h"

#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

__global__ void less(int *out, const int *in, int *changed, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny)
    return;
  out[y * nx + x] = in[y * nx + x] / 2;
  if (in[y * nx + x] > 0)
    atomicAdd(changed, 1);
}

int main() {
  const int nx = 16, ny = 40;
  std::vector<int> host(nx * ny);
  for (int i = 0; i < nx * ny; ++i)
    host[i] = i % 67;
  int *a, *b, *changed;
  cudaMalloc(&a, host.size() * sizeof(int));
  cudaMalloc(&b, host.size() * sizeof(int));
  cudaMallocManaged(&changed, sizeof(int));
  cudaMemcpy(a, host.data(), host.size() * sizeof(int), cudaMemcpyHostToDevice);
  const dim3 block(8, 4), grid(2, 10);
  float least = INFINITY, last = 0;
  double most = 0;
  int steps = 0;
#pragma gpurma persistent distribute(a, b : rows(ny, nx)) reduce(+ : *changed)
  while (least > 0) {
    float before = INFINITY;
    if (steps > 0)
      before = least;
    *changed = 0;
    less<<<grid, block>>>(b, a, changed, nx, ny);
    cudaDeviceSynchronize();
    least = std::fmin(before, static_cast<float>(*changed));
    last = *changed == 0 ? NAN : HUGE_VALF;
    most = steps == 3 ? HUGE_VAL : most;
    if (*changed == 0) {
      least = 3 * (before < INFINITY);
      break;
    }
    ++steps;
    std::swap(a, b);
  }
  if (is_first_process())
    std::printf("%d steps, least %g, nan %d, infinite %d\n", steps, least, std::isnan(last), std::isinf(most));
}
