// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Warp operations against a plain computation over arrays.
#include <bit>
#include <random>

#include "launch.h"

namespace {

constexpr unsigned full = 0xffffffffu;

__global__ void shuffle_all_ways(const float* in, float* out, int width, int argument) {
  const unsigned t = threadIdx.x, n = blockDim.x;
  out[t] = __shfl_sync(full, in[t], argument, width);
  out[n + t] = __shfl_up_sync(full, in[t], static_cast<unsigned>(argument), width);
  out[2 * n + t] = __shfl_down_sync(full, in[t], static_cast<unsigned>(argument), width);
  out[3 * n + t] = __shfl_xor_sync(full, in[t], argument, width);
}

TEST(Warp, ShufflesInSectionsOfEveryWidth) {
  constexpr int n = 96;
  managed<float> in(n), out(4 * n);
  for (int i = 0; i < n; ++i) in[static_cast<std::size_t>(i)] = static_cast<float>(i * i);
  for (int width = 1; width <= 32; width *= 2)
    for (int argument = 0; argument < width; ++argument) {
      run(shuffle_all_ways, 1, n, in.get(), out.get(), width, argument);
      for (int i = 0; i < n; ++i) {
        const int first = i / width * width;
        const auto value = [&](int j) { return in[static_cast<std::size_t>(j)]; };
        const auto got = [&](int row) { return out[static_cast<std::size_t>(row * n + i)]; };
        ASSERT_EQ(got(0), value(first + argument));
        ASSERT_EQ(got(1), value(i - argument >= first ? i - argument : i));
        ASSERT_EQ(got(2), value(i + argument < first + width ? i + argument : i));
        ASSERT_EQ(got(3), value(i ^ argument));
      }
    }
}

template <class T>
__global__ void shuffle_type(T* out) {
  out[threadIdx.x] = __shfl_xor_sync(full, static_cast<T>(threadIdx.x * 3), 1);
}

template <class T>
void check_type() {
  managed<T> out(32);
  run(shuffle_type<T>, 1, 32, out.get());
  for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(out[i], static_cast<T>((i ^ 1) * 3));
}

TEST(Warp, ShufflesEveryType) {
  check_type<int>();
  check_type<unsigned>();
  check_type<long>();
  check_type<unsigned long>();
  check_type<long long>();
  check_type<unsigned long long>();
  check_type<float>();
  check_type<double>();
}

__global__ void reduce_sum(const double* in, double* out) {
  double sum = in[blockIdx.x * blockDim.x + threadIdx.x];
  for (int offset = warpSize / 2; offset > 0; offset /= 2) sum += __shfl_down_sync(full, sum, static_cast<unsigned>(offset));
  if (threadIdx.x % warpSize == 0) atomicAdd(out, sum);
}

TEST(Warp, SumOfAWarpAsCudaProgramsWriteIt) {
  managed<double> in(8 * 128), out(1);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<double>(i);
  run(reduce_sum, 8, 128, in.get(), out.get());
  EXPECT_EQ(out[0], 1023.0 * 1024.0 / 2.0);
}

__global__ void votes(const unsigned* bits, unsigned* out) {
  const unsigned t = threadIdx.x, lane = t % 32, predicate = bits[t / 32] >> lane & 1;
  out[4 * t] = __ballot_sync(full, static_cast<int>(predicate));
  out[4 * t + 1] = static_cast<unsigned>(__any_sync(full, static_cast<int>(predicate)));
  out[4 * t + 2] = static_cast<unsigned>(__all_sync(full, static_cast<int>(predicate)));
  out[4 * t + 3] = __match_any_sync(full, predicate);
}

TEST(Warp, VotesAndMatches) {
  managed<unsigned> bits(3), out(4 * 80);
  bits[0] = 0x80000001u, bits[1] = 0, bits[2] = 0xffffu;  // the last warp has 16 threads
  run(votes, 1, 80, bits.get(), out.get());
  for (unsigned t = 0; t < 80; ++t) {
    const unsigned members = t < 64 ? full : 0xffffu, mine = bits[t / 32];
    EXPECT_EQ(out[4 * t], mine & members);
    EXPECT_EQ(out[4 * t + 1], (mine & members) != 0);
    EXPECT_EQ(out[4 * t + 2], (mine & members) == members);
    EXPECT_EQ(out[4 * t + 3], (mine >> t % 32 & 1) != 0 ? mine & members : ~mine & members);
  }
}

__global__ void match_all(unsigned* out) {
  int same = -1, different = -1;
  const unsigned equal = __match_all_sync(full, 5ull, &same);
  const unsigned unequal = __match_all_sync(full, threadIdx.x == 3, &different);
  if (threadIdx.x == 9) out[0] = equal, out[1] = static_cast<unsigned>(same), out[2] = unequal, out[3] = static_cast<unsigned>(different);
}

TEST(Warp, MatchAll) {
  managed<unsigned> out(4);
  run(match_all, 1, 32, out.get());
  EXPECT_EQ(out[0], full);
  EXPECT_EQ(out[1], 1u);
  EXPECT_EQ(out[2], 0u);
  EXPECT_EQ(out[3], 0u);
}

__global__ void halves(int* out) {
  // Two groups of one warp, in the branches of one condition, with different numbers of exchanges.
  const unsigned lane = threadIdx.x % 32;
  int value = static_cast<int>(lane);
  if (lane < 16) {
    for (int i = 0; i < 5; ++i) value = __shfl_sync(0xffffu, value, (static_cast<int>(lane) + 1) % 16);
  } else {
    for (int i = 0; i < 3; ++i) value = __shfl_sync(0xffff0000u, value, 16 + (static_cast<int>(lane) + 1) % 16);
  }
  __syncwarp();
  out[threadIdx.x] = value;
}

TEST(Warp, GroupsOfAWarpExchangeIndependently) {
  managed<int> out(64);
  run(halves, 1, 64, out.get());
  for (int i = 0; i < 64; ++i) {
    const int lane = i % 32, half = lane / 16, steps = half == 0 ? 5 : 3;
    EXPECT_EQ(out[static_cast<std::size_t>(i)], half * 16 + (lane % 16 + steps) % 16);
  }
}

__global__ void after_return(unsigned* out) {
  if (threadIdx.x % 2 == 1) return;
  out[threadIdx.x] = __ballot_sync(full, 1);
}

TEST(Warp, LanesThatReturnedAreNotWaitedFor) {
  managed<unsigned> out(32);
  run(after_return, 1, 32, out.get());
  for (unsigned i = 0; i < 32; i += 2) EXPECT_EQ(out[i], 0x55555555u);
}

__global__ void aggregated_count(unsigned* counter, unsigned* tickets, unsigned n) {
  // The idiom of NVIDIA's "CUDA Pro Tip: Optimized Filtering with Warp-Aggregated Atomics".
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n || t % 3 == 0) return;
  const unsigned active = __activemask(), lane = threadIdx.x % 32;
  const int leader = __ffs(static_cast<int>(active)) - 1;
  unsigned first = 0;
  if (lane == static_cast<unsigned>(leader)) first = atomicAdd(counter, static_cast<unsigned>(__popc(active)));
  first = __shfl_sync(active, first, leader);
  tickets[first + static_cast<unsigned>(__popc(active & ((1u << lane) - 1)))] = t;
}

TEST(Warp, ActiveMaskNamesLanesThatReallyMeet) {
  constexpr unsigned n = 1000;
  managed<unsigned> counter(1), tickets(n);
  run(aggregated_count, 4, 256, counter.get(), tickets.get(), n);
  unsigned expected = 0;
  std::vector<int> seen(n);
  for (unsigned t = 0; t < n; ++t) expected += t % 3 != 0;
  ASSERT_EQ(counter[0], expected);
  for (unsigned i = 0; i < expected; ++i) ++seen[tickets[i]];
  for (unsigned t = 0; t < n; ++t) EXPECT_EQ(seen[t], t % 3 != 0);
}

__global__ void masks_of_branches(unsigned* out) {
  if (threadIdx.x < 10)
    out[threadIdx.x] = __activemask();
  else
    out[threadIdx.x] = __activemask();
  __syncthreads();
}

TEST(Warp, ActiveMaskInBranches) {
  managed<unsigned> out(32);
  run(masks_of_branches, 1, 32, out.get());
  for (unsigned i = 0; i < 32; ++i) {
    // A compiler may merge the two calls into one; then all lanes meet there.
    EXPECT_TRUE(out[i] == (i < 10 ? 0x3ffu : ~0x3ffu) || out[i] == full) << std::hex << out[i];
    EXPECT_NE(out[i] >> i & 1, 0u);
  }
}

__global__ void active_while_others_spin(int* flag, unsigned* out) {
  // Lane 0 spins until the others, who wait to converge meanwhile, have gone on.
  if (threadIdx.x == 0) {
    while (gpurma::platform::load_acquire(flag, gpurma::platform::scope::device) != 31) gpurma::platform::yield();
  } else {
    out[threadIdx.x] = __activemask();
    atomicAdd(flag, 1);
  }
}

