// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %gpurmacc_cpu -c %s -o %t.o -fdiagnostics-parseable-fixits 2>&1 | %filecheck %s

__device__ int tag(int step) { return step; }
__global__ void kernel(int step) {
#pragma gpurma wait tag(tag( _Pragma("gpurma barrier") step))
}

// CHECK: :[[@LINE-3]]:30: error: a gpurma directive cannot stand inside a clause of another [gpurma-0025]
