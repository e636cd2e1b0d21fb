// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Functions that are marked for the host and the device, in statements of a region: those that reach more than what they are passed do what
// they do on the host, once: printf, the pointer that a view returns. Arrays of pointers that are __restrict__.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t quiet | diff - %t.expected
// CHECK: step 0
// CHECK-NEXT: step 1
// CHECK-NEXT: step 2
// CHECK: u {{[1-9]}}
#include "Inputs/region.h"

#include <utility>

typedef unsigned long long number;

__global__ void smooth(number *out, const number *in, int n, number by) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n - 1)
    out[i] = (in[i - 1] * by + in[i + 1]) % 100999;
}

__host__ __device__ void tell(int step) { printf("step %d\n", step); }
__host__ __device__ number sum(const number *values, int n) {
  number all = 0;
  for (int i = 0; i < n; ++i)
    all += values[i];
  return all;
}

struct view {
  number *elements;
  int n;
  __host__ __device__ number *data() const { return elements; }
};

static void run(number *__restrict__ u, number *__restrict__ v, int n) {
#pragma gpurma persistent distribute(u, v : rows(n))
  for (int t = 0; t < 3; ++t) {
    const number factors[3] = {3, 5, static_cast<number>(t)};
    smooth<<<n / 64 + 1, 64>>>(v, u, n, sum(factors, 3));
    tell(t);
    std::swap(u, v);
  }
  print_sum("u", u, n);
}

int main() {
  const int n = 517;
  number *u = array_of_numbers<number>(n), *v = array_of_numbers<number>(n);
  run(u, v, n);
  view a{u, n}, b{v, n};
#pragma gpurma persistent distribute(a.elements, b.elements : rows(n))
  for (int t = 0; t < 3; ++t) {
    smooth<<<n / 64 + 1, 64>>>(b.data(), a.data(), n, 7);
    std::swap(a, b);
  }
  print_sum("a", a.elements, n);
}
