// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// gpurma::uniform silences a warning, -w silences all, -Werror makes errors of them.
// RUN: %gpurmacc_cpu -c %s -o %t.o -DSILENCED 2>&1 | %filecheck --allow-empty --check-prefix=NONE %s
// RUN: %gpurmacc_cpu -c %s -o %t.o -w 2>&1 | %filecheck --allow-empty --check-prefix=NONE %s
// RUN: not %gpurmacc_cpu -c %s -o %t.o -Werror 2>&1 | FileCheck --check-prefix=ERROR %s
#include <gpurma/gpurma.h>

#ifdef SILENCED
using gpurma::uniform;
#else
template <class T> __device__ T uniform(T value) { return value; }
#endif

__global__ void kernel(const int* partners) {
  // ERROR: :[[@LINE+2]]:16: error: cannot show {{.*}} [gpurma-0104]
  while (uniform(partners[1] > 0)) {
#pragma gpurma wait tag(1)
  }
  // ERROR: :[[@LINE+1]]:23: error: cannot show {{.*}} [gpurma-0106]
#pragma gpurma notify(uniform(partners[0])) tag(1)
}
// NONE-NOT: {{(error|warning)}}:
