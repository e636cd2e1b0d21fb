// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program with a sanitizer, linked with a library that has none.
#include <thread>

#include "launch.h"

namespace {

__global__ void note_os_thread(std::thread::id* ids, int* flag) {
  ids[threadIdx.x] = std::this_thread::get_id();
  if (threadIdx.x == 0) gpurma::platform::fence_release(gpurma::platform::scope::device);
  __syncthreads();
  if (threadIdx.x == 1 && ids[0] != ids[1]) *flag = 1;
}

TEST(Sanitized, ThreadsAreOsThreads) {
  managed<std::thread::id> ids(2);
  managed<int> flag(1);
  run(note_os_thread, 1, 2, ids.get(), flag.get());
  EXPECT_EQ(flag[0], 1);
}

}  // namespace
