// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// A program in C's style: a structure without a name of its own, in a namespace, too, which functions get by pointer. A region has a
// reference to it, and launches get settings and sizes from it.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=4 %mpirun -np 3 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 5 %t | diff - %t.expected
// CHECK: 15 steps, 4 rests: {{[1-9]}}
#include "Inputs/region.h"

namespace sizes {
typedef struct {
  int nx, ny;
} shape;
} // namespace sizes

typedef struct {
  unsigned *u, *v;
  dim3 grid, block;
  int step;
} simulation;

__global__ void sweep(const unsigned *u, unsigned *v, sizes::shape s, unsigned add) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= s.nx - 1 || y >= s.ny - 1)
    return;
  const int i = y * s.nx + x;
  v[i] = (u[i - 1] + 3 * u[i + 1] + 5 * u[i - s.nx] + 7 * u[i + s.nx] + add) % 1000003;
}

static void step(simulation *s, sizes::shape size) {
  sweep<<<s->grid, s->block>>>(s->u, s->v, size, s->step);
  unsigned *u = s->u;
  s->u = s->v;
  s->v = u;
  s->step++;
}

static int run(simulation *pointer, sizes::shape size, int steps) {
  simulation &s = *pointer;
  int rests = 0;
#pragma gpurma persistent distribute(s.u, s.v : rows(size.ny, size.nx))
  for (int i = 0; i < steps; i++) {
    step(&s, size);
    if (s.step % 4 == 3)
      rests++;
  }
  return rests;
}

int main() {
  const sizes::shape size = {61, 74};
  simulation s;
  s.step = 0;
  s.block = dim3(16, 8);
  s.grid = dim3((size.nx + 15) / 16, (size.ny + 7) / 8);
  s.u = device_array<unsigned>(size.nx * size.ny, [](size_t i) { return i % 13; });
  s.v = device_array<unsigned>(size.nx * size.ny, [](size_t i) { return i % 13; });
  const int rests = run(&s, size, 15);
  const long long sum = ordered_sum(s.u, size.nx * size.ny);
  if (is_first_process())
    std::printf("%d steps, %d rests: %lld\n", s.step, rests, sum);
}
