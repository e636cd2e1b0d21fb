// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies of windows are Clang's errors, which say what to write instead.
// RUN: not %gpurmacc_cpu -c %s -o %t.o 2>&1 | %filecheck %s
#include <gpurma/gpurma.h>

__device__ void tell(gpurma::window<int> w) {}
__device__ void tell_all(gpurma::window<int> &w) {}
__global__ void copies(int *memory) {
#pragma gpurma window(first = memory[0:4])
#pragma gpurma window(second = memory[4:4])
  tell(first);
  gpurma::window<int> both[] = {first};
  first = second;
  gpurma::window<int> *pointers[] = {&first, &second};
  tell_all(*pointers[1]);
}

// CHECK: :[[@LINE-7]]:8: error: call to deleted constructor of 'gpurma::window<int>': a window is not copied: pass and capture it by reference, and put pointers to several into an array
// CHECK: :[[@LINE-7]]:33: error: call to deleted constructor of 'gpurma::window<int>': a window is not copied: pass and capture it by reference, and put pointers to several into an array
// CHECK: :[[@LINE-7]]:9: error: overload resolution selected deleted operator '=': a window is not assigned: use a pointer to it
