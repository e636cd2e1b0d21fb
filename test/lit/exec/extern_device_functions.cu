// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions and variables of the device that are declared first: extern, in a function, and by a macro.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t && %t | FileCheck %s
#include <cstdio>

#define DECLARED(name) __device__ int name(int)

extern __device__ int table[4];
extern __device__ int by_extern(int);
__device__ extern int behind(int);
DECLARED(by_macro);

__global__ void add_up(int *o) {
  __device__ int in_function(int);
  *o = behind(0) + by_extern(1) + by_macro(2) + in_function(3) + table[3];
}

__device__ int table[4] = {0, 1, 2, 1000};
__device__ int behind(int x) { return x; }
__device__ int by_extern(int x) { return x + 10; }
__device__ int by_macro(int x) { return x + 100; }
__device__ int in_function(int x) { return x; }

int main() {
  int *o;
  cudaMallocManaged(&o, sizeof(int));
  add_up<<<1, 1>>>(o);
  cudaDeviceSynchronize();
  // CHECK: 1116
  std::printf("%d\n", *o);
}
