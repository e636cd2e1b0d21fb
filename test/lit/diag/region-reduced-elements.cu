// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays of reduced scalars: clauses that name their elements, and what kernels do with these.
// RUN: not %gpurmacc_cpu -ferror-limit=0 -fsyntax-only %s 2>&1 | %filecheck %s --implicit-check-not=error: --implicit-check-not=note:
#include <gpurma/gpurma.h>

__global__ void add_both(const float* a, float* sums) {
  atomicAdd(&sums[0], a[blockIdx.x]);
  atomicAdd(&sums[1], a[blockIdx.x]);
}
__global__ void histogram(const float* a, float* sums) { atomicAdd(&sums[threadIdx.x % 2], a[blockIdx.x]); }
__global__ void choose(const float* a, float* one, float* two) { atomicAdd(a[blockIdx.x] > 0 ? one : &two[0], a[blockIdx.x]); }
__device__ void put(float* to, float value) { atomicAdd(to, value); }
__global__ void by_call(const float* a, float* sums) { put(&sums[1], a[blockIdx.x]); }
__global__ void reads(const float* a, float* sums) { atomicAdd(&sums[1], a[blockIdx.x] + sums[0]); }
__global__ void of_bits(const float* a, unsigned* sums) { atomicAdd(&sums[1], 1); }
__global__ void of_most(const float* a, float* sums) { atomicMax((int*)&sums[0], 1); }
void counted(float* a, float* s, float* t, int n) {
#pragma gpurma persistent distribute(a : rows(n)) reduce(+ : *s)
  { histogram<<<n, 1>>>(a, s); }
#pragma gpurma persistent distribute(a : rows(n)) reduce(+ : *s, *t)
  { choose<<<n, 1>>>(a, s, t); }
#pragma gpurma persistent distribute(a : rows(n)) reduce(+ : s[0], s[1])
  { by_call<<<n, 1>>>(a, s); }
#pragma gpurma persistent distribute(a : rows(n)) reduce(+ : s[0], s[1])
  { reads<<<n, 1>>>(a, s); }
#pragma gpurma persistent distribute(a : rows(n)) reduce(+ : s[0], s[1])
  { of_bits<<<n, 1>>>(a, (unsigned*)s); }
#pragma gpurma persistent distribute(a : rows(n)) reduce(+ : s[0], s[1])
  { of_most<<<n, 1>>>(a, s); }
#pragma gpurma persistent distribute(a : rows(n)) reduce(+ : s[0], s[0])
  { add_both<<<n, 1>>>(a, s); }
#pragma gpurma persistent distribute(a : rows(n)) reduce(+ : s[0], s[1], s[1])
  { add_both<<<n, 1>>>(a, s); }
#pragma gpurma persistent distribute(a : rows(n)) reduce(+ : s[0]) reduce(max : s[1])
  { add_both<<<n, 1>>>(a, s); }
#pragma gpurma persistent distribute(a : rows(n)) reduce(+ : s[0], *t, s[1])
  { add_both<<<n, 1>>>(a, s); }
#pragma gpurma persistent distribute(a : rows(n)) reduce(|| : s[0], s[1])
  { add_both<<<n, 1>>>(a, s); }
#pragma gpurma persistent distribute(a : rows(n)) reduce(+ : s[n])
  { add_both<<<n, 1>>>(a, s); }
}
// CHECK: :[[@LINE-33]]:69: error: kernel 'histogram' may update the reduced 'sums' only by atomicAdd, atomicMax or atomicMin that fits the clause 'reduce(+ : ...)' [gpurma-0136]
// CHECK: :[[@LINE-34]]:69: note: 'sums[threadIdx.x % 2]' may be another scalar than '*sums': name all elements of the array in 'reduce', as in 'reduce(+ : sums[0], sums[1])', or give each a pointer parameter of its own
// CHECK: :[[@LINE-34]]:96: error: kernel 'choose' may update the reduced 'one' only by atomicAdd, atomicMax or atomicMin that fits the clause 'reduce(+ : ...)' [gpurma-0136]
// CHECK: :[[@LINE-35]]:76: note: an atomic operation on one of several scalars is not understood; write one for each, under a condition, or update elements of an array of scalars
// CHECK: :[[@LINE-34]]:61: error: kernel 'by_call' may update the reduced 'sums' only by atomicAdd, atomicMax or atomicMin that fits the clause 'reduce(+ : ...)' [gpurma-0136]
// CHECK: :[[@LINE-35]]:61: note: of an array of reduced scalars a kernel only updates elements, in its own body: 'atomicAdd(&sums[k], ...)', with 'sums' as a pointer to 'float'
// CHECK: :[[@LINE-35]]:90: error: kernel 'reads' may update the reduced 'sums' only by atomicAdd, atomicMax or atomicMin that fits the clause 'reduce(+ : ...)' [gpurma-0136]
// CHECK: :[[@LINE-36]]:90: note: of an array of reduced scalars a kernel only updates elements, in its own body: 'atomicAdd(&sums[k], ...)', with 'sums' as a pointer to 'float'
// CHECK: :[[@LINE-36]]:51: error: kernel 'of_bits' may update the reduced 'sums' only by atomicAdd, atomicMax or atomicMin that fits the clause 'reduce(+ : ...)' [gpurma-0136]
// CHECK: :[[@LINE-37]]:51: note: of an array of reduced scalars a kernel only updates elements, in its own body: 'atomicAdd(&sums[k], ...)', with 'sums' as a pointer to 'float'
// CHECK: :[[@LINE-37]]:73: error: kernel 'of_most' may update the reduced 'sums' only by atomicAdd, atomicMax or atomicMin that fits the clause 'reduce(+ : ...)' [gpurma-0136]
// CHECK: :[[@LINE-38]]:73: note: of an array of reduced scalars a kernel only updates elements, in its own body: 'atomicAdd(&sums[k], ...)', with 'sums' as a pointer to 'float'
// CHECK: :[[@LINE-25]]:68: error: 's' is named twice [gpurma-0134]
// CHECK: :[[@LINE-24]]:74: error: 's' is named twice [gpurma-0134]
// CHECK: :[[@LINE-23]]:81: error: 's[1]' does not follow on the element before it: name those of an array by one operation, '+', 'max' or 'min', one behind the other, from 0 on [gpurma-0134]
// CHECK: :[[@LINE-22]]:72: error: 's[1]' does not follow on the element before it: name those of an array by one operation, '+', 'max' or 'min', one behind the other, from 0 on [gpurma-0134]
// CHECK: :[[@LINE-21]]:69: error: 's[1]' does not follow on the element before it: name those of an array by one operation, '+', 'max' or 'min', one behind the other, from 0 on [gpurma-0134]
// CHECK: :[[@LINE-20]]:62: error: 's[n]' is not '*pointer' or 'pointer[0]' of a variable [gpurma-0134]
