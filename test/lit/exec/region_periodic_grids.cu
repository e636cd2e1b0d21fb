// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Periodic rows, and grids that go on behind the last one: a boundary column in large blocks, and rows that leave one for the last
// block; and launches for one row, which read the one at the other end in other columns. Ranks without tiles beside another process say nothing to it, so nobody may wait for them.
// RUN: %gpurmacc_cpu %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided | sort -u > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=4 %t | sort -u | diff - %t.expected
// RUN: env GPURMA_TIMEOUT=30 GPURMA_CPU_RANKS=3 %mpirun -np 2 %t | sort -u | diff - %t.expected
// RUN: env GPURMA_TIMEOUT=30 GPURMA_CPU_RANKS=4 %mpirun -np 2 %t | sort -u | diff - %t.expected
// RUN: env GPURMA_TIMEOUT=30 GPURMA_CPU_RANKS=5 %mpirun -np 3 %t | sort -u | diff - %t.expected
// CHECK: far {{[1-9]}}
// CHECK: inflow {{[1-9]}}
// CHECK: turned {{[1-9]}}
#include "Inputs/region.h"

#include <cstdio>
#include <utility>

typedef unsigned long long number;

__global__ void stream(number *next, const number *now, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny)
    return;
  const int above = y > 0 ? y - 1 : ny - 1, below = y < ny - 1 ? y + 1 : 0;
  next[y * nx + x] = now[above * nx + x] * 3 + now[below * nx + x] * 5 + 1;
}

__global__ void stream_far(number *next, const number *now, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny)
    next[y * nx + x] = now[(y + ny - 2) % ny * nx + x] * 3 + now[(y + 1) % ny * nx + x] * 5 + 1;
}

__global__ void inflow(number *now, int ny, int nx) {
  const int y = blockIdx.x * blockDim.x + threadIdx.x;
  if (y > 0 && y < ny - 1)
    now[y * nx] = now[y * nx] * 7 + y;
}

__global__ void down(number *next, const number *now, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y > 0 && y < ny)
    next[y * nx + x] = now[(y - 1) * nx + (x + 1) % nx] * 3 + 1;
}

__global__ void first(number *next, const number *now, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < nx)
    next[x] = now[(ny - 1) * nx + (x + 1) % nx] * 3 + now[(ny - 2) * nx + x];
}

__global__ void last(number *next, const number *now, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < nx)
    next[(ny - 1) * nx + x] += now[(x + nx - 1) % nx] * 5;
}

void print(const char *name, const number *a, int n) {
  number total = 0;
  for (number value : host_copy(a, n))
    total = total * 31 + value;
  std::printf("%s %llu\n", name, total);
}

static void turn(number *a, number *b, int ny, int nx) {
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  for (int it = 0; it < 9; ++it) {
    down<<<dim3((nx + 31) / 32, (ny + 3) / 4), dim3(32, 4)>>>(b, a, ny, nx);
    first<<<(nx + 63) / 64, 64>>>(b, a, ny, nx);
    last<<<(nx + 63) / 64, 64>>>(b, a, ny, nx);
    std::swap(a, b);
  }
  print("turned", a, nx * ny);
}

int main() {
  const int nx = 64, ny = 48, more = 49;
  const auto initial = [](std::size_t i) { return i * 37 % 101; };
  number *a = device_array<number>(nx * more, initial), *b = device_array<number>(nx * more, initial);

  const dim3 low(32, 4);
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  for (int it = 0; it < 9; ++it) {
    stream<<<dim3(nx / 32, ny / 4), low>>>(b, a, ny, nx);
    inflow<<<1, 64>>>(b, ny, nx);
    std::swap(a, b);
  }
  print("inflow", a, nx * ny);

  const dim3 high(32, 16);
#pragma gpurma persistent distribute(a, b : rows(more, nx))
  for (int it = 0; it < 9; ++it) {
    stream_far<<<dim3(nx / 32, 4), high>>>(b, a, more, nx);
    std::swap(a, b);
  }
  print("far", a, nx * more);
  turn(a, b, ny, nx);
}
