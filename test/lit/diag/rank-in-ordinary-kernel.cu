// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %gpurmacc_cpu -c %s -o %t.o -fdiagnostics-parseable-fixits 2>&1 | %filecheck %s
#include <gpurma/gpurma.h>

__device__ int left() { return (gpurma::rank() + gpurma::size() - 1) % gpurma::size(); }
__global__ void fill(int *lefts) { lefts[blockIdx.x] = left(); }
__global__ void meet() {
  gpurma::barrier(gpurma::comm::world);
}

// With directives, or a rank_scope, there are ranks.
__global__ void exchange(int *lefts) {
#pragma gpurma notify(left()) tag(1)
  lefts[gpurma::device_rank()] = gpurma::device_size();
}
__global__ void by_hand(int *lefts) {
  gpurma::rank_scope scope;
  lefts[blockIdx.x] = left();
}

// CHECK: :[[@LINE-15]]:17: error: kernel 'fill' calls 'gpurma::rank', but contains no directive, so that it is launched as written and has no ranks; pass it as an argument what gpurma::query says on the host [gpurma-0163]
// CHECK: :[[@LINE-17]]:33: note: 'gpurma::rank' is called here
// CHECK: :[[@LINE-16]]:17: error: kernel 'meet' calls 'gpurma::barrier', but contains no directive, so that it is launched as written and has no ranks; write the call as a directive [gpurma-0163]
// CHECK: :[[@LINE-16]]:3: note: 'gpurma::barrier' is called here
// CHECK: 2 errors generated.
