// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// test does not block, says whether it matched, and consumes only then.
// RUN: %gpurmacc_cpu -O2 %s -o %t
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 2 %t | FileCheck %s
// CHECK: test_directive: ok
#include "Inputs/exec.h"

__global__ void poll(int *failures) {
  int next = (gpurma::rank() + 1) % gpurma::size();
  bool matched = true;
  // Nothing has been sent with this tag.
#pragma gpurma test(matched) tag(9)
  expect(failures, !matched);
#pragma gpurma notify(next) tag(1)
#pragma gpurma notify(next) tag(1)
  // Both come, in the end; a test for three never matches and takes none of them.
  bool both = false;
  while (!both) {
    bool three = false;
#pragma gpurma test(three) tag(1) count(3)
    expect(failures, !three);
#pragma gpurma test(both) tag(1) count(2)
  }
  bool more = true;
#pragma gpurma test(more) tag(1)
  expect(failures, !more);
}

int main() {
  auto layout = gpurma::query(poll, 32);
  int *failures = managed<int>(1);
  poll<<<layout.device_ranks, 32>>>(failures);
  return finish("test_directive", layout, failures);
}
