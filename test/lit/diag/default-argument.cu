// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %gpurmacc_cpu -c %s -o %t.o -fdiagnostics-parseable-fixits 2>&1 | %filecheck %s

int steps();
int level = 1;
__global__ void kernel(int n = level) {
#pragma gpurma barrier
}
template <class T> __global__ void other(int first, T* p, int n = sizeof(T)) {
#pragma gpurma barrier
}
template <class T> void start(T* p) {
  // CHECK: :[[@LINE+1]]:3: error: the default argument of parameter 'n' cannot be written out at this launch; pass it [gpurma-0160]
  other<T><<<1, 32>>>(1, p);
}
void start() {
  // CHECK: :[[@LINE+1]]:3: error: the default argument of parameter 'n' cannot be written out at this launch; pass it [gpurma-0160]
  kernel<<<1, 32>>>();
}
