// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cooperative launches: blocks that wait for each other, grid barriers, the idle hook, cooperative groups.
#include <atomic>

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "launch.h"

namespace cg = cooperative_groups;

namespace {

using gpurma::platform::scope;

__global__ void pass_token(int* token, int laps) {
  const int me = static_cast<int>(blockIdx.x), n = static_cast<int>(gridDim.x);
  for (int lap = 0; lap < laps; ++lap) {
    if (threadIdx.x == 0) {
      while (gpurma::platform::load_acquire(token, scope::device) != lap * n + me) gpurma::platform::yield();
      gpurma::platform::store_release(token, lap * n + me + 1, scope::device);
    }
    __syncthreads();
  }
}

TEST(Cooperative, BlocksThatWaitForEachOtherAllRun) {
  managed<int> token(1);
  run_cooperative(pass_token, 8, 32, token.get(), 40);
  EXPECT_EQ(token[0], 8 * 40);
}

__global__ void meet(int* arrived, int* errors, int rounds) {
  const cg::grid_group grid = cg::this_grid();
  for (int round = 1; round <= rounds; ++round) {
    if (cg::this_thread_block().thread_rank() == 0) atomicAdd(arrived, 1);
    grid.sync();
    if (atomicAdd(arrived, 0) != round * static_cast<int>(gridDim.x)) atomicAdd(errors, 1);
    grid.sync();
  }
  if (!grid.is_valid() || grid.size() != 8ull * blockDim.x || grid.thread_rank() / blockDim.x != blockIdx.x)
    atomicAdd(errors, 1);
}

TEST(Cooperative, GridBarrier) {
  managed<int> arrived(1), errors(1);
  run_cooperative(meet, 8, 24, arrived.get(), errors.get(), 20);
  EXPECT_EQ(arrived[0], 160);
  EXPECT_EQ(errors[0], 0);
}

__global__ void nothing() {}

TEST(Cooperative, MoreBlocksThanResidentAreRefused) {
  const unsigned most = gpurma::cpu::resident_blocks();
  EXPECT_EQ(launch_on(nullptr, grid_kind::cooperative, nothing, most + 1, 32, 0), cudaErrorCooperativeLaunchTooLarge);
  EXPECT_EQ(cudaGetLastError(), cudaErrorCooperativeLaunchTooLarge);
  EXPECT_EQ(launch_on(nullptr, grid_kind::cooperative, nothing, most, 32, 0), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

std::atomic<int> hook_calls{0};
int* hook_flag = nullptr;

bool set_flag_at_100() {
  const int call = ++hook_calls;
  if (call == 100) __atomic_store_n(hook_flag, 1, __ATOMIC_RELEASE);
  return call <= 100;
}

__global__ void wait_for_hook(int* flag) {
  if (threadIdx.x == 0)
    while (gpurma::platform::load_acquire(flag, scope::system) == 0) gpurma::platform::yield();
  __syncthreads();
}

TEST(Cooperative, WaitingBlocksDriveTheIdleHook) {
  managed<int> flag(1);
  hook_calls = 0;
  hook_flag = flag.get();
  gpurma::cpu::set_idle_hook(set_flag_at_100);
  run_cooperative(wait_for_hook, 4, 16, flag.get());
  gpurma::cpu::set_idle_hook(nullptr);
  EXPECT_GE(hook_calls.load(), 100);
}

__global__ void busy_until_hook(int* flag) {
  // Never only waits: barriers go on all the time.
  while (__syncthreads_count(gpurma::platform::load_acquire(flag, scope::system)) == 0) {
  }
}

TEST(Cooperative, BusyBlocksLetTheIdleHookRunToo) {
  managed<int> flag(1);
  hook_calls = 0;
  hook_flag = flag.get();
  gpurma::cpu::set_idle_hook(set_flag_at_100);
  run_cooperative(busy_until_hook, 2, 8, flag.get());
  gpurma::cpu::set_idle_hook(nullptr);
  EXPECT_GE(hook_calls.load(), 100);
}

__global__ void poll_with_warps(int* flag) {
  if (blockIdx.x == gridDim.x - 1)
    gpurma::platform::store_release(flag, 1, scope::device);
  else
    while (__any_sync(~0u, gpurma::platform::load_acquire(flag, scope::device)) == 0) {
    }
}

TEST(Cooperative, BlocksThatPollWithWarpOperationsLetOthersRun) {
  managed<int> flag(1);
  run_cooperative(poll_with_warps, 8, 32, flag.get());
}

__global__ void poll_while_others_converge(int* flag) {
  if (threadIdx.x >= 32) {
    while (__any_sync(~0u, gpurma::platform::load_acquire(flag, scope::device)) == 0) {
    }
  } else if (threadIdx.x == 0) {
    while (gpurma::platform::load_acquire(flag, scope::device) == 0) gpurma::platform::yield();
  } else if (__activemask() != 0) {
    gpurma::platform::store_release(flag, 1, scope::device);
  }
}

TEST(Cooperative, WarpsThatPollLetOthersConverge) {
  if (!fibres()) GTEST_SKIP() << "lanes converge when all others wait, and OS threads that poll do not";
  managed<int> flag(1);
  run_cooperative(poll_while_others_converge, 2, 64, flag.get());
}

struct wide {
  double a, b;
  int c;
};

__global__ void groups(int* errors) {
  const auto block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  const auto tile = cg::tiled_partition<8>(warp);
  const unsigned t = block.thread_rank();
  bool good = block.size() == 64 && warp.thread_rank() == t % 32 && warp.meta_group_rank() == t / 32 &&
              tile.thread_rank() == t % 8 && tile.meta_group_rank() == t % 32 / 8 && tile.meta_group_size() == 4;
  const wide sent{t * 1.5, t * 2.5, static_cast<int>(t)};
  const wide got = tile.shfl(sent, 3);
  const unsigned from = t / 8 * 8 + 3;
  good = good && got.a == from * 1.5 && got.b == from * 2.5 && got.c == static_cast<int>(from);
  good = good && cg::reduce(tile, t, cg::plus<unsigned>()) == 8 * (t / 8 * 8) + 28;
  good = good && cg::reduce(warp, t, cg::greater<unsigned>()) == t / 32 * 32 + 31;
  good = good && tile.shfl_down(t, 2) == (t % 8 < 6 ? t + 2 : t) && tile.shfl_up(t, 3) == (t % 8 >= 3 ? t - 3 : t);
  good = good && tile.shfl_xor(t, 5) == (t ^ 5);
  good = good && tile.ballot(t % 8 == 2) == 4u && tile.any(t % 8 == 7) == 1 && tile.all(t % 8 < 7) == 0;
  if (t % 2 == 1) {
    const auto together = cg::coalesced_threads();
    good = good && together.size() <= 16 && together.shfl(t, 0) <= t;
    good = good && together.ballot(1) == (together.size() == 32 ? ~0u : (1u << together.size()) - 1);
  }
  block.sync();
  if (!good) atomicAdd(errors, 1);
}

TEST(CooperativeGroups, BlocksTilesAndCoalescedThreads) {
  managed<int> errors(1);
  run(groups, 3, 64, errors.get());
  EXPECT_EQ(errors[0], 0);
}

}  // namespace
