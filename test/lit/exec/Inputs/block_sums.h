// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch whose blocks leave a number each, which tests of what the host does with these share.
#ifndef GPURMA_TEST_BLOCK_SUMS_H
#define GPURMA_TEST_BLOCK_SUMS_H

constexpr int Threads = 64;

__global__ void add_up(const int *u, int *partial, int n) {
  __shared__ int part[Threads];
  int s = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    s += u[i];
  part[threadIdx.x] = s;
  __syncthreads();
  for (unsigned w = blockDim.x / 2; w > 0; w /= 2) {
    if (threadIdx.x < w)
      part[threadIdx.x] += part[threadIdx.x + w];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    partial[blockIdx.x] = part[0];
}

#endif
