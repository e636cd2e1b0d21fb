// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors in a clause are Clang's own, at the very column inside the pragma.
// RUN: not %gpurmacc_cpu -c %s -o %t.o 2>&1 | %filecheck %s

struct Box { float *data; };
template <class T> __device__ void in_template(T *p, gpurma::window<T> &w) {
  // CHECK: columns.cu:[[@LINE+1]]:43: error: use of undeclared identifier 'missing'
#pragma gpurma put(p[0:1]) to(0) at(w[0 + missing])
}
__global__ void kernel(Box box, int rank) {
#pragma gpurma window(w = box.data[0:4])
  // CHECK: columns.cu:[[@LINE+1]]:24: error: no member named 'dta' in 'Box'{{(; did you mean 'data'\?)?}}
#pragma gpurma put(box.dta[0:1]) to(rank) at(w[0])
  // CHECK: columns.cu:[[@LINE+1]]:34: error: expected expression
#pragma gpurma notify(rank + (1 *)) tag(1)
  // CHECK: columns.cu:[[@LINE+1]]:31: error: expected expression
#pragma gpurma wait tag(rank +) count(1)
  // CHECK: columns.cu:[[@LINE+1]]:29: error: invalid operands to binary expression ('Box' and 'int')
#pragma gpurma wait tag(box + 1)
}
// CHECK: errors generated.
