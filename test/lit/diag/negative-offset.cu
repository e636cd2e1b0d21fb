// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %gpurmacc_cpu -c %s -o %t.o -fdiagnostics-parseable-fixits 2>&1 | %filecheck %s

__global__ void kernel(float* a) {
#pragma gpurma window(w = a[0:16])
#pragma gpurma put(a[0:4]) to(1) at(w[-1])
}

// CHECK: :[[@LINE-3]]:39: error: offset -1 is negative; offsets count elements from the start of the window [gpurma-0061]
