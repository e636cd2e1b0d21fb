// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Consecutive launches that run as one stage: of which none touches what others write; which read what their own threads, or others of the
// tile, have just stored; in one dimension; and with pointers that lead to different arrays in some steps only. And launches that do not.
// RUN: %gpurmacc_cpu -I%S -Wall -Wextra -Werror %s -o %t
// RUN: %gpurmacc_cpu -I%S --gpurma-fuse-launches=none %s -o %t.apart
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t.apart | diff - %t.expected
// RUN: env GPURMA_CPU_STAGING=1 GPURMA_ROUTE=proxy GPURMA_CPU_RANKS=43 %mpirun -np 2 %t | diff - %t.expected
// RUN: %gpurmacc_cpu -fsyntax-only -I%S --gpurma-print-after=FuseLaunches %s | FileCheck --check-prefix=PLAN %s
// RUN: %gpurmacc_cpu -fsyntax-only -I%S --gpurma-print-after=FuseLaunches --gpurma-fuse-launches=none %s | FileCheck --check-prefix=NONE %s
// RUN: %gpurmacc_cpu -fsyntax-only -I%S -Rgpurma %s 2>&1 | FileCheck --check-prefix=REMARK %s
// CHECK: waves {{-?[1-9][0-9]*}} 0
// CHECK: chain {{-?[1-9][0-9]*}} {{-?[1-9][0-9]*}}
// CHECK: lines {{-?[1-9][0-9]*}} {{-?[1-9][0-9]*}}
// CHECK: changing {{-?[1-9][0-9]*}} {{-?[1-9][0-9]*}}
// CHECK: shared {{-?[1-9][0-9]*}} {{-?[1-9][0-9]*}}
// CHECK: wrapped {{-?[1-9][0-9]*}} 0
// CHECK: apart {{-?[1-9][0-9]*}} {{-?[1-9][0-9]*}}
// NONE-NOT: one stage
#include "Inputs/region.h"

#include <utility>

static void check(cudaError_t error, int line) {
  if (error != cudaSuccess)
    std::fprintf(stderr, "%d\n", line);
}
#define POINT                                                                                                                     \
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;                                 \
  if (x >= nx || y >= ny)                                                                                                         \
    return;                                                                                                                       \
  const int i = y * nx + x;

static const dim3 block(8, 4);
static dim3 gridFor(int ny, int nx) { return dim3((nx + block.x - 1) / block.x, (ny + block.y - 1) / block.y); }

// --- Two independent kernels, and one that depends on both.

__global__ void moveX(int *vx, const int *p, int ny, int nx) {
  POINT
  vx[i] += (p[i] - p[x > 0 ? i - 1 : i]) % 1009;
}
__global__ void moveY(int *vy, const int *p, int ny, int nx) {
  POINT
  vy[i] += (p[i] - p[y > 0 ? i - nx : i]) % 1013;
}
__global__ void press(int *p, const int *vx, const int *vy, int ny, int nx) {
  POINT
  p[i] += ((x + 1 < nx ? vx[i + 1] : 0) - vx[i] + (y + 1 < ny ? vy[i + nx] : 0) - vy[i]) % 1019;
}

static long long waves(int ny, int nx, int steps) {
  int *p = array_of_numbers<int>(ny * nx), *vx = array_of_numbers<int>(ny * nx), *vy = array_of_numbers<int>(ny * nx);
  const dim3 grid = gridFor(ny, nx);
#pragma gpurma persistent distribute(p, vx, vy : rows(ny, nx))
  for (int step = 0; step < steps; ++step) {
    // PLAN: region_fused.cu:[[#@LINE+2]]: one stage: moveX, moveY; if moveX's vx is not moveY's vy, moveX's vx is not moveY's p, moveX's p is not moveY's vy{{$}}
    // REMARK: region_fused.cu:[[#@LINE+1]]:5: remark: stage 'moveX' runs together with 'moveY' [gpurma-0217]
    moveX<<<grid, block>>>(vx, p, ny, nx);
    CHECK(cudaGetLastError());
    moveY<<<grid, block>>>(vy, p, ny, nx);
    check(cudaPeekAtLastError(), __LINE__);
    press<<<grid, block>>>(p, vx, vy, ny, nx);
    CHECK(cudaGetLastError());
  }
  return ordered_sum(p, ny * nx);
}

