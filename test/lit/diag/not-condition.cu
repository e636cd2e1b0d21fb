// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %gpurmacc_cpu -c %s -o %t.o -fdiagnostics-parseable-fixits 2>&1 | %filecheck %s

struct Options {};
__global__ void kernel(Options options) {
#pragma gpurma notify(1) tag(2) if(options)
}

// CHECK: :[[@LINE-3]]:36: error: 'if' takes a condition, and a value of type 'Options' does not convert to 'bool' [gpurma-0059]
