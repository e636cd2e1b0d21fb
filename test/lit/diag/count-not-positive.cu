// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %gpurmacc_cpu -c %s -o %t.o -fdiagnostics-parseable-fixits 2>&1 | %filecheck %s

__global__ void kernel() {
#pragma gpurma wait tag(1) count(0)
}

// CHECK: :[[@LINE-3]]:34: error: count 0 is not positive; 'count' says how many notifications to wait for [gpurma-0052]
