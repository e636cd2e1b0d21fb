// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches of kernel templates whose arguments depend on the template around the launch.
// RUN: %lower_cpu %s | %filecheck %s
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t && env GPURMA_CPU_RANKS=2 timeout 60 %t | FileCheck %s --check-prefix=EXEC
#include <cstdio>

namespace parts {
// CHECK: { *p += by; } template <class T> {{\[\[maybe_unused\]\]}} auto gpurma_kernel_add(T *p, const T by = 1) { static_cast<void>(p); static_cast<void>(by); return ::gpurma::kernel_constant<add<T>>{}; }
template <class T> __global__ void add(T *p, const T by = 1) { *p += by; }
} // namespace parts
// CHECK: template <int N, class T, class... More> {{\[\[maybe_unused\]\]}} auto gpurma_kernel_sum(T *p, More... more) { static_cast<void>(p); (static_cast<void>(more), ...); return ::gpurma::kernel_constant<sum<N, T, More...>>{}; }
template <int N, class T, class... More> __global__ void sum(T *p, More... more) { *p += (N + ... + more); }
// Two kernels of one name.
template <class T> __global__ void twice(T *p, int by) { *p += by; }
template <class T> __global__ void twice(T *p, T *by) { *p += 2 * *by; }
// CHECK: auto gpurma_kernel_twice(T *p, T *by) { {{.*}}return ::gpurma::kernel_constant<static_cast<void (*)(decltype(p), decltype(by))>(twice<T>)>{}; }
// Those of another number of parameters are not meant.
template <class T> __global__ void shift(T *p, T by, T more = 1) { *p += by + more; }
template <class T> __global__ void shift(T *p) { *p += 1; }
template <class T> __global__ void rank_kernel(T *p, int n) {
#pragma gpurma barrier
  if (threadIdx.x == 0)
    atomicAdd(p, T(n));
}
#if GPURMA_TARGET_CPU // CUDA has no kernels that are members
template <class T> struct solver {
  template <class U> static __global__ void step(U *p, T by) { *p += by; }
  // CHECK: static auto gpurma_kernel_step(U *p, T by) { {{.*}}return ::gpurma::kernel_constant<step<U>>{}; }
  void run(T *p) {
    // CHECK: ::gpurma::launch(decltype(gpurma_kernel_step(p, T(40)))::value, 1, 1)(p, T(40));
    step<<<1, 1>>>(p, T(40));
  }
};
#endif

template <class T> void run(T *p, T by) {
  // CHECK: ::gpurma::launch(decltype(parts::gpurma_kernel_add(p, by))::value, 1, dim3(1, 1))(p, by);
  parts::add<<<1, dim3(1, 1)>>>(p, by);
  // CHECK: ::gpurma::launch(decltype(gpurma_kernel_sum<3>(p, 4, 5.0f))::value, 1, 1)(p, 4, 5.0f);
  sum<3><<<1, 1>>>(p, 4, 5.0f);
  // CHECK: ::gpurma::launch(decltype(gpurma_kernel_twice(p, 7))::value, 1, 1)(p, 7);
  twice<<<1, 1>>>(p, 7);
  // CHECK: ::gpurma::launch(decltype(gpurma_kernel_twice(p, p))::value, 1, 1)(p, p);
  twice<<<1, 1>>>(p, p);
  // CHECK: ::gpurma::launch(decltype(gpurma_kernel_shift(p))::value, 1, 1)(p);
  shift<<<1, 1>>>(p);
  // CHECK: ::gpurma::launch(decltype(gpurma_kernel_shift(p, by))::value, 1, 1)(p, by, 1);
  shift<<<1, 1>>>(p, by);
  // CHECK: ::gpurma::launch_rank_kernel(decltype(gpurma_kernel_rank_kernel(p, 1000))::value, 2, 32)(p, 1000);
  rank_kernel<<<2, 32>>>(p, 1000);
#if GPURMA_TARGET_CPU
  solver<T>().run(p);
#endif
  cudaDeviceSynchronize();
}

int main() {
  int *p;
  double *q;
  cudaMallocManaged(&p, sizeof *p);
  cudaMallocManaged(&q, sizeof *q);
  *p = 1;
  *q = 2;
  run(p, 5);
  run(q, 0.25);
  // EXEC: 2122 2106
  std::printf("%d %g\n", *p, *q);
}
