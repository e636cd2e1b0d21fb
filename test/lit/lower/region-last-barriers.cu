// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A barrier that is the last statement of a kernel is left out of its stage, unless threads also wait for each other for something.
// RUN: %lower_cpu --gpurma-fuse-launches=none %s | %filecheck %s

__global__ void leaves(float* a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  a[i] += 1;
  __syncthreads();
}
// CHECK: gpurma_stage_[[#]]_leaves(
// CHECK-NOT: leaving_threads
// CHECK: a[i] += 1;
// CHECK-NEXT: {{^ +;$}}
// CHECK-NEXT: }

// One of the instances works together.
template <bool Together> __device__ float first(float of) { return of; }
template <> __device__ float first<true>(float of) { return __shfl_sync(~0u, of, 0); }
template <bool Together> __global__ void same_text(float* a) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] += first<Together>(a[i]);
  __syncthreads();
}
// CHECK: gpurma_stage_[[#]]_same_text(
// CHECK: a[i] += first<Together>(a[i]);
// CHECK-NEXT: {{^}}  __syncthreads();

__global__ void shares(float* a) {
  __shared__ float old[64];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  old[threadIdx.x] = a[i];
  __syncthreads();
  a[i] = old[threadIdx.x] + 1;
  __syncthreads();
}
// CHECK: gpurma_stage_[[#]]_shares(
// CHECK: {{^}}  __syncthreads();
// CHECK: a[i] = old[threadIdx.x] + 1;
// CHECK-NEXT: {{^}}  __syncthreads();

void run(float* a, int n) {
#pragma gpurma persistent distribute(a : rows(n))
  for (int i = 0; i < 9; ++i) {
    leaves<<<9, 64>>>(a, n);
    same_text<true><<<9, 64>>>(a);
    same_text<false><<<9, 64>>>(a);
    shares<<<9, 64>>>(a);
  }
}
