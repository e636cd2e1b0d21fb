// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The device-side interface of platform.h, as the device library uses it.
#include <numeric>

#include "launch.h"

namespace {

namespace platform = gpurma::platform;
using platform::scope;

__global__ void copy(char* dst, const char* src, std::size_t bytes) { platform::copy_block(dst, src, bytes); }

TEST(Platform, CopyBlockCopiesExactlyTheBytes) {
  constexpr std::size_t most = 70000;
  managed<char> src(most), dst(most);
  std::vector<char> expected(most);
  for (std::size_t i = 0; i < most; ++i) src[i] = static_cast<char>(i * 31 % 251 + 1);
  for (const unsigned threads : {1u, 3u, 32u})
    for (const std::size_t bytes : {0ul, 1ul, 7ul, 64ul, 4095ul, 4096ul, 4097ul, 12288ul, 12289ul, 65536ul, 69990ul})
      for (const std::size_t shift : {0ul, 1ul, 8ul}) {
        std::fill_n(dst.get(), most, '\0');
        std::fill(expected.begin(), expected.end(), '\0');
        std::copy_n(src.get() + shift, bytes, expected.begin() + 2);
        run(copy, 1, threads, dst.get() + 2, src.get() + shift, bytes);
        ASSERT_TRUE(std::equal(expected.begin(), expected.end(), dst.get())) << bytes << " bytes, " << threads << " threads";
      }
}

// Fails in builds with UndefinedBehaviorSanitizer if null pointers reach memcpy.
TEST(Platform, CopyBlockOfNothingNeedsNoMemory) {
  run(copy, 1, 3, static_cast<char*>(nullptr), static_cast<const char*>(nullptr), std::size_t{0});
}

struct odd {
  char bytes[7];
};
struct mixed {
  double d;
  int i;
  char c;
};

__global__ void read(const int* i, const odd* o, const mixed* m, int* out) {
  out[0] = platform::load_volatile(i);
  out[1] = platform::load_volatile(o).bytes[6];
  const mixed copy = platform::load_volatile(m);
  out[2] = static_cast<int>(copy.d) + copy.i + copy.c;
}

TEST(Platform, VolatileLoadsOfAnyTriviallyCopyableType) {
  managed<int> i(1), out(3);
  managed<odd> o(2);
  managed<mixed> m(1);
  i[0] = 5;
  o[1].bytes[6] = 9;
  m[0] = {1.5, 20, 3};
  run(read, 1, 1, i.get(), o.get() + 1, m.get(), out.get());
  EXPECT_EQ(out[0], 5);
  EXPECT_EQ(out[1], 9);
  EXPECT_EQ(out[2], 24);
}

enum class state : unsigned { empty, full };

__global__ void produce_and_consume(state* s, int* data, std::uint64_t* sum, int n) {
  for (int i = 1; i <= n; ++i) {
    if (blockIdx.x == 0) {
      while (platform::load_acquire(s, scope::device) != state::empty) platform::yield();
      *data = i;
      platform::store_release(s, state::full, scope::device);
    } else {
      while (platform::load_acquire(s, scope::device) != state::full) platform::yield();
      platform::fetch_add(sum, static_cast<std::uint64_t>(*data), scope::system);
      platform::store_release(s, state::empty, scope::device);
    }
  }
}

TEST(Platform, ReleaseAndAcquireCarryData) {
  managed<state> s(1);
  managed<int> data(1);
  managed<std::uint64_t> sum(1);
  run_cooperative(produce_and_consume, 2, 1, s.get(), data.get(), sum.get(), 500);
  EXPECT_EQ(sum[0], 500u * 501u / 2);
}

__global__ void fences(int* flag, int* data, int n, int* errors) {
  for (int i = 1; i <= n; ++i) {
    if (blockIdx.x == 0) {
      while (platform::load_relaxed(flag) != 2 * i - 2) platform::yield();
      platform::fence_acquire(scope::device);
      *data = i;
      platform::fence_release(scope::device);
      platform::store_relaxed(flag, 2 * i - 1);
    } else {
      while (platform::load_relaxed(flag) != 2 * i - 1) platform::yield();
      platform::fence_acquire(scope::device);
      if (*data != i) atomicAdd(errors, 1);
      platform::fence_release(scope::device);
      platform::store_relaxed(flag, 2 * i);
    }
  }
}

TEST(Platform, FencesOrderPlainAccesses) {
  managed<int> flag(1), data(1), errors(1);
  run_cooperative(fences, 2, 1, flag.get(), data.get(), 300, errors.get());
  EXPECT_EQ(errors[0], 0);
}

__global__ void increment_by_exchange(std::uint64_t* value, int n) {
  for (int i = 0; i < n; ++i) {
    std::uint64_t seen = platform::load_relaxed(value);
    while (!platform::compare_exchange(value, seen, seen + 1, scope::system)) {
    }
  }
}

TEST(Platform, CompareExchangeReportsWhatItSaw) {
  managed<std::uint64_t> value(1);
  run_cooperative(increment_by_exchange, 8, 8, value.get(), 50);
  EXPECT_EQ(value[0], 8u * 8u * 50u);
}

struct block_state {
  int count;
  char padding[100];
};
struct other_state {
  double value;
};

__global__ void count_in_shared(int* out) {
  atomicAdd(&platform::block_shared<block_state>().count, 1);
  platform::sync_block();
  if (platform::thread_index() == 0) {
    out[platform::block_rank()] = platform::block_shared<block_state>().count;
    platform::block_shared<other_state>().value = 3.5;
  }
}

TEST(Platform, BlockSharedIsZeroWhenABlockStarts) {
  managed<int> out(30);
  for (int repeat = 0; repeat < 3; ++repeat) {
    run(count_in_shared, 30, 17, out.get());
    for (std::size_t b = 0; b < 30; ++b) EXPECT_EQ(out[b], 17);
  }
}

__global__ void times(std::uint64_t* ns, long long* cycles) {
  ns[0] = platform::clock_ns();
  cycles[0] = clock64();
  platform::yield();
  ns[1] = platform::clock_ns();
  cycles[1] = clock64();
}

TEST(Platform, ClocksGoForward) {
  managed<std::uint64_t> ns(2);
  managed<long long> cycles(2);
  run(times, 1, 1, ns.get(), cycles.get());
  EXPECT_LE(ns[0], ns[1]);
  EXPECT_LT(cycles[0], cycles[1]);
}

}  // namespace
