// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Regions whose processes compute rows of their neighbours as well and get them only now and then: one stage and several, of which some
// read what others have left of the same array, with sums, waves of another reach in each direction, stores that data or a number decide
// on, updates in place, launches now and then with other grids, and copies; and what keeps a process from doing so.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 GPURMA_GHOST_ROWS=0 %mpirun -np 2 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=4 GPURMA_GHOST_ROWS=16 %mpirun -np 2 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 GPURMA_GHOST_ROWS=9 %mpirun -np 3 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 GPURMA_GHOST_ROWS=7 GPURMA_ROUTE=proxy %mpirun -np 3 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=7 GPURMA_GHOST_ROWS=8 GPURMA_DISTRIBUTED_ARRAYS=banded %mpirun -np 5 %t | diff - %t.expected
// RUN: env GPURMA_GHOST_ROWS=8 GPURMA_DEBUG=INFO %mpirun -np 2 %t 2>&1 | FileCheck --check-prefix=EIGHT %s
// RUN: env GPURMA_GHOST_ROWS=1 GPURMA_DEBUG=INFO %mpirun -np 2 %t 2>&1 | FileCheck --check-prefix=ONE %s
// RUN: env GPURMA_GHOST_ROWS=32 GPURMA_DEBUG=INFO %mpirun -np 5 %t 2>&1 | FileCheck --check-prefix=MANY %s
// RUN: env GPURMA_DEBUG=INFO %mpirun -np 5 %t 2>&1 | FileCheck --check-prefix=WORTH %s
// CHECK: relaxed {{-?[0-9]+}} changes {{[0-9]+}}
// CHECK: diffused {{-?[0-9]+}}
// CHECK: waves {{-?[0-9]+}} {{-?[0-9]+}}
// CHECK: coloured {{-?[0-9]+}}
// CHECK: carried up {{-?[0-9]+}}
// CHECK: carried down {{-?[0-9]+}}
// CHECK: now and then {{-?[0-9]+}}
// CHECK: elsewhere {{-?[0-9]+}} {{-?[0-9]+}}
// CHECK: looked up {{-?[0-9]+}}
// CHECK: small {{-?[0-9]+}}
// EIGHT-DAG: gpurma 0{{.*}}:[[#RELAX:]]: each process gets 8 rows of its neighbours at once
// EIGHT-DAG: processes have no ghost rows, since 'look_up' has threads that work together or go through rows, stores elsewhere than in its threads' rows, or must not find rows that are out of date
// ONE-DAG: processes have no ghost rows, since 1 are fewer than launches read
// MANY-DAG: processes have no ghost rows, since 32 are too many for what each process has of 301
// WORTH-DAG: processes have no ghost rows, since they are not worth what they cost
#include "Inputs/region.h"

#include <utility>

static constexpr int ny = 301, nx = 23;
static const dim3 block(8, 4), grid((nx + 7) / 8, (ny + 3) / 4);

__device__ int at(int y, int x) { return y * nx + x; }

__global__ void relax(const int *from, int *to, int *changes) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || x >= nx - 1 || y < 1 || y >= ny - 1)
    return;
  int value = (from[at(y - 1, x)] + from[at(y + 1, x)] + from[at(y, x - 1)] + from[at(y, x + 1)] + 3) / 4;
  if (value != from[at(y, x)])
    atomicAdd(changes, 1);
  to[at(y, x)] = value;
}

// The second reads what the first has left of it a step before in some places.
__global__ void slope(const int *in, int *dy, int *dx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx - 1 || y >= ny - 1)
    return;
  dy[at(y, x)] = in[at(y + 1, x)] - in[at(y, x)];
  int across = in[at(y, x + 1)] - in[at(y, x)];
  if (across > 40 || across < -40)
    dx[at(y, x)] = across;
}
__global__ void spread(const int *in, const int *dy, const int *dx, int *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || x >= nx - 1 || y < 1 || y >= ny - 1)
    return;
  out[at(y, x)] = in[at(y, x)] + (dy[at(y, x)] - dy[at(y - 1, x)] + dx[at(y, x)] - dx[at(y, x - 1)]) / 8;
}

