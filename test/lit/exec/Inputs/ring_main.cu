// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exec.h"

// Another source defines it, with its directives: nothing here says that it is a rank kernel.
__global__ void ring_kernel(int *count);

int main() {
  auto layout = gpurma::query(ring_kernel, 32);
  int *count = managed<int>(1);
  // The grid is only an upper bound for a rank kernel.
  ring_kernel<<<100000, 32>>>(count);
  cudaDeviceSynchronize();
  int failures = *count != layout.device_ranks;
  return finish("two_units", layout, &failures);
}
