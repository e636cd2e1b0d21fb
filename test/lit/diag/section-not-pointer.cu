// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %gpurmacc_cpu -c %s -o %t.o -fdiagnostics-parseable-fixits 2>&1 | %filecheck %s

__global__ void kernel(float value) {
#pragma gpurma window(w = value[0:1])
}

// CHECK: :[[@LINE-3]]:27: error: the base of the section must be a pointer or an array, not a value of type 'float' [gpurma-0053]
