// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Regions that are long loops, whose iterations the host may record and repeat on the CUDA target (GPURMA_PERSISTENT), as the first ones, or
// which look as if it might.
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

__global__ void step(number *out, const number *in, int ny, int nx, number add) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y > 0 && y < ny - 1)
    out[y * nx + x] = (in[(y - 1) * nx + x] + 3 * in[y * nx + x] + in[(y + 1) * nx + x] + add) % 1009;
}

struct shape {
  dim3 grid, block;
  int ny, nx;
};
// What a program checks, and calls in a loop.
inline void check(cudaError_t error) {
  if (error != cudaSuccess) {
    std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
    std::exit(1);
  }
}
static void advance(number *&out, number *&in, const shape &s) {
  step<<<s.grid, s.block>>>(out, in, s.ny, s.nx, 4);
  check(cudaGetLastError());
  std::swap(out, in);
}

int main(int argc, char **argv) {
  gpurma::init(&argc, &argv);
  const int nx = 19, ny = 29, n = nx * ny, steps = 401;
  const dim3 block(16, 4), grid((nx + 15) / 16, (ny + 3) / 4);
  const shape s{grid, block, ny, nx};
  number *a = array_of_numbers<number>(n), *b = array_of_numbers<number>(n), *c = array_of_numbers<number>(n);
  const auto report = [&](const char *what) {
    print_sum(what, a, n);
    print_sum("  and", b, n);
    print_sum("  and", c, n);
  };
  const auto say = [](const char *what, int value) {
    if (is_first_process())
      std::printf("%s %d\n", what, value);
  };

#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  for (int t = 0; t < steps; ++t) {
    step<<<grid, block>>>(b, a, ny, nx, 1);
    CHECK(cudaGetLastError());
    std::swap(a, b);
  }
  report("swapped");

#pragma gpurma persistent distribute(a, b, c : rows(ny, nx))
  for (int t = 2; t <= steps; t += 2) {
    step<<<grid, block>>>(c, a, ny, nx, 2);
    step<<<grid, block>>>(b, c, ny, nx, 3);
    number *const last = a;
    a = b;
    b = c;
    c = last;
  }
  report("rotated");

#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  for (unsigned short t = 0; t < steps; ++t) {
    step<<<grid, block>>>(b, a, ny, nx, 5);
    step<<<grid, block>>>(a, b, ny, nx, 6);
  }
  report("in place");

  int t = 0;
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  for (t = -7; t < steps; ++t)
    step<<<grid, block>>>(t & 1 ? a : b, t & 1 ? b : a, ny, nx, 7 + t % 3);
  report("of remainders");
  say("t", t);

#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  for (t = 0; t < steps; ++t)
    advance(b, a, s);
  report("in a function");

  number factor = 1;
  int done = 0;
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  for (int k = 0; k < steps; ++k) {
    step<<<grid, block>>>(b, a, ny, nx, factor);
    factor = factor * 2 % 7;
    std::swap(a, b);
  }
  report("with a scalar");
  say("factor", static_cast<int>(factor));

#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  for (int k = 0; k < steps; ++k) {
    step<<<grid, block>>>(b, a, ny, nx, done);
    ++done;
    std::swap(a, b);
  }
  report("which counts");

#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  for (int k = 0; k < steps; ++k) {
    step<<<grid, block>>>(b, a, ny, nx, 8);
    std::swap(a, b);
    if (k == 300)
      break;
  }
  report("which it leaves");

#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  for (int k = 0; k < steps - done / 2; ++k) {
    step<<<grid, block>>>(b, a, ny, nx, 9);
    std::swap(a, b);
    done += k == 150;
  }
  report("until a number that changes");
  say("done", done);

  number *fields[] = {a, b};
#pragma gpurma persistent distribute(fields : rows(ny, nx))
  for (int k = 0; k < steps; ++k) {
    step<<<grid, block>>>(fields[1], fields[0], ny, nx, 10);
    std::swap(fields[0], fields[1]);
  }
  report("of an array");
}
// CHECK: swapped [[#]]
// CHECK: rotated [[#]]
// CHECK: in place [[#]]
// CHECK: of remainders [[#]]
// CHECK: t 401
// CHECK: in a function [[#]]
// CHECK: with a scalar [[#]]
// CHECK: factor 4
// CHECK: which counts [[#]]
// CHECK: which it leaves [[#]]
// CHECK: until a number that changes [[#]]
// CHECK: done 402
// CHECK: of an array [[#]]
