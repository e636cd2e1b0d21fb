// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that name the logical block, and of which there is no copy.
// RUN: not %gpurmacc_cpu -c %s -o %t.o 2>&1 | %filecheck %s
// RUN: not %gpurmacc_cpu -DSTRIDED -c %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK-STRIDED %s
// RUN: not %gpurmacc_cpu -DFAR -c %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK-FAR %s

__device__ int behind();
__device__ int index() { return blockIdx.x * blockDim.x + threadIdx.x; }
#define INDEX index()
__device__ int by_pointer(int (*function)()) { return function(); }
__device__ void far(float* a, int i) { a[i * i] = 0; }

__global__ void macro(float* a) { a[INDEX] = 0; }
__global__ void pointer(float* a) { a[by_pointer(index)] = 0; }
__global__ void order(float* a) { a[behind()] = 0; }
__global__ void strided(float* a, int n) {
  for (int i = index(); i < n; i += gridDim.x * blockDim.x)
    a[i] = 0;
}
__global__ void writes(float* a, int n) { far(a, blockIdx.x); }
__device__ int behind() { return blockIdx.x; }
__device__ int given(int i = index()) { return i; }
__device__ int by_default() { return given(); }
struct at { int x = blockIdx.x; };
__global__ void argument(float* a) { a[by_default()] = 0; }
__global__ void member(float* a) { const at at{}; a[at.x] = 0; }

void stages(float* a, int n) {
#if !defined(STRIDED) && !defined(FAR)
#pragma gpurma persistent distribute(a : rows(n))
  { macro<<<n, 1>>>(a); }
#pragma gpurma persistent distribute(a : rows(n))
  { pointer<<<n, 1>>>(a); }
#pragma gpurma persistent distribute(a : rows(n))
  { order<<<n, 1>>>(a); }
#pragma gpurma persistent distribute(a : rows(n))
  { argument<<<n, 1>>>(a); }
#pragma gpurma persistent distribute(a : rows(n))
  { member<<<n, 1>>>(a); }
#elif defined(STRIDED)
#pragma gpurma persistent distribute(a : rows(n))
  { strided<<<4, 32>>>(a, n); }
#else
#pragma gpurma persistent distribute(a : rows(n))
  { writes<<<n, 1>>>(a, n); }
#endif
}

// CHECK: :31:5: error: 'index', which kernel 'macro' calls, uses 'blockIdx', and in a persistent region only a copy of it knows the logical block, which is not made of macros: pass it as an argument [gpurma-0131]
// CHECK: :33:5: error: 'index', which kernel 'pointer' calls, uses 'blockIdx', and in a persistent region only a copy of it knows the logical block, which has to be called by its name: pass it as an argument [gpurma-0131]
// CHECK: :35:5: error: 'behind', which kernel 'order' calls, uses 'blockIdx', and in a persistent region only a copy of it knows the logical block, which would stand behind what calls it: define it before that [gpurma-0131]
// CHECK: :37:5: error: 'given', which kernel 'argument' calls, uses 'blockIdx' in a default argument or in what a member begins with, and in a persistent region only the text of the kernel and of copies of functions knows the logical block: write it where it is used [gpurma-0131]
// CHECK: :39:5: error: 'at', which kernel 'member' calls, uses 'blockIdx' in a default argument or in what a member begins with
// CHECK-STRIDED: :17:16: error: the launch gets a grid with a thread for each row of 'a', so nothing but the steps of its loops may depend on gridDim, and no function that it calls on blockIdx [gpurma-0210]
// CHECK-FAR: :11:40: error: successive logical blocks in x are not blockDim.x rows of 'a' apart [gpurma-0211]
// CHECK-FAR: :20:17: note: kernel 'writes', which calls this, is here
