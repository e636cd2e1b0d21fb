// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %gpurmacc_cpu -c %s -o %t.o -fdiagnostics-parseable-fixits 2>&1 | %filecheck %s

int steps();
int level = 1;
__global__ void kernel(int n = level) {
#pragma gpurma barrier
}
template <class T> __global__ void other(int first, T* p, int n = sizeof(T)) {
#pragma gpurma barrier
}
template <class T> void start(T* p) {
  // CHECK: :[[@LINE+1]]:3: error: the default argument of parameter 'n' cannot be written out at this launch; pass it [gpurma-0160]
  other<T><<<1, 32>>>(1, p);
}
// The text of one launch is that of several.
__global__ void overloaded(int* p, int n = 1) {
#pragma gpurma barrier
}
__global__ void overloaded(float* p, int n = 2) {
#pragma gpurma barrier
}
template <class T> void start_overload(T* p) {
  // CHECK: :[[@LINE+1]]:3: error: the default argument of parameter 'n' cannot be written out at this launch; pass it [gpurma-0160]
  overloaded<<<1, 32>>>(p);
}
void start() {
  // CHECK: :[[@LINE+1]]:3: error: the default argument of parameter 'n' cannot be written out at this launch; pass it [gpurma-0160]
  kernel<<<1, 32>>>();
}
__global__ void with_default(int* p, int last = 1) {}
__global__ void without_default(int* p) {}
__global__ void with_another(int* p, int other = 3) {}
#define LAUNCH(kernel, ...) kernel<<<4, 8>>>(__VA_ARGS__)
#define LAUNCH_ALIKE(kernel, ...) kernel<<<4, 8>>>(__VA_ARGS__)
__global__ void alike(int* p, int last = 1) {}
void start_macros(int* p) {
  // CHECK: :[[@LINE+1]]:10: error: the default argument of parameter 'last' cannot be written out at this launch; pass it [gpurma-0160]
  LAUNCH(with_default, p);
  LAUNCH(without_default, p);
  // CHECK: :[[@LINE+1]]:10: error: the default argument of parameter 'other' cannot be written out at this launch; pass it [gpurma-0160]
  LAUNCH(with_another, p);
  LAUNCH_ALIKE(with_default, p);
  LAUNCH_ALIKE(alike, p);
}
