// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a rank kernel needs must not get into an ordinary kernel whose body the same macro opens.
// RUN: not %gpurmacc_cpu -c %s -o %t.o 2>&1 | %filecheck %s

__device__ void exchange() {
#pragma gpurma barrier
}
#define KERNEL(name, ...) __global__ void name(int *p) { __VA_ARGS__; }
// CHECK: :[[@LINE+1]]:8: error: the body of this rank kernel is spelled partly in a macro and partly outside of it; write it out whole in either [gpurma-0152]
KERNEL(ranked, exchange())
KERNEL(plain, *p = 1)
