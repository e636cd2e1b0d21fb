// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that poll window memory by functions which the host, and the compiler for a constant, call too.
// RUN: %gpurmacc_cpu -O3 -Wall -Wextra -Werror %s -o %t
// RUN: env GPURMA_CPU_RANKS=4 GPURMA_CPU_WORKERS=1 GPURMA_TIMEOUT=20 %t | FileCheck %s
// RUN: %if nvcc %{ %check_cuda --Werror all-warnings -c %s -o %t.o %}
// RUN: %if nvcc %{ %check_cuda -std=c++20 --Werror all-warnings -c %s -o %t.o %}
// CHECK: polled_host_device: ok
#include "Inputs/exec.h"

struct message {
  int number, other;
};

__host__ __device__ constexpr bool is_before(const int &number, int step) { return number < step; }
static_assert(is_before(1, 2) && !is_before(2, 2));
__host__ __device__ inline bool same(const int &a, const int &b) { return a == b; }
__host__ __device__ inline message copied(const message &from) { return from; }
#define NUMBER(set) (m->number set)
__host__ __device__ inline int exchanged(message *m, int number) {
  if (number)
    NUMBER(= number);
  return NUMBER();
}

__global__ void kernel(int *flags, int *failures) {
  const int rank = gpurma::device_rank(), size = gpurma::device_size();
  int *base = flags + 4 * rank;
#pragma gpurma window(w = base[0:2]) comm(device)
  for (int step = 1; step < 4; ++step) {
    // Puts without notification; only the loads below tell that they have come.
    if (threadIdx.x == 0)
      base[2] = step;
#pragma gpurma put(base[2:1]) to((rank + 1) % size) at(w[0])
    while (is_before(w.data()[0], step)) {
    }
    while (!same(w.data()[0], step)) {
    }
    while (copied(*reinterpret_cast<message *>(base)).number < step) {
    }
    while (exchanged(reinterpret_cast<message *>(base), 0) < step) {
    }
#pragma gpurma barrier comm(device)
  }
  expect(failures, base[0] == 3);
}

int main() {
  message own{1, 2};
  if (is_before(own.number, 1) || !same(own.other, 2) || copied(own).other != 2 || exchanged(&own, 3) != 3)
    return 1;
  const auto layout = gpurma::query(kernel, 8);
  int *flags = managed<int>(4 * layout.device_ranks), *failures = managed<int>(1);
  kernel<<<layout.device_ranks, 8>>>(flags, failures);
  return finish("polled_host_device", layout, failures);
}
