// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>

template <class F> __global__ void each(int n, F f) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    f(i);
}
inline __device__ int *slots() {
  __shared__ int of_block[4];
  return of_block;
}
