// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Directives in a __device__ helper, a template, a class member, a lambda, a macro's clause, and through _Pragma.
// RUN: %gpurmacc_cpu -O2 %s -o %t
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 2 %t | FileCheck %s
// CHECK: language_constructs: ok
#include "Inputs/exec.h"

#define NEXT ((gpurma::rank() + 1) % gpurma::size())
#define TAG_OF(x) ((x) + 20)

__device__ void in_helper(int tag) {
#pragma gpurma notify(NEXT) tag(tag)
#pragma gpurma wait tag(tag)
}

template <class T> __device__ T in_template(const gpurma::window<T> &w, T *cell, T *out) {
#pragma gpurma put(out[0:1]) to(NEXT) at(w[0]) notify(TAG_OF(1))
#pragma gpurma wait tag(TAG_OF(1)) on(w)
  return *cell;
}

struct messenger {
  int tag;
  __device__ void send() const {
#pragma gpurma notify(NEXT) tag(tag)
  }
  __device__ void receive() const {
#pragma gpurma wait tag(tag)
  }
};

__global__ void constructs(int *ints, double *doubles, int *failures) {
  int me = gpurma::rank(), previous = (me + gpurma::size() - 1) % gpurma::size();
  in_helper(3);

  int *cell = ints + 2 * gpurma::device_rank();
  double *real = doubles + 2 * gpurma::device_rank();
  if (threadIdx.x == 0) {
    cell[1] = me;
    real[1] = me + 0.5;
  }
  __syncthreads();
#pragma gpurma window(w = cell[0:1])
  expect(failures, in_template(w, cell, cell + 1) == previous);
#pragma gpurma window(v = real[0:1])
  expect(failures, in_template(v, real, real + 1) == previous + 0.5);

  messenger m{7};
  m.send();
  m.receive();

  auto in_lambda = [=](int tag) {
#pragma gpurma notify(NEXT) tag(tag)
#pragma gpurma wait tag(tag)
  };
  in_lambda(8);

  _Pragma("gpurma barrier")
}

int main() {
  auto layout = gpurma::query(constructs, 32);
  int *ints = managed<int>(2 * layout.device_ranks), *failures = managed<int>(1);
  double *doubles = managed<double>(2 * layout.device_ranks);
  constructs<<<layout.device_ranks, 32>>>(ints, doubles, failures);
  return finish("language_constructs", layout, failures);
}
