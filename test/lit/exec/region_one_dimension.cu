// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Launches in one dimension over arrays of two and three, next to launches in two and three, and alone: updates of all elements,
// stencils with / and %, loops by whole grids, grids that are too small or too large, parts of an array, what threads take of
// threadIdx and blockIdx besides their number, and reduced scalars.
// RUN: %gpurmacc_cpu %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t 1 | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=4 %mpirun -np 3 %t 1 | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 5 %t 1 | diff - %t.expected
// CHECK: mixed {{-?[0-9]+}}
// CHECK: alone {{-?[0-9]+}}
// CHECK: cube {{-?[0-9]+}}
// CHECK: parts {{-?[0-9]+}}
// CHECK: strides {{-?[0-9]+}}
// CHECK: threads {{-?[0-9]+}}
// CHECK: constant {{-?[0-9]+}}
// CHECK: sum {{-?[0-9]+}} of {{[0-9]+}}
#include "Inputs/region.h"

#include <cstdio>
#include <utility>

constexpr long long prime = 1000003;

__global__ void star(long long *out, const long long *in, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1) {
    const int i = y * nx + x;
    out[i] = (in[i - nx] + 3 * in[i + nx] + 5 * in[i - 1] + 7 * in[i + 1]) % prime;
  }
}
__global__ void axpy(int n, long long a, const long long *p, long long *u) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    u[i] = (u[i] + a * p[i]) % prime;
}
__global__ void unguarded(long long *u) {
  u[blockDim.x * blockIdx.x + threadIdx.x] += 3;
}
__global__ void star_in_line(long long *__restrict__ out, const long long *__restrict__ in, int ny, int nx) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned x = i % nx, y = i / nx;
  if (x < 1 || x >= nx - 1 || y < 1 || y >= ny - 1)
    return;
  out[i] = (__ldg(in + i - nx) + 3 * in[(y + 1) * nx + x] + 5 * in[i - 1] + 7 * in[i + 1]) % prime;
}
// The elements beside the ends of a row are in the rows beside it.
__global__ void along_line(long long *out, const long long *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n - 1)
    out[i] = (in[i - 1] + 2 * in[i] + 5 * in[i + 1]) % prime;
}
__global__ void star_in_space(long long *out, const long long *in, int nz, int ny, int nx) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= nx * ny * nz)
    return;
  const int x = i % nx, y = i / nx % ny, z = i / (nx * ny);
  if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1 && z > 0 && z < nz - 1)
    out[i] = (in[i - 1] + 3 * in[i + 1] + 5 * in[(z * ny + y - 1) * nx + x] + 7 * in[i + nx] + 11 * in[i - nx * ny] +
              13 * in[((z + 1) * ny + y) * nx + x]) % prime;
}
__global__ void star_of_blocks(long long *out, const long long *in, int nz, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < nx && y < ny && z > 0 && z < nz)
    out[(z * ny + y) * nx + x] = (in[(z * ny + y) * nx + x] + 3 * in[((z - 1) * ny + y) * nx + x]) % prime;
}
__global__ void one_row(long long *u, int nx, long long value) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < nx)
    u[i] = value;
}
__global__ void from_second_row(long long *u, const long long *in, int ny, int nx) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  long long *const inner = u + nx;
  if (i < (ny - 2) * nx)
    inner[i] = (inner[i] + in[i]) % prime;
}
__global__ void by_grids(long long *u, const long long *in, int ny, int nx) {
  const int stride = gridDim.x * blockDim.x;
  for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < ny * nx; i += stride) {
    const int x = i % nx, y = i / nx;
    if (x > 0 && y < ny - 1)
      u[i] = (in[i - 1] + 3 * in[i + nx]) % prime;
  }
}
__global__ void by_grids_to_count(long long *u, size_t n) {
  for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += size_t(blockDim.x) * gridDim.x)
    u[i] = (3 * u[i] + 1) % prime;
}
__global__ void total(const long long *u, unsigned long long *sum, int n) {
  unsigned long long part = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    part += u[i];
  atomicAdd(sum, part);
}
__global__ void count(const long long *u, unsigned long long *odd, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && u[i] % 2 != 0)
    atomicAdd(odd, 1ull);
}
// What threads have of their blocks, and how many there are, also beyond the array.
__global__ void of_blocks(long long *u, unsigned long long *threads, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    u[i] = (u[i] + 1000 * blockIdx.x + threadIdx.x + (threadIdx.x == 0 ? 7 : 0) + 100000 * gridDim.x + blockDim.x) % prime;
  if (threadIdx.x == 0)
    atomicAdd(threads, (unsigned long long)blockDim.x);
}

