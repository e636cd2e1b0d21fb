// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// nvcc sees sections that the parses skip; a directive there is an error and not dropped.
// REQUIRES: nvcc
// RUN: not %gpurmacc_cuda -c %s -o %t.o 2>&1 | FileCheck %s
__global__ void kernel(int* p) {
#ifdef __NVCC__
// CHECK: skipped-cuda.cu:[[@LINE+1]]:{{.*}}gpurma: directive in a section that gpurmacc's parse skipped
#pragma gpurma barrier
#endif
  *p = 1;
#ifndef __CUDA_ARCH__
#pragma gpurma barrier
#endif
}
