// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that poll window memory with plain loads end, at full optimisation, also when ranks share one thread of the CPU.
// RUN: %gpurmacc_cpu -O3 %s -o %t
// RUN: env GPURMA_CPU_RANKS=4 GPURMA_CPU_WORKERS=1 GPURMA_TIMEOUT=20 %t | FileCheck %s
// CHECK: polled_read: ok
#include "Inputs/exec.h"

__device__ bool arrived(const int *flag, int step) { return *flag == step; }

__global__ void kernel(int *flags, int *failures) {
  int rank = gpurma::device_rank(), size = gpurma::device_size();
  int *flag = flags + 2 * rank;
  volatile int *const base = flag;
#pragma gpurma window(w = base[0:1]) comm(device)
  for (int step = 1; step < 4; ++step) {
    // Puts without notification; only the loads below tell that they have come.
    if (threadIdx.x == 0)
      flag[1] = step;
#pragma gpurma put(base[1:1]) to((rank + 1) % size) at(w[0])
    while (flag[0] < step) {
    }
    while (!arrived(flag, step)) {
    }
    // Decided by what the loop does under a condition, or keeps in a field.
    bool done = false;
    while (!done) {
      if (flag[0] == step)
        done = true;
    }
    struct {
      bool late;
    } state = {true};
    while (state.late)
      state.late = flag[0] < step;
    while (*static_cast<volatile int *>(flag) < step) {
    }
#pragma gpurma barrier comm(device)
  }
  if (threadIdx.x == 0 && flag[0] != 3)
    atomicAdd(failures, 1);
}

int main() {
  auto layout = gpurma::query(kernel, 8);
  int *flags = managed<int>(2 * layout.device_ranks), *failures = managed<int>(1);
  kernel<<<layout.device_ranks, 8>>>(flags, failures);
  return finish("polled_read", layout, failures);
}
