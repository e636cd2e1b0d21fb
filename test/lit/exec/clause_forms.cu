// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Expressions in clauses that are no plain names; directives of one macro for several types; pointers that lie in shared and constant
// memory, and in tables; packs of restricted pointers; and what a macro reads in one place, and writes in another.
// RUN: %gpurmacc_cpu -O2 -Wall -Wextra -Werror %s -o %t
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 2 %t | FileCheck %s
// CHECK: clause_forms: ok
#include "Inputs/exec.h"

#define EXCHANGE(name, T)                                                                                                                  \
  __device__ void name(T tag, int next) { _Pragma("gpurma notify(next) tag(tag)") _Pragma("gpurma wait tag(tag)") }
EXCHANGE(exchange_int, int)
EXCHANGE(exchange_long, long)
EXCHANGE(exchange_unsigned, unsigned)

__device__ bool is_bracket(char c) { return c == '(' || c == "["[0]; }
struct section {
  int *memory;
  int count;
};
__constant__ section exposed;
__constant__ int *sent;

__device__ void use(gpurma::window<int> &w, int next) {
#pragma gpurma notify(next) tag(2) on(w)
#pragma gpurma wait tag(2) on(w)
}
template <class... Each> __device__ void set(int value, int next, Each *__restrict__... pointers) {
#pragma gpurma notify(next) tag(3)
#pragma gpurma wait tag(3)
  ((*pointers = value), ...);
}
#define ELEMENT(i, operation) (w.data()[i] operation)

__global__ void forms(int *const *__restrict__ rows, int *failures) {
  const int next = (gpurma::rank() + 1) % gpurma::size(), last = (gpurma::rank() + gpurma::size() - 1) % gpurma::size();
  const int first = 64 * gpurma::device_rank();
  int *const a = rows[0] + first, *const b = rows[1] + first;
  exchange_int(1, next);
  exchange_long(4, next);
  exchange_unsigned(5, next);

  bool one = false, other = false;
  bool is_one = gpurma::size() > 0;
#pragma gpurma notify(next) tag(6)
#pragma gpurma barrier
#pragma gpurma test(is_one ? one : other) tag(6) from(last)
  expect(failures, one && !other);
  is_one = false;
#pragma gpurma notify(next) tag(6)
#pragma gpurma barrier
#pragma gpurma test(is_one ? one : other) tag(6) from(last)
  expect(failures, other);

  {
#pragma gpurma window(w = rows[0][first : 64])
    if (threadIdx.x == 0) {
      b[0] = 5, b[1] = 6, b[2] = 7;
      ELEMENT(1, = 3);
      ELEMENT(0, = 0);
    }
    int *const c = b + 1;
#pragma gpurma barrier
#pragma gpurma put(is_bracket('(') ? b : c[0 : 1]) to(next) at(w[2]) notify(1)
#pragma gpurma put(is_bracket(')') ? b : c[1 : 1]) to(next) at(w[3]) notify(1)
#pragma gpurma wait tag(1) count(2)
    expect(failures, a[2] == 5 && a[3] == 7);
#pragma gpurma put(b[0 : 1]) to(next) at(w[0])
    while (ELEMENT(0, == 0)) {
    }
    expect(failures, ELEMENT(1, == 3));
#pragma gpurma barrier
#pragma gpurma get(rows[1][first + 1 : 1]) from(next) at(w[1]) notify(7)
#pragma gpurma wait tag(7)
#pragma gpurma flush
    expect(failures, b[1] == 3);
  }
  {
    __shared__ section own;
    if (threadIdx.x == 0)
      own = {a, 64};
    __syncthreads();
#pragma gpurma window(w = own.memory[0 : own.count])
#pragma gpurma put(sent[first : 1]) to(next) at(w[9]) notify(1)
#pragma gpurma wait tag(1)
    expect(failures, a[9] == 5);
  }
  {
#pragma gpurma window(w = exposed.memory[first : exposed.count])
#pragma gpurma put(sent[first + 2 : 1]) to(next) at(w[10]) notify(1)
#pragma gpurma wait tag(1)
    expect(failures, a[10] == 7);
  }
  {
    volatile int *const watched = a;
#pragma gpurma window(w = watched[0 : 64])
    use(w, next);
  }
  set(next, next, a + 20, b + 20);
  expect(failures, a[20] == next && b[20] == next);
}

__global__ void inverse(double *result, double of = -0.0) {
#pragma gpurma barrier
  *result = 1 / of;
}

int main() {
  auto layout = gpurma::query(forms, 32);
  int **rows = managed<int *>(2), *failures = managed<int>(1);
  for (int row : {0, 1})
    rows[row] = managed<int>(64 * layout.device_ranks);
  const section section = {rows[0], 64};
  cudaMemcpyToSymbol(exposed, &section, sizeof section);
  cudaMemcpyToSymbol(sent, &rows[1], sizeof rows[1]);
  forms<<<layout.device_ranks, 32>>>(rows, failures);
  double *result = managed<double>(1);
  inverse<<<1, 1>>>(result);
  cudaDeviceSynchronize();
  *failures += *result > 0;
  return finish("clause_forms", layout, failures);
}
