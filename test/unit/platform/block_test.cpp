// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A block: who its threads are, its shared memory, its barriers.
#include "launch.h"

namespace {

struct identity {
  uint3 thread, block;
  unsigned linear_thread, linear_block, visits;
};

__global__ void note_identity(identity* out) {
  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  identity& mine = out[block * blockDim.x * blockDim.y * blockDim.z + thread];
  mine.thread = threadIdx;
  mine.block = blockIdx;
  mine.linear_thread = gpurma::platform::thread_index();
  mine.linear_block = gpurma::platform::block_rank();
  ++mine.visits;
}

TEST(Block, EveryThreadOfTheGridRunsOnceAndKnowsWhoItIs) {
  const dim3 grid(3, 2, 4), block(4, 3, 5);
  managed<identity> out(24 * 60);
  run(note_identity, grid, block, out.get());
  for (unsigned b = 0; b < 24; ++b)
    for (unsigned t = 0; t < 60; ++t) {
      const identity& seen = out[b * 60 + t];
      ASSERT_EQ(seen.visits, 1u);
      EXPECT_EQ(seen.linear_thread, t);
      EXPECT_EQ(seen.linear_block, b);
      EXPECT_EQ(seen.thread.x, t % 4);
      EXPECT_EQ(seen.thread.y, t / 4 % 3);
      EXPECT_EQ(seen.thread.z, t / 12);
      EXPECT_EQ(seen.block.x, b % 3);
      EXPECT_EQ(seen.block.y, b / 3 % 2);
      EXPECT_EQ(seen.block.z, b / 6);
    }
}

__device__ unsigned hidden(const uint3 blockIdx, const dim3 gridDim) { return blockIdx.x * 100 + gridDim.x; }
__global__ void call_with_hidden_names(unsigned* out) { *out = hidden(uint3{7, 0, 0}, dim3(9)) + blockIdx.x; }

TEST(Block, ParametersMayHideTheBuiltInVariables) {
  managed<unsigned> out(1);
  run(call_with_hidden_names, 1, 1, out.get());
  EXPECT_EQ(out[0], 709u);
}

// What `__shared__ int values[256];` is lowered to.
#define SHARED_INTS(name, n)        \
  typedef int name##_type[n];       \
  struct name##_key;                \
  name##_type& name = ::gpurma::cpu::shared_variable<name##_type, name##_key>()

__global__ void reverse(int* data) {
  SHARED_INTS(values, 256);
  const unsigned n = blockDim.x, t = threadIdx.x;
  values[t] = data[blockIdx.x * n + t];
  __syncthreads();
  data[blockIdx.x * n + t] = values[n - 1 - t];
}

TEST(Block, BarrierMakesSharedMemoryVisibleToTheBlock) {
  managed<int> data(40 * 256);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<int>(i);
  run(reverse, 40, 256, data.get());
  for (int b = 0; b < 40; ++b)
    for (int t = 0; t < 256; ++t) ASSERT_EQ(data[static_cast<std::size_t>(b * 256 + t)], b * 256 + 255 - t);
}

__global__ void rounds(int n, int* errors) {
  SHARED_INTS(round, 64);
  for (int i = 1; i <= n; ++i) {
    round[threadIdx.x] = i;
    __syncthreads();
    if (round[(threadIdx.x + 17) % blockDim.x] != i) atomicAdd(errors, 1);
    __syncthreads();
  }
}

TEST(Block, ManyBarriersInARow) {
  managed<int> errors(1);
  run(rounds, 4, 64, 300, errors.get());
  EXPECT_EQ(errors[0], 0);
}

__global__ void keep_values_over_barriers(int* errors) {
  // Locals of a thread, floating-point ones too, must survive that others run meanwhile.
  double sum = threadIdx.x;
  unsigned state = threadIdx.x * 2654435761u;
  for (int i = 0; i < 50; ++i) {
    sum += state % 7;
    state = state * 1664525u + 1013904223u;
    __syncthreads();
  }
  double expected = threadIdx.x;
  state = threadIdx.x * 2654435761u;
  for (int i = 0; i < 50; ++i) {
    expected += state % 7;
    state = state * 1664525u + 1013904223u;
  }
  if (sum != expected) atomicAdd(errors, 1);
}

TEST(Block, ThreadsKeepTheirValuesOverBarriers) {
  managed<int> errors(1);
  run(keep_values_over_barriers, 3, dim3(16, 8), errors.get());
  EXPECT_EQ(errors[0], 0);
}

__global__ void leave_one_by_one(int* sums) {
  SHARED_INTS(count, 1);
  if (threadIdx.x == 0) count[0] = 0;
  __syncthreads();
  for (unsigned i = 0; i < blockDim.x; ++i) {
    if (threadIdx.x == i) return;
    atomicAdd(&count[0], 1);
    __syncthreads();
    if (threadIdx.x == i + 1) sums[i] = count[0];
    __syncthreads();
  }
}

TEST(Block, ThreadsThatReturnedDoNotCountAtBarriers) {
  managed<int> sums(48);
  run(leave_one_by_one, 1, 48, sums.get());
  int sum = 0;
  for (int i = 0; i < 47; ++i) {
    sum += 47 - i;
    EXPECT_EQ(sums[static_cast<std::size_t>(i)], sum);
  }
}

__global__ void vote(int* out) {
  const int t = static_cast<int>(threadIdx.x);
  for (int i = 0; i < 3; ++i) {
    const int count = __syncthreads_count(t % 3 == i);
    const int all = __syncthreads_and(t >= i), none = __syncthreads_and(t < 0);
    const int any = __syncthreads_or(t == 7 * i), nobody = __syncthreads_or(t > 1000);
    if (t == 5) {
      int* const row = out + i * 5;
      row[0] = count, row[1] = all, row[2] = none, row[3] = any, row[4] = nobody;
    }
  }
}

TEST(Block, BarriersThatVote) {
  managed<int> out(15);
  run(vote, 1, 50, out.get());
  for (int i = 0; i < 3; ++i) {
    int* const row = out.get() + i * 5;
    EXPECT_EQ(row[0], (50 - i + 2) / 3);
    EXPECT_EQ(row[1], i == 0);
    EXPECT_EQ(row[2], 0);
    EXPECT_EQ(row[3], 1);
    EXPECT_EQ(row[4], 0);
  }
}

__global__ void two_variables(std::uintptr_t* addresses) {
  struct first_key;
  struct second_key;
  double& first = ::gpurma::cpu::shared_variable<double, first_key>();
  double& second = ::gpurma::cpu::shared_variable<double, second_key>();
  typedef double dynamic_type[];
  dynamic_type& dynamic = ::gpurma::cpu::dynamic_shared<dynamic_type>();
  if (threadIdx.x == 0) {
    first = 1 + blockIdx.x, second = 2 + blockIdx.x;
    for (unsigned i = 0; i < blockDim.x; ++i) dynamic[i] = i;
  }
  __syncthreads();
  const bool good = first == 1 + blockIdx.x && second == 2 + blockIdx.x && dynamic[threadIdx.x] == threadIdx.x;
  if (__syncthreads_and(good) != 0 && threadIdx.x == 0) {
    addresses[0] = reinterpret_cast<std::uintptr_t>(&first);
    addresses[1] = reinterpret_cast<std::uintptr_t>(&second);
    addresses[2] = reinterpret_cast<std::uintptr_t>(&dynamic);
  }
}

TEST(Block, SharedVariablesAreApartAndAligned) {
  managed<std::uintptr_t> addresses(3);
  ASSERT_EQ(launch_on(nullptr, grid_kind::ordinary, two_variables, 1, 128, 128 * sizeof(double), addresses.get()),
            cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_NE(addresses[0], 0u);
  EXPECT_NE(addresses[0], addresses[1]);
  EXPECT_EQ(addresses[0] % alignof(double), 0u);
  EXPECT_EQ(addresses[2] % 16, 0u);
}

__global__ void wait_inside_the_block(volatile int* flag, int* seen) {
  // Thread 0 comes first and waits for the last one, which has not begun by then.
  if (threadIdx.x == 0)
    while (*flag == 0) __nanosleep(100);
  if (threadIdx.x == blockDim.x - 1) *flag = 1;
  __syncthreads();
  seen[threadIdx.x] = *flag;
}

TEST(Block, AThreadThatSpinsLetsOthersRun) {
  managed<int> flag(1), seen(64);
  if (!fibres()) GTEST_SKIP() << "the flag is volatile, not atomic";
  run(wait_inside_the_block, 1, 64, flag.get(), seen.get());
  for (int i = 0; i < 64; ++i) EXPECT_EQ(seen[static_cast<std::size_t>(i)], 1);
}

}  // namespace
