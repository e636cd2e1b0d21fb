// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %gpurmacc_cpu -c %s -o %t.o -fdiagnostics-parseable-fixits 2>&1 | %filecheck %s

#define LAUNCH kernel<<<
__global__ void kernel() {
#pragma gpurma barrier
}
void start() {
  LAUNCH 1, 32>>>();
}

// CHECK: :[[@LINE-3]]:3: error: this launch is spelled partly in a macro and partly outside of it; write it out whole in either [gpurma-0152]
// CHECK: :[[@LINE-9]]:16: note: expanded from macro 'LAUNCH'
