// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The blocks of a rank kernel are ranks, which blockIdx.x numbers: a launch with a grid of two dimensions ends with an error.
// RUN: %gpurmacc_cpu -O2 %s -o %t
// RUN: env GPURMA_CPU_RANKS=4 not %t 2>&1 | FileCheck %s
// CHECK: error: a rank kernel cannot run: 'kernel(int*)' is launched with a grid of 2 x 2 x 1 blocks, but its blocks are the ranks of the device, which blockIdx.x numbers; launch it with 4 blocks, and compute blockIdx.x % 2 and blockIdx.x / 2 in the kernel
#include "Inputs/exec.h"

__global__ void kernel(int *count) {
#pragma gpurma barrier
  if (threadIdx.x == 0)
    atomicAdd(count, 1);
}

int main() {
  int *count = managed<int>(1);
  kernel<<<dim3(2, 2), 32>>>(count);
  return cudaDeviceSynchronize() != cudaSuccess;
}
