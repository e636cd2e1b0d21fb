// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %gpurmacc_cpu -c %s -o %t.o -fdiagnostics-parseable-fixits 2>&1 | %filecheck %s

__global__ void kernel() {
#pragma gpurma wait tag(1) count(-1)
}

// CHECK: :[[@LINE-3]]:34: error: count -1 is negative; wait for 0 or more notifications [gpurma-0052]
