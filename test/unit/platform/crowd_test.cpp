// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// 64 blocks of 256 threads on one worker, all of them waiting for each other: nobody starves.
#include "launch.h"

namespace {

using gpurma::platform::scope;

// Each block waits for its left neighbour in every step, and all its threads meet at barriers in between.
__global__ void ring(int* steps, int n) {
  typedef int values_type[256];
  struct values_key;
  values_type& values = ::gpurma::cpu::shared_variable<values_type, values_key>();
  const unsigned me = blockIdx.x, left = (me + gridDim.x - 1) % gridDim.x;
  for (int step = 1; step <= n; ++step) {
    values[threadIdx.x] = step;
    __syncthreads();
    if (values[255 - threadIdx.x] != step) __trap();
    if (threadIdx.x == 0) {
      gpurma::platform::store_release(&steps[me], step, scope::device);
      while (gpurma::platform::load_acquire(&steps[left], scope::device) < step) gpurma::platform::yield();
    }
    __syncthreads();
  }
}

TEST(Crowd, EveryBlockComesToItsEnd) {
  ASSERT_EQ(gpurma::cpu::resident_blocks(), 64u);
  managed<int> steps(64);
  run_cooperative(ring, 64, 256, steps.get(), 100);
  for (std::size_t i = 0; i < 64; ++i) EXPECT_EQ(steps[i], 100);
}

__global__ void all_threads_spin(int* arrived) {
  gpurma::platform::fetch_add(arrived, 1, scope::device);
  const int all = static_cast<int>(gridDim.x * blockDim.x);
  while (gpurma::platform::load_acquire(arrived, scope::device) != all) gpurma::platform::yield();
}

TEST(Crowd, EveryThreadMaySpin) {
  managed<int> arrived(1);
  run_cooperative(all_threads_spin, 64, 256, arrived.get());
  EXPECT_EQ(arrived[0], 64 * 256);
}

}  // namespace
