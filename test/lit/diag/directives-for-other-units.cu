// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// With relocatable device code, kernels of other translation units might come to directives without being rank kernels.
// RUN: not %gpurmacc_cpu -rdc=true -c %s -o %t.o 2>&1 | %filecheck %s
// RUN: %gpurmacc_cpu -c %s -o %t.o
#include <gpurma/gpurma.h>

inline __device__ void meet() {
#pragma gpurma barrier
}
__device__ void for_others() { meet(); }
// CHECK: :[[@LINE-1]]:17: error: function 'for_others' comes to directives, and no kernel of this translation unit calls it; with relocatable device code, kernels of others may, which gpurmacc does not know to be rank kernels then: define it in a header that they include [gpurma-0165]
static __device__ void for_none() { meet(); }
__device__ void for_own() { meet(); }
template <int N> __device__ void for_instances() { meet(); }
__device__ int without_directives() { return 1; }
__global__ void kernel() { for_own(); }
void launches() { kernel<<<1, 32>>>(); }
// CHECK-NOT: error:
// CHECK: 1 error generated.
