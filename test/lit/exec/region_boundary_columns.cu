// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Launches over the rows that have fewer dimensions than the region's others: first and last columns, faces and edges of a cube, sums
// of rows, loops by whole grids, several rows for each thread. Bands of processes are a few tiles of the others high.
// RUN: %gpurmacc_cpu %s -o %t --gpurma-print-after=InferStages | FileCheck --check-prefix=INFER %s
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t 1 | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=4 %mpirun -np 3 %t 1 | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 5 %t 1 | diff - %t.expected
// Whole rows go by way of the hosts.
// RUN: env GPURMA_CPU_RANKS=3 GPURMA_ROUTE=proxy %mpirun -np 3 %t 1 | diff - %t.expected
// CHECK: plane {{-?[0-9]+}}
// CHECK: sums {{-?[0-9]+}}
// CHECK: low {{-?[0-9]+}}
// CHECK: lines {{-?[0-9]+}}
// CHECK: cube {{-?[0-9]+}}
#include "Inputs/region.h"

#include <utility>

constexpr long long prime = 1000003;

__global__ void star(long long *out, const long long *in, int nx, int ny) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1) {
    const int i = y * nx + x;
    out[i] = (in[i - nx] + 3 * in[i + nx] + 5 * in[i - 1] + 7 * in[i + 1]) % prime;
  }
}
__global__ void left_right(long long *u, int nx, int ny) {
  int y = blockIdx.x * blockDim.x + threadIdx.x;
  if (y < ny) {
    u[y * nx] = u[y * nx + 1];
    u[y * nx + nx - 1] = u[y * nx + nx - 2] + 1;
  }
}
__global__ void periodic(long long *out, const long long *in, int nx, int ny, int it) {
  const int y = threadIdx.x + blockDim.x * blockIdx.x;
  if (y < 1 || y >= ny - 1)
    return;
  out[y * nx] = (in[(y - 1) * nx + nx - 2] + 2 * in[(y + 1) * nx + nx - 2] + it) % prime;
  out[y * nx + nx - 1] = in[y * nx + 1] + threadIdx.x + 10 * blockIdx.x + 100 * blockDim.x + 10000 * gridDim.x;
}
__global__ void sums(long long *sum, const long long *in, int nx, int ny) {
  int y = blockIdx.x * blockDim.x + threadIdx.x;
  if (y >= ny)
    return;
  sum[y] = 0;
  for (int x = 0; x < nx; ++x)
    sum[y] = (sum[y] + (x + 1) * in[y * nx + x]) % prime;
}
__global__ void pairs(long long *u, const long long *sum, int nx, int ny) {
  int first = (blockIdx.x * blockDim.x + threadIdx.x) * 2;
  for (int y = first; y < first + 2; ++y)
    if (y < ny)
      u[y * nx + 2] = (u[y * nx + 2] + sum[y]) % prime;
}
__global__ void by_grids(const long long *u, unsigned long long *total, int nx, int ny) {
  unsigned long long part = 0;
  for (int y = blockIdx.x * blockDim.x + threadIdx.x; y < ny; y += blockDim.x * gridDim.x)
    part += u[y * nx] % prime;
  atomicAdd(total, part);
}
__global__ void axpy(int n, long long a, const long long *p, long long *u) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    u[i] = (u[i] + a * p[i]) % prime;
}
__global__ void star_in_space(long long *out, const long long *in, int nx, int ny, int nz) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1 && z > 0 && z < nz - 1) {
    const int i = (z * ny + y) * nx + x;
    out[i] = (in[i - 1] + 3 * in[i - nx * ny] + 5 * in[i + nx * ny] + 7 * in[i + nx] + 11 * in[i - nx] + in[i + 1]) % prime;
  }
}
__global__ void x_faces(long long *u, int nx, int ny, int nz) {
  int y = blockIdx.x * blockDim.x + threadIdx.x, z = blockIdx.y * blockDim.y + threadIdx.y;
  if (y < ny && z < nz) {
    const int row = (z * ny + y) * nx;
    u[row] = u[row + 1] + threadIdx.y;
    u[row + nx - 1] = u[row + nx - 2] + blockIdx.x;
  }
}
__global__ void edge(long long *u, int nx, int ny, int nz) {
  int z = blockIdx.x * blockDim.x + threadIdx.x;
  if (z < nz)
    u[z * ny * nx] = (u[z * ny * nx + 1] + u[(z * ny + 1) * nx]) % prime;
}

