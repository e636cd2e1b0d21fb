// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Lattices that are periodic in three dimensions, in the forms of lattice Boltzmann codes: sizes that are variables and constants, ways
// around by `%`, by conditions and by `?:`, directions out of tables and written out, grids of three dimensions and launches in one, a mask
// that is read at the neighbour, as well; all 27 points around with a `%` in each subscript; and values chosen by what has been loaded.
// RUN: %gpurmacc_cpu %s -o %t --gpurma-print-after=InferStages | FileCheck --check-prefix=PLAN %s
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=4 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t quiet | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t quiet | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 GPURMA_DISTRIBUTED_ARRAYS=banded %mpirun -np 3 %t quiet | diff - %t.expected
// PLAN: stage by_remainders: rows z; {{.*}}reads f (x whole, y whole, z -1..1 periodic); reads solid (x whole, y whole, z -1..1 periodic)
// PLAN: stage by_conditions: rows z; {{.*}}reads f (x whole, y whole, z -1..1 periodic)
// PLAN: stage written_out: rows z in one dimension; {{.*}}reads f (x whole, y whole, z -1..1 periodic)
// PLAN: stage of_numbers: rows z in one dimension; {{.*}}reads f (x whole, y whole, z -1..1 periodic); reads solid (x whole, y whole, z -1..1 periodic)
// PLAN: stage around: rows z; {{.*}}reads u (x whole, y whole, z -1..1 periodic)
// PLAN: stage around_in_one: rows z in one dimension; {{.*}}reads u (x whole, y whole, z -1..1 periodic)
// PLAN: stage chosen: rows y; {{.*}}reads u (x whole, y -1..1 periodic)
// CHECK: remainders {{[1-9]}}
// CHECK: conditions {{[1-9]}}
// CHECK: written out {{[1-9]}}
// CHECK: numbers {{[1-9]}}
// CHECK: around {{[1-9]}}
// CHECK: chosen {{[1-9]}}
#include "Inputs/region.h"

#include <utility>

constexpr int Q = 19, NX = 13, NY = 9, NZ = 68;
__constant__ int cx[Q] = {0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1, 0, 0, 0, 0};
__constant__ int cy[Q] = {0, 0, 0, 1, -1, 0, 0, 1, -1, -1, 1, 0, 0, 0, 0, 1, -1, 1, -1};
__constant__ int cz[Q] = {0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, -1, 1};

__global__ void by_remainders(unsigned *g, const unsigned *f, const char *solid, int width, int height, int depth) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x >= width || y >= height || z >= depth)
    return;
  const int n = width * height * depth;
  for (int q = 0; q < Q; ++q) {
    const int xs = (x - cx[q] + width) % width, ys = (y - cy[q] + height) % height, zs = (z - cz[q] + depth) % depth;
    g[q * n + z * width * height + y * width + x] = solid[zs * width * height + ys * width + xs] ? f[q * n + z * width * height + y * width + x] + q
                                                                                                 : f[q * n + zs * width * height + ys * width + xs];
  }
}

__global__ void by_conditions(unsigned *g, const unsigned *f) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x >= NX || y >= NY || z >= NZ)
    return;
  for (int q = 0; q < Q; ++q) {
    int xs = x - cx[q], ys = y - cy[q], zs = z - cz[q];
    if (xs < 0)
      xs += NX;
    if (xs >= NX)
      xs -= NX;
    if (ys < 0)
      ys += NY;
    if (ys >= NY)
      ys -= NY;
    if (zs < 0)
      zs += NZ;
    if (zs >= NZ)
      zs -= NZ;
    g[((q * NZ + z) * NY + y) * NX + x] = f[((q * NZ + zs) * NY + ys) * NX + xs] + q;
  }
}

#define POPULATIONS(each)                                                                                                                           \
  each(0, x, y, z) each(1, xm, y, z) each(2, xp, y, z) each(3, x, ym, z) each(4, x, yp, z) each(5, x, y, zm) each(6, x, y, zp) each(7, xm, ym, z)     \
      each(8, xp, yp, z) each(9, xm, yp, z) each(10, xp, ym, z) each(11, xm, y, zm) each(12, xp, y, zp) each(13, xm, y, zp) each(14, xp, y, zm)       \
          each(15, x, ym, zm) each(16, x, yp, zp) each(17, x, ym, zp) each(18, x, yp, zm)

__global__ void written_out(unsigned *g, const unsigned *f, int nx, int ny, int nz) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = nx * ny * nz;
  if (i >= n)
    return;
  const int x = i % nx, y = i / nx % ny, z = i / (nx * ny);
  const int xm = x == 0 ? nx - 1 : x - 1, xp = x == nx - 1 ? 0 : x + 1, ym = y == 0 ? ny - 1 : y - 1, yp = y == ny - 1 ? 0 : y + 1;
  const int zm = z > 0 ? z - 1 : nz - 1, zp = z < nz - 1 ? z + 1 : 0;
#define PULL(q, X, Y, Z) g[q * n + i] = f[q * n + (Z * ny + Y) * nx + X] + q;
  POPULATIONS(PULL)
}

__global__ void of_numbers(unsigned *g, const unsigned *f, const char *solid) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = NX * NY * NZ;
  if (i >= n)
    return;
  const int x = i % NX, y = (i / NX) % NY, z = i / (NX * NY);
  const int xp = (x + 1) % NX, xm = (x - 1 + NX) % NX, yp = (y + 1) % NY, ym = (y - 1 + NY) % NY, zp = (z + 1) % NZ, zm = (z - 1 + NZ) % NZ;