// --- Each reads what the one before has stored: of the thread, of the block, and of the neighbouring block.

__global__ void scale(int *u, const int *in, int ny, int nx) {
  POINT
  u[i] = (in[i] + (y > 0 ? in[i - nx] : 3)) % 10007;
}
__global__ void shift(int *v, const int *u, int ny, int nx) {
  POINT
  v[i] = u[i] * 5 % 10009;
}
__global__ void mirror(int *w, const int *v, int ny, int nx) {
  POINT
  const int from = blockIdx.x * blockDim.x + blockDim.x - 1 - threadIdx.x;
  w[i] = from < nx ? v[y * nx + from] * 3 - x : v[i];
}
__global__ void spread(int *out, const int *w, int *total, int ny, int nx) {
  POINT
  out[i] = (w[i] + (y + 1 < ny ? w[i + nx] : 1)) % 10037;
  atomicAdd(total, out[i] % 17);
}

static long long chain(int ny, int nx, int steps, int *total) {
  int *in = array_of_numbers<int>(ny * nx), *u = array_of_numbers<int>(ny * nx), *v = array_of_numbers<int>(ny * nx), *w = array_of_numbers<int>(ny * nx);
  const dim3 grid = gridFor(ny, nx);
#pragma gpurma persistent distribute(in, u, v, w : rows(ny, nx)) reduce(+ : *total)
  for (int step = 0; step < steps; ++step) {
    // PLAN: region_fused.cu:[[#@LINE+2]]: one stage: scale, then shift, barrier, mirror; if {{.*}}{{$}}
    // REMARK: region_fused.cu:[[#@LINE+1]]:5: remark: stage 'scale' runs together with 'shift', 'mirror' [gpurma-0217]
    scale<<<grid, block>>>(u, in, ny, nx);
    shift<<<grid, block>>>(v, u, ny, nx);
    mirror<<<grid, block>>>(w, v, ny, nx);
    spread<<<grid, block>>>(in, w, total, ny, nx);
  }
  return ordered_sum(in, ny * nx);
}

// --- In one dimension, one behind the other and each adding to a scalar; what is passed its sum does not run together with what adds to it.

__global__ void add(int *r, const int *q, int n, int *total) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  r[i] = (r[i] + q[i]) % 10007;
  atomicAdd(total, r[i] % 7);
}
__global__ void multiply(int *q, const int *r, int n, int *total) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  q[i] = (q[i] + r[i] * 3) % 10009;
  atomicAdd(total, q[i] % 11);
}
__global__ void lift(int *q, const int *total, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    q[i] += *total % 5;
}

static long long lines(int ny, int nx, int steps, int *total) {
  const int n = ny * nx;
  int *q = array_of_numbers<int>(n), *r = array_of_numbers<int>(n);
#pragma gpurma persistent distribute(q, r : rows(ny, nx)) reduce(+ : *total)
  for (int step = 0; step < steps; ++step) {
    // PLAN: region_fused.cu:[[#@LINE+1]]: one stage: add, then multiply; if add's r is not multiply's q{{$}}
    add<<<(n + 31) / 32, 32>>>(r, q, n, total);
    multiply<<<(n + 31) / 32, 32>>>(q, r, n, total);
    lift<<<(n + 31) / 32, 32>>>(q, total, n);
  }
  return ordered_sum(q, n);
}

// --- Pointers that lead to one array in some steps: the second launch then reads rows that the first one has written.

