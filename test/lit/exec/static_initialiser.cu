// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// A rank kernel and a region in an initialiser of a global variable, before any of the library's own files is initialised: the program ends as others do.
// RUN: %gpurmacc_cpu -O1 %s -o %t
// RUN: env GPURMA_CPU_RANKS=2 %t | FileCheck %s
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 2 %t | FileCheck %s
// CHECK: main 42 8
#include "Inputs/exec.h"

__global__ void set(int *result) {
#pragma gpurma barrier
  if (threadIdx.x == 0)
    *result = 42;
}
__global__ void increment(int *a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    ++a[i];
}

static int by_ranks() {
  int *result = managed<int>(1);
  set<<<gpurma::query(set, 32).device_ranks, 32>>>(result);
  cudaDeviceSynchronize();
  return *result;
}
static int by_region() {
  int n = 64, *a = managed<int>(n);
#pragma gpurma persistent distribute(a : rows(n))
  for (int i = 0; i < 8; ++i)
    increment<<<n / 8, 8>>>(a, n);
  cudaDeviceSynchronize();
  return a[n - 1];
}
static const int ranks = by_ranks(), region = by_region();

int main() { std::printf("main %d %d\n", ranks, region); }
