// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %gpurmacc_cpu -c %s -o %t.o -fdiagnostics-parseable-fixits 2>&1 | %filecheck %s

__global__ void kernel(float* a) {
#pragma gpurma window(w = a[0:16])
#pragma gpurma put(a) to(1) at(w[0])
}

// CHECK: :[[@LINE-3]]:20: error: 'put' takes an array section 'pointer[first : count]' [gpurma-0015]
