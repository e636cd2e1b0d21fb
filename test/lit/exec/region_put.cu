// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// put(array : halo(n)) before launches of a region: with depths that differ by array and by launch, the program prints the same
// as without pragmas, for any number of processes.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu %t.elided.cu -o %t.elided
// RUN: %t.elided 3 > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=4 %t 3 | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t 3 | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t 3 | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 GPURMA_ROUTE=proxy %mpirun -np 3 %t 3 | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 GPURMA_DISTRIBUTED_ARRAYS=banded %mpirun -np 3 %t 3 | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 5 %t 3 | diff - %t.expected
// CHECK: depths {{-?[0-9]+}}
// CHECK: members {{-?[0-9]+}}
// CHECK: heights {{-?[0-9]+}}
// CHECK: looked up {{-?[0-9]+}}
// CHECK: stated {{-?[0-9]+}}
//
// A depth that only the running program knows is compared when the region begins.
// RUN: %mpirun -np 2 %t 2 > /dev/null
// RUN: not %mpirun -np 2 %t 4 2>&1 | FileCheck --check-prefix=STATED %s
//
// No more is put than is said: where 'halo' claims less than the kernel reads, the result shows it, if there are several processes,
// with the put and without, though other arrays are read farther.
// RUN: %gpurmacc_cpu -DUNTRUE %s -o %t.untrue
// RUN: %t.untrue 3 > %t.right
// RUN: %mpirun -np 3 %t.untrue 3 > %t.wrong
// RUN: not diff %t.wrong %t.right
// RUN: grep -v 'gpurma put' %s > %t.inferred.cu
// RUN: %gpurmacc_cpu -DUNTRUE %t.inferred.cu -o %t.inferred
// RUN: %mpirun -np 3 %t.inferred 3 | diff - %t.wrong
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#define CHECK(...)                                                                                                                \
  do {                                                                                                                            \
    __VA_ARGS__;                                                                                                                  \
    if (cudaError_t e = cudaGetLastError(); e != cudaSuccess)                                                                     \
      std::exit(std::fprintf(stderr, "%s\n", cudaGetErrorString(e)));                                                             \
  } while (0)
#define POINT                                                                                                                     \
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;                                 \
  if (x >= nx || y >= ny)                                                                                                         \
  return

// The average over rows that are as far apart as 2 * Far.
template <int Far> __global__ void average(int *out, const int *in, int ny, int nx) {
  POINT;
  if (y >= Far && y < ny - Far)
    out[y * nx + x] = (in[(y - Far) * nx + x] + 3 * in[(y + Far) * nx + x] + in[y * nx + x]) % 10007;
}
__global__ void split(int *even, int *odd, const int *in, int ny, int nx) {
  POINT;
  even[y * nx + x] = in[y * nx + x] / 2;
  odd[y * nx + x] = in[y * nx + x] % 2;
}
__global__ void join(int *out, const int *even, const int *odd, int ny, int nx) {
  POINT;
  out[y * nx + x] = (out[y * nx + x] + 2 * even[y * nx + x] + odd[max(y - 1, 0) * nx + x]) % 10007;
}
// Writes rows from the block's second on, and one of the next block.
__global__ void shifted(int *out, const int *in, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (x < nx && y < ny)
    out[y * nx + x] = (5 * in[(y - 1) * nx + x] + x) % 10007;
}
__global__ void five_rows(int *out, const int *in, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, first = (blockIdx.y * blockDim.y + threadIdx.y) * 5;
  for (int y = first; y < first + 5; ++y)
    if (x < nx && y > 0 && y < ny - 1)
      out[y * nx + x] = (in[(y - 1) * nx + x] + 7 * in[(y + 1) * nx + x]) % 10007;
}
__global__ void look_up(int *out, const int *in, const int *row, int ny, int nx) {
  POINT;
  out[y * nx + x] = (in[row[y] * nx + x] + out[y * nx + x]) % 10007;
}

constexpr int ny = 273, nx = 19, steps = 12;

static int *make(int seed) {
  std::vector<int> values(ny * nx);
  for (int i = 0; i < ny * nx; ++i)
    values[i] = (i * 31 + seed) % 10007;
  int *a;
  CHECK(cudaMalloc(&a, ny * nx * sizeof(int)));
  CHECK(cudaMemcpy(a, values.data(), ny * nx * sizeof(int), cudaMemcpyHostToDevice));
  return a;
}
static int sum(const int *a) {
  std::vector<int> values(ny * nx);
  CHECK(cudaMemcpy(values.data(), a, ny * nx * sizeof(int), cudaMemcpyDeviceToHost));
  unsigned all = 0;
  for (int value : values)
    all = all * 31 + value;
  return static_cast<int>(all);
}
static const dim3 block(8, 4), grid((nx + 7) / 8, (ny + 3) / 4);

