// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Messages of the backend and __LINE__ speak of the user's file, after lowering, too.
// RUN: cd %S
// RUN: not %gpurmacc_cpu -DBROKEN -c line-numbers.cu -o %t.o 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: %gpurmacc_cpu line-numbers.cu -o %t
// RUN: %t | FileCheck %s
#include <cstdio>
__global__ void kernel(int *line) {
#pragma gpurma barrier
  if (threadIdx.x == 0)
    *line = __LINE__;
  // CHECK: device line-numbers.cu:[[#@LINE-1]]
}
int main() {
  int *line = nullptr;
  cudaMallocManaged(&line, sizeof(int));
  kernel<<<1, 4>>>(line);
  cudaDeviceSynchronize();
  std::printf("device %s:%d\n", __FILE__, *line);
  // CHECK-NEXT: host line-numbers.cu:[[#@LINE+1]]
  std::printf("host %s:%d\n", __FILE__, __LINE__);
#ifdef BROKEN
  // The parse accepts this; only the backend knows better.
  // ERROR: line-numbers.cu:[[#@LINE+1]]:{{[0-9]+}}: error: invalid instruction
  asm volatile("not_an_instruction");
#endif
}
