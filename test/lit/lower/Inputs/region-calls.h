// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
const int width = 32;
__global__ void left(float* a, const float* b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] = i > 0 ? b[i - 1] : 0;
}
inline void shift(float* a, const float* b, int n) {
  if (n > 0) {
    const dim3 block(width, 1, 1);
    left<<<(n + 31) / 32, block>>>(a, b, n);
  }
}
