// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Templates and lambdas in which a region may not stand.
// RUN: not %gpurmacc_cpu -c %s -o %t.o 2>&1 | %filecheck %s

__global__ void k(float* a, int n) { a[blockIdx.x] = n; }

template <class T, class> void of_nameless(T* a, int n) {
#pragma gpurma persistent distribute(a : rows(n))
  { k<<<n, 1>>>(a, n); }
}
template <template <class> class T> void of_template(float* a, int n) {
#pragma gpurma persistent distribute(a : rows(n))
  { k<<<n, 1>>>(a, n); }
}
template <class T> struct known {};
template <class... T> void of_pack(float* a, int n, T...) {
#pragma gpurma persistent distribute(a : rows(n))
  { k<<<n, 1>>>(a, n); }
}
template <class T> void of_type(float* a, int n) {
#pragma gpurma persistent distribute(a : rows(n))
  { k<<<n, 1>>>(a, n); }
}
template <class T> void of_later(float* a, int n) {
#pragma gpurma persistent distribute(a : rows(n))
  { k<<<n, 1>>>(a, n); }
}
struct later_type {};
void instances(float* a, int n) {
  struct local {};
  of_nameless<float, int>(a, n);
  of_template<known>(a, n);
  of_pack(a, n, 1, 2);
  of_type<local>(a, n);
}
void more_instances(float* a, int n) { of_later<later_type>(a, n); }
void inside(float* a, int n) {
  auto generic = [](auto* b, int m) {
#pragma gpurma persistent distribute(b : rows(m))
    { k<<<m, 1>>>(b, m); }
  };
  generic(a, n);
}
template <class T> void lambda_in_template(T* a, int n) {
  auto run = [&] {
#pragma gpurma persistent distribute(a : rows(n))
    { k<<<n, 1>>>(a, n); }
  };
  run();
}
template void lambda_in_template(float*, int);

// CHECK: :8:16: error: 'persistent' stands in a function of the host; this is in a template, a parameter of which has no name, is a pack, or is neither a type nor an integer, or an argument no name before it [gpurma-0121]
// CHECK: :12:16: error: 'persistent' stands in a function of the host; this is in a template, a parameter of which has no name, is a pack, or is neither a type nor an integer, or an argument no name before it [gpurma-0121]
// CHECK: :17:16: error: 'persistent' stands in a function of the host; this is in a template, a parameter of which has no name, is a pack, or is neither a type nor an integer, or an argument no name before it [gpurma-0121]
// CHECK: :21:16: error: 'persistent' stands in a function of the host; this is in a template, a parameter of which has no name, is a pack, or is neither a type nor an integer, or an argument no name before it [gpurma-0121]
// CHECK: :25:16: error: 'persistent' stands in a function of the host; this is in a template, a parameter of which has no name, is a pack, or is neither a type nor an integer, or an argument no name before it [gpurma-0121]
// CHECK: :39:16: error: 'persistent' stands in a function of the host; this is in a generic lambda, or one that stands in a template or outside of functions [gpurma-0121]
// CHECK: :46:16: error: 'persistent' stands in a function of the host; this is in a generic lambda, or one that stands in a template or outside of functions [gpurma-0121]
