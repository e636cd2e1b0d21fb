// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %gpurmacc_cpu -c %s -o %t.o -fdiagnostics-parseable-fixits 2>&1 | %filecheck %s

__global__ void kernel(int* tags) {
#pragma gpurma wait tag(tags[0)]
}

// CHECK: :[[@LINE-3]]:31: error: ')' does not match the '[' before it [gpurma-0013]
