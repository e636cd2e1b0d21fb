// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// __shared__ variables become references into the block's arena.
// RUN: %lower_cpu %s | %filecheck %s
// RUN: %gpurmacc_cpu -Wall -Werror %s -o %t && timeout 60 %t | FileCheck %s --check-prefix=EXEC

#include <cstdio>

#define THREADS 64
#define SHARED __shared__
struct Pair { int first, second; };

// CHECK: typedef int gpurma_pool_0[];{{$}}
extern __shared__ int pool[];

// CHECK: [[HEAD:.*]]static __device__ int of_pool(int i) { {{\[\[}}maybe_unused]] ::gpurma_pool_0& pool = ::gpurma::cpu::dynamic_shared<::gpurma_pool_0>();
__device__ int of_pool(int i) { return pool[i]; }

template <class T, int N> __global__ void sums(const T *in, T *out) {
  // CHECK: typedef T gpurma_tile_[[A:[0-9]+]][N]; struct gpurma_key_tile; gpurma_tile_[[A]]& tile = ::gpurma::cpu::shared_variable<gpurma_tile_[[A]], gpurma_key_tile>();
  __shared__ T tile[N];
  // CHECK: typedef Pair gpurma_pair_[[B:[0-9]+]]; struct
  static __shared__ Pair pair;
  // CHECK: typedef int gpurma_a_[[C:[0-9]+]][64]; struct {{.*}} typedef int gpurma_b_{{[0-9]+}}; struct
  __shared__ int a[THREADS], b;
  // CHECK: typedef __attribute__((aligned(32))) float gpurma_wide_{{[0-9]+}}[4]; struct
  alignas(32) __shared__ float wide[4];
  // CHECK: typedef SHARED double gpurma_other_{{[0-9]+}}[2] [THREADS]; struct
  SHARED double other[2]
                     [THREADS];
  int i = threadIdx.x;
  tile[i] = in[i];
  a[i] = i;
  other[1][i] = i;
  pool[i] = i;
  if (i < 4) wide[i] = 1;
  if (i == 0) {
    b = 1;
    pair = {2, 3};
  }
  __syncthreads();
  // CHECK: auto total = [=](int n) { gpurma_tile_[[A]]& tile = ::gpurma::cpu::shared_variable<gpurma_tile_[[A]], gpurma_key_tile>();
  auto total = [=](int n) {
    T sum = 0;
    for (int k = 0; k < n; ++k) sum += tile[k];
    return sum;
  };
  if (i == 0)
    *out = total(N) + a[5] + b + pair.first + pair.second + static_cast<T>(wide[3] + other[1][7]) + of_pool(9);
}

// CHECK: extern "C" __global__ void local_dynamic(char *out) {
extern "C" __global__ void local_dynamic(char *out) {
  // CHECK: typedef char gpurma_bytes_[[D:[0-9]+]][]; {{\[\[}}maybe_unused]] gpurma_bytes_[[D]]& bytes = ::gpurma::cpu::dynamic_shared<gpurma_bytes_[[D]]>();
  extern __shared__ char bytes[];
  bytes[threadIdx.x] = 'a' + threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = bytes[(threadIdx.x + 1) % blockDim.x];
}

int main() {
  int *in, *out;
  char *text;
  cudaMallocManaged(&in, THREADS * sizeof(int));
  cudaMallocManaged(&out, sizeof(int));
  cudaMallocManaged(&text, 4);
  for (int i = 0; i < THREADS; ++i) in[i] = i;
  sums<int, THREADS><<<1, THREADS, THREADS * sizeof(int)>>>(in, out);
  local_dynamic<<<1, 3, 3>>>(text);
  cudaDeviceSynchronize();
  // EXEC: 2044 bca
  std::printf("%d %s\n", *out, text);
}
