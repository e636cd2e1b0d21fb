// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A rank kernel is launched from a translation unit that only declares it, and device functions and variables of the same name
// in two units stay apart.
// RUN: %gpurmacc_cpu -Wall -Werror -DOTHER -c %s -o %t.other.o
// RUN: %gpurmacc_cpu -Wall -Werror %s %t.other.o -o %t && env GPURMA_CPU_RANKS=3 timeout 60 %t | FileCheck %s --check-prefix=EXEC
// RUN: %lower_cpu %s | %filecheck %s
// RUN: %lower_cpu -DOTHER %s | FileCheck %s --check-prefix=OTHER

#include <cstdio>

// CHECK: static __device__ int factor = FACTOR;
#ifdef OTHER
#define FACTOR 2
#else
#define FACTOR 3
#endif
__device__ int factor = FACTOR;
__device__ int scaled(int value);
__device__ int scaled(int value) { return factor * value; }

#ifdef OTHER
// OTHER: } static const ::gpurma::rank_kernel gpurma_rank_kernel_{{[0-9]+}}(ranks_of_other);
__global__ void ranks_of_other(int *out) {
#pragma gpurma barrier
  if (threadIdx.x == 0) out[gpurma::rank()] = scaled(gridDim.x);
}
#else
__global__ void ranks_of_other(int *out);
__global__ void here(int *out) { *out = scaled(100); }

int main() {
  int *out;
  cudaMallocManaged(&out, 4 * sizeof(int));
  out[3] = -1;
  // CHECK: ::gpurma::launch(ranks_of_other, 1000, 32)(out);
  ranks_of_other<<<1000, 32>>>(out);
  cudaDeviceSynchronize();
  std::printf("%d %d %d %d\n", out[0], out[1], out[2], out[3]);
  here<<<1, 1>>>(out);
  cudaDeviceSynchronize();
  // EXEC: 6 6 6 -1
  // EXEC: 300
  std::printf("%d\n", *out);
}
#endif