static long long changing(int ny, int nx, int steps, int *total) {
  int *u = array_of_numbers<int>(ny * nx), *v = array_of_numbers<int>(ny * nx), *w = array_of_numbers<int>(ny * nx);
  const dim3 grid = gridFor(ny, nx);
#pragma gpurma persistent distribute(u, v, w : rows(ny, nx)) reduce(+ : *total)
  for (int step = 0; step < steps; ++step) {
    int *const target = step % 3 == 0 ? u : v;
    // PLAN: region_fused.cu:[[#@LINE+1]]: one stage: shift, spread; if {{.*}}shift's v is not spread's w{{.*}}{{$}}
    shift<<<grid, block>>>(target, w, ny, nx);
    spread<<<grid, block>>>(step % 2 ? w : v, u, total, ny, nx);
    std::swap(u, step % 5 == 2 ? v : w);
  }
  return ordered_sum(u, ny * nx) + 3 * ordered_sum(v, ny * nx) + 7 * ordered_sum(w, ny * nx);
}

// --- Blocks with shared memory: a tile with its borders, twice by one kernel, and sums.

__global__ void smooth(int *out, const int *in, int ny, int nx) {
  __shared__ int tile[4][8 + 2];
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const int row = min(y, ny - 1), column = min(x, nx - 1), i = row * nx + column;
  tile[threadIdx.y][threadIdx.x + 1] = in[i];
  if (threadIdx.x == 0)
    tile[threadIdx.y][0] = in[row * nx + max(column - 1, 0)];
  if (threadIdx.x == blockDim.x - 1)
    tile[threadIdx.y][threadIdx.x + 2] = in[row * nx + min(column + 1, nx - 1)];
  __syncthreads();
  if (x < nx && y < ny)
    out[i] = (tile[threadIdx.y][threadIdx.x] + 2 * tile[threadIdx.y][threadIdx.x + 1] + 3 * tile[threadIdx.y][threadIdx.x + 2]) % 10007;
}
__global__ void dot(const int *a, const int *b, int *total, int ny, int nx) {
  __shared__ int part[32];
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, t = threadIdx.y * blockDim.x + threadIdx.x;
  part[t] = x < nx && y < ny ? a[y * nx + x] % 101 * (b[y * nx + x] % 103) : 0;
  __syncthreads();
  for (int w = 16; w > 0; w /= 2) {
    if (t < w)
      part[t] += part[t + w];
    __syncthreads();
  }
  if (t == 0)
    atomicAdd(total, part[0]);
}

static long long shared(int ny, int nx, int steps, int *total, int *other) {
  int *p = array_of_numbers<int>(ny * nx), *q = array_of_numbers<int>(ny * nx), *r = array_of_numbers<int>(ny * nx), *s = array_of_numbers<int>(ny * nx);
  const dim3 grid = gridFor(ny, nx);
  long long seen = 0;
#pragma gpurma persistent distribute(p, q, r, s : rows(ny, nx)) reduce(+ : *total, *other)
  for (int step = 0; step < steps; ++step) {
    *total = 0;
    *other = 0;
    // PLAN: region_fused.cu:[[#@LINE+1]]: one stage: smooth, barrier, smooth, then dot, barrier, dot; if {{.*}}{{$}}
    smooth<<<grid, block>>>(r, p, ny, nx);
    smooth<<<grid, block>>>(s, q, ny, nx);
    dot<<<grid, block>>>(r, s, total, ny, nx);
    dot<<<grid, block>>>(s, q, other, ny, nx);
    CHECK(cudaDeviceSynchronize());
    seen = (seen * 31 + *total + 3 * *other) % 1000003;
    // PLAN: region_fused.cu:[[#@LINE+1]]: one stage: spread, dot, mirror; if {{.*}}{{$}}
    spread<<<grid, block>>>(p, r, total, ny, nx);
    dot<<<grid, block>>>(q, r, other, ny, nx);
    mirror<<<grid, block>>>(s, q, ny, nx);
    CHECK(cudaDeviceSynchronize());
  }
  return ordered_sum(p, ny * nx) + seen;
}

// --- Launched by functions with grids of their own, and with something in between that has nothing to do with arrays: the first launch runs where
// the last one stands, with what it is passed where it stands itself.

