// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Sizes and tables of directions in constant memory: with initialisers that nothing overwrites, and filled by cudaMemcpyToSymbol from
// what the region's clauses name, from tables of the host, and from structures that another function fills or is passed a pointer to. A table with an initialiser
// that is overwritten reaches further than that says. What is copied is compared when the region begins.
// RUN: %gpurmacc_cpu -Rgpurma %s -o %t 2>&1 | FileCheck --check-prefix=REMARK %s
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=4 %mpirun -np 3 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=1 %mpirun -np 5 %t | diff - %t.expected
// RUN: not %t other table 2>&1 | FileCheck --check-prefix=TABLE %s
// RUN: not %t other 2>&1 | FileCheck --check-prefix=WIDTH %s
// CHECK: components {{[0-9]+}}
// CHECK: copied {{[0-9]+}}
// CHECK: sizes {{[0-9]+}}
// CHECK: space {{[0-9]+}}
// CHECK: pointers {{[0-9]+}}
// REMARK: stage 'stream' reads 'f' with halo 1,
// REMARK: stage 'stream_by_copies' reads 'f' with halo 3,
// REMARK: stage 'lap' reads 'f' with halo 1,
// REMARK: stage 'line' reads 'f' with halo 1,
// REMARK: stage 'box' reads 'f' with halo 1,
// REMARK: stage 'shift' reads 'f' with halo 2,
// TABLE: error: the persistent region at {{.*}}region_constants.cu:[[#]] takes 'rows_away[1]' to be 3, as the program copies that to this __constant__ variable somewhere, and it is 2: copy it before the region, or pass it to the kernels as a parameter
// WIDTH: error: the persistent region at {{.*}}region_constants.cu:[[#]] takes 'NX' to be 37, as the program copies that to this __constant__ variable somewhere, and it is 36: copy it before the region
#include "Inputs/region.h"

#include <cstdio>
#include <utility>

typedef long long number;

__constant__ int ex[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, ey[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
__global__ void stream(number *g, const number *f, int nx, int ny) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y < 1 || y >= ny - 1)
    return;
  for (int q = 0; q < 9; ++q) {
    int from = (x - ex[q] + nx) % nx;
    g[q * nx * ny + y * nx + x] = f[q * nx * ny + (y - ey[q]) * nx + from] + q;
  }
}

// Without what is copied, the first table would reach over one row, and the other over none.
__constant__ int rows_away[2] = {0, 1};
__constant__ int rows_before[2];
__global__ void stream_by_copies(number *g, const number *f, int nx, int ny) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y < 3 || y >= ny - 3)
    return;
  number s = 0;
  for (int q = 0; q < 2; ++q)
    s += f[(y + rows_away[q]) * nx + x] + 3 * f[(y - rows_before[q]) * nx + x];
  g[y * nx + x] = s % 1000003;
}

__constant__ int NX, NY;
__global__ void lap(number *g, const number *f) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || x >= NX - 1 || y < 1 || y >= NY - 1)
    return;
  g[y * NX + x] = (f[y * NX + x - 1] + 3 * f[y * NX + x + 1] + 5 * f[(y - 1) * NX + x] + 7 * f[(y + 1) * NX + x]) % 1000003;
}

struct sizes {
  int nx, ny;
  unsigned nz;
  int factor;
};
struct direction {
  int x, y, z;
};
namespace {
__constant__ sizes size;
}
static __constant__ int elements, plane;
__constant__ direction directions[4] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, -1}};
static __device__ const int planes_away[2][2] = {{0, 1}, {-1, 0}};
__constant__ int radius = 1;
// In one dimension.
__global__ void line(number *g, const number *f) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= elements)
    return;
  int z = i / plane, y = i % plane / size.nx, x = i % size.nx;
  if (z < 1 || z >= int(size.nz) - 1 || x < 1 || y < 1 || x >= size.nx - 1 || y >= size.ny - 1)
    return;
  g[i] = size.factor * (f[i + plane] + 3 * f[i - plane] + f[i + size.nx] + f[i - 1]) % 1000003;
}
__global__ void box(number *g, const number *f) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
  if (z < radius || z >= int(size.nz) - radius || x < 1 || y < 1 || x >= size.nx - 1 || y >= size.ny - 1)
    return;
  number s = 0;
  for (int q = 0; q < 4; ++q)
    s += (q + 1) * f[((z + directions[q].z) * size.ny + y + directions[q].y) * size.nx + x + directions[q].x];
  for (int q = 0; q < 2; ++q)
    for (int r = 0; r < 2; ++r)
      s += f[((z + planes_away[q][r]) * size.ny + y) * size.nx + x];
  for (int r = -radius; r <= radius; ++r)
    s += f[((z + r) * size.ny + y) * size.nx + x];
  g[(z * size.ny + y) * size.nx + x] = s % 1000003;
}

