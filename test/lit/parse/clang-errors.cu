// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors of the user's own code look like Clang's, and its warnings come once, from the backend.
// RUN: not %gpurmacc_cpu -Wall -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %gpurmacc_cpu -Wall -DGOOD -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=WARNING

__global__ void kernel(int *p) {
#ifdef GOOD
  // WARNING: clang-errors.cu:[[@LINE+3]]:7: warning: unused variable 'unused'
  // WARNING-NOT: unused variable 'unused'
  // WARNING: 1 warning generated
  int unused = 1;
#else
  // CHECK: clang-errors.cu:[[@LINE+3]]:7: error: use of undeclared identifier 'q'
  // CHECK-NEXT: {{ +[0-9]+ \|   p = q;}}
  // CHECK-NEXT: {{ +\|       \^}}
  p = q;
  // CHECK: 1 error generated.
#endif
#pragma gpurma barrier
}
