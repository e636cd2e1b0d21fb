// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %gpurmacc_cpu -c %s -o %t.o -fdiagnostics-parseable-fixits 2>&1 | %filecheck %s

__global__ void kernel(float* a, float* b) {
#pragma gpurma window(wa = a[0:16]) match(counter)
#pragma gpurma window(wb = b[0:16]) match(queue)
}

// CHECK: :[[@LINE-3]]:37: error: 'match(queue)' contradicts 'match(counter)' of the same translation unit [gpurma-0150]
// CHECK: :[[@LINE-5]]:37: note: 'match(counter)' is here
