// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernel templates that templates launch: chosen by the type that they return or by what they require, with default arguments that stand at an
// earlier declaration, brought by a using-declaration, and with parameters that the preprocessor chooses.
// RUN: %gpurmacc_cpu -std=c++20 -Wall -Wextra -Werror %s -o %t && %t | FileCheck %s
// RUN: %gpurmacc_cpu -std=c++17 %s -o %t.17 && %t.17 | FileCheck %s
// RUN: %if nvcc %{ %check_cuda -std=c++17 -c %s -o %t.o %}
#include <cstdio>
#include <type_traits>

template <class T> __global__ std::enable_if_t<std::is_integral_v<T>> chosen(int *o, T t) { *o = t; }
template <class T> __global__ std::enable_if_t<!std::is_integral_v<T>> chosen(int *o, T t) { *o = static_cast<int>(t + 1); }

#if __cplusplus >= 202002L
template <class T>
  requires(sizeof(T) == 4)
__global__ void required(int *o, T t) {
  *o = static_cast<int>(t);
}
template <class T> __global__ void required(int *o, T t) requires(sizeof(T) == 8) { *o = static_cast<int>(t + 1); }
#else
template <class T> __global__ void required(int *o, T t) { *o = static_cast<int>(t + (sizeof(T) == 8)); }
#endif

template <class T, int N = 3> __global__ void declared(int *o, T t);
template <class T, int N> __global__ void declared(int *o, T t) { *o = static_cast<int>(t) + N; }

namespace detail {
template <class T> __global__ void brought(int *o, T t) { *o = static_cast<int>(t); }
} // namespace detail
using detail::brought;

template <class T>
__global__ void conditional(int *o,
#ifdef EXTRA
                            int extra,
#endif
                            T t) {
  *o = static_cast<int>(t);
}

template <class T> void run(int *o, T t) {
  int found[7];
  auto note = [&](int k) {
    cudaDeviceSynchronize();
    found[k] = *o;
  };
  chosen<<<1, 1>>>(o, t);
  note(0);
  chosen<T><<<1, 1>>>(o, t);
  note(1);
  required<<<1, 1>>>(o, t);
  note(2);
  declared<<<1, 1>>>(o, t);
  note(3);
  declared<T><<<1, 1>>>(o, t);
  note(4);
  brought<<<1, 1>>>(o, t);
  note(5);
  conditional<<<1, 1>>>(o, t);
  note(6);
  for (int each : found)
    std::printf("%d ", each);
  std::printf("\n");
}

int main() {
  int *o;
  cudaMallocManaged(&o, sizeof(int));
  // CHECK: 4 4 4 7 7 4 4
  run(o, 4);
  // CHECK: 6 6 6 8 8 5 5
  run(o, 5.0);
}
