// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A rank that has taken a notification with its data, and then only reads memory, lets the origin's next put to the same place go on.
// RUN: %gpurmacc_cpu -O2 %s -o %t
// RUN: env GPURMA_CPU_RANKS=2 GPURMA_TIMEOUT=20 %t | FileCheck %s
// RUN: env GPURMA_CPU_RANKS=4 GPURMA_CPU_WORKERS=1 GPURMA_TIMEOUT=20 %t | FileCheck %s
// CHECK: polled_after_carried: ok
#include "Inputs/exec.h"

__global__ void kernel(int *memory, int *failures) {
  int *const own = memory + 8 * gpurma::device_rank();
  const bool sends = gpurma::device_rank() % 2 == 0;
  const int partner = sends ? gpurma::device_rank() + 1 : gpurma::null_rank;
#pragma gpurma window(w = own[0 : 4]) comm(device)
  if (threadIdx.x == 0)
    own[4] = 5;
#pragma gpurma barrier comm(device)
  // The first finds the way.
#pragma gpurma put(own[4 : 1]) to(partner) at(w[2]) notify(2)
  if (!sends) {
#pragma gpurma wait tag(2)
  }
#pragma gpurma barrier comm(device)
  // When the partner has left the barrier.
  for (int i = 0; sends && i < 10; ++i)
    __nanosleep(1000000);
#pragma gpurma put(own[4 : 1]) to(partner) at(w[2]) notify(1)
#pragma gpurma put(own[4 : 1]) to(partner) at(w[0])
  if (!sends) {
    // By then the notification has come, and the wait takes it at once.
    for (int i = 0; i < 50; ++i)
      __nanosleep(1000000);
#pragma gpurma wait tag(1) from(gpurma::rank() - 1)
    while (own[0] == 0) {
    }
    expect(failures, own[2] == 5);
  }
#pragma gpurma barrier comm(device)
}

int main() {
  auto layout = gpurma::query(kernel, 32);
  int *memory = managed<int>(8 * layout.device_ranks), *failures = managed<int>(1);
  kernel<<<layout.device_ranks / 2 * 2, 32>>>(memory, failures);
  return finish("polled_after_carried", layout, failures);
}
