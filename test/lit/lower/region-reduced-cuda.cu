// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reduced scalars that threads add up, on the CUDA target: its header declares the atomics, and nvcc takes the result.
// REQUIRES: nvcc
// RUN: %lower_cuda %s | %filecheck %s
// RUN: %check_cuda --Werror all-warnings -c %s -o %t.o
#include <gpurma/gpurma.h>

__global__ void sums(const int* a, double* sum, int* most, long long* least, int* old) {
  const int value = a[blockIdx.x * blockDim.x + threadIdx.x];
  atomicAdd(sum, value);
  atomicMax(most, value);
  atomicMin(least, value);
  if (atomicAdd(old, value) < 0)
    atomicMax(most, 0);
}
// CHECK: struct gpurma_parts { ::gpurma::stages::thread_part<double, ::gpurma::stages::plus> gpurma_1; ::gpurma::stages::thread_part<int, ::gpurma::stages::maximum> gpurma_2; ::gpurma::stages::thread_part<long long, ::gpurma::stages::minimum> gpurma_3; };

void steps(int* a, double* sum, int* most, long long* least, int* old, int n, int count) {
#pragma gpurma persistent distribute(a : rows(n)) reduce(+ : *sum, *old) reduce(max : *most) reduce(min : *least)
  for (int step = 0; step < count; ++step)
    sums<<<n / 64, 64>>>(a, sum, most, least, old);
}