constexpr int fixed_nx = 64;
__global__ void of_constants(long long *out, const long long *in, int ny) {
  int i = blockIdx.x * 128 + threadIdx.x, x = i & (fixed_nx - 1), y = i >> 6;
  if (x != 0 && x != fixed_nx - 1 && y > 0 && y < ny - 1)
    out[y * fixed_nx + x] = (in[i + fixed_nx] + in[i % fixed_nx + (i / fixed_nx - 1) * fixed_nx + 1]) % prime;
}

int main(int argc, char **argv) {
  gpurma::init(&argc, &argv);
  const bool quiet = is_quiet(argc);
  const int nx = 45, ny = 83, n = nx * ny;
  long long *a = array_of_numbers<long long>(n), *b = array_of_numbers<long long>(n);
  unsigned long long *sum, *odd;
  cudaMallocManaged(&sum, sizeof *sum);
  cudaMallocManaged(&odd, sizeof *odd);
  *sum = *odd = 0;

  const dim3 block(16, 4), grid((nx + 15) / 16, (ny + 3) / 4);
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  for (int i = 0; i < 7; ++i) {
    star<<<grid, block>>>(b, a, ny, nx);
    axpy<<<(nx * ny + 127) / 128, 128>>>(nx * ny, 3, a, b);
    star<<<grid, block>>>(a, b, ny, nx);
    axpy<<<(n + 63) / 64, 64>>>(n, 2, b, a);
  }
  print_sum("mixed", a, n);

#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  for (int i = 0; i < 7; ++i) {
    star_in_line<<<(n + 95) / 96, 96>>>(b, a, ny, nx);
    along_line<<<(n + 63) / 64, 64>>>(a, b, n);
    unguarded<<<n / 9, 9>>>(a);
  }
  print_sum("alone", a, n);

  const int mz = 37, my = 13, mx = 17;
  long long *c = array_of_numbers<long long>(mz * my * mx), *d = array_of_numbers<long long>(mz * my * mx);
  const dim3 cubes(8, 2, 4), of_cubes((mx + 7) / 8, (my + 1) / 2, (mz + 3) / 4);
#pragma gpurma persistent distribute(c, d : rows(mz, my, mx))
  for (int i = 0; i < 5; ++i) {
    star_in_space<<<(mz * my * mx + 63) / 64, 64>>>(d, c, mz, my, mx);
    axpy<<<(mz * my * mx + 255) / 256, 256>>>(mz * my * mx, 3, c, d);
    star_of_blocks<<<of_cubes, cubes>>>(c, d, mz, my, mx);
  }
  print_sum("cube", c, mz * my * mx);

  // Fewer threads than elements, and more; and a variable that is called as what kernels know their block by.
  const dim3 blockDim(64);
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  for (int i = 0; i < 5; ++i) {
    star_in_line<<<9, blockDim>>>(b, a, ny, nx);
    star<<<grid, block>>>(a, b, ny, nx);
    one_row<<<(nx + 63) / 64, blockDim>>>(a, nx, i);
    from_second_row<<<(n + 63) / 64, blockDim>>>(b, a, ny, nx);
    axpy<<<3 * n / 64, blockDim>>>(n / 2, 2, b, a);
  }
  print_sum("parts", a, n);

  int elements = nx * ny;
#pragma gpurma persistent distribute(a, b : rows(ny, nx)) reduce(+ : *sum, *odd)
  for (int i = 0; i < 5; ++i) {
    by_grids<<<5, 64>>>(b, a, ny, nx);
    by_grids_to_count<<<512, 64>>>(b, elements);
    star<<<grid, block>>>(a, b, ny, nx);
    total<<<7, 32>>>(a, sum, nx * ny);
    count<<<n / 32 + 5, 32>>>(a, odd, n);
  }
  print_sum("strides", b, n);

#pragma gpurma persistent distribute(a : rows(ny, nx)) reduce(+ : *odd)
  for (int i = 0; i < 3; ++i)
    of_blocks<<<n / 50 + 9, 50>>>(a, odd, n);
  print_sum("threads", a, n);

  long long *e = array_of_numbers<long long>(fixed_nx * ny), *f = array_of_numbers<long long>(fixed_nx * ny);
#pragma gpurma persistent distribute(e, f : rows(ny, fixed_nx))
  for (int i = 0; i < 5; ++i) {
    of_constants<<<fixed_nx * ny / 128 + 1, 128>>>(f, e, ny);
    std::swap(e, f);
  }
  print_sum("constant", e, fixed_nx * ny);
  if (!quiet)
    std::printf("sum %llu of %llu\n", *sum, *odd);
}
