// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %gpurmacc_cpu -c %s -o %t.o -fdiagnostics-parseable-fixits 2>&1 | %filecheck %s

__global__ void kernel(int step) {
#pragma gpurma wait tag(step, 2)
}

// CHECK: :[[@LINE-3]]:29: error: 'tag' takes one expression; put parentheses around a comma expression [gpurma-0022]
