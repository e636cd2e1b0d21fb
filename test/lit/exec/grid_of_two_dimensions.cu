// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The blocks of a rank kernel are ranks, which blockIdx.x numbers: a launch with a grid of two or three dimensions ends with an error.
// RUN: %gpurmacc_cpu -O2 %s -o %t
// RUN: env GPURMA_CPU_RANKS=4 not %t 2>&1 | FileCheck %s
// RUN: env GPURMA_CPU_RANKS=12 not %t of_three 2>&1 | FileCheck --check-prefix=THREE %s
// CHECK: error: a rank kernel cannot run: 'kernel(int*)' is launched with a grid of 2 x 2 x 1 blocks, but its blocks are the ranks of the device, which blockIdx.x numbers; launch it with 4 blocks, and compute blockIdx.x % 2 and blockIdx.x / 2 in the kernel
// THREE: grid of 2 x 3 x 2 blocks, {{.*}}; launch it with 12 blocks, and compute blockIdx.x % 2, blockIdx.x / 2 % 3 and blockIdx.x / 6 in the kernel
#include "Inputs/exec.h"

__global__ void kernel(int *count) {
#pragma gpurma barrier
  if (threadIdx.x == 0)
    atomicAdd(count, 1);
}

int main(int argc, char **) {
  int *count = managed<int>(1);
  kernel<<<argc > 1 ? dim3(2, 3, 2) : dim3(2, 2), 32>>>(count);
  return cudaDeviceSynchronize() != cudaSuccess;
}
