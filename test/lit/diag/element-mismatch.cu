// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %gpurmacc_cpu -c %s -o %t.o -fdiagnostics-parseable-fixits 2>&1 | %filecheck %s

__global__ void kernel(float* a, double* b) {
#pragma gpurma window(w = b[0:16])
#pragma gpurma put(a[0:4]) to(1) at(w[0])
}

// CHECK: :[[@LINE-3]]:20: error: the section has elements of type 'float', the window elements of type 'double' [gpurma-0056]
// CHECK: :[[@LINE-5]]:23: note: window 'w' is declared here
