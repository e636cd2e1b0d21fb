// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %gpurmacc_cpu -c %s -o %t.o -fdiagnostics-parseable-fixits 2>&1 | %filecheck %s

namespace scratch {
extern __shared__ float values[];
}
__global__ void kernel() {
  scratch::values[threadIdx.x] = 0;
}

// CHECK: :[[@LINE-3]]:12: error: __shared__ variable 'values' cannot be lowered for the CPU target: it is used by a qualified name [gpurma-0157]