#define PULL_OR_STAY(q, X, Y, Z) g[q * n + i] = solid[(Z * NY + Y) * NX + X] ? f[q * n + i] : f[q * n + (Z * NY + Y) * NX + X] + q;
  POPULATIONS(PULL_OR_STAY)
}

__device__ int at(int x, int y, int z, int nx, int ny, int nz) { return ((z + nz) % nz * ny + (y + ny) % ny) * nx + (x + nx) % nx; }

#define SUM_AROUND                                                                                                                                  \
  unsigned sum = 0;                                                                                                                                 \
  PLANE(-1) PLANE(0) PLANE(1)                                                                                                                       \
  v[at(x, y, z, nx, ny, nz)] = sum % 10007;
#define PLANE(dz) LINE(-1, dz) LINE(0, dz) LINE(1, dz)
#define LINE(dy, dz)                                                                                                                                \
  sum += u[at(x - 1, y + dy, z + dz, nx, ny, nz)] + 3 * u[at(x, y + dy, z + dz, nx, ny, nz)] + 5 * u[at(x + 1, y + dy, z + dz, nx, ny, nz)];

__global__ void around(unsigned *v, const unsigned *u, int nx, int ny, int nz) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x >= nx || y >= ny || z >= nz)
    return;
  SUM_AROUND
}
__global__ void around_in_one(unsigned *v, const unsigned *u, int nx, int ny, int nz) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= nx * ny * nz)
    return;
  const int x = i % nx, y = i / nx % ny, z = i / (nx * ny);
  SUM_AROUND
}

__device__ bool is_less(unsigned a, unsigned b) { return a < b ? 1 : 0; }

__global__ void chosen(unsigned *v, const unsigned *u, const unsigned *kind, unsigned w, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny)
    return;
  const int east = (x + 1) % nx, west = x == 0 ? x + nx - 1 : x - 1, south = y == 0 ? y + ny - 1 : y - 1, north = (y + 1) % ny, i = west + y * nx;
  const unsigned k = kind[i];
  const unsigned a = is_less(w, k) && is_less(2 * w, k) && is_less(3 * w, k) && is_less(4 * w, k) && is_less(5 * w, k) && is_less(6 * w, k) &&
                             is_less(7 * w, k) && is_less(8 * w, k) && is_less(9 * w, k) && is_less(10 * w, k)
                         ? u[i] + w
                         : u[i];
  const unsigned b = is_less(k, 5 * w) || is_less(20 * w, k) ? u[y * nx + east] : u[south * nx + x] + w;
  const unsigned c = is_less(k, 7 * w) && is_less(k, u[i]) ? u[north * nx + east] : u[south * nx + west];
  v[y * nx + x] = (a + b * 3 + c * 5 + u[north * nx + west]) % 10007;
}

static char *obstacles(int n) {
  return device_array<char>(n, [](size_t i) { return i % 7 == 0; });
}

static void lattices(int nx, int ny, int nz) {
  const int n = nx * ny * nz;
  unsigned *f = array_of_numbers<unsigned>(Q * n), *g = array_of_numbers<unsigned>(Q * n);
  char *solid = obstacles(n);
  const dim3 block(8, 4, 4), grid((nx + 7) / 8, (ny + 3) / 4, (nz + 3) / 4);
#pragma gpurma persistent distribute(f, g : components(Q), rows(nz, ny, nx)) distribute(solid : rows(nz, ny, nx))
  for (int step = 0; step < 3; ++step) {
    by_remainders<<<grid, block>>>(g, f, solid, nx, ny, nz);
    std::swap(f, g);
  }
  print_sum("remainders", f, Q * n);
#pragma gpurma persistent distribute(f, g : components(Q), rows(NZ, NY, NX))
  for (int step = 0; step < 3; ++step) {
    by_conditions<<<grid, block>>>(g, f);
    std::swap(f, g);
  }
  print_sum("conditions", f, Q * n);
#pragma gpurma persistent distribute(f, g : components(Q), rows(nz, ny, nx))
  for (int step = 0; step < 3; ++step) {
    written_out<<<(n + 127) / 128, 128>>>(g, f, nx, ny, nz);
    std::swap(f, g);
  }
  print_sum("written out", f, Q * n);
#pragma gpurma persistent distribute(f, g : components(Q), rows(NZ, NY, NX)) distribute(solid : rows(NZ, NY, NX))
  for (int step = 0; step < 3; ++step) {
    of_numbers<<<(n + 127) / 128, 128>>>(g, f, solid);
    std::swap(f, g);
  }
  print_sum("numbers", f, Q * n);
}

int main() {
  lattices(NX, NY, NZ);
  const int nx = 13, ny = 9, nz = 68, n = nx * ny * nz;
  unsigned *u = array_of_numbers<unsigned>(n), *v = array_of_numbers<unsigned>(n);
  const dim3 block(8, 4, 4), grid((nx + 7) / 8, (ny + 3) / 4, (nz + 3) / 4);
#pragma gpurma persistent distribute(u, v : rows(nz, ny, nx))
  for (int step = 0; step < 3; ++step) {
    around<<<grid, block>>>(v, u, nx, ny, nz);
    around_in_one<<<(n + 127) / 128, 128>>>(u, v, nx, ny, nz);
  }
  print_sum("around", u, n);

  const int lines = ny * nz;
  unsigned *kind = array_of_numbers<unsigned>(n);
#pragma gpurma persistent distribute(u, v : rows(lines, nx))
  for (int step = 0; step < 3; ++step) {
    chosen<<<dim3((nx + 7) / 8, (lines + 7) / 8), dim3(8, 8)>>>(v, u, kind, 2000u, nx, lines);
    std::swap(u, v);
  }
  print_sum("chosen", u, n);
}