__global__ void wave(const int *before, const int *now, int *next, const int *wall) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || x >= nx - 1 || y < 2 || y >= ny - 1 || wall[at(y, x)] % 5 == 0)
    return;
  next[at(y, x)] = 2 * now[at(y, x)] - before[at(y, x)] +
                   (now[at(y + 1, x)] + now[at(y - 2, x)] + now[at(y, x - 1)] + now[at(y, x + 1)] - 4 * now[at(y, x)]) / 16;
}
__global__ void damp(int *u, int *v, int step) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny && (x + y + step) % 3 == 0) {
    u[at(y, x)] = u[at(y, x)] * 7 / 8;
    v[at(y, x)] = v[at(y, x)] * 7 / 8;
  }
}

__global__ void colour(int *u, int parity) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || x >= nx - 1 || y < 1 || y >= ny - 1 || (x + y) % 2 != parity)
    return;
  u[at(y, x)] = (u[at(y - 1, x)] + u[at(y + 1, x)] + u[at(y, x - 1)] + u[at(y, x + 1)]) / 4 + 1;
}

template <int Step> __global__ void carry(const int *from, int *to) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y >= 2 && y < ny - 2)
    to[at(y, x)] = (from[at(y, x)] + 2 * from[at(y + Step, x)] + from[at(y + 2 * Step, x)]) / 4;
}

__global__ void add_some(int *u, const int *source, int rows, int number) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < rows)
    u[at(y, x)] += source[at(y, x)] % number;
}
__global__ void sides(int *u) {
  int y = blockIdx.y * blockDim.y + threadIdx.y, x = blockIdx.x * blockDim.x + threadIdx.x;
  if (y < ny && x == 0) {
    u[y * nx] = u[y * nx + 1];
    u[y * nx + nx - 1] = u[y * nx + nx - 2];
  }
}

// What it reads may be none of the region's arrays, or nothing.
__global__ void from_elsewhere(const int *from, int *to) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y >= 1 && y < ny - 1)
    to[at(y, x)] = (from[at(y - 1, x)] * 3 + from[at(y + 1, x)]) % 1009;
}
__global__ void record(const int *from, int *recorded) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny && from)
    recorded[at(y, x)] += from[at(y, x)];
}

__global__ void look_up(const int *from, int *to, const int *table) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y > 0 && y < ny)
    to[at(y, x)] = table[from[at(y - 1, x)] & 63];
}

static void print(const char *what, const int *memory) {
  const long long sum = ordered_sum(memory, static_cast<std::size_t>(ny) * nx);
  if (is_first_process())
    std::printf("%s %lld\n", what, sum);
}
static int *field(unsigned seed) {
  return device_array<int>(static_cast<std::size_t>(ny) * nx, [=](std::size_t i) { return (i * 7919 + seed) % 2003; });
}

static void relaxed() {
  int *u = field(1), *v = field(2), *changes = device_array<int>(1, [](std::size_t) { return 0; });
#pragma gpurma persistent distribute(u, v : rows(ny, nx)) reduce(+ : *changes)
  for (int i = 0; i < 61; ++i) {
    relax<<<grid, block>>>(u, v, changes);
    std::swap(u, v);
  }
  const int changed = host_copy(changes, 1)[0];
  const long long sum = ordered_sum(u, static_cast<std::size_t>(ny) * nx);
  if (is_first_process())
    std::printf("relaxed %lld changes %d\n", sum, changed);
}

static void diffused() {
  int *u = field(3), *v = field(4), *dy = field(5), *dx = field(6);
#pragma gpurma persistent distribute(u, v, dy, dx : rows(ny, nx))
  for (int i = 0; i < 40; ++i) {
    slope<<<grid, block>>>(u, dy, dx);
    spread<<<grid, block>>>(u, dy, dx, v);
    std::swap(u, v);
  }
  print("diffused", u);
}

