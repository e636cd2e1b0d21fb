// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %gpurmacc_cpu -c %s -o %t.o -fdiagnostics-parseable-fixits 2>&1 | %filecheck %s

__global__ void kernel(float* a, float* b) {
#pragma gpurma put(a[0:4]) to(1) at(b[0])
}

// CHECK: :[[@LINE-3]]:37: error: 'at' takes a window (declared by the directive 'window'), not a value of type 'float *' [gpurma-0054]
