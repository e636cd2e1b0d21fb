// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rank kernels that are static members, in unnamed namespaces, overloaded, or explicit specializations are registered.
// RUN: %lower_cpu %s | %filecheck %s
// RUN: %gpurmacc_cpu %s -o %t && env GPURMA_CPU_RANKS=2 timeout 60 %t | FileCheck %s --check-prefix=EXEC

#include <cstdio>

namespace solver {
namespace {
__global__ void kernel(int *p) {
#pragma gpurma barrier
  if (threadIdx.x == 0) atomicAdd(p, 1);
  // CHECK: } static const ::gpurma::rank_kernel gpurma_rank_kernel_{{[0-9]+}}(static_cast<void (*)(int *)>(kernel));
}
__global__ void kernel(int *p, int value) {
#pragma gpurma barrier
  if (threadIdx.x == 0) atomicAdd(p, value);
  // CHECK: } static const ::gpurma::rank_kernel gpurma_rank_kernel_{{[0-9]+}}(static_cast<void (*)(int *, int)>(kernel));
}
} // namespace
class Class {
public:
  static __global__ void member(int *p) {
#pragma gpurma barrier
    if (threadIdx.x == 0) atomicAdd(p, 100);
  }
  void start(int *p) const {
    // CHECK: ::gpurma::launch_rank_kernel(inner, 2, 32)(p);
    inner<<<2, 32>>>(p);
  }

private:
  static __global__ void inner(int *p) {
#pragma gpurma barrier
    if (threadIdx.x == 0) atomicAdd(p, 1000);
  }
  // CHECK: }; static const ::gpurma::rank_kernel gpurma_rank_kernel_{{[0-9]+}}(::solver::Class::member);
};
template <int N> __global__ void special(int *p) { *p += N; }
template <> __global__ void special<7>(int *p) {
#pragma gpurma barrier
  if (threadIdx.x == 0) atomicAdd(p, 10000);
  // CHECK: } static const ::gpurma::rank_kernel gpurma_rank_kernel_{{[0-9]+}}(::solver::special<7>);
}
} // namespace solver

int main() {
  int *p;
  cudaMallocManaged(&p, sizeof(int));
  *p = 0;
  solver::kernel<<<2, 32>>>(p);
  solver::kernel<<<2, 32>>>(p, 10);
  solver::Class::member<<<2, 32>>>(p);
  solver::Class().start(p);
  solver::special<7><<<2, 32>>>(p);
  solver::special<1><<<1, 1>>>(p);
  cudaDeviceSynchronize();
  // EXEC: 22223 no error
  std::printf("%d %s\n", *p, cudaGetErrorString(cudaGetLastError()));
}
