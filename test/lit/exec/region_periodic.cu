// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Fields that go on at their other end: rows behind the last one, in two and three dimensions, by % and by conditions, one and two
// rows away, to one side, in columns as well, next to kernels that do not, with bands that end within tiles.
// RUN: %gpurmacc_cpu %s -o %t --gpurma-print-after=InferStages | FileCheck --check-prefix=PLAN %s
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=1 %mpirun -np 2 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=4 %mpirun -np 3 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 GPURMA_DISTRIBUTED_ARRAYS=banded %mpirun -np 3 %t | diff - %t.expected
// CHECK: step 11: {{[1-9]}}
// CHECK: life 9: {{[1-9]}}
// CHECK: cube 5: {{[1-9]}}
// CHECK: shifted 5: {{[1-9]}}
// PLAN: stage fields: {{.*}}reads u (x whole, y -1..1 periodic) along axes; reads v (x whole, y -1..1 periodic)
// PLAN: stage fields: {{.*}}(x whole, y -1..1 periodic)
// PLAN: stage upwind: {{.*}}reads in (y -2..0 periodic)
// PLAN: stage inside: {{.*}}reads in (y -1..1)
// PLAN: stage add: {{.*}}reads u (own)
// PLAN: stage life: {{.*}}reads now (x whole, y -1..1 periodic)
// PLAN: stage cube: {{.*}}reads in (z -1..2 periodic)
// PLAN: stage behind: {{.*}}writes out (y 1..1){{.*}}reads in (y 0..2 periodic)
// PLAN: stage before: {{.*}}writes out (y -1..-1){{.*}}reads in (y -2..0 periodic)
#include "Inputs/region.h"

#include <algorithm>
#include <cstdio>
#include <utility>

typedef unsigned long long number;

// By remainders.
__global__ void fields(number *un, number *vn, const number *u, const number *v, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny)
    return;
  const int xm = (x + nx - 1) % nx, xp = (x + 1) % nx, ym = (y + ny - 1) % ny, yp = (y + 1) % ny, i = y * nx + x;
  un[i] = (u[y * nx + xm] + 3 * u[y * nx + xp] + 5 * u[ym * nx + x] + 7 * u[yp * nx + x] + v[i]) % 10007;
  vn[i] = (v[y * nx + xm] + 2 * v[ym * nx + x] + 4 * v[yp * nx + x] + u[i]) % 10009;
}

// By conditions, to one side.
__device__ int wrapped(int i, int n) { return i < 0 ? i + n : i; }
__global__ void upwind(number *out, const number *in, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny)
    return;
  number sum = 0;
  for (int d = -2; d <= 0; ++d) {
    const int row = wrapped(y + d, ny);
    sum += in[row * nx + x];
    sum += d == -2 ? 2 * in[(y + d + ny) % ny * nx + x] : 0;
  }
  out[y * nx + x] = sum % 10007;
}
__global__ void inside(number *out, const number *in, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y > 0 && y < ny - 1)
    out[y * nx + x] = (in[(y - 1) * nx + x] + 3 * in[(y + 1) * nx + x]) % 10007;
}
__global__ void add(const number *u, number *sum, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny)
    atomicAdd(sum, u[y * nx + x] * (1 + (x + 2 * y) % 7));
}

constexpr int NX = 96, NY = 90;
__global__ void life(unsigned char *next, const unsigned char *now, int *alive) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= NX || y >= NY)
    return;
  int n = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx) {
      int row = y + dy, column = x + dx;
      if (row < 0)
        row += NY;
      if (row >= NY)
        row -= NY;
      column = column < 0 ? NX - 1 : column == NX ? 0 : column;
      if (dx != 0 || dy != 0)
        n += now[row * NX + column];
    }
  const int lives = n == 3 || (n == 2 && now[y * NX + x]);
  next[y * NX + x] = lives;
  atomicAdd(alive, lives);
}

__global__ void cube(number *out, const number *in, number *sum, int nz, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x >= nx || y >= ny || z >= nz)
    return;
  const int before = z == 0 ? nz - 1 : z - 1, two = (z + 2) % nz;
  const number value = (in[(z * ny + y) * nx + x] + 3 * in[(before * ny + y) * nx + x] + 5 * in[(two * ny + y) * nx + x]) % 10007;
  out[(z * ny + y) * nx + x] = value;
  atomicAdd(sum, value);
}

