// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches of kernels that macros name, alone and in arguments of other macros.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t
// RUN: env GPURMA_CPU_RANKS=2 %t | FileCheck %s
// CHECK: macro_kernel_names: ok
// RUN: %gpurmacc_cpu --gpurma-emit-source=- %s | FileCheck --check-prefix=LOWERED %s
// LOWERED: CHECK((::gpurma::launch(KERNEL, 1, 1)(count)));
// LOWERED: CHECK((::gpurma::launch(ID(add), 1, 1)(count)));
// LOWERED: {{^ *}}::gpurma::launch(ID(add), 1, 1)(count);
// LOWERED: CHECK(CHECK((::gpurma::launch(KERNEL, GRID, 1)(count))));
#include "Inputs/exec.h"

template <class T> __global__ void add_one(T *count) { *count += 1; }
__global__ void add(int *count) { *count += 10; }
__global__ void add_100(int *count) { *count += 100; }
__global__ void add_in_ranks(int *count) {
  if (threadIdx.x == 0)
    atomicAdd(count, 1000);
#pragma gpurma barrier
}

#define KERNEL add
#define KERNEL_OF(T) add_one<T>
#define JOINED(a, b) a##b
#define ID(x) x
#define RANKS add_in_ranks
#define GRID 1
#define CHECK(x)                                                                                                                 \
  do {                                                                                                                           \
    x;                                                                                                                           \
  } while (0)

int main() {
  int *count = managed<int>(1);
  CHECK((KERNEL<<<1, 1>>>(count)));
  CHECK((KERNEL_OF(int)<<<1, GRID>>>(count)));
  CHECK((JOINED(add_, 100)<<<1, 1>>>(count)));
  CHECK((ID(add)<<<1, 1>>>(count)));
  CHECK((RANKS<<<GRID, 1>>>(count)));
  KERNEL<<<1, 1>>>(count);
  KERNEL_OF(int)<<<1, 1>>>(count);
  JOINED(add_, 100)<<<1, 1>>>(count);
  ID(add)<<<1, 1>>>(count);
  ID(RANKS)<<<GRID, 1>>>(count);
  CHECK(CHECK((KERNEL<<<GRID, 1>>>(count))));
  CHECK(CHECK((add<<<GRID, 1>>>(count))));
  if (cudaDeviceSynchronize() != cudaSuccess)
    return 1;
  std::printf("macro_kernel_names: %s\n", *count == 2262 ? "ok" : "wrong");
}
