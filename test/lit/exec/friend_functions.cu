// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A device function that a class has declared first, as its friend, keeps the linkage that it has from there.
// RUN: %gpurmacc_cpu -O1 %s -o %t
// RUN: %t | FileCheck %s
// CHECK: 15 0
#include <cstdio>
#include <cuda_runtime.h>

class view {
public:
  __host__ __device__ explicit view(const int* p) : p(p) {}
  friend __device__ int get(view v, int i);

private:
  const int* p;
};
__device__ int get(view v, int i) { return v.p[i]; }
__global__ void reverse(int* out, view in) { out[threadIdx.x] = get(in, 15 - threadIdx.x); }

int main() {
  int *a = nullptr, *b = nullptr;
  cudaMallocManaged(&a, 16 * sizeof *a);
  cudaMallocManaged(&b, 16 * sizeof *b);
  for (int i = 0; i < 16; ++i)
    a[i] = i;
  reverse<<<1, 16>>>(b, view(a));
  cudaDeviceSynchronize();
  std::printf("%d %d\n", b[0], b[15]);
}
