// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Clang lets any lambda run on the device, but one that launches kernels is the host's: what it passes, and what it decides by, is the same for all threads.
// RUN: %gpurmacc_cpu -Werror -Wall -Wextra -c %s -o %t.o
// RUN: not %gpurmacc_cpu -DON_DEVICE -c %s -o %t.o 2>&1 | FileCheck %s
#include <ctime>
#include <gpurma/gpurma.h>
#include <map>
#include <string>

__global__ void kernel(int* counts, int tag) {
#pragma gpurma notify((gpurma::rank() + 1) % gpurma::size()) tag(tag)
#pragma gpurma wait tag(tag)
  if (threadIdx.x == 0)
    counts[gpurma::device_rank()] += tag;
#ifdef ON_DEVICE
  const auto late = [&] { return clock() % 2 == 0; };
  // CHECK: :[[@LINE+2]]:{{[0-9]+}}: error: {{.*}} [gpurma-010
  if (late()) {
#pragma gpurma barrier
  }
#endif
}

int main(int, char** argv) {
  const int ranks = gpurma::query(kernel, 32).device_ranks;
  std::map<std::string, int> tags{{"first", 1}};
  const auto run = [&] {
    static int runs = 0;
    int* counts;
    if (cudaMalloc(reinterpret_cast<void**>(&counts), sizeof(int) * static_cast<unsigned>(ranks)) != cudaSuccess)
      return;
    kernel<<<ranks, 32>>>(counts, static_cast<int>(clock() & 63));
    if (clock() % 2 == 0)
      kernel<<<ranks, 32>>>(counts, tags[argv[1]]);
    if (time(nullptr) % 2 == 0)
      return;
    kernel<<<ranks, 32>>>(counts, ++runs);
  };
  run();
  return cudaDeviceSynchronize() != cudaSuccess;
}
