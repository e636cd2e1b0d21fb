// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Block sizes and shared memory that the region changes.
// RUN: not %gpurmacc_cpu -fsyntax-only %s 2>&1 | %filecheck %s
// RUN: not %gpurmacc_cpu -DELEMENT -fsyntax-only %s 2>&1 | %filecheck --check-prefix=CHECK-ELEMENT %s
// RUN: not %gpurmacc_cpu -DSHARED -fsyntax-only %s 2>&1 | %filecheck --check-prefix=CHECK-SHARED %s
#include <gpurma/gpurma.h>

__global__ void set(float* a, int n, int v) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] = v;
}
__global__ void by_tiles(float* a, int n) {
  extern __shared__ float tile[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = i < n ? a[i] : 0;
  __syncthreads();
  if (i < n)
    a[i] = tile[threadIdx.x] + tile[0];
}

void run(float* a, int n, int threads) {
  int blocks[2] = {32, 1};
  size_t bytes = 128;
#pragma gpurma persistent distribute(a : rows(n))
  for (int i = 0; i < n; ++i) {
#if defined(SHARED)
    by_tiles<<<n, 32, bytes>>>(a, n);
    bytes *= 2;
#elif defined(ELEMENT)
    set<<<n, blocks[0]>>>(a, n, i);
    blocks[0] = 64;
#else
    set<<<n, threads>>>(a, n, i);
    threads = 64;
#endif
  }
}
// CHECK: :[[@LINE-5]]:14: error: the block size of this launch must be known when the region begins, but 'threads' is changed by it [gpurma-0135]
// CHECK-ELEMENT: :[[@LINE-9]]:14: error: the block size of this launch must be known when the region begins, but 'blocks' is changed by it [gpurma-0135]
// CHECK-SHARED: :[[@LINE-13]]:23: error: the dynamic shared memory of this launch must be known when the region begins, but 'bytes' is changed by it [gpurma-0135]
