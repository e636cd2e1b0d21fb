// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The most of some elements may be negative where that of all is not, and is then more than all others without its sign.
// RUN: not %gpurmacc_cpu -fsyntax-only %s 2>&1 | %filecheck %s
__global__ void most_of(const int *a, unsigned *most, int n) {
  int m = -1000;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    m = max(m, a[i]);
  for (int w = 16; w > 0; w /= 2)
    m = max(m, __shfl_xor_sync(~0u, m, w));
  if (threadIdx.x == 0)
    // CHECK: :[[@LINE+1]]:43: error: 'most_of' goes through the rows of 'a' in one dimension, {{.*}} 'm' holds a sum, most or least of some elements here, of which only a multiple may go on, {{.*}} [gpurma-0229]
    atomicMax(most, static_cast<unsigned>(m));
}
void region(int *a, unsigned *most, int ny, int nx) {
#pragma gpurma persistent distribute(a : rows(ny, nx)) reduce(max : *most)
  for (int i = 0; i < 3; ++i)
    // CHECK: :[[@LINE+1]]:5: note: that launch is here
    most_of<<<1, 32>>>(a, most, ny * nx);
}
