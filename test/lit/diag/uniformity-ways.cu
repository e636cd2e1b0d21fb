// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ways by which values that differ between threads come to variables: through constructors that a class inherits, references that objects and
// lambdas keep, structured bindings, unions, addresses and casts. Where they are not followed, the variable is not known any more.
// RUN: not %gpurmacc_cpu -std=c++17 -Wall -Wextra -fsyntax-only %s 2>&1 | %filecheck %s
#include <gpurma/gpurma.h>

struct pair {
  int a, b;
};
struct by_reference {
  int &r;
  __device__ void set() { r = threadIdx.x; }
};
struct made_by_reference {
  int &r;
  __device__ explicit made_by_reference(int &r) : r(r) {}
  __device__ void set() { r = threadIdx.x; }
};
struct base {
  int id;
  __device__ explicit base(int i) : id(i) {}
};
struct derived : base {
  using base::base;
};
struct elements {
  int *p;
  int n;
  __device__ int &operator[](int i) const { return p[i]; }
  __device__ int *begin() const { return p; }
  __device__ int *end() const { return p + n; }
};
union bits {
  float f;
  int i;
};
__device__ bool is_zero(const unsigned *p) { return *p == 0; }

__global__ void inherited_constructor() {
  derived d(threadIdx.x);
  // CHECK: [[@LINE+2]]:{{[0-9]+}}: error: all threads of the block must reach directive 'notify' together
  if (d.id == 0) {
#pragma gpurma notify(0) tag(1)
  }
}
__global__ void reference_in_braces() {
  int y = 0;
  by_reference f{y};
  f.set();
  // CHECK: [[@LINE+1]]:{{[0-9]+}}: warning: cannot show that the tag of 'notify' is the same for all threads
#pragma gpurma notify(0) tag(y)
}
__global__ void reference_by_constructor() {
  int y = 0;
  made_by_reference f(y);
  f.set();
  // CHECK: [[@LINE+1]]:{{[0-9]+}}: warning: cannot show that the tag of 'notify' is the same for all threads
#pragma gpurma notify(0) tag(y)
}
__global__ void structured_binding() {
  pair p{0, 0};
  auto &[a, b] = p;
  a = threadIdx.x;
  // CHECK: [[@LINE+1]]:{{[0-9]+}}: error: the rank of 'notify' must be the same for all threads
#pragma gpurma notify(p.a) tag(p.b)
}
__global__ void init_capture() {
  int y = 0;
  auto f = [&r = y] { r = threadIdx.x; };
  f();
  // CHECK: [[@LINE+1]]:{{[0-9]+}}: warning: cannot show that the tag of 'notify' is the same for all threads
#pragma gpurma notify(0) tag(y)
}
__global__ void elements_by_operator() {
  int a[3] = {};
  elements s{a, 3};
  s[1] = threadIdx.x;
  // CHECK: [[@LINE+1]]:{{[0-9]+}}: warning: cannot show that the tag of 'notify' is the same for all threads
#pragma gpurma notify(0) tag(a[1])
}
__global__ void elements_in_a_loop() {
  int a[3] = {};
  for (int &v : elements{a, 3})
    v = threadIdx.x;
  // CHECK: [[@LINE+1]]:{{[0-9]+}}: warning: cannot show that the tag of 'notify' is the same for all threads
#pragma gpurma notify(0) tag(a[1])
}
__global__ void member_of_union() {
  bits u;
  u.f = threadIdx.x;
  // CHECK: [[@LINE+1]]:{{[0-9]+}}: error: the tag of 'notify' must be the same for all threads
#pragma gpurma notify(0) tag(u.i)
}
__global__ void address_of_member() {
  // CHECK: [[@LINE+2]]:{{[0-9]+}}: error: all threads of the block must reach directive 'notify' together
  if (is_zero(&threadIdx.x)) {
#pragma gpurma notify(0) tag(1)
  }
}
__global__ void address_of_index() {
  const auto *t = &threadIdx;
  // CHECK: [[@LINE+2]]:{{[0-9]+}}: error: all threads of the block must reach directive 'notify' together
  if (t->x == 0) {
#pragma gpurma notify(0) tag(1)
  }
}
__global__ void next_member() {
  int2 v{0, 0};
  (&v.x)[1] = threadIdx.x;
  // CHECK: [[@LINE+1]]:{{[0-9]+}}: warning: cannot show that the tag of 'notify' is the same for all threads
#pragma gpurma notify(0) tag(v.y)
}
__global__ void cast_to_reference() {
  int y = 0;
  reinterpret_cast<int &>(y) = threadIdx.x;
  // CHECK: [[@LINE+1]]:{{[0-9]+}}: error: the tag of 'notify' must be the same for all threads
#pragma gpurma notify(0) tag(y)
}

// Windows are made by the whole block, and nothing changes them.
__global__ void pointers_to_windows(float *a, float *b, int step) {
#pragma gpurma window(w = a[0 : 4])
#pragma gpurma window(v = b[0 : 4])
  gpurma::window<float> *both[2] = {&w, &v};
  float *p = w.data();
#pragma gpurma put(p[0 : 1]) to(0) at((*both[step % 2])[0]) notify(1)
#pragma gpurma put((*both[step % 2]).data()[0 : 1]) to(0) at(v[0]) notify(1)
}
