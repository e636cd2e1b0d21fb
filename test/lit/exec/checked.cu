// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --gpurma-check finds clause values that differ between the threads of a block, where no compiler can see it.
// RUN: %gpurmacc_cpu -O2 --gpurma-check %s -o %t
// RUN: env GPURMA_CPU_RANKS=2 %t | FileCheck %s
// RUN: env GPURMA_CPU_RANKS=2 not %t divergent 2>&1 | FileCheck %s --check-prefix=DIVERGENT
// RUN: env GPURMA_CPU_RANKS=2 not %t large 2>&1 | FileCheck %s --check-prefix=LARGE
// CHECK: checked: ok
// DIVERGENT: uniform at {{.*}}checked.cu:[[@LINE+27]] on rank {{[01]}}: the value is 1 in thread 5 and 0 in thread 0
#include "Inputs/exec.h"

// Padding is no part of the value.
struct padded {
  char c;
  int number;
};
__device__ __noinline__ padded with_noise(int number, int noise) {
  padded p;
  reinterpret_cast<volatile char *>(&p)[1] = static_cast<char>(noise);
  p.c = 1;
  p.number = number;
  return p;
}

namespace {
struct tags_of_step {
  int first, second, third;
};
} // namespace

__global__ void send(const int *tags) {
#pragma gpurma notify(gpurma::uniform(with_noise(gpurma::rank(), threadIdx.x)).number) tag(3)
#pragma gpurma wait tag(3)
  int tag = tags[threadIdx.x];
  // Uniform if the caller keeps its word, as uniform() promises.
#pragma gpurma notify(gpurma::rank()) tag(gpurma::uniform(tag))
#pragma gpurma wait
  // LARGE: uniform at {{.*}}checked.cu:[[@LINE+1]] on rank {{[01]}}: the value is 1 in thread 7 and 0 in thread 0
#pragma gpurma notify(gpurma::rank()) tag(gpurma::uniform(tags_of_step{1, 2, tags[32 + threadIdx.x]}).second)
#pragma gpurma wait
}

int main(int argc, char **argv) {
  auto layout = gpurma::query(send, 32);
  int *tags = managed<int>(64), *failures = managed<int>(1);
  if (argc > 1)
    tags[argv[1][0] == 'l' ? 32 + 7 : 5] = 1;
  send<<<layout.device_ranks, 32>>>(tags);
  return finish("checked", layout, failures);
}
