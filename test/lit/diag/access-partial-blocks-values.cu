// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What threads with an element compute from it must be 0 in those without one; a most must not be of 0 and of something negative; and sums of
// several elements have no squares.
// RUN: not %gpurmacc_cpu -fsyntax-only -ferror-limit=0 %s 2>&1 | %filecheck %s
#define SHARE(value)                                                                                                  \
  __shared__ float part[128];                                                                                         \
  part[threadIdx.x] = value;                                                                                          \
  __syncthreads();                                                                                                    \
  if (threadIdx.x == 0)

// CHECK-DAG: :[[@LINE+3]]:{{[0-9]+}}: error: 'shifted' goes through {{.*}} [gpurma-0229]
__global__ void shifted(const float *a, float *sum, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = i < n ? a[i] : 0, w = v * v + 1;
  SHARE(w) atomicAdd(sum, part[0] + part[1]);
}
// CHECK-DAG: :[[@LINE+4]]:{{[0-9]+}}: error: 'square_of_sum' goes through {{.*}} [gpurma-0229]
__global__ void square_of_sum(const float *a, float *sum, int n) {
  float v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += a[i];
  SHARE(v * v) atomicAdd(sum, part[0] + part[1]);
}
// CHECK-DAG: :[[@LINE+5]]:{{[0-9]+}}: error: 'changed_behind' goes through {{.*}} [gpurma-0229]
__global__ void changed_behind(const float *a, float *sum, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = i < n ? a[i] : 0;
  v += __shfl_xor_sync(~0u, v, 1);
  SHARE(v * v) atomicAdd(sum, part[0] + part[1]);
}
// CHECK-DAG: :[[@LINE+5]]:{{[0-9]+}}: error: 'negative' goes through {{.*}} [gpurma-0229]
__global__ void negative(const int *a, int *most, int n) {
  __shared__ int part[128];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  part[threadIdx.x] = i < n ? a[i] : 0; __syncthreads();
  if (threadIdx.x == 0) atomicMax(most, max(part[0], part[1]));
}
// CHECK-DAG: :[[@LINE+5]]:{{[0-9]+}}: error: 'zero_elsewhere' goes through {{.*}} [gpurma-0229]
__global__ void zero_elsewhere(const float *a, float *sum, int n) {
  __shared__ float part[128];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  part[127 - threadIdx.x] = 0;
  if (i < n) part[threadIdx.x] = a[i];
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(sum, part[0] + part[1]);
}
// CHECK-DAG: :[[@LINE+6]]:{{[0-9]+}}: error: 'two_names' goes through {{.*}} [gpurma-0229]
__global__ void two_names(const float *a, float *sum, int n) {
  extern __shared__ char bytes[];
  float *part = reinterpret_cast<float *>(bytes);
  int *other = reinterpret_cast<int *>(bytes);
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  part[threadIdx.x] = i < n ? a[i] : 0;
  other[0] = 1; __syncthreads();
  if (threadIdx.x == 0) atomicAdd(sum, part[0] + part[1]);
}
// CHECK-DAG: :[[@LINE+5]]:{{[0-9]+}}: error: 'narrowed' goes through {{.*}} [gpurma-0229]
__global__ void narrowed(const int *a, int *count, int n) {
  __shared__ int part[128];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  part[threadIdx.x] = i < n ? a[i] : 0; __syncthreads();
  if (threadIdx.x == 0) atomicAdd(count, static_cast<short>(part[0] + part[1]));
}
void region(float *a, int *b, float *sum, int *most, int *count, int ny, int nx) {
#pragma gpurma persistent distribute(a, b : rows(ny, nx)) reduce(+ : *sum, *count) reduce(max : *most)
  for (int i = 0; i < 3; ++i) {
    shifted<<<(ny * nx + 127) / 128, 128>>>(a, sum, ny * nx);
    square_of_sum<<<16, 128>>>(a, sum, ny * nx);
    narrowed<<<(ny * nx + 127) / 128, 128>>>(b, count, ny * nx);
    changed_behind<<<(ny * nx + 127) / 128, 128>>>(a, sum, ny * nx);
    negative<<<(ny * nx + 127) / 128, 128>>>(b, most, ny * nx);
    zero_elsewhere<<<(ny * nx + 127) / 128, 128>>>(a, sum, ny * nx);
    two_names<<<(ny * nx + 127) / 128, 128, 512>>>(a, sum, ny * nx);
  }
}
// Parts of blocks have no sums of blocks, of which the host could take the most.
// CHECK-DAG: :[[@LINE+4]]:{{[0-9]+}}: error: 'sum_of_block' goes through {{.*}} [gpurma-0229]
__global__ void sum_of_block(const float *a, float *partial, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = i < n ? a[i] : 0;
  SHARE(v) partial[blockIdx.x] = part[0] + part[1];
}
void most_of_sums(float *a, float *partial, float *host, int ny, int nx) {
  float most = 0, numbers[64];
#pragma gpurma persistent distribute(a : rows(ny, nx))
  for (int i = 0; i < 3; ++i) {
    sum_of_block<<<16, 128>>>(a, partial, ny * nx);
    cudaMemcpy(numbers, partial, 64, cudaMemcpyDeviceToHost);
    for (int b = 0; b < 16; ++b)
      most = most > numbers[b] ? most : numbers[b];
  }
}
// CHECK: 8 errors generated.
