// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the grammar takes: spaces, commas between clauses, continued lines, expressions with brackets and colons of their own,
// names of clauses as variables.
// RUN: %lower_cpu -w %s | %filecheck %s

namespace ns { constexpr int one = 1; struct S { int m[4]; float *p; }; }
template <int A, int B> __device__ int product() { return A * B; }

__global__ void kernel(float *put, int *tag, ns::S *s, bool to) {
#	pragma   gpurma   window ( w = put [ to ? 1 : 2 : product<2, 3>() ] )
  // CHECK: ::gpurma::window w(put + (to ? 1 : 2), product<2, 3>(), ::gpurma::comm::world,
#pragma gpurma put(s->p[ns::one : ::ns::one]), to(s[0].m[1]), at(w[tag[0]])
  // CHECK: ::gpurma::put((s->p) + (ns::one), ::ns::one, s[0].m[1], w, tag[0],
#pragma gpurma put((to ? put : s->p)[0:sizeof(float)]) to(0) at(w[0])
  // CHECK: ::gpurma::put((to ? put : s->p) + (0), sizeof(float), 0, w, 0,
#pragma gpurma put(put[[=](int i) { int a[] = {1, 2}; return a[i]; }(1):1]) to(0) at(w[0]) if((to, true))
  // CHECK: if ((to, true)) ::gpurma::put(put + ([=](int i) { int a[] = {1, 2}; return a[i]; }(1)), 1, 0, w, 0,
#pragma gpurma \
  wait \
  tag(  *tag /* the tag */ + 1 )
  // CHECK: ::gpurma::wait<::gpurma::matching::queue>(*tag + 1,
  switch (*tag) {
  case 1:
#pragma gpurma flush on(w)
  default:
#pragma gpurma barrier comm(world)
  }
}
