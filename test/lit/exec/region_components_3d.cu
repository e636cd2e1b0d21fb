// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Arrays of several components in three dimensions: 19 populations by a grid of three dimensions, by one of two with a loop through the
// planes, and with a queue of registers in it; periodically; and a field with a component for each direction.
// RUN: %gpurmacc_cpu %s -o %t --gpurma-print-after=InferStages | FileCheck --check-prefix=PLAN %s
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided | sort > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=4 %t | sort -u | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t | sort -u | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t | sort -u | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 5 %t | sort -u | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 GPURMA_DISTRIBUTED_ARRAYS=banded %mpirun -np 3 %t | sort -u | diff - %t.expected
// CHECK-DAG: populations: {{[0-9a-f]+}}
// CHECK-DAG: field: {{[0-9a-f]+}}
// PLAN: stage collide: rows z; writes g (own), published (z -1..1); reads f (x -1..1, y -1..1, z -1..1)
// PLAN: stage turn: rows z; writes g (own), published (z -1..1); reads f (x whole, y whole, z -1..1 periodic)
// PLAN: stage curl: rows z (4 per thread, in a loop); writes w (own), published (z -1..1); reads u (x 0..1, y 0..1, z 0..1) along axes
// PLAN: stage smooth: rows z (8 per thread, in a loop after 2 for its queues); writes w (own), published (z -1..1); reads u (z -1..1)
#include "Inputs/region.h"

#include <cstdio>
#include <utility>

typedef unsigned long long number;
constexpr int Q = 19;
struct lattice {
  int nx, ny, nz;
  __device__ size_t at(int q, int x, int y, int z) const { return ((size_t(q) * nz + z) * ny + y) * nx + x; }
};
__device__ constexpr int cx[Q] = {0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1, 0, 0, 0, 0};
__device__ constexpr int cy[Q] = {0, 0, 0, 1, -1, 0, 0, 1, -1, -1, 1, 0, 0, 0, 0, 1, -1, 1, -1};
__device__ constexpr int cz[Q] = {0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, -1, 1};

__global__ void collide(number *g, const number *f, lattice l) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x >= l.nx || y >= l.ny || z >= l.nz)
    return;
  number sum = 0;
  for (int q = 0; q < Q; ++q) {
    const int xs = x - cx[q], ys = y - cy[q], zs = z - cz[q];
    if (xs >= 0 && xs < l.nx && ys >= 0 && ys < l.ny && zs >= 0 && zs < l.nz)
      sum += f[l.at(q, xs, ys, zs)] * (q + 1);
  }
  for (int q = 0; q < Q; ++q)
    g[l.at(q, x, y, z)] = (sum + f[l.at(q, x, y, z)] * q) % 10007;
}

__global__ void turn(number *g, const number *f, int nx, int ny, int nz) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x >= nx || y >= ny || z >= nz)
    return;
  const int n = nx * ny * nz;
  for (int q = 0; q < Q; ++q) {
    const int xs = (x - cx[q] + nx) % nx, ys = (y - cy[q] + ny) % ny, zs = (z - cz[q] + nz) % nz;
    g[q * n + (z * ny + y) * nx + x] = f[q * n + (zs * ny + ys) * nx + xs] + q;
  }
}

// Of the three directions of u; each thread goes through the planes.
__global__ void curl(number *w, const number *u, int nx, int ny, int nz) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx - 1 || y >= ny - 1)
    return;
  const int row = nx, plane = nx * ny, n = plane * nz;
  for (int z = 0; z < nz - 1; ++z) {
    const int i = z * plane + y * row + x;
    w[i] = (u[2 * n + i + row] + 3 * u[2 * n + i] + 5 * u[n + i + plane] + u[n + i]) % 10007;
    w[n + i] = (u[i + plane] + 3 * u[i] + 5 * u[2 * n + i + 1] + u[2 * n + i]) % 10007;
    w[2 * n + i] = (u[n + i + 1] + 3 * u[n + i] + 5 * u[i + row] + u[i]) % 10007;
  }
}

__global__ void smooth(number *w, const number *u, int nx, int ny, int nz) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny)
    return;
  const int plane = nx * ny, n = plane * nz;
  int i = n + y * nx + x;
  number below = u[i], current = u[i + plane];
  for (int z = 1; z < nz - 1; ++z) {
    i += plane;
    number above = u[i + plane];
    w[i] = (below + 7 * current + above) % 10007;
    below = current;
    current = above;
  }
}

static number *device(size_t n, number most) {
  return device_array<number>(n, [=](size_t i) { return i * 7919 / 13 % most; });
}

int main() {
  const lattice l{21, 13, 105};
  const int nx = l.nx, ny = l.ny, nz = l.nz, n = nx * ny * nz;
  number *f = device(Q * n, 10007), *g = device(Q * n, 3);
  const dim3 block(8, 4, 2), grid((nx + 7) / 8, (ny + 3) / 4, (nz + 1) / 2);
#pragma gpurma persistent distribute(f, g : components(Q), rows(l.nz, l.ny, l.nx))
  for (int step = 0; step < 5; ++step) {
    collide<<<grid, block>>>(g, f, l);
    std::swap(f, g);
  }
#pragma gpurma persistent distribute(f, g : components(Q), rows(nz, ny, nx))
  for (int step = 0; step < 4; ++step) {
    turn<<<grid, block>>>(g, f, nx, ny, nz);
    std::swap(f, g);
  }
  printf("populations: %llx\n", ordered_sum(f, Q * n) ^ ordered_sum(g, Q * n));

  number *u = device(3 * n, 10007), *w = device(3 * n, 10009);
  const dim3 flat(16, 4), flat_grid((nx + 15) / 16, (ny + 3) / 4);
#pragma gpurma persistent distribute(u, w : components(3), rows(nz, ny, nx))
  for (int step = 0; step < 6; ++step) {
    curl<<<flat_grid, flat>>>(w, u, nx, ny, nz);
    smooth<<<flat_grid, flat>>>(w, u, nx, ny, nz);
    std::swap(u, w);
  }
  printf("field: %llx\n", ordered_sum(u, 3 * n) ^ ordered_sum(w, 3 * n));
}
