// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %gpurmacc_cpu -c %s -o %t.o -fdiagnostics-parseable-fixits 2>&1 | %filecheck %s

__global__ void kernel(float* a) {
#pragma gpurma window(w = a[0:64])
  float row[16] = {};
#pragma gpurma put(row[0:16]) to(1) at(w[0])
  __shared__ float tile[16];
  float* first = &tile[0];
#pragma gpurma put(first[0:16]) to(1) at(w[16])
}

// CHECK: :[[@LINE-6]]:20: error: the section of 'put' lies in 'row', of which every thread has its own; it must lie in an allocation of the device [gpurma-0107]
// CHECK: :[[@LINE-8]]:9: note: 'row' is declared here
// CHECK: :[[@LINE-5]]:20: error: the section of 'put' lies in 'first', which is shared memory of the block; it must lie in an allocation of the device [gpurma-0107]

__constant__ float coefficients[16];
__global__ void constant(float* a) {
  // CHECK: :[[@LINE+1]]:27: error: the section of 'window' lies in 'coefficients', which kernels cannot write; it must lie in an allocation of the device [gpurma-0107]
#pragma gpurma window(v = coefficients[0:16])
#pragma gpurma window(w = a[0:64])
  // CHECK: :[[@LINE+1]]:20: error: the section of 'get' lies in '(coefficients + 4)', which kernels cannot write; it must lie in an allocation of the device [gpurma-0107]
#pragma gpurma get((coefficients + 4)[0:4]) from(1) at(w[0])
}
