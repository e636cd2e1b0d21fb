// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --gpurma-check finds clause values that differ between the threads of a block, where no compiler can see it.
// RUN: %gpurmacc_cpu -O2 --gpurma-check %s -o %t
// RUN: env GPURMA_CPU_RANKS=2 %t | FileCheck %s
// RUN: env GPURMA_CPU_RANKS=2 not %t divergent 2>&1 | FileCheck %s --check-prefix=DIVERGENT
// CHECK: checked: ok
// DIVERGENT: uniform at {{.*}}checked.cu:[[@LINE+6]] on rank {{[01]}}: the value is 1 in thread 5 and 0 in thread 0
#include "Inputs/exec.h"

__global__ void send(const int *tags) {
  int tag = tags[threadIdx.x];
  // Uniform if the caller keeps its word, as uniform() promises.
#pragma gpurma notify(gpurma::rank()) tag(gpurma::uniform(tag))
#pragma gpurma wait
}

int main(int argc, char **) {
  auto layout = gpurma::query(send, 32);
  int *tags = managed<int>(32), *failures = managed<int>(1);
  if (argc > 1)
    tags[5] = 1;
  send<<<layout.device_ranks, 32>>>(tags);
  return finish("checked", layout, failures);
}
