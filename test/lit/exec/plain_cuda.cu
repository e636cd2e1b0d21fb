// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An ordinary CUDA program, no directive in it: shared memory, barriers, shuffles, ballots, atomics, constants; variable templates;
// shared variables whose classes are defined with them, attributes of device functions, and dynamic memory that only other instances use.
// RUN: %gpurmacc_cpu -O2 -Wall -Wextra -Werror %s -o %t
// RUN: %t | FileCheck %s
// CHECK: plain_cuda: sum 2016, any 1, dynamic 496, scaled 6048, of templates 1, classes 528
#include <cstdio>

__constant__ int factor;

template <class T> __device__ T zero = T(0);
template <> __device__ long zero<long> = 1;

__global__ void reduce(const int *in, int *sum, int *any) {
  __shared__ int warps[2];
  int value = in[threadIdx.x];
  for (int offset = 16; offset > 0; offset /= 2)
    value += __shfl_down_sync(0xffffffffu, value, offset);
  if (threadIdx.x % 32 == 0)
    warps[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x == 0)
    atomicAdd(sum, warps[0] + warps[1]);
  if (__any_sync(0xffffffffu, in[threadIdx.x] == 63) && threadIdx.x % 32 == 0)
    atomicAdd(any, 1);
}

__global__ void dynamic(int *sum) {
  extern __shared__ int values[];
  values[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 0)
    for (unsigned i = 0; i < blockDim.x; ++i)
      *sum += values[i];
}

__global__ void scale(int *value) { *value *= factor; }

__global__ void add_templates(int *value) { *value = zero<int> + static_cast<int>(zero<long>); }

__device__ [[nodiscard]] int twice(int value) { return 2 * value; }
template <bool Uses> __global__ void classes(int *sum) {
  __shared__ struct pair {
    int first, second;
  } one, others[2];
  __shared__ union {
    int numbers[32];
    float values[32];
  } either;
  __shared__ struct single { int number; } alone;
  extern __shared__ int more[];
  either.numbers[threadIdx.x] = threadIdx.x;
  if (threadIdx.x == 0) {
    one = {1, 2};
    others[1] = one;
    alone.number = twice(others[1].second);
    *sum = pair{3, 4}.second + single{5}.number + alone.number + others[1].first;
    if constexpr (Uses)
      *sum += more[0];
  }
  __syncthreads();
  atomicAdd(sum, either.numbers[31 - threadIdx.x] + (threadIdx.x < 18));
}

int main() {
  int *in, *sum, *any, *other;
  cudaMallocManaged(&in, 64 * sizeof(int));
  cudaMallocManaged(&sum, sizeof(int));
  cudaMallocManaged(&any, sizeof(int));
  cudaMallocManaged(&other, sizeof(int));
  for (int i = 0; i < 64; ++i)
    in[i] = i;
  *sum = *any = *other = 0;
  reduce<<<1, 64>>>(in, sum, any);
  dynamic<<<1, 32, 32 * sizeof(int)>>>(other);
  cudaDeviceSynchronize();
  std::printf("plain_cuda: sum %d, any %d, dynamic %d", *sum, *any, *other);
  int three = 3;
  cudaMemcpyToSymbol(factor, &three, sizeof three);
  scale<<<1, 1>>>(sum);
  cudaDeviceSynchronize();
  std::printf(", scaled %d", *sum);
  add_templates<<<1, 1>>>(sum);
  cudaDeviceSynchronize();
  std::printf(", of templates %d", *sum);
  classes<false><<<1, 32>>>(sum);
  cudaDeviceSynchronize();
  std::printf(", classes %d\n", *sum);
  return cudaGetLastError() != cudaSuccess;
}
