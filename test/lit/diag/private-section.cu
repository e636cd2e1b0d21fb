// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %gpurmacc_cpu -c %s -o %t.o -fdiagnostics-parseable-fixits 2>&1 | %filecheck %s

__global__ void kernel(float* a) {
#pragma gpurma window(w = a[0:64])
  float row[16] = {};
#pragma gpurma put(row[0:16]) to(1) at(w[0])
}

// CHECK: :[[@LINE-3]]:20: error: the section of 'put' lies in 'row', of which every thread has its own; use __shared__ or global memory [gpurma-0107]
// CHECK: :[[@LINE-5]]:9: note: 'row' is declared here
