// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Arrays of several components, one behind the other, as a lattice Boltzmann code with nine populations has them: in loops with tables
// of directions, written out, with macros and functions for subscripts, with walls and periodically, in one dimension, a component for
// each block along z, with columns that a kernel copies from one end of a row to the other, kernels for boundary rows, reduced scalars, copies and fills; next to arrays without.
// RUN: %gpurmacc_cpu %s -o %t --gpurma-print-after=InferStages | FileCheck --check-prefix=PLAN %s
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided | sort > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | sort -u | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t | sort -u | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t | sort -u | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=1 %mpirun -np 5 %t | sort -u | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 GPURMA_ROUTE=proxy %mpirun -np 3 %t | sort -u | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 GPURMA_DISTRIBUTED_ARRAYS=banded %mpirun -np 3 %t | sort -u | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 GPURMA_DISTRIBUTED_ARRAYS=regions %mpirun -np 2 %t | sort -u | diff - %t.expected
// CHECK-DAG: walls: {{[0-9a-f]+}} mass {{[1-9]}}
// CHECK-DAG: periodic: {{[0-9a-f]+}}
// CHECK-DAG: boundaries: {{[0-9a-f]+}}
// CHECK-DAG: constant: {{[0-9a-f]+}}
// CHECK-DAG: in turn: {{[0-9a-f]+}}
// CHECK-DAG: columns: {{[0-9a-f]+}}
// PLAN: stage walls: rows y; writes g (own), published (y -1..1); reads f (x -1..1, y -1..1); reads solid (own)
// PLAN: stage density: rows y in one dimension; {{.*}}reads f (own); adds to *mass
// PLAN: stage gradient: rows y; reads g (own); writes g (own), published (y -1..1); reads rho (y 0..1)
// PLAN: stage periodic: rows y; writes g (own), published (y -1..1); reads f (x whole, y -1..1 periodic)
// PLAN: stage relax: rows y in one dimension; reads f (own); writes f (own), published (y -1..1)
// PLAN: stage scale: rows y; reads f (z whole); writes f (z whole), published (y -1..1)
// PLAN: stage cudaMemcpy: rows y; writes dst (own), published (y -1..1); reads src (own)
// PLAN: stage inside: rows y; writes g (own), published (y -1..1); reads f (x -1..1, y -1..1) along axes
// PLAN: stage edges: rows y of stores into fixed rows; reads f (own); writes f (x 0..5), published (y -1..1)
// PLAN: stage cudaMemsetAsync: rows y; writes devPtr (own), published (y -1..1)
// PLAN: stage constant: rows y; writes g (own), published (y -1..1); reads f (x -1..1, y -1..1)
#include "Inputs/region.h"

#include <cstdio>
#include <utility>

constexpr int Q = 9;
__constant__ const int ex[Q] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, ey[Q] = {0, 0, 1, 0, -1, 1, 1, -1, -1}, opposite[Q] = {0, 3, 4, 1, 2, 7, 8, 5, 6};
typedef unsigned long long number;

// From neighbours in the box, and back from its walls and from solid points.
__global__ void walls(number *g, const number *f, const unsigned char *solid, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny)
    return;
  number p[Q], sum = 0;
  for (int q = 0; q < Q; ++q) {
    const int xs = x - ex[q], ys = y - ey[q];
    if (xs < 0 || xs >= nx || ys < 0 || ys >= ny || solid[y * nx + x])
      p[q] = f[opposite[q] * nx * ny + y * nx + x];
    else
      p[q] = f[q * nx * ny + ys * nx + xs];
    sum += p[q];
  }
  for (int q = 0; q < Q; ++q)
    g[q * nx * ny + y * nx + x] = (3 * p[q] + sum * (q + 1)) % 10007;
}

