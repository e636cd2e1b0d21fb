// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %gpurmacc_cpu -c %s -o %t.o -fdiagnostics-parseable-fixits 2>&1 | %filecheck %s

__device__ void exchange(int partner) {
#pragma gpurma notify(partner) tag(1)
}
__global__ void kernel(int partner) {
  bool first = threadIdx.x % 32 == 0;
  if (first) {
#pragma gpurma notify(partner) tag(2)
  }
  for (int i = threadIdx.x; i < 64; i += blockDim.x) {
    exchange(partner);
  }
}

// CHECK: :[[@LINE-7]]:16: error: all threads of the block must reach directive 'notify' together, but it stands under a condition that differs between them [gpurma-0102]
// CHECK: :[[@LINE-9]]:7: note: the condition is here
// CHECK: :[[@LINE-11]]:8: note: 'first' gets its value here
// CHECK: :[[@LINE-12]]:16: note: 'threadIdx' differs between the threads of a block
// CHECK: :[[@LINE-8]]:5: error: all threads of the block must reach the call of 'exchange', which contains directives, together, but it stands under a condition that differs between them [gpurma-0102]
// CHECK: :[[@LINE-17]]:16: note: 'exchange' contains this directive
// CHECK: :[[@LINE-11]]:29: note: the condition is here
// CHECK: :[[@LINE-12]]:12: note: 'i' gets its value here
// CHECK: :[[@LINE-13]]:16: note: 'threadIdx' differs between the threads of a block
