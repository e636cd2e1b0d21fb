// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomic functions, alone and by all threads of a grid at once.
#include "launch.h"

namespace {

__global__ void single(long long* out) {
  int i = 10;
  unsigned u = 10;
  unsigned long long w = 10;
  long long l = -10;
  float f = 1.5f;
  double d = 2.5;
  unsigned short s = 3;
  *out++ = atomicAdd(&i, -3), *out++ = i;                           // 10 7
  *out++ = atomicSub(&i, 2), *out++ = i;                            // 7 5
  *out++ = atomicExch(&i, 40), *out++ = i;                          // 5 40
  *out++ = atomicMin(&i, -1), *out++ = i;                           // 40 -1
  *out++ = atomicMax(&i, 6), *out++ = i;                            // -1 6
  *out++ = atomicAnd(&i, 3), *out++ = i;                            // 6 2
  *out++ = atomicOr(&i, 9), *out++ = i;                             // 2 11
  *out++ = atomicXor(&i, 1), *out++ = i;                            // 11 10
  *out++ = atomicCAS(&i, 9, 1), *out++ = i;                         // 10 10
  *out++ = atomicCAS(&i, 10, 1), *out++ = i;                        // 10 1
  *out++ = atomicInc(&u, 10), *out++ = u;                           // 10 0
  *out++ = atomicInc(&u, 10), *out++ = u;                           // 0 1
  *out++ = atomicDec(&u, 10), *out++ = u;                           // 1 0
  *out++ = atomicDec(&u, 10), *out++ = u;                           // 0 10
  *out++ = atomicMax(&u, 0xfffffff0u), *out++ = u;                  // 10 4294967280
  *out++ = static_cast<long long>(atomicAdd(&w, 1ull << 40)), *out++ = static_cast<long long>(w);
  *out++ = atomicMin(&l, -11ll), *out++ = l;                        // -10 -11
  *out++ = atomicMax(&l, 12ll), *out++ = l;                         // -11 12
  *out++ = atomicCAS(&s, static_cast<unsigned short>(3), static_cast<unsigned short>(4)), *out++ = s;  // 3 4
  *out++ = static_cast<long long>(atomicAdd(&f, 2.0f) * 2), *out++ = static_cast<long long>(f * 2);    // 3 7
  *out++ = static_cast<long long>(atomicAdd(&d, -1.0) * 2), *out++ = static_cast<long long>(d * 2);    // 5 3
  *out++ = static_cast<long long>(atomicExch(&f, 9.0f) * 2), *out++ = static_cast<long long>(f);       // 7 9
  *out++ = atomicAdd_block(&i, 1), *out++ = atomicAdd_system(&i, 1);                                   // 1 2
}

TEST(Atomics, ReturnTheOldValueAndStoreTheNewOne) {
  managed<long long> out(64);
  run(single, 1, 1, out.get());
  const long long expected[] = {10, 7,  7,  5,  5, 40, 40, -1, -1, 6,  6,  2,
                                2,  11, 11, 10, 10, 10, 10, 1,  10, 0,  0,  1,
                                1,  0,  0,  10, 10, 4294967280, 10, (1ll << 40) + 10, -10, -11, -11, 12,
                                3,  4,  3,  7,  5, 3,  7,  9,  1,  2};
  const std::size_t n = std::size(expected);
  for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(out[i], expected[i]) << "value " << i;
}

__global__ void together(int* i, unsigned long long* w, float* f, double* d, unsigned* wrapped, int* low, int* high) {
  const int t = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  atomicAdd(i, t);
  atomicAdd(w, 3ull);
  atomicAdd(f, 1.0f);
  atomicAdd(d, 0.5);
  atomicInc(wrapped, 99u);
  atomicMin(low, -t);
  atomicMax(high, t);
}

TEST(Atomics, OfManyThreadsLoseNothing) {
  constexpr int n = 64 * 64;
  managed<int> i(1), low(1), high(1);
  managed<unsigned long long> w(1);
  managed<float> f(1);
  managed<double> d(1);
  managed<unsigned> wrapped(1);
  run(together, 64, 64, i.get(), w.get(), f.get(), d.get(), wrapped.get(), low.get(), high.get());
  EXPECT_EQ(i[0], n * (n - 1) / 2);
  EXPECT_EQ(w[0], 3ull * n);
  EXPECT_EQ(f[0], static_cast<float>(n));
  EXPECT_EQ(d[0], n / 2.0);
  EXPECT_EQ(wrapped[0], static_cast<unsigned>(n % 100));
  EXPECT_EQ(low[0], -(n - 1));
  EXPECT_EQ(high[0], n - 1);
}

__global__ void locked(int* lock, int* value) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  const int seen = *value;
  __nanosleep(1);  // another thread runs, and must not get in
  *value = seen + 1;
  __threadfence();
  atomicExch(lock, 0);
}

