// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Regions in which arrays are read in one direction, in both, or in neither: what processes publish, and whom they wait for, differs
// from launch to launch. The program prints the same as without pragmas, for any number of processes.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=4 GPURMA_TIMEOUT=60 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 GPURMA_TIMEOUT=60 %mpirun -np 2 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 GPURMA_TIMEOUT=60 %mpirun -np 3 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 GPURMA_TIMEOUT=60 %mpirun -np 5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 GPURMA_TIMEOUT=60 GPURMA_ROUTE=proxy %mpirun -np 2 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 GPURMA_TIMEOUT=60 GPURMA_ROUTE=proxy %mpirun -np 3 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=1 GPURMA_TIMEOUT=60 GPURMA_ROUTE=proxy %mpirun -np 5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 GPURMA_TIMEOUT=60 GPURMA_DISTRIBUTED_ARRAYS=banded %mpirun -np 3 %t | diff - %t.expected
// More ranks than a rank lists one by one.
// RUN: %t.elided wide > %t.wide
// RUN: env GPURMA_CPU_RANKS=70 GPURMA_TIMEOUT=60 %mpirun -np 2 %t wide | diff - %t.wide
// CHECK: diffusion {{-?[0-9]+}}
// CHECK: upwind {{-?[0-9]+}}
// CHECK: turns {{-?[0-9]+}}
// CHECK: in place {{-?[0-9]+}}
// CHECK: one array {{-?[0-9]+}}
// CHECK: assigned {{-?[0-9]+}}
// CHECK: again {{-?[0-9]+}}
// CHECK: wide {{-?[0-9]+}}
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
#define AT(a, dy) a[(y + dy) * nx + x]

__global__ void laplacian(int *lap, const int *in, int ny, int nx) {
  POINT;
  if (y > 0 && y < ny - 1 && x > 0 && x < nx - 1)
    AT(lap, 0) = (AT(in, -1) + AT(in, 1) + in[y * nx + x - 1] + in[y * nx + x + 1] - 4 * AT(in, 0)) % 10007;
}
__global__ void flux_x(int *flx, const int *lap, const int *in, int ny, int nx) {
  POINT;
  if (x < nx - 1)
    AT(flx, 0) = (lap[y * nx + x + 1] - 3 * AT(lap, 0) + in[y * nx + x + 1]) % 10007;
}
__global__ void flux_y(int *fly, const int *lap, const int *in, int ny, int nx) {
  POINT;
  if (y < ny - 1)
    AT(fly, 0) = (AT(lap, 1) - 5 * AT(lap, 0) + AT(in, 1)) % 10007;
}
__global__ void apply(int *out, const int *flx, const int *fly, const int *in, int ny, int nx) {
  POINT;
  if (y > 0 && x > 0)
    AT(out, 0) = (AT(in, 0) + AT(flx, 0) - flx[y * nx + x - 1] + AT(fly, 0) - AT(fly, -1)) % 10007;
}
template <int From> __global__ void carry(int *out, const int *in, const int *speed, int ny, int nx) {
  POINT;
  if (y + From >= 0 && y + From < ny)
    AT(out, 0) = (AT(in, 0) * AT(speed, From) + AT(in, From) + x) % 10007;
}
__global__ void copy(int *out, const int *in, int ny, int nx) {
  POINT;
  AT(out, 0) = (AT(in, 0) + 3 * AT(out, 0)) % 10007;
}
__global__ void relax(int *a, int colour, int ny, int nx) {
  POINT;
  if (y > 0 && y < ny - 1 && (x + y) % 2 == colour)
    AT(a, 0) = (AT(a, -1) + 7 * AT(a, 1) + AT(a, 0)) % 10007;
}
// Any column of a row.
__global__ void around(int *out, const int *in, int ny, int nx) {
  POINT;
  if (y > 0)
    AT(out, 0) = (in[(y - 1) * nx + (x + 1) % nx] + 3 * in[y * nx + (x + nx / 2) % nx]) % 10007;
}

static int *make(int seed, int count) {
  std::vector<int> values(count);
  for (int i = 0; i < count; ++i)
    values[i] = (i * 31 + seed) % 10007;
  int *a;
  CHECK(cudaMalloc(&a, count * sizeof(int)));
  CHECK(cudaMemcpy(a, values.data(), count * sizeof(int), cudaMemcpyHostToDevice));
  return a;
}
static int sum(const int *a, int count) {
  std::vector<int> values(count);
  CHECK(cudaMemcpy(values.data(), a, count * sizeof(int), cudaMemcpyDeviceToHost));
  unsigned all = 0;
  for (int value : values)
    all = all * 31 + value;
  return static_cast<int>(all);
}

constexpr int ny = 163, nx = 21, steps = 14;
static int *make(int seed) { return make(seed, ny * nx); }
static int sum(const int *a) { return sum(a, ny * nx); }
static const dim3 block(8, 4), grid((nx + 7) / 8, (ny + 3) / 4);

