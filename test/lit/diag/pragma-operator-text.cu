// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %gpurmacc_cpu -c %s -o %t.o -fdiagnostics-parseable-fixits 2>&1 | %filecheck %s

#define DO_PRAGMA(text) _Pragma(#text)
__global__ void kernel() {
  DO_PRAGMA(gpurma barrier)
}

// CHECK: :[[@LINE-3]]:3: error: _Pragma("gpurma ...") must be written out, with one string literal; here its text comes from a macro argument or the '#' operator [gpurma-0026]
// CHECK: :[[@LINE-6]]:25: note: expanded from macro 'DO_PRAGMA'
