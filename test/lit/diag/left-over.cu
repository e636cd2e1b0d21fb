// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %gpurmacc_cpu -c %s -o %t.o -fdiagnostics-parseable-fixits 2>&1 | %filecheck %s

namespace gpurma_ann {
constexpr int mine = 1;
}
__global__ void kernel() {
#pragma gpurma barrier
}

// CHECK: :[[@LINE-3]]:1: error: 'gpurma_ann' is left in the lowered text of 'left-over.cu', line 4: unless the source uses that name itself, an internal error; please report it [gpurma-0120]