// In one dimension; the number of points is a variable of the host.
__global__ void density(number *rho, const number *f, number *mass, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  rho[i] = f[i] + f[n + i] + f[2 * n + i] + f[3 * n + i] + f[4 * n + i] + f[5 * n + i] + f[6 * n + i] + f[7 * n + i] + f[8 * n + i];
  atomicAdd(mass, rho[i] * (1 + i % 3));
}
__global__ void relax(number *f, int nx, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const int x = i % nx, y = i / nx;
    for (int q = 0; q < Q; ++q)
      f[q * n + y * nx + x] = (f[q * n + i] + x + 2 * y) % 10009;
  }
}

__global__ void gradient(number *g, const number *rho, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny)
    return;
  const number up = y + 1 < ny ? rho[(y + 1) * nx + x] : 7;
  g[2 * nx * ny + y * nx + x] += up % 5 + rho[y * nx + x] % 3;
}

__device__ inline size_t at(int q, int x, int y, int nx, int ny) { return ((size_t)q * ny + y) * nx + x; }
#define F(q, x, y) f[at(q, x, y, nx, ny)]
__global__ void periodic(number *g, const number *f, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny)
    return;
  const int xm = (x + nx - 1) % nx, xp = (x + 1) % nx, ym = (y + ny - 1) % ny, yp = (y + 1) % ny;
  const number p0 = F(0, x, y), p1 = F(1, xm, y), p2 = F(2, x, ym), p3 = F(3, xp, y), p4 = F(4, x, yp);
  const number p5 = F(5, xm, ym), p6 = F(6, xp, ym), p7 = F(7, xp, yp), p8 = F(8, xm, yp);
  const number sum = p0 + p1 + p2 + p3 + p4 + p5 + p6 + p7 + p8;
  const number p[Q] = {p0, p1, p2, p3, p4, p5, p6, p7, p8};
#pragma unroll
  for (int q = 0; q < Q; ++q)
    g[at(q, x, y, nx, ny)] = (p[q] * 5 + sum) % 10007;
}

// A block for each component.
__global__ void scale(number *f, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, q = blockIdx.z;
  if (x < nx && y < ny && q < Q)
    f[(q * ny + y) * nx + x] = (f[(q * ny + y) * nx + x] * (q + 2)) % 10009;
}
// Components in turn, by a parameter.
__global__ void turn(number *g, const number *f, int first, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny)
    return;
  for (int q = 0; q < Q; ++q)
    g[(q * ny + y) * nx + x] = f[((q + first) % Q * ny + (y + 1) % ny) * nx + x] + q;
}

__global__ void inside(number *g, const number *f, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || x >= nx - 1 || y < 1 || y >= ny - 1)
    return;
  const int n = nx * ny, i = y * nx + x;
  g[i] = f[i] % 7;
  g[1 * n + i] = f[1 * n + i - 1] + 1;
  g[2 * n + i] = f[2 * n + i - nx] + 2;
  g[3 * n + i] = f[3 * n + i + 1] + 3;
  g[4 * n + i] = (f[4 * n + i + nx] + f[8 * n + i]) % 10007;
}
// The rows at both ends, and a point.
__global__ void edges(number *f, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, n = nx * ny;
  if (x < nx) {
    f[2 * n + x] = f[4 * n + x] + x;
    f[5 * n + x] = f[7 * n + x] + 2;
    f[4 * n + (ny - 1) * nx + x] = f[2 * n + (ny - 1) * nx + x] + 3;
  }
  if (x == 0)
    f[8 * n + 3 * nx + 5] = 4711;
}

constexpr int NX = 48, NY = 57;
__global__ void constant(number *g, const number *f) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= NX || y >= NY)
    return;
  for (int q = 0; q < Q; ++q) {
    const int xs = x - ex[q], ys = y - ey[q];
    const bool in = xs >= 0 && xs < NX && ys >= 0 && ys < NY;
    g[(q * NY + y) * NX + x] = ((in ? f[(q * NY + ys) * NX + xs] : 3) + f[y * NX + x] + q) % 10007;
  }
}

template <class T> static T *device(size_t n, T most) {
  return device_array<T>(n, [=](size_t i) { return i * 7919 / 13 % most; });
}

