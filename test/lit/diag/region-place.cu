// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a region may stand, and which names its clauses take.
// RUN: not %gpurmacc_cpu -c %s -o %t.o 2>&1 | %filecheck %s

__global__ void later(float* a, int n); __global__ void elsewhere(float* a);
__global__ void k(float* a, int n) { a[blockIdx.x] = n; }

__global__ void on_device(float* a, int n) {
#pragma gpurma persistent distribute(a : rows(n))
  for (int i = 0; i < n; ++i) {}
}
void in_local_class() {
  struct solver { void run(float* a, int n) {
#pragma gpurma persistent distribute(a : rows(n))
    { k<<<n, 1>>>(a, n); }
  } };
}
auto lambda = [](float* a, int n) {
#pragma gpurma persistent distribute(a : rows(n))
  for (int i = 0; i < n; ++i)
    k<<<n, 1>>>(a, n);
};
void nested(float* a, int n) {
#pragma gpurma persistent distribute(a : rows(n))
  for (int i = 0; i < n; ++i) {
#pragma gpurma persistent distribute(a : rows(n))
    for (int j = 0; j < n; ++j)
      k<<<n, 1>>>(a, n);
  }
}
void kinds(float* a, int n) {
#pragma gpurma persistent distribute(a : rows(n))
  k<<<n, 1>>>(a, n);
#pragma gpurma persistent distribute(a : rows(n))
  for (int i = 0; i < n; ++i) {}
}
void names(float* a, float* b, float* s, int n) {
#pragma gpurma persistent distribute(a : rows(n)) halo(b : 1)
  { k<<<n, 1>>>(a, n); }
#pragma gpurma persistent distribute(a : rows(n)) map(other : rows = x)
  { k<<<n, 1>>>(a, n); }
#pragma gpurma persistent distribute(a, a : rows(n))
  { k<<<n, 1>>>(a, n); }
#pragma gpurma persistent distribute(a : rows(n)) reduce(+ : s[1])
  { k<<<n, 1>>>(a, n); }
#pragma gpurma persistent distribute(a : rows(n)) reduce(+ : *s) reduce(max : *s)
  { k<<<n, 1>>>(a, n); }
#pragma gpurma persistent distribute(a : rows(n))
  { later<<<n, 1>>>(a, n); }
#pragma gpurma persistent distribute(a : rows(n))
  { elsewhere<<<n, 1>>>(a); }
}
void launch(void (*kernel)(float*, int), float* a, int n) { kernel<<<n, 1>>>(a, n); }
struct chosen { void (*kernel)(float*, int); };
void kernels(float* a, int n, chosen of) {
#pragma gpurma persistent distribute(a : rows(n))
  { launch(n > 3 ? k : later, a, n); }
#pragma gpurma persistent distribute(a : rows(n))
  { of.kernel<<<n, 1>>>(a, n); }
}
__global__ void later(float* a, int n = 1) { a[blockIdx.x] = n; }

// CHECK: :9:16: error: 'persistent' stands in a function of the host; this is in device code [gpurma-0121]
// CHECK: :14:16: error: 'persistent' stands in a function of the host; this is in a class of a function [gpurma-0121]
// CHECK: :19:16: error: 'persistent' stands in a function of the host; this is in a generic lambda, or one that stands in a template or outside of functions [gpurma-0121]
// CHECK: :26:16: error: 'persistent' stands in a function of the host; this is in another region [gpurma-0121]
// CHECK: :33:3: error: 'persistent' stands before a loop or a block, '{ ... }' [gpurma-0122]
// CHECK: :34:16: error: no kernel is launched in this region [gpurma-0123]
// CHECK: :38:56: error: 'b' is not distributed by this region [gpurma-0134]
// CHECK: :40:51: error: no launch of this region launches 'other' [gpurma-0134]
// CHECK: :42:41: error: 'a' is named twice [gpurma-0134]
// CHECK: :44:62: error: 's[1]' does not follow on the element before it: name those of an array by one operation, '+', 'max' or 'min', one behind the other, from 0 on [gpurma-0134]
// CHECK: :46:79: error: 's' is named twice [gpurma-0134]
// CHECK: :49:5: error: the body of kernel 'later' is not visible here; a kernel that a persistent region launches is defined in the same translation unit, before the region, or without default arguments of its own behind it [gpurma-0130]
// CHECK: :51:5: error: the body of kernel 'elsewhere' is not visible here; a kernel that a persistent region launches is defined in the same translation unit, before the region, or without default arguments of its own behind it [gpurma-0130]
// CHECK: :53:61: error: which kernel 'kernel' is only the running program knows; launch kernels by their names, where one is chosen in the branches of an 'if' [gpurma-0130]
// CHECK: :57:5: note: in the call of 'launch' here
// CHECK: :59:5: error: which kernel 'of.kernel' is only the running program knows
