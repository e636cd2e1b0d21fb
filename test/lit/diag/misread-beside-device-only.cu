// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A directive that cannot be read, in a file with sections that are skipped, is not one for devices only.
// RUN: not %gpurmacc_cpu -c %s -o %t.o 2>&1 | %filecheck %s

__global__ void kernel(int* data) {
#ifdef VERBOSE
  data[1] = 1;
#endif
#pragma gpurma notify to(0) tag(9)
  data[0] = 1;
}

// CHECK: :[[@LINE-4]]:22: error: expected '(' after 'notify' [gpurma-0011]
// CHECK-NOT: error:
// CHECK: 1 error generated.
