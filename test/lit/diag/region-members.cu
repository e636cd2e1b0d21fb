// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Clauses that name members of structures.
// RUN: not %gpurmacc_cpu -c %s -o %t.o 2>&1 | %filecheck %s

struct view { float *data, *other; };
__global__ void of_view(view v, int n) { v.data[blockIdx.x] = n; }
void members(view v, int n) {
#pragma gpurma persistent distribute(v.data, v.data : rows(n))
  { of_view<<<n, 1>>>(v, n); }
#pragma gpurma persistent distribute(v.data : rows(n)) halo(v.other : 1)
  { of_view<<<n, 1>>>(v, n); }
#pragma gpurma persistent distribute(v.data : rows(n)) reduce(+ : v.other[1])
  { of_view<<<n, 1>>>(v, n); }
}

// CHECK: :8:46: error: 'v.data' is named twice [gpurma-0134]
// CHECK: :10:61: error: 'v.other' is not distributed by this region [gpurma-0134]
// CHECK: :12:67: error: 'v.other[1]' is not '*pointer' or 'pointer[0]' of a variable [gpurma-0134]
