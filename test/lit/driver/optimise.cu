// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// -O and -g reach the backend.
// REQUIRES: x86_64
// RUN: %gpurmacc_cpu -O2 -S %s -o - | FileCheck %s --check-prefix=FAST
// RUN: %gpurmacc_cpu -g -S %s -o - | FileCheck %s --check-prefix=DEBUG
// FAST: movl $42, %eax
// FAST-NEXT: retq
// DEBUG: .loc
// DEBUG: .debug_info
int answer() {
  int sum = 0;
  for (int i = 0; i < 7; ++i)
    sum += 6;
  return sum;
}
