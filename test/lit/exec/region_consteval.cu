// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Consteval functions, which have no address, in a region and in what the host does in it.
// RUN: %gpurmacc_cpu -std=c++20 -I%S -Wall -Wextra -Werror %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.plain.cu
// RUN: %gpurmacc_cpu -std=c++20 -I%S %t.plain.cu -o %t.plain
// RUN: %t.plain > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// CHECK: counted 4 u {{[1-9][0-9]*}}
#include "Inputs/region.h"

#include <utility>

static consteval int every() { return 2; }
static consteval int first(int of = 3) { return of / 2; }

__global__ void step(int* out, const int* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n - 1)
    out[i] = (in[i - 1] + 3 * in[i + 1]) % 100999;
}

int main() {
  const int n = 500;
  int *u = array_of_numbers<int>(n), *v = array_of_numbers<int>(n), counted = 0;
#pragma gpurma persistent distribute(u, v : rows(n))
  for (int t = 0; t < 8; ++t) {
    step<<<8, 64>>>(v, u, n);
    std::swap(u, v);
    if (t % every() == 1)
#pragma gpurma host
      counted += first();
  }
  if (is_first_process())
    std::printf("counted %d ", counted);
  print_sum("u", u, n);
}
