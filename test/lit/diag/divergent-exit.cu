// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %gpurmacc_cpu -c %s -o %t.o -fdiagnostics-parseable-fixits 2>&1 | %filecheck %s

__global__ void kernel(float* a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  a[i] = 0;
#pragma gpurma barrier
}

// CHECK: :[[@LINE-3]]:16: error: all threads of the block must reach directive 'barrier' together, but some of them leave before it [gpurma-0103]
// CHECK: :[[@LINE-7]]:7: note: which threads leave is decided here
// CHECK: :[[@LINE-9]]:7: note: 'i' gets its value here
// CHECK: :[[@LINE-10]]:37: note: 'threadIdx' differs between the threads of a block
