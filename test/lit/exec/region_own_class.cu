// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Regions in functions that are defined in a class, and that name other objects of this class: the region's kernel stands before it.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t quiet | diff - %t.expected
// CHECK: steps 3
// CHECK: second v {{[1-9]}}
#include "Inputs/region.h"

#include <utility>

typedef unsigned long long number;

__global__ void smooth(number *out, const number *in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n - 1)
    out[i] = (in[i - 1] * 7 + in[i + 1]) % 100999;
}

struct fields {
  number *u, *v;
  int n, steps = 0;
  explicit fields(int n) : u(array_of_numbers<number>(n)), v(array_of_numbers<number>(n)), n(n) {}

  static void run(fields &of, int steps) {
#pragma gpurma persistent distribute(of.u, of.v : rows(of.n))
    for (int t = 0; t < steps; ++t) {
      smooth<<<of.n / 64 + 1, 64>>>(of.v, of.u, of.n);
      std::swap(of.u, of.v);
      ++of.steps;
    }
  }
  void run_with(fields &other, int steps) {
#pragma gpurma persistent distribute(other.u, u : rows(other.n))
    for (int t = 0; t < steps; ++t) {
      smooth<<<n / 64 + 1, 64>>>(u, other.u, n);
      std::swap(u, other.u);
    }
  }
  friend void run_by_pointer(fields &first, int steps) {
    fields *of = &first;
#pragma gpurma persistent distribute(of->u, of->v : rows(of->n))
    for (int t = 0; t < steps; ++t) {
      smooth<<<of->n / 64 + 1, 64>>>(of->v, of->u, of->n);
      std::swap(of->u, of->v);
    }
  }
};

int main() {
  const int n = 417;
  fields first(n), second(n);
  fields::run(first, 3);
  first.run_with(second, 5);
  run_by_pointer(second, 3);
  if (is_first_process())
    std::printf("steps %d\n", first.steps);
  print_sum("first u", first.u, n);
  print_sum("first v", first.v, n);
  print_sum("second u", second.u, n);
  print_sum("second v", second.v, n);
}
