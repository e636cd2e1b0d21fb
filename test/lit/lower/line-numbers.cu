// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A lowered file keeps the lines of its source, whatever the length of a directive.
// RUN: %lower_cpu %s > %t.cu
// RUN: FileCheck %s --input-file=%t.cu
// RUN: %gpurmacc_cpu -c %s -o %t.o
// RUN: not %gpurmacc_cpu -c -DBROKEN %s -o %t.o 2>&1 | FileCheck %s --check-prefix=ERROR
// CHECK: {{^}}#line 1 "{{.*}}line-numbers.cu"

__global__ void kernel(float *data, float *from, int right, int n) {
#pragma gpurma window(w = data[0:n]) /* a comment stays */
  // The next two continue over lines; comments within them go.
#pragma gpurma put(from[0 /* a
   comment of two lines */   \
                   : n])      \
    to(right)                \
    at(w[0]) \
    notify(1)
  static_assert(__LINE__ == 18, "the put above lost or gained lines");
#pragma gpurma wait \
  tag(1) // a comment of the last line stays
  static_assert(__LINE__ == 21, "the wait above lost or gained lines");
#ifdef BROKEN
  int x = undeclared; // ERROR: line-numbers.cu:[[@LINE]]:11: error: use of undeclared identifier 'undeclared'
#endif
}
