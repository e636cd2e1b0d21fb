// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A directive in a section that the parse skips becomes an error for the backend, should that not skip it.
// RUN: %lower_cpu %s | FileCheck %s
// RUN: not %gpurmacc_cpu -DSHOWN -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: %gpurmacc_cpu -c %s -o %t.o

#ifdef SHOWN
#define SECTION !defined(GPURMA_PARSE)
#else
#define SECTION 0
#endif

#include "Inputs/guarded.h"
#include "Inputs/guarded.h"

__global__ void kernel(int* p) {
#if SECTION
// CHECK: {{^}}  #error "gpurma: directive in a section that gpurmacc's parse skipped"
// CHECK-EMPTY:
// CHECK-NEXT: {{^}}  static_assert(false, "gpurma: directive in a section that gpurmacc's parse skipped");
// ERROR: skipped.cu:[[@LINE+1]]:4: error: "gpurma: directive in a section that gpurmacc's parse skipped"
  #pragma gpurma \
      barrier
  _Pragma("gpurma barrier")
  // ERROR: skipped.cu:[[@LINE-1]]:{{[0-9]+}}: error: {{.*}}gpurma: directive in a section that gpurmacc's parse skipped
#else
  // #pragma gpurma barrier
  *p = 1;
  // CHECK: SYNCHRONIZE();
  SYNCHRONIZE();
#endif
}

__global__ void add(int* u, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    ++u[i];
}
// The text of a region goes as a whole, with what the parse has skipped.
void region(int* u, int n) {
// CHECK-NOT: #error
// CHECK: ::gpurma::stages::run(
#pragma gpurma persistent distribute(u : rows(n))
  for (int k = 0; k < 3; ++k) {
    add<<<2, 32>>>(u, n);
#if SECTION
#pragma gpurma host
    ++n;
#endif
  }
}
