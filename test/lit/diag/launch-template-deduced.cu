// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %gpurmacc_cpu -c %s -o %t.o -fdiagnostics-parseable-fixits 2>&1 | %filecheck %s

template <class T, class = void> __global__ void kernel(T* data) {
#pragma gpurma barrier
}
template <class T> void start(T* data) {
  kernel<<<1, 32>>>(data);
}
void both(float* a, double* b) {
  start(a);
  start(b);
}

// CHECK: :[[@LINE-7]]:3: error: the launch of kernel template 'kernel' deduces template arguments that depend on the enclosing template; write them out, 'kernel<...><<<...>>>(...)' [gpurma-0154]
