// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// gpurma::null_rank makes a directive do nothing, and so do a false if(...) and a count of 0.
// RUN: %gpurmacc_cpu -O2 %s -o %t
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 2 %t | FileCheck %s
// CHECK: null_rank_and_if: ok
#include "Inputs/exec.h"

__global__ void line(int *memory, int *failures) {
  int me = gpurma::rank(), last = gpurma::size() - 1;
  int left = me > 0 ? me - 1 : gpurma::null_rank;
  int right = me < last ? me + 1 : gpurma::null_rank;
  int *mine = memory + 3 * gpurma::device_rank();
#pragma gpurma window(w = mine[0:2])
  if (threadIdx.x == 0) {
    mine[2] = me;
    mine[0] = mine[1] = -7;
  }
  __syncthreads();
#pragma gpurma barrier
#pragma gpurma put(mine[2:1]) to(right) at(w[0]) notify(1)
#pragma gpurma put(mine[2:1]) to(left) at(w[1]) notify(2)
#pragma gpurma notify(right) tag(3)
#pragma gpurma notify(me) tag(4) if(me % 2 == 0)
#pragma gpurma wait tag(1) from(left)
#pragma gpurma wait tag(2) from(right)
#pragma gpurma wait tag(3) if(me > 0)
#pragma gpurma wait tag(4) if(me % 2 == 0)
  int none = last - last;
  bool found = false, also = false;
#pragma gpurma wait tag(5) count(0)
#pragma gpurma wait tag(5) count(none)
#pragma gpurma test(found) tag(5) count(0)
#pragma gpurma test(also) tag(5) count(none)
  expect(failures, found && also);
  expect(failures, mine[0] == (me > 0 ? me - 1 : -7));
  expect(failures, mine[1] == (me < last ? me + 1 : -7));
}

int main() {
  auto layout = gpurma::query(line, 32);
  int *memory = managed<int>(3 * layout.device_ranks), *failures = managed<int>(1);
  line<<<layout.device_ranks, 32>>>(memory, failures);
  return finish("null_rank_and_if", layout, failures);
}
