// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %gpurmacc_cpu -c %s -o %t.o -fdiagnostics-parseable-fixits 2>&1 | %filecheck %s

__global__ void kernel(float* a, const float* b) {
#pragma gpurma window(w = a[0:16])
#pragma gpurma get(b[0:4]) from(1) at(w[0])
}

// CHECK: :[[@LINE-3]]:20: error: 'get' writes to its section, whose elements are of the const type 'const float' [gpurma-0057]
