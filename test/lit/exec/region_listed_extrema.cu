// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// The least and the most of lists, std::min({a, b, c}), in a region and in a function that it calls: of variables, constants, a sum that has been
// copied and other such calls, as values and as arguments of a launch.
// RUN: %gpurmacc_cpu -I%S -Wall -Wextra -Werror %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t quiet | diff - %t.expected
// CHECK: u {{[1-9][0-9]*}}
// CHECK: by 8 most 7 least 0.25 1
#include "Inputs/region.h"

#include <algorithm>

__global__ void step(int* out, const int* in, int n, int by, int* odd) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n - 1) {
    out[i] = (in[i - 1] + by * in[i + 1]) % 100999;
    if (in[i] % 2 != 0)
      atomicAdd(odd, 1);
  }
}
static double limited(double dt, double most) { return std::min({dt, most, 0.5}); }

int main() {
  const int n = 500;
  int *u = array_of_numbers<int>(n), *v = array_of_numbers<int>(n), *odd = device_array<int>(1, [](std::size_t) { return 0; });
  int by = 1, most = 0, all = 0;
  double dt = 1;
#pragma gpurma persistent distribute(u, v : rows(n)) reduce(+ : *odd)
  for (int t = 0; t < 8; ++t) {
    CHECK(cudaMemset(odd, 0, sizeof(int)));
    step<<<8, 64>>>(v, u, n, std::max({by, t, 3}), odd);
    int count = 0;
    CHECK(cudaMemcpy(&count, odd, sizeof(int), cudaMemcpyDeviceToHost));
    std::swap(u, v);
    by = std::min({t, 5, std::max({by, 2})}) + (t > 4 ? 3 : 0);
    const auto& larger = std::max({most, t, count % 3});
    most = larger;
    all = std::max({all, count});
    dt = limited(dt, 1.0 / (t == 3 ? 4 : 1));
  }
  print_sum("u", u, n);
  if (is_first_process())
    std::printf("by %d most %d least %g %d\n", by, most, dt, all > 0);
}
