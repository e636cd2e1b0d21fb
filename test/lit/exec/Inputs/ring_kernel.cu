// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gpurma/gpurma.h>

__global__ void ring_kernel(int *count) {
#pragma gpurma notify((gpurma::rank() + 1) % gpurma::size()) tag(1)
#pragma gpurma wait tag(1)
  if (threadIdx.x == 0)
    atomicAdd(count, 1);
}