TEST(Warp, ActiveMaskDoesNotWaitForLanesThatSpin) {
  managed<int> flag(1);
  managed<unsigned> out(32);
  run(active_while_others_spin, 1, 32, flag.get(), out.get());
  for (unsigned i = 1; i < 32; ++i) EXPECT_NE(out[i] >> i & 1, 0u);
}

__global__ void active_while_another_warp_spins(int* flag, unsigned* out) {
  if (threadIdx.x == 32) {
    while (gpurma::platform::load_acquire(flag, gpurma::platform::scope::device) == 0) __nanosleep(20);
  } else if (threadIdx.x < 32) {
    // The last lane comes late, so that the other warp yields while lanes wait to converge; then they all meet.
    const std::uint64_t start = gpurma::platform::clock_ns();
    while (threadIdx.x == 31 && gpurma::platform::clock_ns() - start < 5000000) {
    }
    out[threadIdx.x] = __activemask();
    if (threadIdx.x == 0) gpurma::platform::store_release(flag, 1, gpurma::platform::scope::device);
  }
  __syncthreads();
}

TEST(Warp, LanesThatConvergeWakeWhoYieldedMeanwhile) {
  managed<int> flag(1);
  managed<unsigned> out(32);
  run(active_while_another_warp_spins, 1, 64, flag.get(), out.get());
  for (unsigned i = 0; i < 32; ++i) EXPECT_NE(out[i] >> i & 1, 0u);
}

__global__ void active_after_return(unsigned* out) {
  // Lane 0 leaves while the others wait to converge. The other warp, which comes further all the time, waits for them.
  if (threadIdx.x >= 32) {
    while (__any_sync(full, gpurma::platform::load_acquire(out, gpurma::platform::scope::device) == 31) == 0)
      __nanosleep(20);
    return;
  }
  if (threadIdx.x == 0) {
    __nanosleep(20);
    return;
  }
  out[threadIdx.x] = __activemask();
  atomicAdd(&out[0], 1u);
}

TEST(Warp, LanesConvergeWhenTheLastOtherReturns) {
  managed<unsigned> out(32);
  run(active_after_return, 1, 64, out.get());
  for (unsigned i = 1; i < 32; ++i) EXPECT_EQ(out[i], ~1u);
}

__global__ void reductions(const int* in, int* out) {
  const int value = in[threadIdx.x];
  const auto bits = static_cast<unsigned>(value);
  const int results[] = {__reduce_add_sync(full, value), __reduce_min_sync(full, value), __reduce_max_sync(full, value),
                         static_cast<int>(__reduce_min_sync(full, bits)), static_cast<int>(__reduce_max_sync(full, bits)),
                         static_cast<int>(__reduce_and_sync(full, bits)), static_cast<int>(__reduce_or_sync(full, bits)),
                         static_cast<int>(__reduce_xor_sync(full, bits))};
  if (threadIdx.x == 21)
    for (int i = 0; i < 8; ++i) out[i] = results[i];
}

TEST(Warp, Reductions) {
  managed<int> in(32), out(8);
  std::mt19937 random(7);
  int sum = 0, low = 1000, high = -1000;
  unsigned unsigned_low = full, unsigned_high = 0, all = full, any = 0, odd = 0;
  for (std::size_t i = 0; i < 32; ++i) {
    const int value = in[i] = static_cast<int>(random() % 2000) - 1000;
    const auto bits = static_cast<unsigned>(value);
    sum += value, low = std::min(low, value), high = std::max(high, value);
    unsigned_low = std::min(unsigned_low, bits), unsigned_high = std::max(unsigned_high, bits);
    all &= bits, any |= bits, odd ^= bits;
  }
  run(reductions, 1, 32, in.get(), out.get());
  EXPECT_EQ(out[0], sum);
  EXPECT_EQ(out[1], low);
  EXPECT_EQ(out[2], high);
  EXPECT_EQ(static_cast<unsigned>(out[3]), unsigned_low);
  EXPECT_EQ(static_cast<unsigned>(out[4]), unsigned_high);
  EXPECT_EQ(static_cast<unsigned>(out[5]), all);
  EXPECT_EQ(static_cast<unsigned>(out[6]), any);
  EXPECT_EQ(static_cast<unsigned>(out[7]), odd);
}

}  // namespace
