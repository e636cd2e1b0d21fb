// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %gpurmacc_cpu -c %s -o %t.o -fdiagnostics-parseable-fixits 2>&1 | %filecheck %s

__global__ void kernel(float* a, int step) {
#pragma gpurma window(w = a[0:16]) match(counter)
#pragma gpurma wait tag(step)
}

// CHECK: :[[@LINE-3]]:16: error: 'match(counter)' cannot serve this directive: it has a tag that is not a constant [gpurma-0151]
// CHECK: :[[@LINE-5]]:36: note: 'match(counter)' is here
