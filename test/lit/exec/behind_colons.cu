// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches and directives directly behind a colon.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t
// RUN: env GPURMA_CPU_RANKS=2 %t | FileCheck %s
// RUN: %lower_cpu %s | FileCheck --check-prefix=LOWERED %s
// CHECK: behind_colons: ok
// LOWERED: default: ::gpurma::barrier(
// LOWERED: case 0: ::gpurma::launch
// LOWERED: : ::gpurma::launch(
#include "Inputs/exec.h"

__global__ void add(int *to, int number) {
  if (gpurma::rank() == 0 && threadIdx.x == 0)
    *to += number;
  switch (number) {
  case 0:
    break;
  default:_Pragma("gpurma barrier")
    break;
  }
}
__global__ void plain(int *to, int number) { *to += number; }

int main() {
  auto layout = gpurma::query(add, 32);
  int *sum = managed<int>(1), *failures = managed<int>(1);
  for (int i = 0; i < 3; ++i) {
    switch (i) {
    case 0:add<<<layout.device_ranks, 32>>>(sum, 1);
      break;
    default:i == 1 ? plain<<<1, 1>>>(sum, 10):plain<<<1, 1>>>(sum, 100);
    }
    cudaDeviceSynchronize();
  }
  *failures = *sum != 111;
  return finish("behind_colons", layout, failures);
}
