// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that poll window memory by what functions of the standard library give of it, by pointers that these hold, in arguments of functions that change
// what decides, through references, and where a wait does not always come. What such a function refers to is no copy that is gone. Lambdas that they
// call wait for the function around.
// RUN: %gpurmacc_cpu -std=c++20 -O3 -Wall -Wextra -Werror %s -o %t
// RUN: env GPURMA_CPU_RANKS=4 GPURMA_CPU_WORKERS=1 GPURMA_TIMEOUT=20 %t | FileCheck %s
// CHECK: polled_results: ok
#include "Inputs/exec.h"

#include <algorithm>
#include <array>
#include <functional>
#include <span>
#include <tuple>
#include <utility>

struct latch {
  int number = 0;
  __device__ void set(int to) { number = to; }
};
__device__ void store(int &to, int value) { to = value; }

__device__ void by_results(const int *flag, int step) {
  const auto &row = *reinterpret_cast<const int(*)[2]>(flag);
  const auto &whole = *reinterpret_cast<const std::array<int, 2> *>(flag);
  const int &first = std::get<0>(whole);
  while (first < step) {
  }
  while (std::get<0>(whole) < step) {
  }
  while (std::as_const(flag[0]) < step) {
  }
  while (*std::begin(row) < step) {
  }
  while (std::max(flag[0], flag[1]) < step) {
  }
  const int &larger = std::max(flag[0], flag[1]);
  while (larger < step && flag[0] < step) {
  }
  const std::span<const int> held(whole);
  while (held[0] < step) {
  }
}

__device__ void by_pointers(const int *flag, int step) {
  const std::tuple<const int *, int> pair(flag, step);
  while (*std::get<0>(pair) < step) {
  }
  const std::span<const int> all(flag, 2);
  while (all.first(1)[0] < step) {
  }
  const auto at = all.begin();
  while (*at < step) {
  }
  std::span<const int> assigned;
  assigned = all.subspan(0, 1);
  while (assigned[0] < step) {
  }
  const int *pointers[] = {flag, flag};
  while (**pointers < step) {
  }
  for (const int *each : pointers)
    while (*each < step) {
    }
  const int *none = nullptr;
  while (*(none ?: flag) < step) {
  }
}

__device__ void by_changes(const int *flag, int step, int never) {
  latch l;
  while (l.number < step)
    l.set(*flag);
  int number = 0;
  const auto set = [&](int to) { number = to; };
  while (number < step)
    set(*flag);
  number = 0;
  while (number < step)
    store(number, *flag);
  number = 0;
  while (number < step)
    std::exchange(number, *flag);
  number = 0;
  int &same = number;
  while (number < step)
    same = *flag;
  number = 0;
  int *const to = &number;
  while (number < step)
    *to = *flag;
  while (gpurma::uniform(*flag) < step) {
    if (never) {
#pragma gpurma wait tag(99)
    }
  }
}

// The function waits in what the library calls.
__device__ __noinline__ int change(int *__restrict__ slot, int *source, const gpurma::window<int> &w, int next) {
  const int before = *slot;
  std::invoke([&] {
#pragma gpurma barrier comm(device)
#pragma gpurma put(source[0:1]) to(next) at(w[1]) notify(1)
#pragma gpurma wait tag(1)
  });
  return *slot - before;
}

// Of a type that cannot be read as bytes, an instance elsewhere has the object itself.
struct counted {
  int number;
  __host__ __device__ counted(int number) : number(number) {}
  __host__ __device__ counted(const counted &other) : number(other.number) {}
  __host__ __device__ friend bool operator<(const counted &a, int b) { return a.number < b; }
};
template <class T> __host__ __device__ int rounds(const T *flag, int step) {
  int done = 0;
  while (flag[0] < step && ++done < 1000000000) {
  }
  return done;
}

__global__ void kernel(int *flags, int *failures, int never) {
  const int rank = gpurma::device_rank(), size = gpurma::device_size();
  int *base = flags + 4 * rank;
#pragma gpurma window(w = base[0:2]) comm(device)
  for (int step = 1; step < 5; ++step) {
    // Puts without notification; only the loads below tell that they have come.
    if (threadIdx.x == 0)
      base[2] = step;
#pragma gpurma put(base[2:1]) to((rank + 1) % size) at(w[0])
    switch (step) {
    case 1:
      by_results(base, step);
      break;
    case 2:
      by_pointers(base, step);
      break;
    case 3:
      by_changes(base, step, never);
      break;
    default:_Pragma("gpurma barrier comm(device)")
      rounds(base, step);
    }
#pragma gpurma barrier comm(device)
  }
  if (threadIdx.x == 0)
    base[2] = 9;
  const int changed = change(base + 1, base + 2, w, (rank + 1) % size);
  if (threadIdx.x == 0 && (base[0] != 4 || changed != 9))
    atomicAdd(failures, 1);
}

int main() {
  auto layout = gpurma::query(kernel, 32);
  int *flags = managed<int>(4 * layout.device_ranks), *failures = managed<int>(1);
  for (int i = 0; i < 4 * layout.device_ranks; ++i)
    flags[i] = 0;
  const counted three(3);
  *failures = rounds(&three, 3);
  kernel<<<layout.device_ranks, 32>>>(flags, failures, 0);
  return finish("polled_results", layout, failures);
}
