// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that poll window memory by way of structures, arrays and objects that have a pointer to it, and of functions that change what decides.
// RUN: %gpurmacc_cpu -O3 -Wall -Wextra -Werror %s -o %t
// RUN: env GPURMA_CPU_RANKS=4 GPURMA_CPU_WORKERS=1 GPURMA_TIMEOUT=20 %t | FileCheck %s
// CHECK: polled_forms: ok
#include "Inputs/exec.h"

#include <array>

struct view {
  const int *base;
  int count;
};
struct message {
  int number, other;
  __device__ bool is_before(int step) const { return number < step; }
};
struct reference {
  const int &number;
  __device__ bool is_before(int step) const { return number < step; }
};
struct made {
  const int *base;
  __device__ explicit made(const int *p) : base(p) {}
};
struct inheriting : made {
  using made::made;
};
__device__ view viewed(const int *p) { return {p, 1}; }
__device__ message copied(const int *p) { return message{p[0], 0}; }
__device__ void load(const int *from, int &to) { to = *from; }

struct by_default {
  const int *first;
  const int *base = first;
};
struct polls_by_default {
  const int *base;
  int step, number = polled(base, step);
  static __device__ int polled(const int *base, int step) {
    while (*base < step) {
    }
    return *base;
  }
};

// What functions store through their parameters.
__device__ void give(const int *&to, const int *from) { to = from; }
__device__ void give_to(const int **to, const int *from) { *to = from; }
__device__ void fill(const int *(&to)[2], const int *from) { to[0] = to[1] = from; }
template <class T> __device__ void exchange(T &a, T &b) {
  T c = a;
  a = b;
  b = c;
}
template <class T> __device__ void exchange_both(T &a, T &b) { exchange(a, b); }

__device__ void poll(int *flag, int step) {
  const int *given, *given_to, *filled[2], *exchanged = nullptr, *other_flag = flag;
  give(given, flag);
  while (*given < step) {
  }
  give_to(&given_to, flag);
  while (*given_to < step) {
  }
  fill(filled, flag);
  while (*filled[1] < step) {
  }
  exchange_both(other_flag, exchanged);
  while (*exchanged < step) {
  }
  const auto lambda = [](const int *&to, const int *from) { to = from; };
  const int *from_lambda;
  lambda(from_lambda, flag);
  while (*from_lambda < step) {
  }
  const by_default members{flag};
  while (*members.base < step) {
  }
  const polls_by_default polls{flag, step};
  if (polls.number < step)
    return;

  const view braces{flag, 1};
  while (*braces.base < step) {
  }
  const view several[2] = {{flag, 1}, {flag, 2}};
  while (*several[step % 2].base < step) {
  }
  const int *pointers[2] = {flag, flag};
  while (*pointers[step % 2] < step) {
  }
  const std::array<const int *, 2> of_library{flag, flag};
  while (*of_library[step % 2] < step) {
  }
  const auto [bound, other] = std::array<const int *, 2>{flag, flag};
  while (*bound < step || *other < step) {
  }
  const auto returned = viewed(flag);
  while (returned.base[0] < step) {
  }
  while (copied(flag).number < step) {
  }
  const auto *in_window = reinterpret_cast<const message *>(flag);
  while (in_window->is_before(step)) {
  }
  const reference refers{flag[0]};
  while (refers.is_before(step)) {
  }
  const inheriting constructed(flag);
  while (*constructed.base < step) {
  }
  const int *direct = flag, *const *indirect = &direct;
  while (**indirect < step) {
  }
}

// The read is window memory's for all to see, but not that the loop waits for it.
__device__ void decide(int *flag, int step) {
  int number = 0;
  const auto look = [&] { number = flag[0]; };
  while (number < step)
    look();
  number = 0;
  while (number < step)
    load(flag, number);
  message whole{0, 0};
  while (whole.number < step)
    whole = *reinterpret_cast<const message *>(flag);
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
    if (step % 2 == 0)
      decide(base, step);
    else
      poll(base, step);
#pragma gpurma barrier comm(device)
  }
  if (threadIdx.x == 0 && base[0] != 3)
    atomicAdd(failures, 1);
}

int main() {
  const auto layout = gpurma::query(kernel, 8);
  int *flags = managed<int>(4 * layout.device_ranks), *failures = managed<int>(1);
  kernel<<<layout.device_ranks, 8>>>(flags, failures);
  return finish("polled_forms", layout, failures);
}