__global__ void plus(int *out, const int *in, int more, int ny, int nx) {
  POINT
  out[i] = (in[i] + more + (y > 0 ? in[i - nx] : 0)) % 10007;
}
static int blocksFor(int n, int threads) { return (n + threads - 1) / threads; }
static void launchPlus(int *out, const int *in, int more, int ny, int nx) {
  const dim3 threads(8, 4), blocks(blocksFor(nx, threads.x), blocksFor(ny, threads.y));
  plus<<<blocks, threads>>>(out, in, more, ny, nx);
  CHECK(cudaGetLastError());
}

static long long wrapped(int ny, int nx, int steps) {
  int *u = array_of_numbers<int>(ny * nx), *v = array_of_numbers<int>(ny * nx), *w = array_of_numbers<int>(ny * nx);
  const dim3 grid = gridFor(ny, nx);
  int count = 0;
#pragma gpurma persistent distribute(u, v, w : rows(ny, nx))
  for (int step = 0; step < steps; ++step) {
    launchPlus(v, u, count, ny, nx);
    count += 3 * step;
    launchPlus(w, u, count, ny, nx);
    ++count;
    shift<<<grid, block>>>(u, v, ny, nx);
    int wide = nx;
    // PLAN: region_fused.cu:[[#@LINE+1]]: one stage: shift, then shift; if {{.*}}{{$}}
    shift<<<gridFor(ny, wide), block>>>(v, w, ny, nx);
    const int seen = count % 7;
    shift<<<gridFor(ny, wide), block>>>(w, v, ny - seen, nx);
    wide += 8;
    shift<<<gridFor(ny, wide), block>>>(v, w, ny, nx);
    std::swap(u, v);
    shift<<<gridFor(ny, nx), block>>>(w, v, ny, nx);
  }
  return ordered_sum(u, ny * nx) + 3 * ordered_sum(v, ny * nx) + count;
}

// --- Of other grids or blocks, and with something in between.

static long long apart(int ny, int nx, int steps, int *total) {
  int *u = array_of_numbers<int>(ny * nx), *v = array_of_numbers<int>(ny * nx), *w = array_of_numbers<int>(ny * nx);
  const dim3 grid = gridFor(ny, nx), more(grid.x + 1, grid.y);
  int passed = 0;
  // PLAN-NOT: one stage
#pragma gpurma persistent distribute(u, v, w : rows(ny, nx)) reduce(+ : *total)
  for (int step = 0; step < steps; ++step) {
    shift<<<grid, block>>>(u, w, ny, nx);
    shift<<<more, block>>>(v, w, ny, nx);
    passed += *total % 3;
    shift<<<more, block>>>(u, v, ny, nx);
    if (step % 2)
      shift<<<more, block>>>(v, u, ny, nx);
    spread<<<more, block>>>(w, v, total, ny, nx);
    CHECK(cudaDeviceSynchronize());
  }
  return ordered_sum(u, ny * nx) + 3 * ordered_sum(v, ny * nx) + 7 * ordered_sum(w, ny * nx) + passed;
}

int main() {
  const int ny = 61, nx = 43;
  int *total = nullptr;
  CHECK(cudaMallocManaged(&total, sizeof(int)));
  const auto print = [&](const char *name, long long sum) {
    CHECK(cudaDeviceSynchronize());
    if (is_first_process())
      std::printf("%s %lld %d\n", name, sum, *total);
    *total = 0;
  };
  *total = 0;
  print("waves", waves(ny, nx, 7));
  print("chain", chain(ny, nx, 7, total));
  print("lines", lines(ny, nx, 7, total));
  print("changing", changing(ny, nx, 12, total));
  int *other = nullptr;
  CHECK(cudaMallocManaged(&other, sizeof(int)));
  print("shared", shared(ny, nx, 7, total, other));
  print("wrapped", wrapped(ny, nx, 7));
  print("apart", apart(ny, nx, 7, total));
}
