// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Regions that are loops of every form, which the host may go on with on the CUDA target (GPURMA_PERSISTENT), also from macros.
// REQUIRES: mpi
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 2 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=1 %mpirun -np 3 %t | diff - %t.expected
#include <cstdio>
#include <gpurma/gpurma.h>
#include <utility>

#include "Inputs/region.h"

using number = unsigned;

__global__ void step(number *out, const number *in, number *most, int ny, int nx, int add) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y < 1 || y >= ny - 1)
    return;
  const number value = (in[(y - 1) * nx + x] + 3 * in[y * nx + x] + in[(y + 1) * nx + x] + add) % 1000;
  out[y * nx + x] = value;
  atomicMax(most, value);
}

#define STEPS(i) for (int i = 0; i < 11; ++i)
#define RUN(i)                                                                                                                   \
  STEPS(i) {                                                                                                                     \
    step<<<grid, block>>>(b, a, most, ny, nx, i);                                                                                \
    std::swap(a, b);                                                                                                             \
  }

int main(int argc, char **argv) {
  gpurma::init(&argc, &argv);
  const int nx = 37, ny = 53, n = nx * ny;
  const dim3 block(16, 4), grid((nx + 15) / 16, (ny + 3) / 4);
  number *a = array_of_numbers<number>(n), *b = array_of_numbers<number>(n);
  number *most = nullptr;
  cudaMallocManaged(&most, sizeof(number));
  *most = 0;
  const auto report = [&](const char *what) {
    cudaDeviceSynchronize();
    print_sum(what, a, n);
    if (is_first_process())
      std::printf("most %u\n", *most);
    *most = 0;
  };
  const auto say = [](int t) {
    if (is_first_process())
      std::printf("t %d\n", t);
  };
  report("begin");

#pragma gpurma persistent distribute(a, b : rows(ny, nx)) reduce(max : *most)
  for (int t = 2, left = 13; left > 0; ++t, --left) {
    if (t == 5)
      continue;
    step<<<grid, block>>>(b, a, most, ny, nx, t);
    std::swap(a, b);
    if (t == 12)
      break;
  }
  report("for");

  int t;
#pragma gpurma persistent distribute(a, b : rows(ny, nx)) reduce(max : *most)
  for (t = 1;; t *= 2) {
    if (t > 2000)
      break;
    step<<<grid, block>>>(b, a, most, ny, nx, t);
    std::swap(a, b);
  }
  report("endless");
  say(t);

#pragma gpurma persistent distribute(a, b : rows(ny, nx)) reduce(max : *most)
  while (t-- > 2038) {
    step<<<grid, block>>>(b, a, most, ny, nx, t);
    std::swap(a, b);
  }
  report("while");
  say(t);

#pragma gpurma persistent distribute(a, b : rows(ny, nx)) reduce(max : *most)
  do {
    *most = 0;
    step<<<grid, block>>>(b, a, most, ny, nx, t);
    std::swap(a, b);
    --t;
    cudaDeviceSynchronize();
  } while (*most > 0 && t > 2020);
  report("do");
  say(t);

#pragma gpurma persistent distribute(a, b : rows(ny, nx)) reduce(max : *most)
  do {
    step<<<grid, block>>>(b, a, most, ny, nx, t);
    std::swap(a, b);
  } while (--t > 2000);
  report("longer do");
  say(t);

#pragma gpurma persistent distribute(a, b : rows(ny, nx)) reduce(max : *most)
  {
    for (unsigned char k = 250; k > 240; --k) {
      step<<<grid, block>>>(b, a, most, ny, nx, k);
      std::swap(a, b);
    }
  }
  report("block");

#pragma gpurma persistent distribute(a, b : rows(ny, nx)) reduce(max : *most)
  STEPS(k) {
    step<<<grid, block>>>(b, a, most, ny, nx, k);
    std::swap(a, b);
  }
  report("macro");
#pragma gpurma persistent distribute(a, b : rows(ny, nx)) reduce(max : *most)
  RUN(k)
  report("macros");
}
// CHECK: begin [[#]]
// CHECK: most 0
// CHECK: for [[#]]
// CHECK: endless [[#]]
// CHECK: t 2048
// CHECK: while [[#]]
// CHECK: t 2037
// CHECK: do [[#]]
// CHECK: t 2020
// CHECK: longer do [[#]]
// CHECK: t 2000
// CHECK: block [[#]]
// CHECK: macro [[#]]
// CHECK: macros [[#]]
