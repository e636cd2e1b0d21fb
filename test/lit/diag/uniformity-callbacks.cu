// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Directives in functions and lambdas that functions of the standard library call, and in functions that call themselves; what such functions
// return. Values by way of copies that lambdas have captured, member functions called by a pointer, copy constructors, references to elements and
// members, increments as places, and memory of a thread's own.
// RUN: not %gpurmacc_cpu -std=c++20 -Wall -Wextra -fsyntax-only %s 2>&1 | %filecheck %s
#include <algorithm>
#include <functional>
#include <gpurma/gpurma.h>

__device__ void meet() {
#pragma gpurma barrier
}

__global__ void invoked() {
  auto f = [] {
#pragma gpurma barrier
  };
  std::invoke(f);
  std::invoke(meet);
  if (threadIdx.x == 0)
    // CHECK: :[[@LINE+1]]:5: error: all threads of the block must reach the call of 'operator()', which contains directives, together, but it stands under a condition that differs between them [gpurma-0102]
    std::invoke(f);
  if (threadIdx.x == 0)
    // CHECK: :[[@LINE+1]]:5: error: all threads of the block must reach the call of 'meet', which contains directives, together, but it stands under a condition that differs between them [gpurma-0102]
    std::invoke(meet);
}

__global__ void for_each(const int *memory) {
  int tags[2] = {1, 2}, own[2] = {1, static_cast<int>(threadIdx.x)};
  auto wait = [](int tag) {
#pragma gpurma wait tag(tag)
  };
  std::for_each(own, own + 2, wait);
  // CHECK: :[[@LINE-3]]:25: error: the tag of 'wait' must be the same for all threads of the block, but it differs between them [gpurma-0105]
  // CHECK: :[[@LINE+3]]:25: warning: cannot show that the tag of 'wait' is the same for all threads of the block [gpurma-0106]
  // Elements of memory.
  std::for_each(memory, memory + 2, [](int tag) {
#pragma gpurma wait tag(tag)
  });
  // CHECK: :[[@LINE+1]]:3: error: all threads of the block must reach the call of 'operator()', which contains directives, together, but it stands under a condition that differs between them [gpurma-0102]
  std::for_each(tags, tags + threadIdx.x, [](int) {
#pragma gpurma barrier
  });
}

__device__ int recursive(int n) {
#pragma gpurma barrier
  if (threadIdx.x < 4 && n > 0)
    // CHECK: :[[@LINE+1]]:12: error: all threads of the block must reach the call of 'recursive', which contains directives, together, but it stands under a condition that differs between them [gpurma-0102]
    return recursive(n - 1);
  return 0;
}
__global__ void recursion() { recursive(4); }

__global__ void returned() {
  if (std::invoke([] { return 1u; }) == 0) {
#pragma gpurma barrier
  }
  if (std::invoke([] { return threadIdx.x; }) == 0) {
// CHECK: :[[@LINE+1]]:16: error: all threads of the block must reach directive 'barrier' together, but it stands under a condition that differs between them [gpurma-0102]
#pragma gpurma barrier
  }
}

__global__ void copied() {
  int x = threadIdx.x;
  auto f = [x] { return x; };
  auto g = [&x] { return x; };
  x = 0;
  if (g() == 0) {
#pragma gpurma barrier
  }
  if (f() == 0) {
// CHECK: :[[@LINE+1]]:16: error: all threads of the block must reach directive 'barrier' together, but it stands under a condition that differs between them [gpurma-0102]
#pragma gpurma barrier
  }
}

struct counter {
  int n = 0;
  __device__ void set(int v) { n = v; }
};
__device__ void set_by(counter *c, int v) { c->set(v); }
__global__ void by_pointer() {
  counter same, differs;
  set_by(&same, 1);
  set_by(&differs, threadIdx.x);
  if (same.n == 0) {
#pragma gpurma barrier
  }
  if (differs.n == 0) {
// CHECK: :[[@LINE+1]]:16: error: all threads of the block must reach directive 'barrier' together, but it stands under a condition that differs between them [gpurma-0102]
#pragma gpurma barrier
  }
}

struct renumbered {
  int n;
  __device__ explicit renumbered(int n) : n(n) {}
  __device__ renumbered(const renumbered &) : n(threadIdx.x) {}
};
__global__ void copy_constructor() {
  const renumbered first(1), second(first);
  if (first.n == 0) {
#pragma gpurma barrier
  }
  if (second.n == 0) {
// CHECK: :[[@LINE+1]]:16: error: all threads of the block must reach directive 'barrier' together, but it stands under a condition that differs between them [gpurma-0102]
#pragma gpurma barrier
  }
}

struct referred {
  int n = 0;
  __device__ void run() {
    int &r = n;
    n = threadIdx.x;
    if (r == 0) {
// CHECK: :[[@LINE+1]]:16: error: all threads of the block must reach directive 'barrier' together, but it stands under a condition that differs between them [gpurma-0102]
#pragma gpurma barrier
    }
  }
};
__global__ void references() {
  referred().run();
  int a[2] = {0, 0}, x = 0;
  int &r = a[0];
  a[0] = threadIdx.x;
  if (r == 0) {
// CHECK: :[[@LINE+1]]:16: error: all threads of the block must reach directive 'barrier' together, but it stands under a condition that differs between them [gpurma-0102]
#pragma gpurma barrier
  }
  ++x = threadIdx.x;
  if (x == 0) {
// CHECK: :[[@LINE+1]]:16: error: all threads of the block must reach directive 'barrier' together, but it stands under a condition that differs between them [gpurma-0102]
#pragma gpurma barrier
  }
}

__device__ void put(int *from, const gpurma::window<int> &w) {
#pragma gpurma put(from[0 : 4]) to(1) at(w[0])
}
__global__ void own_memory(int *memory, bool other) {
#pragma gpurma window(w = memory[0 : 4])
  int a[8] = {}, *p = a;
  __shared__ int tile[4];
  auto &r = tile;
// CHECK: :[[@LINE+1]]:20: error: the section of 'put' lies in 'p', of which every thread has its own; it must lie in an allocation of the device [gpurma-0107]
#pragma gpurma put(p[0 : 4]) to(1) at(w[0])
// CHECK: :[[@LINE+1]]:20: error: the section of 'put' lies in '(a + 2)', of which every thread has its own; it must lie in an allocation of the device [gpurma-0107]
#pragma gpurma put((a + 2)[0 : 4]) to(1) at(w[0])
// CHECK: :[[@LINE+1]]:20: error: the section of 'put' lies in 'r', which is shared memory of the block; it must lie in an allocation of the device [gpurma-0107]
#pragma gpurma put(r[0 : 4]) to(1) at(w[0])
  put(other ? memory : memory + 4, w);
  put(a, w);
  // CHECK: :[[@LINE-15]]:20: error: the section of 'put' lies in 'from', of which every thread has its own; it must lie in an allocation of the device [gpurma-0107]
  int *made = new int[4];
// CHECK: :[[@LINE+1]]:20: error: the base of 'put' must be the same for all threads of the block, but it differs between them [gpurma-0105]
#pragma gpurma put(made[0 : 4]) to(1) at(w[0])
  delete[] made;
}
