// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %gpurmacc_cpu -c %s -o %t.o -fdiagnostics-parseable-fixits 2>&1 | %filecheck %s

__global__ void kernel(float* a) {
#pragma gpurma window(w = a[0:16]) comm(node)
}

// CHECK: :[[@LINE-3]]:41: error: 'comm' takes 'world' or 'device', not 'node' [gpurma-0019]
