// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// null_rank behind another name, and clauses of _Pragma whose tokens must not grow together.
// RUN: %lower_cpu %s | %filecheck %s
// RUN: %gpurmacc_cpu -Wall -Werror %s -o %t && env GPURMA_CPU_RANKS=2 timeout 60 %t | FileCheck %s --check-prefix=EXEC

#include <cstdio>

constexpr int nobody = gpurma::null_rank;
#define OFFSET -1

template <int Partner> __device__ void tell() {
#pragma gpurma notify(Partner) tag(1)
}

__global__ void kernel(int *p) {
#pragma gpurma notify(nobody) tag(1)
  tell<nobody>();
  tell<gpurma::null_rank>();
  // CHECK: ::gpurma::notify<::gpurma::matching::counter>({{.*}}rank()- - 1)% 2, 2,
  _Pragma("gpurma notify((gpurma::rank()-OFFSET)%2) tag(2)")
#pragma gpurma wait tag(2)
  if (threadIdx.x == 0)
    atomicAdd(p, 1);
}

int main() {
  int *p;
  cudaMallocManaged(&p, sizeof(int));
  kernel<<<2, 32>>>(p);
  // EXEC: 0 2
  std::printf("%d ", cudaDeviceSynchronize());
  std::printf("%d\n", *p);
}
