// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Launches of one region whose blocks have different sizes: the tiles of those whose threads do not work together are blocks of the
// others, in two dimensions, three, and one; with several rows for each thread, loops through rows by whole grids, and kernels that
// take their block's number and size for more than their place; loops through the rows in each thread; and one kernel in its blocks, in
// others, and in one dimension.
// RUN: %gpurmacc_cpu %s -o %t --gpurma-print-after=InferStages | FileCheck --check-prefix=INFER %s
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t 1 | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t 1 | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 5 %t 1 | diff - %t.expected
// CHECK: plane {{-?[0-9]+}}
// CHECK: cube {{-?[0-9]+}}
// CHECK: line {{-?[0-9]+}}
// CHECK: loops {{-?[0-9]+}}
// CHECK: columns {{-?[0-9]+}}
// CHECK: shared {{-?[0-9]+}}
// CHECK: sum {{[0-9]+}}
#include "Inputs/region.h"

#include <cstdio>
#include <utility>

constexpr long long prime = 1000003;

// Its blocks stay as they are.
__global__ void smooth(long long *out, const long long *in, int ny, int nx) {
  __shared__ long long tile[6][18];
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
  for (int j = threadIdx.y; j < 6; j += 4)
    for (int i = threadIdx.x; i < 18; i += 16) {
      const int row = y - static_cast<int>(threadIdx.y) + j - 1, column = x - static_cast<int>(threadIdx.x) + i - 1;
      tile[j][i] = row >= 0 && row < ny && column >= 0 && column < nx ? in[row * nx + column] : 0;
    }
  __syncthreads();
  if (x < nx && y < ny)
    out[y * nx + x] = (tile[threadIdx.y][threadIdx.x + 1] + 3 * tile[threadIdx.y + 2][threadIdx.x + 1] +
                       5 * tile[threadIdx.y + 1][threadIdx.x] + 7 * tile[threadIdx.y + 1][threadIdx.x + 2]) % prime;
}
__global__ void star(long long *out, const long long *in, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (x < nx - 1 && y < ny - 1)
    out[y * nx + x] = (in[(y - 1) * nx + x] + 3 * in[(y + 1) * nx + x] + 5 * in[y * nx + x - 1]) % prime;
}
__global__ void of_blocks(long long *u, unsigned long long *blocks, int ny, int nx) {
  int x = blockIdx.x * 25 + threadIdx.x, y = blockIdx.y * 2 + threadIdx.y;
  if (x < nx && y < ny)
    u[y * nx + x] = (u[y * nx + x] + 100 * blockIdx.x + 1000 * blockIdx.y + threadIdx.x + 10 * threadIdx.y + gridDim.x + gridDim.y +
                     blockDim.x) % prime;
  if (threadIdx.x == 0 && threadIdx.y == 0)
    atomicAdd(blocks, 1ull);
}
__global__ void pairs_of_rows(long long *out, const long long *in, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, first = (blockIdx.y * blockDim.y + threadIdx.y) * 2;
  for (int y = first; y < first + 2; ++y)
    if (x < nx && y > 0 && y < ny)
      out[y * nx + x] = (in[(y - 1) * nx + x] + 2 * in[y * nx + x]) % prime;
}
__global__ void by_grids(const long long *in, unsigned long long *sum, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned long long part = 0;
  for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < ny; y += blockDim.y * gridDim.y)
    part += x < nx ? in[y * nx + x] : 0;
  atomicAdd(sum, part);
}
__global__ void clear_row(long long *u, int nx) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < nx)
    u[i] = i;
}
__global__ void lifted(long long *out, const long long *in, int nz, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < nx && y < ny && z > 0 && z < nz - 1)
    out[(z * ny + y) * nx + x] = (in[((z - 1) * ny + y) * nx + x] + 3 * in[((z + 1) * ny + y) * nx + x] + in[(z * ny + y) * nx]) % prime;
}
// Of blocks with one thread along z, it names the number only.
__global__ void in_planes(long long *out, const long long *in, int nz, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
  if (x < nx && y < ny && z > 0 && z < nz - 1)
    out[(z * ny + y) * nx + x] = (in[((z - 1) * ny + y) * nx + x] + 5 * in[((z + 1) * ny + y) * nx + x] + gridDim.z) % prime;
}
__global__ void line(long long *out, const long long *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 1 && i < n - 1)
    out[i] = (in[i - 2] + 3 * in[i + 1]) % prime;
}
__device__ long long mixed(const long long *in, int i, int plane) { return (in[i - plane] + 3 * in[i + plane] + in[i]) % prime; }
__global__ void through_planes(long long *out, const long long *in, unsigned long long *sum, int nz, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny)
    return;
  unsigned long long part = 0;
  int i = nx * ny + y * nx + x;
  for (int z = 1; z < nz - 1; ++z, i += nx * ny) {
    out[i] = (mixed(in, i, nx * ny) + threadIdx.x + 10 * threadIdx.y + 100 * blockIdx.y) % prime;
    part += out[i] % 11;
  }
  atomicAdd(sum, part);
}
__global__ void through_rows(long long *out, const long long *in, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < nx)
    for (int y = 2; y <= ny - 3; ++y)
      out[y * nx + x] = (in[(y - 2) * nx + x] + 3 * in[(y + 2) * nx + x]) % prime;
}
__global__ void axpy(int n, long long a, const long long *p, long long *u) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    u[i] = (u[i] + a * p[i] + threadIdx.x) % prime;
}

