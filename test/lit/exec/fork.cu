// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A child of a process that has used the device cannot use it: its calls fail, as CUDA's do, and rank kernels end it with a message. One that does not ends
// by itself, and the parent goes on.
// RUN: %gpurmacc_cpu -O1 %s -o %t
// RUN: env GPURMA_CPU_RANKS=2 %t 2>&1 | FileCheck %s
// CHECK: parent 42
// CHECK-NEXT: child: initialization error, initialization error
// CHECK-NEXT: child ended with 3
// CHECK-NEXT: error: cannot find out how many blocks of a rank kernel fit on device 0: cudaErrorInitializationError: initialization error
// CHECK-NEXT: child ended with 1
// CHECK-NEXT: child ended with 0
// CHECK-NEXT: parent 42
#include "Inputs/exec.h"

#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>

__global__ void plain(int *result) { *result = 5; }
__global__ void set(int *result) {
#pragma gpurma barrier
  if (threadIdx.x == 0)
    *result = 42;
}
static int by_ranks() {
  int *result = managed<int>(1);
  set<<<gpurma::query(set, 32).device_ranks, 32>>>(result);
  cudaDeviceSynchronize();
  return *result;
}

template <class Body> void in_child(Body body) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    body();
    std::exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  std::printf("child ended with %d\n", WEXITSTATUS(status));
}

int main() {
  std::printf("parent %d\n", by_ranks());
  in_child([] {
    plain<<<1, 1>>>(nullptr);
    const cudaError_t launched = cudaGetLastError();
    std::printf("child: %s, %s\n", cudaGetErrorString(launched), cudaGetErrorString(cudaDeviceSynchronize()));
    std::fflush(stdout);
    _exit(3);
  });
  in_child(by_ranks);
  in_child([] {});
  std::printf("parent %d\n", by_ranks());
}
