// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counters are picked when no wait names a source, a window or a wildcard, and all tags are small constants.
// RUN: %lower_cpu %s | %filecheck %s
// RUN: %gpurmacc_cpu %s -o %t && env GPURMA_CPU_RANKS=4 timeout 60 %t | FileCheck %s --check-prefix=EXEC
// RUN: %lower_cpu -DSOURCE %s | FileCheck %s --check-prefix=QUEUE
// RUN: %lower_cpu -DTAG=64 %s | FileCheck %s --check-prefix=QUEUE
// RUN: %lower_cpu -DTAG=gpurma::rank() %s | FileCheck %s --check-prefix=QUEUE
// RUN: %lower_cpu -DTAG=any %s | FileCheck %s --check-prefix=QUEUE
// RUN: %lower_cpu "-DMATCH=match(queue)" %s | FileCheck %s --check-prefix=QUEUE
// RUN: %lower_cpu -DCALL %s | FileCheck %s --check-prefix=QUEUE
// RUN: %lower_cpu "-DMATCH=match(counter)" %s | %filecheck %s

#include <cstdio>

#ifndef TAG
#define TAG 63
#endif
#ifndef MATCH
#define MATCH match(auto)
#endif
enum { halo = 1 << 1 };

#ifdef CALL
template <class T = int> __device__ bool received() { return gpurma::test(1, gpurma::any_source, gpurma::any_window); }
#endif

__global__ void kernel(int *data) {
  int partner = gpurma::rank() ^ 1;
#pragma gpurma window(w = data[gpurma::rank() : 1]) MATCH
  // CHECK: ::gpurma::put_notify<::gpurma::matching::counter>(data + (gpurma::rank()), 0, partner, w, 0, halo,
  // QUEUE: ::gpurma::put_notify<::gpurma::matching::queue>(data + (gpurma::rank()), 0, partner, w, 0, halo,
  #pragma gpurma put(data[gpurma::rank() : 0]) to(partner) at(w[0]) notify(halo)
  // CHECK: ::gpurma::notify<::gpurma::matching::counter>(partner, 63, ::gpurma::no_window,
  // QUEUE: ::gpurma::notify<::gpurma::matching::queue>(partner, 63, ::gpurma::no_window,
  #pragma gpurma notify(partner) tag(63)
#ifdef SOURCE
  #pragma gpurma wait tag(halo) from(partner)
#else
  // CHECK: ::gpurma::wait<::gpurma::matching::counter>(halo, ::gpurma::any_source, ::gpurma::any_window, 1,
  #pragma gpurma wait tag(halo)
#endif
  #pragma gpurma wait tag(TAG) count(1)
#ifdef CALL
  received();
#endif
}

int main() {
  int *data;
  cudaMalloc(&data, 4 * sizeof(int));
  kernel<<<4, 32>>>(data);
  // EXEC: no error
  std::puts(cudaGetErrorString(cudaDeviceSynchronize()));
}
