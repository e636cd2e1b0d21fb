// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
inline __device__ int *more_slots() {
  __shared__ int of_block[8];
  __shared__ double total;
  total = 1;
  return of_block;
}
#include "same_names.h"

void add_thousand(int *sum) {
  each<<<1, 32>>>(1, [=] __device__(int i) { sum[i] += 1000; });
}
__global__ void compare(int *same) {
  int *(*volatile function)() = slots;
  *same = more_slots() == function() || slots() != function();
}
