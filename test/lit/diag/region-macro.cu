// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a macro makes besides the loop of a region would go with it.
// RUN: not %lower_cpu %s 2>&1 | FileCheck %s
#include <cstdio>

__global__ void step(int *u, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    u[i] += i;
}

#define LOOP                                                                                                                     \
  for (int t = 0; t < 3; ++t)                                                                                                    \
  step<<<4, 16>>>(u, 64)
#define LOOP_AND_MORE                                                                                                            \
  for (int t = 0; t < 3; ++t) {                                                                                                  \
    step<<<4, 16>>>(u, 64);                                                                                                      \
  }                                                                                                                              \
  std::printf("done\n")

void run(int *u) {
// CHECK-NOT: error
#pragma gpurma persistent distribute(u : rows(64))
  LOOP;
// CHECK: [[#@LINE+1]]:{{[0-9]+}}: error: this region is spelled partly in a macro and partly outside of it; write it out whole in either [gpurma-0152]
#pragma gpurma persistent distribute(u : rows(64))
  LOOP_AND_MORE;
}
