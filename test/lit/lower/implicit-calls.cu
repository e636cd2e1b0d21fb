// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that come to directives only by calls that are not written: of constructors, their initialisers, destructors, conversions.
// RUN: %gpurmacc_cpu -w -c %s -o %t.o
// RUN: %lower_cpu -w %s | FileCheck %s
// RUN: %if nvcc %{ %check_cuda -w -c %s -o %t.o %}
#include <gpurma/gpurma.h>

__device__ int meet() {
#pragma gpurma barrier
  return 1;
}
struct guard {
  int n = 0;
  __device__ ~guard() {
#pragma gpurma barrier
  }
};
struct base : guard {};
struct virtually_derived : virtual guard {};
struct copied {
  int n = 0;
  copied() = default;
  __device__ copied(const copied& other) : n(other.n) {
#pragma gpurma barrier
  }
};
struct with_copied {
  copied c;
};
struct listed {
  int a = 1, v = meet();
};
struct default_member {
  int v = meet();
  __device__ default_member() {}
};
struct implicit_default_member {
  int v = meet();
};
struct made {
  __device__ made(int = meet()) {}
};
struct aggregate {
  made m;
};
struct initialising {
  int v;
  __device__ explicit initialising(int v) : v(v + meet()) {}
};
struct inheriting : initialising {
  using initialising::initialising;
};
struct convertible {
  __device__ operator int() const { return meet(); }
};
template <class T> struct holder {
  T t;
};
struct plain {
  int v = 1;
  __device__ ~plain() {}
};
__device__ void by_value(base) {}
__device__ base give() { return {}; }
__device__ int take(int x) { return x; }

__global__ void k0(int n) { guard array[3]; }
// CHECK: {{^}}__global__ void k0(int n) { ::gpurma::rank_scope
__global__ void k1(int n) { base derived; }
// CHECK: {{^}}__global__ void k1(int n) { ::gpurma::rank_scope
__global__ void k2(int n) { with_copied first; with_copied second = first; }
// CHECK: {{^}}__global__ void k2(int n) { ::gpurma::rank_scope
__global__ void k3(int n) { listed list{1}; }
// CHECK: {{^}}__global__ void k3(int n) { ::gpurma::rank_scope
__global__ void k4(int n) { listed lists[4] = {{1, 2}}; }
// CHECK: {{^}}__global__ void k4(int n) { ::gpurma::rank_scope
__global__ void k5(int n) { default_member in_constructor; }
// CHECK: {{^}}__global__ void k5(int n) { ::gpurma::rank_scope
__global__ void k6(int n) { implicit_default_member implicit; }
// CHECK: {{^}}__global__ void k6(int n) { ::gpurma::rank_scope
__global__ void k7(int n) { aggregate braces{}; }
// CHECK: {{^}}__global__ void k7(int n) { ::gpurma::rank_scope
__global__ void k8(int n) { inheriting inherited(3); }
// CHECK: {{^}}__global__ void k8(int n) { ::gpurma::rank_scope
__global__ void k9(int n) { virtually_derived diamond; }
// CHECK: {{^}}__global__ void k9(int n) { ::gpurma::rank_scope
__global__ void k10(int n) { holder<holder<guard>> nested; }
// CHECK: {{^}}__global__ void k10(int n) { ::gpurma::rank_scope
__global__ void k11(int n) { made with_default_argument; }
// CHECK: {{^}}__global__ void k11(int n) { ::gpurma::rank_scope
__global__ void k12(int n) { by_value({}); }
// CHECK: {{^}}__global__ void k12(int n) { ::gpurma::rank_scope
__global__ void k13(int n) { give(); }
// CHECK: {{^}}__global__ void k13(int n) { ::gpurma::rank_scope
__global__ void k14(int n) { const base& kept = give(); }
// CHECK: {{^}}__global__ void k14(int n) { ::gpurma::rank_scope
__global__ void k15(int n) { int value = n ? give().n : 0; }
// CHECK: {{^}}__global__ void k15(int n) { ::gpurma::rank_scope
__global__ void k16(int n) { take(convertible()); }
// CHECK: {{^}}__global__ void k16(int n) { ::gpurma::rank_scope
__global__ void k17(int n) { base* made = new base; delete made; }
// CHECK: {{^}}__global__ void k17(int n) { ::gpurma::rank_scope
__global__ void k18(int n) { base* several = new base[2]; delete[] several; }
// CHECK: {{^}}__global__ void k18(int n) { ::gpurma::rank_scope
__global__ void k19(int n) { with_copied captured; auto f = [captured] { return captured.c.n; }; f(); }
// CHECK: {{^}}__global__ void k19(int n) { ::gpurma::rank_scope
__global__ void k20(int n) { [temporary = base()] {}(); }
// CHECK: {{^}}__global__ void k20(int n) { ::gpurma::rank_scope
__global__ void ordinary() { plain p[2]; holder<plain> q; (void)p, (void)q; }
// CHECK: {{^}}__global__ void ordinary() { plain
