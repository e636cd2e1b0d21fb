// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pragmas whose name is nearly that of the directives, which would be ignored.
// RUN: %gpurmacc_cpu -c %s -o %t.o 2>&1 | %filecheck %s
// RUN: not %gpurmacc_cpu -Werror -c %s -o %t.o 2>&1 | FileCheck --check-prefix=ERROR %s
// ERROR: error: pragma 'gprma' is not known
__global__ void kernel(int* a) {
  // CHECK: :[[@LINE+1]]:9: warning: pragma 'gprma' is not known, and ignored; did you mean 'gpurma'? [gpurma-0244]
#pragma gprma barrier
  // CHECK: :[[@LINE+1]]:9: warning: pragma 'GPURMA' is not known
#pragma GPURMA barrier
  // CHECK: :[[@LINE+1]]:9: warning: pragma 'gpumra' is not known
#pragma gpumra barrier
#pragma unroll
  for (int i = 0; i < 2; ++i)
    a[i] = i;
#pragma omp barrier
#pragma gpu barrier
}
