// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that a macro or a file that is included repeatedly defines: each is registered under its own name, none within the text
// that they share.
// RUN: %lower_cpu %s | %filecheck %s
// RUN: %gpurmacc_cpu -Wall -Werror %s -o %t && env GPURMA_CPU_RANKS=3 timeout 60 %t | FileCheck %s --check-prefix=EXEC

#include <cstdio>

#define PLAIN(name) __global__ void name##_plain(int *cells) { cells[0] += 1; }
PLAIN(a) PLAIN(b)
// CHECK: #define RANKED(name) __global__ void name(int *cells) { ::gpurma::rank_scope gpurma_rank_scope_; ::gpurma::barrier({{.*}}); if (threadIdx.x == 0) atomicAdd(&cells[3], 1); }
#define RANKED(name) __global__ void name(int *cells) { _Pragma("gpurma barrier") if (threadIdx.x == 0) atomicAdd(&cells[3], 1); }
#define EACH(define) define(first) define(second)
EACH(RANKED)
// CHECK: RANKED(third)
RANKED(third)

// One is a rank kernel, the other is not, at one place.
#define ANY(name, ...) __global__ void name(int *cells) __VA_ARGS__
#define BOTH ANY(with, { exchange(); if (threadIdx.x == 0) atomicAdd(&cells[4], 1); }) ANY(without, { cells[4] += 10; })
__device__ void exchange() {
#pragma gpurma barrier
}
BOTH

#define REPEATED once
#define CELL int
#include "Inputs/repeated.inc"
#undef REPEATED
#undef CELL
#define REPEATED twice
#define CELL unsigned
#include "Inputs/repeated.inc"

int main() {
  int *cells;
  cudaMallocManaged(&cells, 5 * sizeof(int));
  unsigned *same = reinterpret_cast<unsigned *>(cells);
  a_plain<<<1, 1>>>(cells);
  b_plain<<<1, 1>>>(cells);
  first<<<3, 32>>>(cells);
  second<<<3, 32>>>(cells);
  third<<<3, 32>>>(cells);
  with<<<3, 32>>>(cells);
  without<<<1, 1>>>(cells);
  once<<<3, 32>>>(cells);
  twice<<<3, 32>>>(same);
  overloaded<<<3, 32>>>(cells);
  overloaded<<<3, 32>>>(same);
  // EXEC: 0: 2 6 6 9 13
  std::printf("%d: %d %d %d %d %d\n", cudaDeviceSynchronize(), cells[0], cells[1], cells[2], cells[3], cells[4]);
}
// CHECK: ::gpurma::rank_kernel gpurma_rank_kernel_{{[0-9]+}}(::first);
// CHECK-SAME: ::gpurma::rank_kernel gpurma_rank_kernel_{{[0-9]+}}(::second);
// CHECK-SAME: ::gpurma::rank_kernel gpurma_rank_kernel_{{[0-9]+}}(::third);
// CHECK-SAME: ::gpurma::rank_kernel gpurma_rank_kernel_{{[0-9]+}}(::with);
// CHECK-SAME: (::once);
// CHECK-SAME: (static_cast<void (*)(int *)>(::overloaded));
// CHECK-SAME: (::twice);
// CHECK-SAME: (static_cast<void (*)(unsigned int *)>(::overloaded));
// CHECK-SAME: (::a_plain);
