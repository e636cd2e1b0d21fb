// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// What a kernel reads in a GNU statement expression, which macros like to be, is a read like any other; so is what its statements before
// the last one do.
// RUN: %gpurmacc_cpu -Rgpurma %s -o %t 2>&1 | FileCheck --check-prefix=REMARK %s
// REMARK: stage 'smooth' reads 'from' with halo 2, writes 'to'
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 3 %t | FileCheck %s
// CHECK-COUNT-3: region_statement_expression: ok
#include <cstdio>
#include <cuda_runtime.h>
#include <utility>
#include <vector>

constexpr int n = 700, steps = 40;

#define SUM_AROUND(array, i, far)                                                                                                          \
  ({                                                                                                                                       \
    int sum = 0;                                                                                                                           \
    for (int k = 1; k <= far; ++k)                                                                                                         \
      sum += (array)[(i) - k] + 3 * (array)[(i) + k];                                                                                      \
    sum % 10007;                                                                                                                           \
  })

__global__ void smooth(int *to, const int *from) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= 2 && i < n - 2)
    to[i] = SUM_AROUND(from, i, 2);
}

int main(int argc, char **argv) {
  gpurma::init(&argc, &argv);
  std::vector<int> expected(n), next(n);
  for (int i = 0; i < n; ++i)
    expected[i] = next[i] = i * 7 % 101;
  int *a = nullptr, *b = nullptr;
  if (cudaMalloc(&a, n * sizeof(int)) != cudaSuccess || cudaMalloc(&b, n * sizeof(int)) != cudaSuccess)
    return 1;
  cudaMemcpy(a, expected.data(), n * sizeof(int), cudaMemcpyDefault);
  cudaMemcpy(b, expected.data(), n * sizeof(int), cudaMemcpyDefault);
  for (int step = 0; step < steps; ++step) {
    for (int i = 2; i < n - 2; ++i)
      next[i] = SUM_AROUND(expected, i, 2);
    expected.swap(next);
  }
#pragma gpurma persistent distribute(a, b : rows(n))
  for (int step = 0; step < steps; ++step) {
    smooth<<<(n + 31) / 32, 32>>>(b, a);
    std::swap(a, b);
  }
  std::vector<int> found(n);
  cudaMemcpy(found.data(), a, n * sizeof(int), cudaMemcpyDefault);
  std::printf("region_statement_expression: %s\n", found == expected ? "ok" : "wrong");
  return found != expected;
}
