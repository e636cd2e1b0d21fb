// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is written through lambdas, pointers and references reaches the variable.
// RUN: not %gpurmacc_cpu -c %s -o %t.o 2>&1 | %filecheck %s
#include <gpurma/gpurma.h>

struct Pair {
  int x, y;
};
template <class F> struct Keeper {
  F f;
  __device__ void go() { f(); }
};
template <class F> __device__ Keeper<F> keep(F f) { return {f}; }
template <class F> __device__ void apply(F f) { f(); }
template <class F> __device__ void twice(F&& f) {
  apply(f);
  apply(f);
}
template <class F> __device__ void repeat(F f, int n) {
  if (n > 0)
    repeat(f, n - 1);
  else
    f();
}
__device__ void inner(int* p) { *p = threadIdx.x; }
__device__ void outer(int* p) { inner(p); }
__device__ void step(int* p) { *p++ = threadIdx.x; }
__device__ void shifted(int* p) { *(p + 1) = threadIdx.x; }
__device__ void renamed(int* p) {
  int* q;
  q = p;
  *q = threadIdx.x;
}
__device__ void refers(int* p) {
  int& q = p[0];
  q = threadIdx.x;
}

__global__ void passed_lambda(int parameter) {
  int r = 0;
  apply([&] { r = threadIdx.x; });
  // CHECK: :[[@LINE+1]]:23: error: the rank of 'notify' must be the same for all threads of the block, but it differs between them [gpurma-0105]
#pragma gpurma notify(r) tag(1)
}

__global__ void passed_on_lambda(int parameter) {
  int r = 0;
  twice([&] { r = threadIdx.x; });
  // CHECK: :[[@LINE+1]]:23: error: the rank of 'notify' must be the same for all threads of the block, but it differs between them [gpurma-0105]
#pragma gpurma notify(r) tag(1)
}

__global__ void captured_lambda(int parameter) {
  int r = 0;
  auto f = [&] { r = threadIdx.x; };
  apply([&] { f(); });
  // CHECK: :[[@LINE+1]]:23: error: the rank of 'notify' must be the same for all threads of the block, but it differs between them [gpurma-0105]
#pragma gpurma notify(r) tag(1)
}

__global__ void kept_lambda(int parameter) {
  int r = 0;
  auto kept = keep([&] { r = threadIdx.x; });
  kept.go();
  // CHECK: :[[@LINE+1]]:23: error: the rank of 'notify' must be the same for all threads of the block, but it differs between them [gpurma-0105]
#pragma gpurma notify(r) tag(1)
}

__global__ void recursive_call(int parameter) {
  int r = 0;
  repeat([&](auto...) { r = threadIdx.x; }, 3);
  // CHECK: :[[@LINE+1]]:23: error: the rank of 'notify' must be the same for all threads of the block, but it differs between them [gpurma-0105]
#pragma gpurma notify(r) tag(1)
}

__global__ void captured_parameter(int parameter) {
  int r = 0;
  apply([&] { parameter = threadIdx.x; });
  // CHECK: :[[@LINE+1]]:23: error: the rank of 'notify' must be the same for all threads of the block, but it differs between them [gpurma-0105]
#pragma gpurma notify(parameter) tag(1)
}

__global__ void nested_pointer(int parameter) {
  int r = 0;
  outer(&r);
  // CHECK: :[[@LINE+1]]:23: error: the rank of 'notify' must be the same for all threads of the block, but it differs between them [gpurma-0105]
#pragma gpurma notify(r) tag(1)
}

__global__ void moved_pointer(int parameter) {
  int r = 0;
  step(&r);
  // CHECK: :[[@LINE+1]]:23: error: the rank of 'notify' must be the same for all threads of the block, but it differs between them [gpurma-0105]
#pragma gpurma notify(r) tag(1)
}

__global__ void offset_pointer(int parameter) {
  int r = 0;
  shifted(&r);
  // CHECK: :[[@LINE+1]]:23: error: the rank of 'notify' must be the same for all threads of the block, but it differs between them [gpurma-0105]
#pragma gpurma notify(r) tag(1)
}

__global__ void copied_pointer(int parameter) {
  int r = 0;
  renamed(&r);
  // CHECK: :[[@LINE+1]]:23: error: the rank of 'notify' must be the same for all threads of the block, but it differs between them [gpurma-0105]
#pragma gpurma notify(r) tag(1)
}

__global__ void reference_to_pointee(int parameter) {
  int r = 0;
  refers(&r);
  // CHECK: :[[@LINE+1]]:23: error: the rank of 'notify' must be the same for all threads of the block, but it differs between them [gpurma-0105]
#pragma gpurma notify(r) tag(1)
}

__global__ void element_reference(int parameter) {
  int r = 0;
  int a[2] = {};
  for (int& x : a)
    x = threadIdx.x;
  // CHECK: :[[@LINE+1]]:23: error: the rank of 'notify' must be the same for all threads of the block, but it differs between them [gpurma-0105]
#pragma gpurma notify(a[0]) tag(1)
}

__global__ void array_pointer(int parameter) {
  int r = 0;
  int a[2] = {};
  int* p = a;
  p[0] = threadIdx.x;
  // CHECK: :[[@LINE+1]]:23: warning: cannot show that the rank of 'notify' is the same for all threads of the block [gpurma-0106]
#pragma gpurma notify(a[0]) tag(1)
}

__global__ void element_pointer(int parameter) {
  int r = 0;
  int a[2] = {};
  int* p = &a[0];
  *p = threadIdx.x;
  // CHECK: :[[@LINE+1]]:23: warning: cannot show that the rank of 'notify' is the same for all threads of the block [gpurma-0106]
#pragma gpurma notify(a[0]) tag(1)
}

__global__ void member_pointer(int parameter) {
  int r = 0;
  Pair s = {};
  int* p = &s.x;
  *p = threadIdx.x;
  // CHECK: :[[@LINE+1]]:23: warning: cannot show that the rank of 'notify' is the same for all threads of the block [gpurma-0106]
#pragma gpurma notify(s.x) tag(1)
}

__global__ void uniform_writes(int parameter) {
  int r = 0, own = threadIdx.x;
  Pair s = {};
  int a[3] = {1, 2, 3};
  apply([&] {
    r += parameter;
    own = 2 * own;
  });
  for (int x : a)
    r += x;
  for (int& x : a)
    x += r;
  outer(&s.y);
  apply([&] { s.x = r; });
#pragma gpurma notify(r) tag(1)
#pragma gpurma notify(a[0]) tag(1)
#pragma gpurma notify(s.x) tag(1)
}
