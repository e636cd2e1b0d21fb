// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %gpurmacc_cpu -c %s -o %t.o -fdiagnostics-parseable-fixits 2>&1 | %filecheck %s

__global__ void kernel(int* data) {
#pragma gpurma
  data[0] = 1;
}

// CHECK: :[[@LINE-4]]:15: error: expected a directive name after '#pragma gpurma' [gpurma-0001]
