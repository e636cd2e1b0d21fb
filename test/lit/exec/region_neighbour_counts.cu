// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Cellular automata that count neighbours one by one, each behind conditions of its own: of four and eight, next to others, of two kinds, in
// signed and unsigned numbers, by sums of truth values. What becomes of the count (a remainder, a quotient, bits, an element of a table, the
// label of a switch, a condition on a store) is no place.
// RUN: %gpurmacc_cpu %s -o %t --gpurma-print-after=InferStages | FileCheck --check-prefix=PLAN %s
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t quiet | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t quiet | diff - %t.expected
// PLAN: stage cyclic: rows y; {{.*}}reads now (x -1..1, y -1..1) along axes
// PLAN: stage life: rows y; {{.*}}reads now (x -1..1, y -1..1)
// PLAN: stage votes: rows y in one dimension; {{.*}}reads now (x -1..1, y -1..1) along axes
// PLAN: stage kinds: rows y; {{.*}}reads now (x whole, y -1..1 periodic)
// CHECK: step 11: {{[1-9]}}
#include "Inputs/region.h"

#include <utility>

#define POINT                                                                                                                    \
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, i = y * nx + x;                \
  if (x >= nx || y >= ny)                                                                                                        \
  return

__global__ void cyclic(int *next, const int *now, int ny, int nx) {
  POINT;
  int count = 0;
  if (x > 0)
    count += now[i - 1] == 1;
  if (x < nx - 1)
    count += now[i + 1] == 1;
  if (y > 0)
    count += now[i - nx] == 1;
  if (y < ny - 1)
    count += now[i + nx] == 1;
  next[i] = (now[i] + count) % 3 + (count / 2 & 1);
}
__global__ void life(int *next, const int *now, int ny, int nx) {
  POINT;
  unsigned alive = 0;
  if (x > 0 && y > 0)
    alive += now[i - nx - 1] == now[i] ? 1u : 0u;
  if (y > 0)
    alive += now[i - nx] == now[i] ? 1u : 0u;
  if (x < nx - 1 && y > 0)
    alive += now[i - nx + 1] == now[i] ? 1u : 0u;
  if (x > 0 && now[i - 1] == 1)
    alive++;
  if (x < nx - 1 && now[i + 1] == 1)
    alive++;
  if (x > 0 && y < ny - 1 && now[i + nx - 1] == 1)
    alive++;
  if (y < ny - 1 && now[i + nx] == 1)
    alive++;
  if (x < nx - 1 && y < ny - 1 && now[i + nx + 1] == 1)
    alive++;
  switch (alive) {
  case 2:
    next[i] = now[i];
    break;
  case 3:
  case 5:
    next[i] = 1;
    break;
  default:
    next[i] = alive % 4;
  }
}
__global__ void votes(int *next, const int *now, const int *rule, int ny, int nx) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= nx * ny)
    return;
  const int x = i % nx, y = i / nx;
  const bool left = x > 0 && now[i - 1] == 1, right = x < nx - 1 && now[i + 1] == 1, up = y > 0 && now[i - nx] == 1,
             down = y < ny - 1 && now[i + nx] == 1;
  const int count = left + right + up + down;
  if (count == 2)
    next[i] = now[i];
  else if (count > 2)
    next[i] = rule[count];
  else
    next[i] = 0x2d >> count & 3;
}
__global__ void kinds(int *next, const int *now, int ny, int nx) {
  POINT;
  int ones = 0, twos = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx) {
      const int kind = now[(y + dy + ny) % ny * nx + (x + dx + nx) % nx];
      if (kind == 1)
        ++ones;
      else if (kind == 2)
        ++twos;
    }
  next[i] = (2 * ones + twos + now[i]) % 3;
}

int main(int argc, char **argv) {
  if (is_quiet(argc))
    std::freopen("/dev/null", "w", stdout);
  const int nx = 53, ny = 72;
  const dim3 block(16, 4), grid((nx + 15) / 16, (ny + 3) / 4);
  int *now = device_array<int>(nx * ny, [](size_t i) { return i * 7919 / 13 % 3; });
  int *next = device_array<int>(nx * ny, [](size_t) { return 0; });
  int *rule = device_array<int>(5, [](size_t i) { return i % 3; });
#pragma gpurma persistent distribute(now, next : rows(ny, nx))
  for (int t = 0; t < 3; ++t) {
    cyclic<<<grid, block>>>(next, now, ny, nx);
    life<<<grid, block>>>(now, next, ny, nx);
    votes<<<(nx * ny + 127) / 128, 128>>>(next, now, rule, ny, nx);
    kinds<<<grid, block>>>(now, next, ny, nx);
  }
  print_sum("step 11:", now, nx * ny);
}