static void waves() {
  int *before = field(7), *now = field(8), *next = field(9), *wall = field(10);
#pragma gpurma persistent distribute(before, now, next, wall : rows(ny, nx))
  for (int i = 0; i < 45; ++i) {
    wave<<<grid, block>>>(before, now, next, wall);
    int *last = before;
    before = now;
    now = next;
    next = last;
    damp<<<grid, block>>>(now, before, i);
  }
  const long long sum = ordered_sum(before, static_cast<std::size_t>(ny) * nx);
  const long long other = ordered_sum(now, static_cast<std::size_t>(ny) * nx);
  if (is_first_process())
    std::printf("waves %lld %lld\n", sum, other);
}

static void coloured() {
  int *u = field(11);
#pragma gpurma persistent distribute(u : rows(ny, nx))
  for (int i = 0; i < 25; ++i)
    for (int parity = 0; parity < 2; ++parity)
      colour<<<grid, block>>>(u, parity);
  print("coloured", u);
}

template <int Step> static void carried(const char *way) {
  int *u = field(19), *v = field(20);
#pragma gpurma persistent distribute(u, v : rows(ny, nx))
  for (int i = 0; i < 33; ++i) {
    carry<Step><<<grid, block>>>(u, v);
    std::swap(u, v);
  }
  print(way, u);
}

static void now_and_then() {
  int *u = field(12), *v = field(13), *source = field(14), *changes = device_array<int>(1, [](std::size_t) { return 0; });
#pragma gpurma persistent distribute(u, v, source : rows(ny, nx)) reduce(+ : *changes)
  for (int i = 0; i < 50; ++i) {
    relax<<<grid, block>>>(u, v, changes);
    sides<<<grid, block>>>(v);
    if (i % 7 == 3) {
      const int rows = i % 2 == 0 ? 150 : ny;
      add_some<<<dim3((nx + 7) / 8, (rows + 3) / 4), block>>>(v, source, rows, i + 1);
    }
    if (i == 30)
      cudaMemcpyAsync(source, v, ny * nx * sizeof(int), cudaMemcpyDeviceToDevice);
    std::swap(u, v);
  }
  print("now and then", u);
}

static void elsewhere() {
  int *u = field(21), *v = field(22), *start = field(23);
#pragma gpurma persistent distribute(u, v : rows(ny, nx))
  for (int i = 0; i < 40; ++i) {
    const int *from = i == 12 ? start : u;
    from_elsewhere<<<grid, block>>>(from, v);
    std::swap(u, v);
  }
  const long long sum = ordered_sum(u, static_cast<std::size_t>(ny) * nx);
  int *recorded = field(24);
#pragma gpurma persistent distribute(u, v, recorded : rows(ny, nx))
  for (int i = 0; i < 40; ++i) {
    from_elsewhere<<<grid, block>>>(u, v);
    const int *some = i % 5 == 2 ? v : nullptr;
    record<<<grid, block>>>(some, recorded);
    colour<<<grid, block>>>(recorded, i % 2);
    std::swap(u, v);
  }
  const long long other = ordered_sum(recorded, static_cast<std::size_t>(ny) * nx);
  if (is_first_process())
    std::printf("elsewhere %lld %lld\n", sum, other);
}

static void looked_up() {
  int *u = field(15), *v = field(16), *table = device_array<int>(64, [](std::size_t i) { return i * 37 % 101; });
#pragma gpurma persistent distribute(u, v : rows(ny, nx))
  for (int i = 0; i < 10; ++i) {
    look_up<<<grid, block>>>(u, v, table);
    std::swap(u, v);
  }
  print("looked up", u);
}

// Bands of few rows.
__global__ void step(const int *from, int *to, int rows) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y > 0 && y < rows - 1)
    to[at(y, x)] = (from[at(y - 1, x)] + from[at(y + 1, x)]) / 2;
}
static void small() {
  int rows = 60, *u = field(17), *v = field(18);
#pragma gpurma persistent distribute(u, v : rows(rows, nx))
  for (int i = 0; i < 20; ++i) {
    step<<<dim3((nx + 7) / 8, 15), block>>>(u, v, rows);
    std::swap(u, v);
  }
  print("small", u);
}

int main() {
  relaxed();
  diffused();
  waves();
  coloured();
  carried<1>("carried up");
  carried<-1>("carried down");
  now_and_then();
  elsewhere();
  looked_up();
  small();
}
