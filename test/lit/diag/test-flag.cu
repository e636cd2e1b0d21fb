// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %gpurmacc_cpu -c %s -o %t.o -fdiagnostics-parseable-fixits 2>&1 | %filecheck %s

__global__ void kernel() {
  int done = 0;
#pragma gpurma test(done) tag(1)
}

// CHECK: :[[@LINE-3]]:21: error: 'test' needs a variable of type 'bool' to write to, not a value of type 'int' [gpurma-0058]