// far is read 4 rows away, u 1 row, even not at all.
static void depths() {
  int *u = make(1), *next = make(2), *far = make(3), *other = make(4), *even = make(5), *odd = make(6);
#pragma gpurma persistent distribute(u, next, far, other, even, odd : rows(ny, nx))
  for (int i = 0; i < steps; ++i) {
#pragma gpurma put(next : halo(1)) notify
    CHECK(average<1><<<grid, block>>>(next, u, ny, nx));
#pragma gpurma put(even : halo(0)) notify
#pragma gpurma put(odd : halo(1)) notify
    split<<<grid, block>>>(even, odd, next, ny, nx);
    if (i % 3 == 1) {
#pragma gpurma put(other : halo(2 * 2)) notify
      average<4><<<grid, block>>>(other, far, ny, nx);
      std::swap(other, far);
    }
#pragma gpurma put(next : halo(3)) notify
    join<<<grid, block>>>(next, even, odd, ny, nx);
    std::swap(u, next);
  }
  std::printf("depths %d %d %d %d\n", sum(u), sum(far), sum(even), sum(odd));
}

struct fields {
  int *u, *v;
};
__global__ void couple(fields out, fields in, int ny, int nx) {
  POINT;
  if (y < 3 || y >= ny - 3)
    return;
  out.u[y * nx + x] = (in.u[(y + 3) * nx + x] + in.v[y * nx + x]) % 10007;
  out.v[y * nx + x] = (in.v[(y - 1) * nx + x] + in.u[y * nx + x]) % 10007;
}
template <int Far> static void members(int count) {
  fields now{make(1), make(2)}, next{make(3), make(4)};
#pragma gpurma persistent distribute(now.u, now.v, next.u, next.v : rows(ny, nx))
  for (int i = 0; i < count; ++i) {
#pragma gpurma put(next.u : halo(Far)), notify
#pragma gpurma put(next.v : halo(1)), notify
    couple<<<grid, block>>>(next, now, ny, nx);
    std::swap(now.u, next.u);
    std::swap(now.v, next.v);
  }
  std::printf("members %d %d\n", sum(now.u), sum(now.v));
}

// Bands begin in the middle of the tiles of one kernel, and another kernel writes beyond its tiles.
static void heights() {
  int *a = make(1), *b = make(2), *c = make(3), *far = make(4), *other = make(5);
#pragma gpurma persistent distribute(a, b, c, far, other : rows(ny, nx))
  for (int i = 0; i < steps; ++i) {
#pragma gpurma put(b : halo(1)) notify
    shifted<<<grid, block>>>(b, a, ny, nx);
#pragma gpurma put(c : halo(1)) notify
    five_rows<<<dim3((nx + 7) / 8, (ny + 19) / 20), block>>>(c, b, ny, nx);
#pragma gpurma put(a : halo(1)) notify
    average<1><<<grid, block>>>(a, c, ny, nx);
    average<4><<<grid, block>>>(other, far, ny, nx);
    std::swap(far, other);
  }
  std::printf("heights %d %d %d %d\n", sum(a), sum(b), sum(c), sum(far));
}

// Of each row, one that is two rows from it.
static int *rows_around() {
  int *row = nullptr;
  cudaMallocManaged(&row, ny * sizeof(int));
  for (int y = 0; y < ny; ++y)
    row[y] = y < 2 || y >= ny - 2 ? y : y % 2 ? y + 2 : y - 2;
  return row;
}

// What the subscript of a read does not say, the region does; and then a put may say as much.
static void looked_up() {
  int *a = make(1), *b = make(2), *row = rows_around(), *far = make(4), *other = make(5);
#pragma gpurma persistent distribute(a, b, far, other : rows(ny, nx)) halo(a, b : 2)
  for (int i = 0; i < steps; ++i) {
#pragma gpurma put(b : halo(2)) notify
    look_up<<<grid, block>>>(b, a, row, ny, nx);
    average<4><<<grid, block>>>(other, far, ny, nx);
    std::swap(far, other);
    std::swap(a, b);
  }
  std::printf("looked up %d %d\n", sum(a), sum(b));
}

static void stated(int depth) {
  int *a = make(1), *b = make(2);
  // STATED: the persistent region at {{.*}}region_put.cu:[[#@LINE+1]]: 'b' is put with halo 3, but a later launch of 'average' reads it with halo 4; it would read old values of other processes' rows
#pragma gpurma persistent distribute(a, b : rows(ny, nx)) halo(a, b : depth)
  for (int i = 0; i < steps; ++i) {
#pragma gpurma put(b : halo(3)) notify
    average<2><<<grid, block>>>(b, a, ny, nx);
    std::swap(a, b);
  }
  std::printf("stated %d %d\n", sum(a), sum(b));
}

#ifdef UNTRUE
static void untrue() {
  int *a = make(1), *b = make(2), *row = rows_around(), *far = make(4), *other = make(5);
#pragma gpurma persistent distribute(a, b, far, other : rows(ny, nx)) halo(a, b : 1)
  for (int i = 0; i < steps; ++i) {
#pragma gpurma put(b : halo(1)) notify
    look_up<<<grid, block>>>(b, a, row, ny, nx);
    average<4><<<grid, block>>>(other, far, ny, nx);
    std::swap(far, other);
    std::swap(a, b);
  }
  std::printf("untrue %d %d\n", sum(a), sum(b));
}
#endif

int main(int, char **argv) {
  // One process prints.
  const char *rank = std::getenv("OMPI_COMM_WORLD_RANK");
  if (rank && std::atoi(rank) != 0 && !std::freopen("/dev/null", "w", stdout))
    return 1;
#ifdef UNTRUE
  untrue();
#else
  depths();
  members<3>(steps);
  heights();
  looked_up();
  stated(std::atoi(argv[1]));
#endif
}
