// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Directives in function templates, class members, lambdas and device functions: edited once, in the pattern.
// RUN: %lower_cpu %s | %filecheck %s
// RUN: %gpurmacc_cpu -Wall -Werror %s -o %t && env GPURMA_CPU_RANKS=4 timeout 60 %t | FileCheck %s --check-prefix=EXEC

#include <cstdio>

struct Ring {
  int rank, size;
  __device__ int right() const { return (rank + 1) % size; }
  template <class T> __device__ void pass(gpurma::window<T> &w, const T *from, int tag) const {
    // CHECK: ::gpurma::put_notify<::gpurma::matching::queue>(from, 1, right(), w, 0, tag, ::gpurma::site
#pragma gpurma put(from[:1]) to(right()) at(w[0]) notify(tag)
    // CHECK: ::gpurma::wait<::gpurma::matching::queue>(tag, (rank + size - 1) % size, w, 1, ::gpurma::site
#pragma gpurma wait tag(tag) from((rank + size - 1) % size) on(w)
  }
};

// CHECK: template <class T, int Tag> __global__ void shift(T *cells, T *out) { ::gpurma::rank_scope gpurma_rank_scope_;
template <class T, int Tag> __global__ void shift(T *cells, T *out) {
  Ring ring{gpurma::rank(), gpurma::size()};
  T *mine = cells + gpurma::rank() * 2;
  // CHECK: ::gpurma::window w(mine + (0), 1, ::gpurma::comm::world, ::gpurma::site
#pragma gpurma window(w = mine[0:1])
  if (threadIdx.x == 0) mine[1] = static_cast<T>(gpurma::rank());
  __syncthreads();
  ring.pass(w, mine + 1, Tag);
  auto back = [&](int tag) {
    // CHECK: ::gpurma::notify<::gpurma::matching::queue>(ring.right(), tag, ::gpurma::no_window, ::gpurma::site
#pragma gpurma notify(ring.right()) tag(tag)
    // CHECK: ::gpurma::wait<::gpurma::matching::queue>(tag, ::gpurma::any_source, ::gpurma::any_window, 1, ::gpurma::site
#pragma gpurma wait tag(tag)
  };
  back(Tag + 1);
  auto generic = [&](auto tag) {
#pragma gpurma notify(ring.right()) tag(tag)
#pragma gpurma wait tag(tag)
  };
  generic(Tag + 2);
  generic(static_cast<short>(Tag + 3));
  if (threadIdx.x == 0) out[gpurma::rank()] = mine[0];
  // CHECK: {{^}}}{{$}}
}

template <class T> bool run() {
  gpurma::layout ranks = gpurma::query(shift<T, 5>, dim3(32));
  T *cells, *out;
  cudaMallocManaged(&cells, 2 * ranks.device_ranks * sizeof(T));
  cudaMallocManaged(&out, ranks.device_ranks * sizeof(T));
  // CHECK: ::gpurma::launch_rank_kernel(shift<T, 5>, 64, 32)(cells, out);
  shift<T, 5><<<64, 32>>>(cells, out);
  bool good = cudaDeviceSynchronize() == cudaSuccess;
  for (int rank = 0; rank < ranks.device_ranks; ++rank)
    good = good && out[(rank + 1) % ranks.device_ranks] == static_cast<T>(rank);
  return good;
}

int main() {
  // EXEC: int right, double right
  std::printf("int %s, double %s\n", run<int>() ? "right" : "wrong", run<double>() ? "right" : "wrong");
}
// CHECK: static const ::gpurma::rank_kernel gpurma_rank_kernel_{{[0-9]+}}_1(::shift<int, 5>); static const ::gpurma::rank_kernel gpurma_rank_kernel_{{[0-9]+}}_2(::shift<double, 5>);