int main(int argc, char **argv) {
  gpurma::init(&argc, &argv);
  const int nx = 37, ny = 83, n = nx * ny;
  long long *a = array_of_numbers<long long>(n), *b = array_of_numbers<long long>(n), *sum = array_of_numbers<long long>(ny);
  unsigned long long *total;
  cudaMallocManaged(&total, sizeof *total);
  *total = 0;

  // The first launch of the region is one of those with fewer dimensions.
  // INFER: stage left_right: rows x; {{.*}}; in blocks of another size
  // INFER: stage star: rows y; {{[^;]*; [^;]*$}}
  // INFER: stage periodic: rows x; {{.*}}; in blocks of another size
  const dim3 block(16, 16), grid((nx + 15) / 16, (ny + 15) / 16);
  int threads = 96; // it is not known that it does not change
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  for (int it = 0; it < 9; ++it) {
    left_right<<<(ny + threads - 1) / threads, threads>>>(a, nx, ny);
    star<<<grid, block>>>(b, a, nx, ny);
    if (it % 2 == 0)
      left_right<<<(ny + 255) / 256, 256>>>(b, nx, ny);
    else
      periodic<<<(ny + 63) / 64, 64>>>(b, a, nx, ny, it);
    std::swap(a, b);
  }
  print_sum("plane", a, n);

  // INFER: stage sums: rows x; {{.*}}; in blocks of another size
  // INFER: stage pairs: rows x (2 per thread); {{.*}}; in blocks of another size
  // INFER: stage by_grids: rows x; {{.*}}; in blocks of another size
#pragma gpurma persistent distribute(a, b : rows(ny, nx)) distribute(sum : rows(ny)) reduce(+ : *total)
  for (int it = 0; it < 5; ++it) {
    star<<<dim3(5, 21), dim3(8, 4)>>>(b, a, nx, ny);
    sums<<<(ny + 95) / 96, 96>>>(sum, b, nx, ny);
    pairs<<<1, 64>>>(b, sum, nx, ny);
    by_grids<<<1, 32>>>(b, total, nx, ny);
    std::swap(a, b);
  }
  print_sum("sums", a, n);

  // Blocks of one row, and as many threads as those of the others.
  // INFER: stage star: rows y; {{[^;]*; [^;]*$}}
  // INFER: stage left_right: rows x; {{.*}}; in blocks of another size
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  for (int it = 0; it < 5; ++it) {
    star<<<dim3(2, ny), 32>>>(b, a, nx, ny);
    left_right<<<(ny + 31) / 32, 32>>>(b, nx, ny);
    std::swap(a, b);
  }
  print_sum("low", a, n);

  // INFER: stage left_right: rows x; {{.*}}; in blocks of another size
  // INFER: stage axpy: rows y in one dimension
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  for (int it = 0; it < 5; ++it) {
    left_right<<<(ny + 127) / 128, 128>>>(a, nx, ny);
    axpy<<<(n + 255) / 256, 256>>>(n, 3, a, b);
    std::swap(a, b);
  }
  print_sum("lines", a, n);

  const int mx = 13, my = 27, mz = 31, m = mx * my * mz;
  long long *c = array_of_numbers<long long>(m), *d = array_of_numbers<long long>(m);
  // INFER: stage star_in_space: rows z; {{[^;]*; [^;]*$}}
  // INFER: stage x_faces: rows y; {{.*}}; in blocks of another size
  // INFER: stage edge: rows x; {{.*}}; in blocks of another size
#pragma gpurma persistent distribute(c, d : rows(mz, my, mx))
  for (int it = 0; it < 7; ++it) {
    star_in_space<<<dim3(2, 7, 11), dim3(8, 4, 3)>>>(d, c, mx, my, mz);
    x_faces<<<dim3((my + 15) / 16, (mz + 15) / 16), dim3(16, 16)>>>(d, mx, my, mz);
    edge<<<(mz + 63) / 64, 64>>>(d, mx, my, mz);
    std::swap(c, d);
  }
  print_sum("cube", c, m);
}
