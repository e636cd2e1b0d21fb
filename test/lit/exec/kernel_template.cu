// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// A rank kernel template, launched with two instantiations, and with others by a template that leaves some or all of the arguments open.
// RUN: %gpurmacc_cpu -O2 %s -o %t
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 2 %t | FileCheck %s
// CHECK: kernel_template: ok
#include "Inputs/exec.h"

template <class T, int Tag> __global__ void shift(T *memory, int *failures) {
  T *mine = memory + 2 * gpurma::device_rank();
  int ranks = gpurma::size(), previous = (gpurma::rank() + ranks - 1) % ranks;
  if (threadIdx.x == 0)
    mine[1] = T(gpurma::rank()) + T(Tag);
#pragma gpurma window(w = mine[0:1])
#pragma gpurma put(mine[1:1]) to((gpurma::rank() + 1) % ranks) at(w[0]) notify(Tag)
#pragma gpurma wait tag(Tag) on(w)
  expect(failures, mine[0] == T(previous) + T(Tag));
}

template <int Tag, class T> __global__ void shift_back(T *memory, int *failures, T more) {
  T *mine = memory + 2 * gpurma::device_rank();
  int ranks = gpurma::size(), next = (gpurma::rank() + 1) % ranks;
  if (threadIdx.x == 0)
    mine[1] = T(gpurma::rank()) + more;
#pragma gpurma window(w = mine[0:1])
#pragma gpurma put(mine[1:1]) to((gpurma::rank() + ranks - 1) % ranks) at(w[0]) notify(Tag)
#pragma gpurma wait tag(Tag) on(w)
  expect(failures, mine[0] == T(next) + more);
}
namespace {
template <class Operation> __global__ void combine(Operation operation, int *failures) {
#pragma gpurma barrier
  expect(failures, operation(gpurma::rank(), 2) == gpurma::rank() * 2);
}
} // namespace
struct multiply {
  __host__ __device__ int operator()(int a, int b) const { return a * b; }
};
template <class T, class Operation> void launch_others(int ranks, T *memory, int *failures, Operation operation) {
  shift_back<3><<<ranks, 32>>>(memory, failures, T(5));
  combine<<<ranks, 32>>>(operation, failures);
}

int main() {
  auto layout = gpurma::query(shift<int, 1>, 32);
  int *ints = managed<int>(2 * layout.device_ranks), *failures = managed<int>(1);
  float *floats = managed<float>(2 * layout.device_ranks);
  shift<int, 1><<<layout.device_ranks, 32>>>(ints, failures);
  shift<float, 2><<<layout.device_ranks, 32>>>(floats, failures);
  launch_others(layout.device_ranks, ints, failures, multiply());
  launch_others(layout.device_ranks, floats, failures, multiply());
  return finish("kernel_template", layout, failures);
}
