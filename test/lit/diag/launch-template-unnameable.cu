// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %gpurmacc_cpu -c %s -o %t.o -fdiagnostics-parseable-fixits 2>&1 | %filecheck %s

template <class F> __global__ void kernel(F f) {
#pragma gpurma barrier
  f();
}
void start() {
  kernel<<<1, 32>>>([] __device__(auto...) {});
}

// CHECK: :[[@LINE-3]]:3: error: the launch of kernel template 'kernel' deduces a template argument whose type has no name; write the arguments out, or give the argument a variable [gpurma-0155]
