// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// What a region captures need not have a default constructor or an assignment: classes with constructors and constant members, arrays of
// constants, volatile numbers. One reduced scalar is copied to another.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 3 %t | sort -u | diff - %t.expected
// CHECK: 11 steps, last 480, before 440, count {{.*}}, seen 55
#include <cstdio>
#include <utility>
#include <vector>

struct rates {
  const int factor;
  int offset;
  rates(int factor, int offset) : factor(factor), offset(offset) {}
  __host__ __device__ int at(int step) const { return factor * step + offset; }
};

__global__ void step(int *out, const int *in, int *sum, rates by, int now, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  out[i] = i > 0 ? in[i - 1] + by.at(now) : in[i];
  if (i % 5 == 0)
    atomicAdd(sum, by.at(now));
}

int main() {
  const int n = 100, weights[2] = {1, 2};
  const rates by(2, 4);
  int *a, *b, *sum, *before, count = 0, last = 0;
  volatile int seen = 0;
  cudaMalloc(&a, n * sizeof(int));
  cudaMalloc(&b, n * sizeof(int));
  cudaMalloc(&sum, sizeof(int));
  cudaMalloc(&before, sizeof(int));
  std::vector<int> values(n, 1);
  cudaMemcpy(a, values.data(), n * sizeof(int), cudaMemcpyHostToDevice);
#pragma gpurma persistent distribute(a, b : rows(n)) reduce(+ : *sum, *before)
  for (int i = 0; i < 11; ++i) {
    cudaMemcpy(before, sum, sizeof(int), cudaMemcpyDeviceToDevice);
    cudaMemset(sum, 0, sizeof(int));
    step<<<(n + 15) / 16, 16>>>(b, a, sum, by, i, n);
    std::swap(a, b);
    count += weights[i % 2] * by.factor / 2;
    seen = seen + i;
  }
  cudaMemcpy(&last, sum, sizeof(int), cudaMemcpyDeviceToHost);
  int previous = 0;
  cudaMemcpy(&previous, before, sizeof(int), cudaMemcpyDeviceToHost);
  cudaMemcpy(values.data(), a, n * sizeof(int), cudaMemcpyDeviceToHost);
  int total = 0;
  for (int i = 0; i < n; ++i)
    total = (total * 31 + values[i]) % 100003;
  std::printf("%d steps, last %d, before %d, count %d, seen %d, total %d\n", 11, last, previous, count, seen, total);
}
