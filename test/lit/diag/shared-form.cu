// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %gpurmacc_cpu -c %s -o %t.o -fdiagnostics-parseable-fixits 2>&1 | %filecheck %s

__global__ void kernel() {
  __shared__ struct { int value; } first, second;
  first.value = 0;
  second.value = 0;
}

// CHECK: :[[@LINE-5]]:36: error: __shared__ variable 'first' cannot be lowered for the CPU target: declare it in a statement of its own [gpurma-0157]
