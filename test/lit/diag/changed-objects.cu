// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What member functions and lambdas change of their object and of what they capture: elements of arrays, through other members, lambdas,
// helpers, pointers and references, and under conditions of threads.
// RUN: %gpurmacc_cpu -c %s -o %t.o -DTAKEN
// RUN: not %gpurmacc_cpu -c %s -o %t.o 2>&1 | FileCheck %s
#include <gpurma/gpurma.h>

struct state;
__device__ void helper(state& s);
struct state {
  int a = 0, b[2] = {};
  __device__ void by_lambda() {
    auto f = [this] { a = threadIdx.x; };
    f();
  }
  __device__ void by_pointer() {
    int* p = &a;
    *p = threadIdx.x;
  }
  __device__ void by_element() { b[1] = threadIdx.x; }
  __device__ void by_other() { by_element(); }
  __device__ void by_helper() { helper(*this); }
  __device__ void by_this() {
    state* s = this;
    s->a = threadIdx.x;
  }
  __device__ void if_thread() {
    if (threadIdx.x == 0)
      a = 1;
  }
  __device__ int* element(int i) { return &b[i]; }
};
__device__ void helper(state& s) { s.a = threadIdx.x; }

#ifndef TAKEN
__global__ void methods() {
  state one, two, three, four, five, six, seven, eight;
  one.by_lambda();
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: warning: cannot show that the rank of 'notify' is the same for all threads of the block [gpurma-0106]
#pragma gpurma notify(one.a) tag(1)
  two.by_pointer();
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: warning: cannot show that the rank of 'notify'
#pragma gpurma notify(two.a) tag(1)
  three.by_element();
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: the rank of 'notify' must be the same for all threads of the block, but it differs between them [gpurma-0105]
#pragma gpurma notify(three.b[1]) tag(1)
  four.by_other();
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: the rank of 'notify' must be the same
#pragma gpurma notify(four.b[1]) tag(1)
  five.by_helper();
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: the rank of 'notify' must be the same
#pragma gpurma notify(five.a) tag(1)
  six.by_this();
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: warning: cannot show that the rank of 'notify'
#pragma gpurma notify(six.a) tag(1)
  seven.if_thread();
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: the rank of 'notify' must be the same
#pragma gpurma notify(seven.a) tag(1)
  *eight.element(1) = threadIdx.x;
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: the rank of 'notify' must be the same
#pragma gpurma notify(eight.b[1]) tag(1)
}
__global__ void lambdas() {
  int x = 0, y = 0, z[2] = {}, v[2] = {};
  auto inner = [&] { x = threadIdx.x; };
  auto outer = [&] { inner(); };
  outer();
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: the rank of 'notify' must be the same
#pragma gpurma notify(x) tag(1)
  auto returns = [&]() -> int& { return y; };
  returns() = threadIdx.x;
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: the rank of 'notify' must be the same
#pragma gpurma notify(y) tag(1)
  auto element = [&](int i) -> int& { return z[i]; };
  element(1) = threadIdx.x;
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: the rank of 'notify' must be the same
#pragma gpurma notify(z[1]) tag(1)
  if (threadIdx.x < 3) {
    auto sets = [&] { v[0] = 1; };
    sets();
  }
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: the rank of 'notify' must be the same
#pragma gpurma notify(v[0]) tag(1)
}
#endif
