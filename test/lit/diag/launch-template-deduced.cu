// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %gpurmacc_cpu -c %s -o %t.o -fdiagnostics-parseable-fixits 2>&1 | %filecheck %s

template <class T, class = void> __global__ void kernel(T* data) {
#pragma gpurma barrier
}
template <class T> void start(T* data) {
  kernel<<<1, 32>>>(data);
}
void both(float* a, double* b) {
  start(a);
  start(b);
}

// CHECK: :[[@LINE-7]]:3: error: the launch of kernel template 'kernel' deduces template arguments that depend on the enclosing template; write them out, 'kernel<...><<<...>>>(...)', or, of the type of a lambda or of a class within a function, give the argument a variable [gpurma-0154]

#define FOR_TYPES(is_float, ...)                                                                                                 \
  if (is_float) {                                                                                                                \
    using Scalar = float;                                                                                                        \
    __VA_ARGS__;                                                                                                                 \
  } else {                                                                                                                       \
    using Scalar = double;                                                                                                       \
    __VA_ARGS__;                                                                                                                 \
  }
template <class T> __global__ void other(T* data) {
#pragma gpurma barrier
}
void choose(bool is_float, void* data) {
  // CHECK: :[[@LINE+1]]:23: error: the launch of kernel template 'other' deduces template arguments that are others in each use of this macro argument; write them out, 'other<...><<<...>>>(...)', or, of the type of a lambda or of a class within a function, give the argument a variable [gpurma-0154]
  FOR_TYPES(is_float, other<<<1, 32>>>(static_cast<Scalar*>(data)));
  FOR_TYPES(is_float, other<Scalar><<<1, 32>>>(static_cast<Scalar*>(data)));
}

template <class T> __global__ void later(T* data);
template <class T> void start_later(T* data) {
  // CHECK: :[[@LINE+1]]:3: error: the launch of kernel template 'later' deduces template arguments that depend on the enclosing template, and the kernel is defined behind it; write them out
  later<<<1, 32>>>(data);
}
template <class T> __global__ void later(T* data) {
#pragma gpurma barrier
}
void both_later(float* a) { start_later(a); }