// lap goes to the process before, fly to the one after, in to both, and flx to none.
static void diffusion() {
  int *in = make(1), *out = make(2), *lap = make(3), *flx = make(4), *fly = make(5);
#pragma gpurma persistent distribute(in, out, lap, flx, fly : rows(ny, nx))
  for (int i = 0; i < steps; ++i) {
    laplacian<<<grid, block>>>(lap, in, ny, nx);
    flux_x<<<grid, block>>>(flx, lap, in, ny, nx);
    flux_y<<<grid, block>>>(fly, lap, in, ny, nx);
    apply<<<grid, block>>>(out, flx, fly, in, ny, nx);
    std::swap(in, out);
  }
  std::printf("diffusion %d %d %d %d\n", sum(in), sum(lap), sum(flx), sum(fly));
}

// Rows come from one side only, and the other one has to be told when they have been read. Nobody writes speed.
template <int From> static int upwind() {
  int *in = make(1), *out = make(2), *speed = make(3);
#pragma gpurma persistent distribute(in, out, speed : rows(ny, nx))
  for (int i = 0; i < 3 * steps; ++i) {
    carry<From><<<grid, block>>>(out, in, speed, ny, nx);
    std::swap(in, out);
  }
  return sum(in) + 3 * sum(out);
}

// Rows are read some launches before others come, or at once.
static void turns() {
  int *a = make(1), *b = make(2), *c = make(3), *d = make(4);
#pragma gpurma persistent distribute(a, b, c, d : rows(ny, nx))
  for (int i = 0; i < 2 * steps; ++i) {
    if (i % 3 != 1)
      carry<2><<<grid, block>>>(b, a, a, ny, nx);
    copy<<<grid, block>>>(c, b, ny, nx);
    for (int again = 0; again < i % 3; ++again)
      copy<<<grid, block>>>(a, c, ny, nx);
    if (i % 4 != 0)
      carry<-1><<<grid, block>>>(d, c, b, ny, nx);
    copy<<<grid, block>>>(b, d, ny, nx);
    copy<<<grid, block>>>(a, b, ny, nx);
  }
  std::printf("turns %d %d %d %d\n", sum(a), sum(b), sum(c), sum(d));
}

static void in_place() {
  int *a = make(1), *b = make(2);
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  for (int i = 0; i < steps; ++i) {
    relax<<<grid, block>>>(a, 0, ny, nx);
    copy<<<grid, block>>>(b, a, ny, nx);
    relax<<<grid, block>>>(a, 1, ny, nx);
    copy<<<grid, block>>>(b, b, ny, nx);
  }
  std::printf("in place %d %d\n", sum(a), sum(b));
}

// Two names of one array: what is written by one is read by the other.
static void one_array() {
  int *a = make(1), *b = make(2), *same = a;
#pragma gpurma persistent distribute(a, b, same : rows(ny, nx))
  for (int i = 0; i < steps; ++i) {
    copy<<<grid, block>>>(a, b, ny, nx);
    carry<1><<<grid, block>>>(b, same, same, ny, nx);
  }
  std::printf("one array %d %d\n", sum(a), sum(b));
}

// A pointer from outside of the region that is no array of it until it is assigned one.
static void assigned() {
  int *a = make(1), *b = make(2), *view = nullptr;
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  for (int i = 0; i < steps; ++i) {
    view = a;
    copy<<<grid, block>>>(a, b, ny, nx);
    carry<1><<<grid, block>>>(b, view, view, ny, nx);
  }
  std::printf("assigned %d %d\n", sum(a), sum(b));
}

// Arrays are whole behind a region; another one reads other rows of them.
static void again() {
  int *a = make(1), *b = make(2), *c = make(3);
  for (int i = 0; i < 3; ++i) {
#pragma gpurma persistent distribute(a, b, c : rows(ny, nx))
    for (int step = 0; step < 3; ++step) {
      copy<<<grid, block>>>(a, b, ny, nx);
      carry<-2><<<grid, block>>>(b, c, c, ny, nx);
    }
    copy<<<grid, block>>>(c, a, ny, nx);
#pragma gpurma persistent distribute(a, b, c : rows(ny, nx))
    for (int step = 0; step < 3; ++step) {
      carry<3><<<grid, block>>>(c, a, b, ny, nx);
      copy<<<grid, block>>>(b, c, ny, nx);
    }
  }
  std::printf("again %d %d %d\n", sum(a), sum(b), sum(c));
}

static void wide(int steps) {
  constexpr int ny = 44, nx = 600;
  int *a = make(1, ny * nx), *b = make(2, ny * nx);
  const dim3 tiles(nx / 8, (ny + 3) / 4);
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  for (int i = 0; i < steps; ++i) {
    around<<<tiles, block>>>(b, a, ny, nx);
    std::swap(a, b);
  }
  std::printf("wide %d %d\n", sum(a, ny * nx), sum(b, ny * nx));
}

int main(int count, char **) {
  // One process prints.
  const char *rank = std::getenv("OMPI_COMM_WORLD_RANK");
  if (rank && std::atoi(rank) != 0 && !std::freopen("/dev/null", "w", stdout))
    return 1;
  if (count > 1) {
    wide(3);
    return 0;
  }
  diffusion();
  std::printf("upwind %d %d\n", upwind<1>(), upwind<-3>());
  turns();
  in_place();
  one_array();
  assigned();
  again();
  wide(steps);
}