TEST(Atomics, ASpinLockAmongThreadsOfABlockIsNoDeadlock) {
  managed<int> lock(1), value(1);
  run(locked, 2, 32, lock.get(), value.get());
  EXPECT_EQ(value[0], 64);
}

__global__ void wait_by_adding_zero(int* flag) {
  if (threadIdx.x == 0)
    while (atomicAdd(flag, 0) == 0) {
    }
  else
    atomicOr(flag, 1);
}

TEST(Atomics, PollingWithAnAtomicThatChangesNothingLetsOthersRun) {
  managed<int> flag(1);
  run(wait_by_adding_zero, 1, 2, flag.get());
  EXPECT_EQ(flag[0], 1);
}

struct cell {
  int i;
  unsigned u;
  unsigned long long w;
  float f;
};

// Thread 0 spins on an operation that changes nothing until thread 1, which comes after it, has written.
template <class Unchanged, class Change>
__global__ void spin(cell* at, Unchanged unchanged, Change change) {
  if (threadIdx.x == 0)
    while (!unchanged(at)) {
    }
  else
    change(at);
}

template <class Unchanged, class Change>
void expect_to_end(const cell& first, Unchanged unchanged, Change change) {
  managed<cell> at(1);
  at[0] = first;
  run(spin<Unchanged, Change>, 1, 2, at.get(), unchanged, change);
}

TEST(Atomics, WhateverChangesNothingLetsOthersRun) {
  const auto set = [](cell* at) { atomicExch(&at->i, 2); };
  expect_to_end({}, [](cell* at) { return atomicCAS(&at->i, 0, 0) == 2; }, set);
  expect_to_end({}, [](cell* at) { return atomicSub(&at->i, 0) == 2; }, set);
  expect_to_end({}, [](cell* at) { return atomicXor(&at->i, 0) == 2; }, set);
  expect_to_end({}, [](cell* at) { return atomicAnd(&at->i, ~0) == 2; }, set);
  expect_to_end({}, [](cell* at) { return atomicMin(&at->i, 5) == 2; }, set);
  expect_to_end({}, [](cell* at) { return atomicMax(&at->i, -5) == 2; }, set);
  const auto clear = [](cell* at) { atomicExch(&at->i, 0); };
  expect_to_end({1, 0, 0, 0}, [](cell* at) { return atomicOr(&at->i, 1) == 0; }, clear);
  expect_to_end({}, [](cell* at) { return atomicInc(&at->u, 0) == 2; }, [](cell* at) { atomicExch(&at->u, 2u); });
  expect_to_end({}, [](cell* at) { return atomicMax(&at->w, 0ull) == 2; }, [](cell* at) { atomicExch(&at->w, 2ull); });
  const auto set_float = [](cell* at) { atomicAdd(&at->f, 2.0f); };
  expect_to_end({}, [](cell* at) { return atomicAdd(&at->f, 0.0f) == 2.0f; }, set_float);
  expect_to_end({0, 0, 0, 1}, [](cell* at) { return atomicExch(&at->f, 1.0f) == 3.0f; }, set_float);
}

}  // namespace
