// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each block stores the sum of its elements into its own element of partial.
template <typename T, int Threads> __global__ void block_sum(const T *u, T *partial, int n) {
  __shared__ T part[Threads];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  part[threadIdx.x] = i < n ? u[i] : 0;
  __syncthreads();
  for (int w = Threads / 2; w > 0; w /= 2) {
    if (threadIdx.x < w)
      part[threadIdx.x] += part[threadIdx.x + w];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    partial[blockIdx.x] = part[0];
}
