// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A region flushes standard streams only, and in statements that do nothing else.
// RUN: not %gpurmacc_cpu -c %s -o %t.o 2>&1 | %filecheck %s
#include <cstdio>

__global__ void k(float* a, int n) { a[blockIdx.x] = n; }

void flushes(float* a, int n, FILE* file) {
  int failed = 0;
#pragma gpurma persistent distribute(a : rows(n))
  for (int i = 0; i < n; ++i) {
    k<<<n, 1>>>(a, n);
    fflush(stdout);
    fflush(file);
    failed += std::fflush(stdout);
  }
}
// CHECK: :[[@LINE-4]]:5: error: 'fflush' is a function of the host, and the persistent region runs on the device
// CHECK: :[[@LINE-4]]:15: error: 'fflush' is a function of the host, and the persistent region runs on the device
