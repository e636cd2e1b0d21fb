// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies that no region has: to and from memory of the host, of pitched arrays and of symbols, and a fill of a reduced scalar's bytes.
// RUN: not %gpurmacc_cpu -fsyntax-only %s 2>&1 | %filecheck %s
#include <gpurma/gpurma.h>

__global__ void total(const float* a, float* sum, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(sum, a[i]);
}

void run(float* a, float* b, float* host, float* sum, int n, size_t pitch, cudaStream_t stream, cudaMemcpyKind kind) {
#pragma gpurma persistent distribute(a, b : rows(n)) reduce(+ : *sum)
  for (int i = 0; i < 4; ++i) {
    cudaMemcpy(b, a, n * sizeof(float), cudaMemcpyDeviceToDevice);
    total<<<(n + 31) / 32, 32>>>(a, sum, n);
    cudaMemcpy(host, a, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpyAsync(a, host, n * sizeof(float), cudaMemcpyHostToDevice, stream);
    cudaMemcpy(a, b, n * sizeof(float), kind);
    cudaMemcpy2D(a, pitch, b, pitch, n, 1, cudaMemcpyDeviceToDevice);
    cudaMemset2D(a, pitch, 0, n, 1);
    cudaMemset(sum, 255, sizeof(float));
  }
}
// CHECK: :17:5: error: 'cudaMemcpy' cannot be called in a persistent region; move it out, and say by 'reduce' which scalars the kernels update [gpurma-0128]
// CHECK: :17:5: note: the region is one kernel, which does not reach the host's memory, and each process has its own rows only: copy before or behind the region, or in a statement that the host runs, behind '#pragma gpurma host'
// CHECK: :18:5: error: 'cudaMemcpyAsync' cannot be called in a persistent region;
// CHECK: :18:5: note: the region is one kernel
// CHECK: :19:5: error: 'cudaMemcpy' cannot be called in a persistent region;
// CHECK: :19:5: note: the region is one kernel
// CHECK: :20:5: error: 'cudaMemcpy2D' cannot be called in a persistent region;
// CHECK: :20:5: note: only 'cudaMemcpy' and 'cudaMemcpyAsync' between whole distributed arrays are part of a region; launch a kernel for anything else
// CHECK: :21:5: error: 'cudaMemset2D' cannot be called in a persistent region;
// CHECK: :21:5: note: only 'cudaMemset' and 'cudaMemsetAsync' of whole distributed arrays are part of a region; launch a kernel for anything else
// CHECK: :22:5: error: 'cudaMemset' cannot be called in a persistent region;
// CHECK: :22:5: note: only 'cudaMemset'
