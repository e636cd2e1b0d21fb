// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %gpurmacc_cpu -c %s -o %t.o -fdiagnostics-parseable-fixits 2>&1 | %filecheck %s

__global__ void kernel(int* data) {
#ifdef __CUDA_ARCH__
#pragma gpurma barrier
#endif
  data[0] = 1;
}

// CHECK: :[[@LINE-5]]:1: error: directive 'barrier' is compiled only where __CUDA_ARCH__ is defined, which it is not on the CPU target: the CPU target would ignore it [gpurma-0028]