template <class T> static T *device(size_t n, T most) {
  return device_array<T>(n, [=](size_t i) { return i * 7919 / 13 % most; });
}

// Threads of the last row, or of the first, store nothing, and read beyond the ends all the same.
__global__ void behind(number *out, const number *in, number *sum, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny)
    return;
  const number value = (in[(y + 2) % ny * nx + x] + 3 * in[y * nx + x]) % 10007;
  if (y + 1 < ny)
    out[(y + 1) * nx + x] = value;
  atomicAdd(sum, value);
}
__global__ void before(number *out, const number *in, number *sum, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny)
    return;
  const number value = (in[(y - 2 + ny) % ny * nx + x] + 5 * in[y * nx + x]) % 10009;
  if (y > 0)
    out[(y - 1) * nx + x] = value;
  atomicAdd(sum, value);
}

int main() {
  const int nx = 75, ny = 101;
  number *u = device<number>(nx * ny, 10007), *v = device<number>(nx * ny, 10009), *un = device<number>(nx * ny, 3), *vn = device<number>(nx * ny, 3), *sum = nullptr;
  cudaMallocManaged(&sum, sizeof(number));
  const dim3 block(32, 8), grid((nx + 31) / 32, (ny + 7) / 8);
#pragma gpurma persistent distribute(u, v, un, vn : rows(ny, nx)) reduce(+ : *sum)
  for (int step = 0; step < 12; ++step) {
    fields<<<grid, block>>>(un, vn, u, v, ny, nx);
    fields<<<grid, block>>>(u, v, un, vn, ny, nx);
    upwind<<<grid, block>>>(un, u, ny, nx);
    inside<<<grid, block>>>(un, v, ny, nx);
    std::swap(u, un);
    *sum = 0;
    add<<<grid, block>>>(u, sum, ny, nx);
    cudaDeviceSynchronize();
    printf("step %d: %llu\n", step, *sum);
  }

  unsigned char *now = device<unsigned char>(NX * NY, 2), *next = device<unsigned char>(NX * NY, 2);
  int *alive = nullptr;
  cudaMallocManaged(&alive, sizeof(int));
#pragma gpurma persistent distribute(now, next : rows(NY, NX)) reduce(+ : *alive)
  for (int step = 0; step < 10; ++step) {
    *alive = 0;
    life<<<dim3((NX + 15) / 16, (NY + 7) / 8), dim3(16, 8)>>>(next, now, alive);
    std::swap(now, next);
    cudaDeviceSynchronize();
    printf("life %d: %d\n", step, *alive);
  }

  const int mx = 20, my = 9, mz = 31;
  number *a = device<number>(mx * my * mz, 10007), *b = device<number>(mx * my * mz, 3);
#pragma gpurma persistent distribute(a, b : rows(mz, my, mx)) reduce(+ : *sum)
  for (int step = 0; step < 6; ++step) {
    *sum = 0;
    cube<<<dim3((mx + 15) / 16, (my + 3) / 4, (mz + 1) / 2), dim3(16, 4, 2)>>>(b, a, sum, mz, my, mx);
    std::swap(a, b);
    cudaDeviceSynchronize();
    printf("cube %d: %llu\n", step, std::max(*sum, number(1)));
  }

  const int shifted = 60;
  number *c = device<number>(shifted * nx, 10007), *d = device<number>(shifted * nx, 3);
#pragma gpurma persistent distribute(c, d : rows(shifted, nx)) reduce(+ : *sum)
  for (int step = 0; step < 6; ++step) {
    *sum = 0;
    behind<<<dim3((nx + 31) / 32, shifted), dim3(32, 1)>>>(d, c, sum, shifted, nx);
    before<<<dim3((nx + 31) / 32, shifted), dim3(32, 1)>>>(c, d, sum, shifted, nx);
    cudaDeviceSynchronize();
    printf("shifted %d: %llu\n", step, *sum);
  }
}
