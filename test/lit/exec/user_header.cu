// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// RUN: cp %S/Inputs/exchange.h %t.copy
// RUN: %gpurmacc_cpu -O2 %s -o %t
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 2 %t | FileCheck %s
// RUN: cmp %S/Inputs/exchange.h %t.copy
// CHECK: user_header: ok
#include "Inputs/exec.h"
#include "Inputs/exchange.h"

__global__ void kernel() {
  for (int tag = 0; tag < 3; ++tag)
    exchange(tag);
}

int main() {
  auto layout = gpurma::query(kernel, 32);
  int *failures = managed<int>(1);
  kernel<<<layout.device_ranks, 32>>>();
  return finish("user_header", layout, failures);
}