// Nothing but the size of rows keeps column 1 and the last one apart.
__global__ void columns(number *f, int nx, int ny) {
  const int y = blockIdx.x * blockDim.x + threadIdx.x, q = blockIdx.y;
  if (y >= ny)
    return;
  f[(q * ny + y) * nx] = f[(q * ny + y) * nx + nx - 2] + 1;
  f[(q * ny + y) * nx + nx - 1] = f[(q * ny + y) * nx + 1];
}

int main() {
  const int nx = 75, ny = 101, n = nx * ny;
  number *f = device<number>(Q * n, 10007), *g = device<number>(Q * n, 3), *rho = device<number>(n, 3), *mass = nullptr;
  unsigned char *solid = device<unsigned char>(n, 2);
  cudaMallocManaged(&mass, sizeof(number));
  const dim3 block(32, 8), grid((nx + 31) / 32, (ny + 7) / 8);
  number most = 0;
#pragma gpurma persistent distribute(f, g : components(Q), rows(ny, nx)) distribute(rho, solid : rows(ny, nx)) reduce(+ : *mass)
  for (int step = 0; step < 6; ++step) {
    walls<<<grid, block>>>(g, f, solid, nx, ny);
    std::swap(f, g);
    *mass = 0;
    density<<<(n + 127) / 128, 128>>>(rho, f, mass, n);
    gradient<<<grid, block>>>(f, rho, nx, ny);
    cudaDeviceSynchronize();
    if (*mass > most)
      most = *mass;
  }
  printf("walls: %llx mass %llu\n", ordered_sum(f, Q * n) ^ ordered_sum(rho, n), most);

  int count = nx * ny;
#pragma gpurma persistent distribute(f, g : components(9), rows(ny, nx))
  for (int step = 0; step < 5; ++step) {
    periodic<<<grid, block>>>(g, f, nx, ny);
    periodic<<<grid, block>>>(f, g, nx, ny);
    relax<<<3, 64>>>(f, nx, count);
    scale<<<dim3(grid.x, grid.y, Q), block>>>(f, nx, ny);
    if (step % 4 == 3)
      cudaMemcpy(g, f, sizeof(number) * Q * nx * ny, cudaMemcpyDeviceToDevice);
  }
  printf("periodic: %llx\n", ordered_sum(f, Q * n) ^ ordered_sum(g, Q * n));

#pragma gpurma persistent distribute(f, g : components(Q), rows(ny, nx))
  for (int step = 0; step < 7; ++step) {
    inside<<<grid, block>>>(g, f, nx, ny);
    edges<<<(nx + 63) / 64, 64>>>(g, nx, ny);
    std::swap(f, g);
    if (step == 5)
      cudaMemsetAsync(g, 1, Q * nx * ny * sizeof(number));
  }
  printf("boundaries: %llx\n", ordered_sum(f, Q * n) ^ ordered_sum(g, Q * n));

  number *a = device<number>(Q * NX * NY, 10007), *b = device<number>(Q * NX * NY, 3);
#pragma gpurma persistent distribute(a, b : components(Q), rows(NY, NX))
  for (int step = 0; step < 7; ++step) {
    constant<<<dim3((NX + 31) / 32, (NY + 7) / 8), block>>>(b, a);
    std::swap(a, b);
  }
  printf("constant: %llx\n", ordered_sum(a, Q * NX * NY));

#pragma gpurma persistent distribute(f, g : components(Q), rows(ny, nx))
  for (int step = 0; step < 5; ++step) {
    turn<<<grid, block>>>(g, f, step, nx, ny);
    std::swap(f, g);
  }
  printf("in turn: %llx\n", ordered_sum(f, Q * n));

  const int width = nx + (mass == nullptr); // not known to the compiler
#pragma gpurma persistent distribute(f, g : components(Q), rows(ny, width))
  for (int step = 0; step < 5; ++step) {
    columns<<<dim3((ny + 63) / 64, Q), 64>>>(f, width, ny);
    turn<<<grid, block>>>(g, f, step, width, ny);
    std::swap(f, g);
  }
  printf("columns: %llx\n", ordered_sum(f, Q * n));
}