int main(int argc, char **argv) {
  gpurma::init(&argc, &argv);
  const bool quiet = is_quiet(argc);
  const int nx = 45, ny = 113, n = nx * ny;
  long long *a = array_of_numbers<long long>(n), *b = array_of_numbers<long long>(n);
  unsigned long long *sum;
  cudaMallocManaged(&sum, sizeof *sum);
  *sum = 0;
  // INFER: stage star: rows y; writes out (x 1..1, y 1..1){{.*}}; in blocks of another size
  // INFER: stage of_blocks: rows y; reads u (own); writes u (own){{.*}}; in blocks of another size
  // INFER: stage smooth: rows y; writes out (own), published (y -1..2); reads in (x -1..1, y -1..1){{$}}
  // INFER: stage pairs_of_rows: rows y (2 per thread){{.*}}; in blocks of another size
  // INFER: stage by_grids: rows y; reads in (own){{.*}}; in blocks of another size
  // INFER: stage clear_row: rows y in one dimension
#pragma gpurma persistent distribute(a, b : rows(ny, nx)) reduce(+ : *sum)
  for (int i = 0; i < 6; ++i) {
    star<<<dim3(6, 14), dim3(8, 8)>>>(b, a, ny, nx);
    of_blocks<<<dim3(2, 57), dim3(25, 2)>>>(b, sum, ny, nx);
    smooth<<<dim3(3, 29), dim3(16, 4)>>>(a, b, ny, nx);
    pairs_of_rows<<<dim3(12, 8), dim3(4, 8)>>>(b, a, ny, nx);
    by_grids<<<dim3(1, 2), dim3(64, 3)>>>(b, sum, ny, nx);
    clear_row<<<1, 96>>>(b, nx);
    smooth<<<dim3(3, 29), dim3(16, 4)>>>(a, b, ny, nx);
  }
  print_sum("plane", a, n);

  const int mz = 37, my = 13, mx = 17;
  long long *c = array_of_numbers<long long>(mz * my * mx), *d = array_of_numbers<long long>(mz * my * mx);
  // INFER: stage lifted: rows z; writes out {{[^;]*}}; reads in {{[^;]*$}}
  // INFER: stage lifted: rows z; writes out {{.*}}; in blocks of another size
  // INFER: stage in_planes: rows z; writes out {{.*}}; in blocks of another size
#pragma gpurma persistent distribute(c, d : rows(mz, my, mx))
  for (int i = 0; i < 5; ++i) {
    lifted<<<dim3(3, 4, 19), dim3(8, 4, 2)>>>(d, c, mz, my, mx);
    lifted<<<dim3(2, 7, 37), dim3(16, 2, 1)>>>(c, d, mz, my, mx);
    in_planes<<<dim3(3, 4, 37), dim3(8, 4)>>>(d, c, mz, my, mx);
    std::swap(c, d);
  }
  print_sum("cube", c, mz * my * mx);

  // INFER: stage line: rows x; writes out {{[^;]*}}; reads in {{[^;]*$}}
  // INFER: stage line: rows x; writes out {{.*}}; in blocks of another size
#pragma gpurma persistent distribute(a, b : rows(n))
  for (int i = 0; i < 5; ++i) {
    line<<<(n + 63) / 64, 64>>>(b, a, n);
    line<<<(n + 99) / 100, 100>>>(a, b, n);
  }
  print_sum("line", a, n);

  const int lz = 97;
  long long *e = array_of_numbers<long long>(lz * my * mx), *f = array_of_numbers<long long>(lz * my * mx);
  // INFER: stage lifted: rows z; writes out {{[^;]*}}; reads in {{[^;]*$}}
  // INFER: stage through_planes: rows z (4 per thread, in a loop); {{.*}}; in blocks of another size
  // INFER: stage through_planes: rows z (4 per thread, in a loop); {{.*}}; in blocks of another size
#pragma gpurma persistent distribute(e, f : rows(lz, my, mx)) reduce(+ : *sum)
  for (int i = 0; i < 5; ++i) {
    lifted<<<dim3(3, 4, 49), dim3(8, 4, 2)>>>(f, e, lz, my, mx);
    through_planes<<<dim3(2, 2), dim3(16, 8)>>>(e, f, sum, lz, my, mx);
    through_planes<<<dim3(1, 13), dim3(64, 1)>>>(f, e, sum, lz, my, mx);
    std::swap(e, f);
  }
  // INFER: stage through_planes: rows z (4 per thread, in a loop); {{.*}}; adds to *sum; *sum first in each thread
  // INFER: stage through_planes: rows z (4 per thread, in a loop); {{.*}}; in blocks of another size
#pragma gpurma persistent distribute(e, f : rows(lz, my, mx)) reduce(+ : *sum)
  for (int i = 0; i < 3; ++i) {
    through_planes<<<dim3(3, 4), dim3(8, 4)>>>(e, f, sum, lz, my, mx);
    through_planes<<<dim3(2, 2), dim3(16, 8)>>>(f, e, sum, lz, my, mx);
  }
  print_sum("loops", e, lz * my * mx);

  // INFER: stage star: rows y; {{[^;]*; [^;]*$}}
  // INFER: stage through_rows: rows y (4 per thread, in a loop); {{.*}}; in blocks of another size
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  for (int i = 0; i < 5; ++i) {
    star<<<dim3(3, 29), dim3(16, 4)>>>(b, a, ny, nx);
    through_rows<<<1, 64>>>(a, b, ny, nx);
  }
  print_sum("columns", a, n);

  // INFER: stage axpy: rows y in one dimension
  // INFER: stage axpy: rows x; {{[^;]*; [^;]*; [^;]*$}}
  // INFER: stage axpy: rows x; {{.*}}; in blocks of another size
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  for (int i = 0; i < 2; ++i)
    axpy<<<(n + 63) / 64, 64>>>(n, 3, a, b);
#pragma gpurma persistent distribute(a, b : rows(n))
  for (int i = 0; i < 2; ++i) {
    axpy<<<(n + 63) / 64, 64>>>(n, 5, b, a);
    axpy<<<(n + 31) / 32, 32>>>(n, 7, a, b);
  }
  print_sum("shared", b, n);
  if (!quiet)
    std::printf("sum %llu\n", *sum);
}
