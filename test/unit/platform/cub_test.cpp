// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the CPU target has of CUB: sums over blocks and warps.
#include <cub/cub.cuh>

#include "launch.h"

namespace {

using Block = cub::BlockReduce<int, 5, cub::BLOCK_REDUCE_WARP_REDUCTIONS, 4, 3>;

__global__ void reduce_block(int* results, Block::TempStorage* memory) {
  Block::TempStorage& storage = *memory;
  const int thread = static_cast<int>(threadIdx.x + 5 * (threadIdx.y + 4 * threadIdx.z));
  const auto note = [&](int at, int result) {
    if (thread == 0) results[at] = result;
    __syncthreads();
  };
  note(0, Block(storage).Sum(thread + 1));
  note(1, Block(storage).Sum(thread + 1, 10));
  int two[2] = {thread, 100 * thread};
  note(2, Block(storage).Sum(two));
  note(3, Block(storage).Reduce(thread * 37 % 60, cub::Max()));
  note(4, Block(storage).Reduce(thread * 37 % 60 + 5, cub::Min(), 4));
  note(5, Block(storage).Reduce(two, [](int a, int b) { return a ^ b; }));
  note(6, Block(storage).Reduce(thread, [](int a, int b) { return 10 * a + b; }, 4));  // in the threads' order
}

TEST(Cub, BlockReduce) {
  managed<int> results(7);
  managed<Block::TempStorage> storage(1);
  run(reduce_block, dim3(1), dim3(5, 4, 3), results.get(), storage.get());
  int exclusive = 0;
  for (int thread = 0; thread < 60; ++thread) exclusive ^= thread ^ 100 * thread;
  EXPECT_EQ(results[0], 60 * 61 / 2);
  EXPECT_EQ(results[1], 55);
  EXPECT_EQ(results[2], 101 * 59 * 60 / 2);
  EXPECT_EQ(results[3], 59);
  EXPECT_EQ(results[4], 5);
  EXPECT_EQ(results[5], exclusive);
  EXPECT_EQ(results[6], 123);
}

struct pair {
  double sum;
  int least;
};
struct combine {
  pair operator()(const pair& a, const pair& b) const { return {a.sum + b.sum, cuda::minimum<int>()(a.least, b.least)}; }
};

__global__ void reduce_warps(int* eights, pair* warps) {
  cub::WarpReduce<int, 8>::TempStorage of_eights[6];
  cub::WarpReduce<pair>::TempStorage of_warps[2];
  const int thread = static_cast<int>(threadIdx.x);
  const int sum = cub::WarpReduce<int, 8>(of_eights[thread / 8]).Sum(thread), first = cub::WarpReduce<int, 8>(of_eights[thread / 8]).Sum(thread, 3),
            most = cub::WarpReduce<int, 8>(of_eights[thread / 8]).Reduce(thread, cuda::maximum<>());
  if (thread % 8 == 0) {
    eights[thread / 8] = sum;
    eights[6 + thread / 8] = first;
    eights[12 + thread / 8] = most;
  }
  if (thread < 32) {
    const pair all = cub::WarpReduce<pair>(of_warps[0]).Reduce({0.5, 40 - thread}, combine());
    if (thread == 0) *warps = all;
  }
}

TEST(Cub, WarpReduce) {
  managed<int> eights(18);
  managed<pair> warps(1);
  run(reduce_warps, dim3(1), dim3(48), eights.get(), warps.get());
  for (int each = 0; each < 6; ++each) {
    EXPECT_EQ(eights[each], 64 * each + 28);
    EXPECT_EQ(eights[6 + each], 24 * each + 3);
    EXPECT_EQ(eights[12 + each], 8 * each + 7);
  }
  EXPECT_EQ(warps[0].sum, 16);
  EXPECT_EQ(warps[0].least, 9);
}

}  // namespace
