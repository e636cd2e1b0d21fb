// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What ranks do between two logical blocks of a kernel with shared memory: use the other copy of it if the kernel has a barrier that
// all threads come to in every block, else wait for each other.
// RUN: %lower_cpu --gpurma-fuse-launches=none %s | %filecheck %s

// Nothing with C linkage is a template.
extern "C" {
__global__ void pointwise(float* a) { a[blockIdx.x * blockDim.x + threadIdx.x] += 1; }
}
// CHECK: extern "C++" { template <unsigned gpurma_copy> {{.*}}gpurma_stage_[[#]]_pointwise(

__global__ void reduces(float* a, float* sum) {
  __shared__ float sums[64];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  sums[threadIdx.x] = a[i];
  __syncthreads();
  if (threadIdx.x == 0) {
    float all = 0;
    for (int k = 0; k < 64; ++k)
      all += sums[k];
    atomicAdd(sum, all);
  }
}

// Some threads leave before the barrier, so blocks may pass it without others.
__global__ void leaves(float* a, int n) {
  __shared__ float old[64];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  old[threadIdx.x] = a[i];
  __syncthreads();
  a[i] = old[threadIdx.x] + 1;
}

// Two copies would be more than is copied.
__global__ void large(float* a) {
  __shared__ float old[1024];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  old[threadIdx.x] = a[i];
  __syncthreads();
  a[i] = old[threadIdx.x] + 1;
}

// Its size is the launch's.
__global__ void dynamic(float* a) {
  extern __shared__ float old[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  old[threadIdx.x] = a[i];
  __syncthreads();
  a[i] = old[threadIdx.x] + 1;
}

// The barrier is passed in some blocks only.
__global__ void sometimes(float* a) {
  __shared__ float old[64];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  old[threadIdx.x] = a[i];
  if (blockIdx.x % 2 == 0)
    __syncthreads();
  a[i] = old[threadIdx.x] + 1;
}

__device__ float* place() {
  __shared__ float old[64];
  return old;
}

// The function that has the shared memory is not copied.
__global__ void elsewhere(float* a) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  place()[threadIdx.x] = a[i];
  __syncthreads();
  a[i] = place()[threadIdx.x] + 1;
}

// CHECK: gpurma_stage = 0;
// CHECK: gpurma_between = ::gpurma::stages::between_tiles::{{nothing}};
// CHECK-NEXT: gpurma_rereads = ::gpurma::stages::rereading::{{by_none}};
// CHECK: gpurma_stage_[[#]]_pointwise<gpurma_copy>(
// CHECK: gpurma_stage = 1;
// CHECK: gpurma_between = ::gpurma::stages::between_tiles::{{other_copy}};
// CHECK: gpurma_stage_[[#]]_reduces<gpurma_copy>(
// CHECK: gpurma_stage = 2;
// CHECK: gpurma_between = ::gpurma::stages::between_tiles::{{barrier}};
// CHECK: gpurma_stage_[[#]]_leaves<gpurma_copy>(
// CHECK: gpurma_stage = 3;
// CHECK: gpurma_between = ::gpurma::stages::between_tiles::{{barrier}};
// CHECK: gpurma_stage_[[#]]_large<gpurma_copy>(
// CHECK: gpurma_stage = 4;
// CHECK: gpurma_between = ::gpurma::stages::between_tiles::{{barrier}};
// CHECK: gpurma_stage_[[#]]_dynamic<gpurma_copy>(
// CHECK: gpurma_stage = 5;
// CHECK: gpurma_between = ::gpurma::stages::between_tiles::{{barrier}};
// CHECK: gpurma_stage_[[#]]_sometimes<gpurma_copy>(
// CHECK: gpurma_stage = 6;
// CHECK: gpurma_between = ::gpurma::stages::between_tiles::{{barrier}};
// CHECK: gpurma_stage_[[#]]_elsewhere<gpurma_copy>(
void steps(float* a, float* sum, int n, int count) {
#pragma gpurma persistent distribute(a : rows(n)) reduce(+ : *sum)
  for (int step = 0; step < count; ++step) {
    pointwise<<<n / 64, 64>>>(a);
    reduces<<<n / 64, 64>>>(a, sum);
    leaves<<<n / 64, 64>>>(a, n);
    large<<<n / 64, 64>>>(a);
    dynamic<<<n / 64, 64, 64 * sizeof(float)>>>(a);
    sometimes<<<n / 64, 64>>>(a);
    elsewhere<<<n / 64, 64>>>(a);
  }
}
