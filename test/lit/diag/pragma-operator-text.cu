// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %gpurmacc_cpu -c %s -o %t.o -fdiagnostics-parseable-fixits 2>&1 | %filecheck %s

#define DO_PRAGMA(text) _Pragma(#text)
__global__ void kernel() {
  DO_PRAGMA(gpurma barrier)
}


