// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The type of a shared array or variable is no reference, though the variable becomes one on the CPU target.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t && %t | FileCheck %s
#include <cstdio>
#include <type_traits>

__shared__ int of_all;

template <class T> __global__ void types(int *found) {
  __shared__ float tile[8];
  __shared__ T one;
  constexpr int n = std::extent_v<decltype(tile)>;
  decltype(tile) copy;
  decltype(one) other = 3;
  static_assert(std::is_same_v<decltype(of_all), int>);
  static_assert(std::is_same_v<decltype((one)), T &>);
  one = other;
  of_all = n;
  for (int i = 0; i < n; ++i)
    tile[i] = copy[i] = static_cast<float>(i);
  found[0] = static_cast<int>(tile[n - 1] + copy[n - 1]) + one;
  found[1] = of_all;
}

int main() {
  int *found;
  cudaMallocManaged(&found, 2 * sizeof(int));
  types<int><<<1, 1>>>(found);
  if (cudaDeviceSynchronize() != cudaSuccess)
    return 1;
  // CHECK: 17 8
  std::printf("%d %d\n", found[0], found[1]);
}
