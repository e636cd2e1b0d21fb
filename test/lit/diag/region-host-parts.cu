// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where 'host' does not stand in a region, and what does not keep its value while the host runs.
// RUN: not %gpurmacc_cpu -DPLACES -c %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK-PLACE %s
// RUN: not %gpurmacc_cpu -DELSEWHERE -c %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK-ELSE %s
// RUN: not %gpurmacc_cpu -DKEPT -c %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK-KEPT %s
// RUN: not %gpurmacc_cpu -DLEAVES -c %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK-LEAVES %s
// RUN: not %gpurmacc_cpu -DCLAUSES -c %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK-CLAUSE %s
// RUN: not %gpurmacc_cpu -DGRAMMAR -c %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK-GRAMMAR %s
// RUN: not %gpurmacc_cpu -DIN_MACRO -c %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK-MACRO %s
// RUN: not %gpurmacc_cpu -DSUGGESTED -c %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK-SUGGESTED %s

__global__ void k(float* a, int n) { a[blockIdx.x] = n; }
void on_host();

#if defined(PLACES)
void places(float* a, int n) {
#pragma gpurma persistent distribute(a : rows(n))
  for (int i = 0; i < n; ++i) {
    k<<<n, 1>>>(a, n);
    switch (i) {
    case 1:
#pragma gpurma host
      on_host();
    }
    if (int j = i)
#pragma gpurma host
      on_host();
#pragma gpurma host
    int declared = i;
  }
}
// CHECK-PLACE: :[[@LINE-12]]:5: error: 'host' in a persistent region stands in blocks, loops and branches of 'if' only, without declarations in their conditions, and not in this statement [gpurma-0148]
// CHECK-PLACE: :[[@LINE-8]]:5: error: 'host' in a persistent region stands in blocks, loops and branches of 'if' only
// CHECK-PLACE: :[[@LINE-5]]:5: error: 'host' stands before a statement; declare the variable before it [gpurma-0148]

#elif defined(ELSEWHERE)
void outside(float* a, int n) {
#pragma gpurma host
  k<<<n, 1>>>(a, n);
}
void called(float* a, int n) {
  k<<<n, 1>>>(a, n);
#pragma gpurma host
  on_host();
}
void nested(float* a, int n) {
#pragma gpurma persistent distribute(a : rows(n))
  for (int i = 0; i < n; ++i) {
    called(a, n);
#pragma gpurma host
    {
#pragma gpurma host
      on_host();
      [&] {
#pragma gpurma host
        k<<<n, 1>>>(a, n);
      }();
    }
  }
}
// CHECK-ELSE: :[[@LINE-23]]:16: error: 'host' stands before a statement of a persistent region, and not in a function or lambda that it calls nor in another 'host' [gpurma-0148]
// CHECK-ELSE: :[[@LINE-19]]:16: error: 'host' stands before
// CHECK-ELSE: :[[@LINE-11]]:16: error: 'host' stands before
// CHECK-ELSE: :[[@LINE-9]]:16: error: 'host' stands before

#elif defined(KEPT)
struct plain { int v; };
struct owner { __host__ __device__ owner() {} __host__ __device__ owner(const owner&) {} int v; };
void kept(float* a, int n) {
  enum nameless { value };
#pragma gpurma persistent distribute(a : rows(n))
  for (int i = 0; i < n; ++i) {
    int &reference = i;
    float array[2] = {1, 2};
    constexpr int constant = 3;
    plain is_kept{4};
    nameless unnamed = value;
    owner owned;
    int used_before = i;
    k<<<n, 1>>>(a, used_before);
#pragma gpurma host
    i += reference + array[0] + constant + is_kept.v + owned.v + unnamed;
    k<<<n, 1>>>(a, 1);
  }
}
// CHECK-KEPT: :[[@LINE-13]]:10: error: 'reference' does not keep its value while the host runs this statement: it is a reference; declare it before the region, or in a block of its own [gpurma-0149]
// CHECK-KEPT: :[[@LINE-13]]:11: error: 'array' does not keep its value while the host runs this statement: it is an array; declare it before the region, or in a block of its own [gpurma-0149]
// CHECK-KEPT: :[[@LINE-13]]:19: error: 'constant' does not keep its value while the host runs this statement: it is 'constexpr' or 'static'; declare it before the region, or in a block of its own [gpurma-0149]
// CHECK-KEPT: :[[@LINE-12]]:14: error: 'unnamed' does not keep its value while the host runs this statement: its type has no name at namespace scope; declare it
// CHECK-KEPT: :[[@LINE-12]]:11: error: 'owned' does not keep its value while the host runs this statement: its type cannot be copied byte by byte; declare it

#elif defined(LEAVES)
void leaves(float* a, int n) {
  while (n-- > 0) {
#pragma gpurma persistent distribute(a : rows(n))
    {
      k<<<n, 1>>>(a, n);
#pragma gpurma host
      if (n == 3)
        break;
      k<<<n, 1>>>(a, n);
    }
  }
}
// CHECK-LEAVES: :[[@LINE-5]]:9: error: 'break' would leave the persistent region; set a variable that ends its loop instead [gpurma-0126]

#elif defined(CLAUSES)
void clauses(float* a, int n) {
#pragma gpurma persistent distribute(a : rows(n))
  for (int i = 0; i < n; ++i) {
    k<<<n, 1>>>(a, n);
#pragma gpurma host if(i == 2)
    on_host();
  }
}
// CHECK-CLAUSE: :[[@LINE-4]]:21: error: 'host' takes no clause 'if'; it takes none [gpurma-0008]

#elif defined(GRAMMAR)
#pragma gpurma host
// CHECK-GRAMMAR: :[[@LINE-1]]:16: error: directive 'host' must stand between statements inside a function

#elif defined(IN_MACRO)
#define ITERATE for (int i = 0; i < n; ++i) { k<<<n, 1>>>(a, n); _Pragma("gpurma host") on_host(); }
void in_macro(float* a, int n) {
#pragma gpurma persistent distribute(a : rows(n))
  ITERATE
}
// CHECK-MACRO: :[[@LINE-2]]:3: error: this statement of the host is spelled partly in a macro and partly outside of it; write it out whole in either [gpurma-0152]

#else
void suggested(float* a, int n) {
#pragma gpurma persistent distribute(a : rows(n))
  for (int i = 0; i < n; ++i) {
    k<<<n, 1>>>(a, n);
    on_host();
  }
}
// CHECK-SUGGESTED: :[[@LINE-3]]:5: error: 'on_host' is a function of the host
// CHECK-SUGGESTED: :[[@LINE-4]]:5: note: the host runs a statement behind '#pragma gpurma host': the region's kernel ends there, and another one goes on behind it
#endif
