// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %gpurmacc_cpu -c %s -o %t.o -fdiagnostics-parseable-fixits 2>&1 | %filecheck %s

__global__ void kernel(float step) {
#pragma gpurma wait tag(step)
}

// CHECK: :[[@LINE-3]]:25: error: 'tag' takes an integer, not a value of type 'float' [gpurma-0050]