__constant__ int width, reach;
__constant__ sizes extents;
__global__ void shift(number *g, const number *f) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y >= reach && y < extents.ny - reach)
    g[y * extents.nx + x] = (f[(y - reach) * width + x] + 3 * f[(y + reach) * width + x]) % 1000003;
}
static void upload_all(const sizes *from, const int *of_reach) {
  const sizes *again = from;
  CHECK(cudaMemcpyToSymbol(width, &(again->nx), sizeof(int)));
  CHECK(cudaMemcpyToSymbol(extents, from, sizeof(sizes)));
  CHECK(cudaMemcpyToSymbol(reach, of_reach, sizeof *of_reach));
}

static void upload(int nx, int ny, int nz) {
  sizes s;
  s.nx = nx;
  s.ny = ny;
  s.nz = nz;
  s.factor = 5;
  CHECK(cudaMemcpyToSymbol(size, &s, sizeof(sizes)));
  const int of_plane = nx * ny, n = of_plane * nz;
  CHECK(cudaMemcpyToSymbol(plane, &of_plane, sizeof(of_plane)));
  CHECK(cudaMemcpyToSymbol(elements, &n, sizeof(int), 0, cudaMemcpyHostToDevice));
}

int main(int argc, char **argv) {
  gpurma::init(&argc, &argv);
  const dim3 block(16, 4);
  {
    const int nx = 37, ny = 53, n = 9 * nx * ny;
    number *f = array_of_numbers<number>(n), *g = array_of_numbers<number>(n);
    const dim3 grid((nx + 15) / 16, (ny + 3) / 4);
#pragma gpurma persistent distribute(f, g : components(9), rows(ny, nx))
    for (int t = 0; t < 7; ++t) {
      stream<<<grid, block>>>(g, f, nx, ny);
      std::swap(f, g);
    }
    print_sum("components", f, n);
  }
  {
    int nx = 37, ny = 61;
    int away[2] = {1, 3};
    static const int before[] = {2, 1};
    away[1] -= argc > 2;
    CHECK(cudaMemcpyToSymbol(rows_away, away, sizeof away));
    CHECK(cudaMemcpyToSymbol(rows_before, &before[0], 2 * sizeof(int)));
    number *f = array_of_numbers<number>(nx * ny), *g = array_of_numbers<number>(nx * ny);
    const dim3 grid((nx + 15) / 16, (ny + 3) / 4);
#pragma gpurma persistent distribute(f, g : rows(ny, nx))
    for (int t = 0; t < 7; ++t) {
      stream_by_copies<<<grid, block>>>(g, f, nx, ny);
      std::swap(f, g);
    }
    print_sum("copied", f, nx * ny);
  }
  {
    int nx = 37, ny = 61, width = nx;
    width -= argc > 1;
    CHECK(cudaMemcpyToSymbol(NX, &width, sizeof width));
    CHECK(cudaMemcpyToSymbol(NY, &ny, sizeof ny));
    number *f = array_of_numbers<number>(nx * ny), *g = array_of_numbers<number>(nx * ny);
    const dim3 grid((nx + 15) / 16, (ny + 3) / 4);
#pragma gpurma persistent distribute(f, g : rows(ny, nx))
    for (int t = 0; t < 7; ++t) {
      lap<<<grid, block>>>(g, f);
      std::swap(f, g);
    }
    print_sum("sizes", f, nx * ny);
  }
  {
    int nx = 17, ny = 13, nz = 31, n = nx * ny * nz;
    upload(nx, ny, nz);
    number *f = array_of_numbers<number>(n), *g = array_of_numbers<number>(n);
    const dim3 cubes(8, 4, 2), grid((nx + 7) / 8, (ny + 3) / 4, (nz + 1) / 2);
#pragma gpurma persistent distribute(f, g : rows(nz, ny, nx))
    for (int t = 0; t < 7; ++t) {
      line<<<(n + 127) / 128, 128>>>(g, f);
      box<<<grid, cubes>>>(f, g);
    }
    print_sum("space", f, n);
  }
  {
    sizes s = {37, 61, 1, 1};
    int rows_between = 2;
    upload_all(&s, &rows_between);
    number *f = array_of_numbers<number>(s.nx * s.ny), *g = array_of_numbers<number>(s.nx * s.ny);
    const dim3 grid((s.nx + 15) / 16, (s.ny + 3) / 4);
#pragma gpurma persistent distribute(f, g : rows(s.ny, s.nx))
    for (int t = 0; t < 7; ++t) {
      shift<<<grid, block>>>(g, f);
      std::swap(f, g);
    }
    print_sum("pointers", f, s.nx * s.ny);
  }
}
