// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches within arguments of macros, with commas of their own, and macros that launch what they are passed or have the angle brackets: kernels that are templates with
// several arguments, written out and deduced, with directives and without.
// RUN: %gpurmacc_cpu -O2 %s -o %t
// RUN: env GPURMA_CPU_RANKS=2 %t | FileCheck %s
// CHECK: macro_launches: ok
#include "Inputs/exec.h"

template <class T, int N> __global__ void add(T *a) {
  if (threadIdx.x == 0)
    atomicAdd(a, T(N));
}
template <class T, class By> __global__ void add_by(T *a, By by) {
  if (threadIdx.x == 0)
    atomicAdd(a, T(by));
}
template <class T, int N> __global__ void add_in_ranks(T *a, int (*)[N]) {
#pragma gpurma barrier
  if (threadIdx.x == 0)
    atomicAdd(a, T(N));
}

#define RUN(...)                                                                                                                 \
  do {                                                                                                                           \
    __VA_ARGS__;                                                                                                                 \
    if (cudaGetLastError() != cudaSuccess)                                                                                       \
      return 1;                                                                                                                  \
  } while (0)
#define RUN_ONE(x) RUN(x)
#define IN_LAMBDA(...) [&] { __VA_ARGS__(); }()
// As libraries choose a type.
#define WITH_TYPE(is_int, ...)                                                                                                   \
  if (is_int) {                                                                                                                  \
    using Scalar = int;                                                                                                          \
    __VA_ARGS__;                                                                                                                 \
  } else {                                                                                                                       \
    using Scalar = float;                                                                                                        \
    __VA_ARGS__;                                                                                                                 \
  }
// For editors that do not know the angle brackets.
#define KERNEL_ARGS2(grid, block) <<<grid, block>>>
#define KERNEL_ARGS3(grid, block, bytes) <<<grid, block, bytes>>>
#define LAUNCH(kernel, blocks, ...) kernel<<<(blocks), dim3(32)>>>(__VA_ARGS__)

int main() {
  auto layout = gpurma::query(add_in_ranks<int, 2>, 32);
  int *count = managed<int>(1), *failures = managed<int>(1);
  RUN(add<int, 2><<<1, 32>>>(count));
  RUN((add<int, 3><<<dim3(1, 1), 32, 0, 0>>>(count)));
  RUN_ONE((add<int, 5><<<1, 32>>>(count)));
  IN_LAMBDA([&] { add<int, 7><<<1, 32>>>(count); });
  WITH_TYPE(true, add<Scalar, 11><<<1, 32>>>(reinterpret_cast<Scalar *>(count)));
  RUN(add_by<<<1, 32>>>(count, 13));
  LAUNCH((add<int, 17>), 1, count);
  LAUNCH(add_by, 1, count, 19);
  LAUNCH((add_by<int>), 1, count, 23);
  RUN(add_in_ranks<int, 29><<<1, 32>>>(count, nullptr));
  LAUNCH(add_in_ranks, 1, count, static_cast<int (*)[31]>(nullptr));
  add<int, 37> KERNEL_ARGS2(1, dim3(32, 1))(count);
  add_in_ranks<int, 41> KERNEL_ARGS3(dim3(1), 32, 0)(count, nullptr);
  add_by KERNEL_ARGS2(1, 32)(count, 43);
  cudaDeviceSynchronize();
  if (*count != 2 + 3 + 5 + 7 + 11 + 13 + 17 + 19 + 23 + 29 + 31 + 37 + 41 + 43)
    std::printf("%d\n", *count), ++*failures;
  return finish("macro_launches", layout, failures);
}
