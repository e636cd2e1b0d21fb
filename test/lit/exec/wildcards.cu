// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Any source, any tag and counts; one origin's notifications come in the order in which they were sent.
// RUN: %gpurmacc_cpu -O2 %s -o %t
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t | FileCheck %s
// CHECK: wildcards: ok
#include "Inputs/exec.h"

__global__ void all_to_one(int *failures) {
  int ranks = gpurma::size();
  if (gpurma::rank() != 0) {
#pragma gpurma notify(0) tag(5)
#pragma gpurma notify(0) tag(6)
#pragma gpurma notify(0) tag(gpurma::rank() + 10)
  } else {
    // All fives, whoever sent them; then, from one source, a six can only be matched by a six.
#pragma gpurma wait tag(5) from(any) count(ranks - 1)
    for (int source = 1; source < ranks; ++source) {
#pragma gpurma wait tag(6) from(source)
    }
    for (int source = 1; source < ranks; ++source) {
#pragma gpurma wait tag(any) from(source)
    }
    bool more = true;
#pragma gpurma test(more) tag(any) from(any)
    expect(failures, !more);
  }
}

int main() {
  auto layout = gpurma::query(all_to_one, 32);
  int *failures = managed<int>(1);
  all_to_one<<<layout.device_ranks, 32>>>(failures);
  return finish("wildcards", layout, failures);
}
