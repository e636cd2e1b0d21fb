// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Stores into places that lists in memory say, in arrays of one and of three dimensions, with components as lattice Boltzmann methods
// have them, and in arrays of which one begins where another ends.
// RUN: %gpurmacc_cpu %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=4 %mpirun -np 2 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t | diff - %t.expected
// RUN: env GPURMA_DISTRIBUTED_ARRAYS=banded GPURMA_CPU_RANKS=3 %mpirun -np 2 %t | diff - %t.expected
// CHECK: space {{[0-9]+}}
// CHECK: ball {{[0-9]+}}
// CHECK: line {{[0-9]+}}
// CHECK: components {{[0-9]+}}
// CHECK: swapped {{[0-9]+}}
// CHECK: adjacent {{[0-9]+}}
#include "Inputs/region.h"

#include <utility>

constexpr int modulus = 1000003, sources = 21, steps = 9;

__global__ void fade(int *out, const int *in, int nz, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < nx && y < ny && z >= 1 && z < nz)
    out[(z * ny + y) * nx + x] = (in[(z * ny + y) * nx + x] + in[((z - 1) * ny + y) * nx + x]) % modulus;
}
__global__ void in_space(int *p, const int *points, const int *amplitude, int n) {
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id < n)
    p[points[id]] = amplitude[id];
}
__global__ void ball(int *p, int sx, int sy, int sz, int ny, int nx) {
  const int x = sx + threadIdx.x, y = sy + threadIdx.y, z = sz + threadIdx.z;
  p[(z * ny + y) * nx + x] += x + y + z;
}
__global__ void smooth(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n - 1)
    out[i] = (in[i - 1] + in[i + 1]) % modulus;
}
__global__ void in_line(int *p, const int *points, const int *amplitude, int n) {
  for (int id = blockIdx.x * blockDim.x + threadIdx.x; id < n; id += blockDim.x * gridDim.x)
    p[points[id]] = (p[points[id]] + amplitude[id]) % modulus;
}

constexpr int directions = 5;
__global__ void stream(int *g, const int *f, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1)
    return;
  const int n = nx * ny, i = y * nx + x;
  g[i] = f[i];
  g[n + i] = f[n + i - 1];
  g[2 * n + i] = f[2 * n + i + 1];
  g[3 * n + i] = f[3 * n + i - nx];
  g[4 * n + i] = f[4 * n + i + nx];
}
__global__ void bounce_back(int *g, const int *f, const int *nodes, int count, int n) {
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= count)
    return;
  const int i = nodes[id];
  for (int q = 1; q < directions; q += 2) {
    g[q * n + i] = f[(q + 1) * n + i];
    g[(q + 1) * n + i] = f[q * n + i];
  }
}
__global__ void swap_directions(int *f, const int *nodes, int count, int n) {
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= count)
    return;
  const int i = nodes[id];
  const int east = f[n + i], north = f[3 * n + i];
  f[n + i] = f[2 * n + i];
  f[2 * n + i] = east;
  f[3 * n + i] = f[4 * n + i];
  f[4 * n + i] = north;
}
__global__ void into_both(int *lower, int *higher, const int *points, int n) {
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id < n) {
    lower[points[id]] += 3;
    higher[points[id]] += 5;
  }
}

int main(int argc, char **argv) {
  gpurma::init(&argc, &argv);
  const int nx = 37, ny = 101, n = nx * ny;
  const dim3 block(16, 4), grid((nx + 15) / 16, (ny + 3) / 4);
  int *a = array_of_numbers<int>(n), *b = array_of_numbers<int>(n);
  const int *points = device_array<int>(sources, [](std::size_t i) { return (3 + i * 37 % 94) * 37 + 6 + i; });
  const int *amplitude = array_of_numbers<int>(steps * sources);
  {
    constexpr int nz = 67, elements = 6 * 7 * nz, ny = 7, nx = 6;
    int *u = array_of_numbers<int>(elements), *v = array_of_numbers<int>(elements);
    const int *nodes = device_array<int>(sources, [](std::size_t i) { return (i * 277 + 5) % elements; });
    const dim3 cubes(2, 4, 4), grid(3, 2, (nz + 3) / 4);
#pragma gpurma persistent distribute(u, v : rows(nz, ny, nx))
    for (int t = 0; t < steps; ++t) {
      fade<<<grid, cubes>>>(v, u, nz, ny, nx);
      in_space<<<3, 8>>>(v, nodes, amplitude, sources);
      std::swap(u, v);
    }
    print_sum("space", u, elements);
#pragma gpurma persistent distribute(u, v : rows(nz, ny, nx))
    for (int t = 0; t < steps; ++t) {
      fade<<<grid, cubes>>>(v, u, nz, ny, nx);
      ball<<<1, dim3(3, 3, 3)>>>(v, 2, 1, 7 * t, ny, nx);
      std::swap(u, v);
    }
    print_sum("ball", u, elements);
  }
#pragma gpurma persistent distribute(a, b : rows(n))
  for (int t = 0; t < steps; ++t) {
    smooth<<<(n + 31) / 32, 32>>>(b, a, n);
    in_line<<<2, 8>>>(b, points, amplitude, sources);
    std::swap(a, b);
  }
  print_sum("line", a, n);
  {
    int *f = array_of_numbers<int>(directions * n), *g = array_of_numbers<int>(directions * n);
#pragma gpurma persistent distribute(f, g : components(directions), rows(ny, nx))
    for (int t = 0; t < steps; ++t) {
      stream<<<grid, block>>>(g, f, ny, nx);
      bounce_back<<<(sources + 15) / 16, 16>>>(g, f, points, sources, n);
      std::swap(f, g);
    }
    print_sum("components", f, directions * n);
#pragma gpurma persistent distribute(f, g : components(directions), rows(ny, nx))
    for (int t = 0; t < steps; ++t) {
      stream<<<grid, block>>>(g, f, ny, nx);
      swap_directions<<<1, 32>>>(g, points, sources, n);
      std::swap(f, g);
    }
    print_sum("swapped", f, directions * n);
  }
  const int longer = ny + 1;
  int *both = array_of_numbers<int>(2 * n + nx), *lower = both, *higher = both + n;
#pragma gpurma persistent distribute(lower : rows(ny, nx)) distribute(higher : rows(longer, nx))
  for (int t = 0; t < steps; ++t)
    into_both<<<1, 32>>>(lower, higher, points, sources);
  print_sum("adjacent", both, 2 * n + nx);
}
