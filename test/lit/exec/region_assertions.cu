// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Assertions in a region, in a function and in a member function that it calls, of the steps and of a sum that has been copied. One that does not hold ends
// the program, is told by one rank, and names the function of the program. With NDEBUG there are none.
// RUN: %gpurmacc_cpu -I%S -Wall -Wextra -Werror %s -o %t
// RUN: %gpurmacc_cpu -I%S -Wall -Wextra -Werror -DNDEBUG %s -o %t.unchecked
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t.unchecked 3 | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=5 not %t 3 > %t.failed 2>&1
// RUN: FileCheck --check-prefix=FAILED %s < %t.failed
// CHECK: u {{[1-9][0-9]*}}
// FAILED-NOT: Assertion
// FAILED: region_assertions.cu:[[@LINE+32]]: int main(int, char **): {{.*}}Assertion `t < most && "a step too many"` failed.
// FAILED-NOT: Assertion
#include "Inputs/region.h"

#include <cassert>
#include <utility>

__global__ void step(int* out, const int* in, int n, int* points) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n - 1) {
    out[i] = (in[i - 1] + 3 * in[i + 1]) % 100999;
    atomicAdd(points, 1);
  }
}
[[maybe_unused]] static int next(int t) {
  assert(t >= 0);
  return t + 1;
}
struct steps {
  int done = 0;
  void count([[maybe_unused]] int points, [[maybe_unused]] int n) {
    ++done;
    assert(points == n - 2);
  }
};

int main(int argc, char** argv) {
  const int n = 500, most = argc > 1 ? std::atoi(argv[1]) : 100;
  int *u = array_of_numbers<int>(n), *v = array_of_numbers<int>(n), *points = device_array<int>(1, [](std::size_t) { return 0; });
  steps all;
#pragma gpurma persistent distribute(u, v : rows(n)) reduce(+ : *points)
  for (int t = 0; t < 9; t = next(t)) {
    assert(t < most && "a step too many");
    CHECK(cudaMemset(points, 0, sizeof(int)));
    step<<<8, 64>>>(v, u, n, points);
    int of_step = 0;
    CHECK(cudaMemcpy(&of_step, points, sizeof(int), cudaMemcpyDeviceToHost));
    all.count(of_step, n);
    std::swap(u, v);
  }
  if (most != all.done)
    print_sum("u", u, n);
}
