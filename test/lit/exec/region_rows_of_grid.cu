// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Rows, and planes, as long as the grid has threads, of which only the region finds out that they are those of the arrays.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=4 %mpirun -np 2 %t quiet | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 3 %t quiet | diff - %t.expected
// RUN: not env GPURMA_CPU_RANKS=3 %t longer 2>&1 | FileCheck --check-prefix=LONGER %s
// RUN: not env GPURMA_CPU_RANKS=3 %t shorter 2>&1 | FileCheck --check-prefix=SHORTER %s
// CHECK: quotient {{[0-9]+}}
// CHECK: rounded {{[0-9]+}}
// CHECK: passed {{[0-9]+}}
// CHECK: ghosts {{[0-9]+}}
// CHECK: across {{[0-9]+}}
// CHECK: cube {{[0-9]+}}
// LONGER: launch in a persistent region at {{.*}}region_rows_of_grid.cu:{{[0-9]+}} on rank {{[0-9]+}}: along x, the launch has 80 threads, by which the kernel counts where rows of '{{[ab]}}' begin, and not 64; launch as many, or pass the kernel the length of the rows
// SHORTER: on rank {{[0-9]+}}: along x, the launch has 48 threads, by which the kernel counts where rows of '{{[ab]}}' begin, and not 64;
#include "Inputs/region.h"

#include <cstdio>
#include <cstring>
#include <utility>

__global__ void step(float *out, const float *in, int ny) {
  unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  int i = x + y * blockDim.x * gridDim.x;
  if (y > 0 && y < ny - 1u && x > 0 && x < blockDim.x * gridDim.x - 1)
    out[i] = (in[i - blockDim.x * gridDim.x] + in[i + gridDim.x * blockDim.x] + in[i + 1] + in[i - 1]) * 0.25f;
}
__global__ void ghosts(float *out, const float *in, int ny) {
  int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  int width = gridDim.x * blockDim.x + 2, i = y * width + x;
  if (y <= ny)
    out[i] = (in[i - width] + in[i + width] + in[i + 1] + in[i - 1]) * 0.25f;
}
__global__ void across(float *out, const float *in) {
  int row = blockIdx.x * 4 + threadIdx.x + 1, column = blockIdx.y * 16 + threadIdx.y + 1;
  int columns = gridDim.y * 16 + 2;
  out[row * columns + column] = in[(row - 1) * columns + column] * 0.5f + 1;
}
__global__ void cube(float *out, const float *in, int nz) {
  unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  int z = blockIdx.z * blockDim.z + threadIdx.z;
  int row = blockDim.x * gridDim.x, plane = row * (blockDim.y * gridDim.y), i = x + y * row + z * plane;
  if (z > 0 && z < nz - 1 && y > 0 && y < blockDim.y * gridDim.y - 1)
    out[i] = in[i - plane] + in[i + plane] - in[i + row] + in[i - row];
}

static float *field(int size) {
  return device_array<float>(size, [](std::size_t i) { return static_cast<float>(i * 7 % 13); });
}

static void quotient(int nx, int ny) {
  float *a = field(nx * ny), *b = field(nx * ny);
  const dim3 block(16, 4), grid(nx / 16, (ny + 3) / 4);
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  for (int k = 0; k < 5; ++k) {
    step<<<grid, block>>>(b, a, ny);
    std::swap(a, b);
  }
  print_sum("quotient", a, nx * ny);
}
// Its threads are as many only where the blocks fill the rows.
static void rounded(int nx, int ny) {
  float *a = field(nx * ny), *b = field(nx * ny);
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  for (int k = 0; k < 5; ++k) {
    step<<<dim3((nx + 31) / 32, (ny + 3) / 4), dim3(32, 4)>>>(b, a, ny);
    step<<<dim3((nx + 15) / 16, (ny + 7) / 8), dim3(16, 8)>>>(a, b, ny);
  }
  print_sum("rounded", a, nx * ny);
}
// Of the sizes nothing is known.
static void passed(dim3 grid, dim3 block, int nx, int ny) {
  float *a = field(nx * ny), *b = field(nx * ny);
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  for (int k = 0; k < 5; ++k) {
    step<<<grid, block>>>(b, a, ny);
    std::swap(a, b);
  }
  print_sum("passed", a, nx * ny);
}
static void with_ghosts(int nx, int ny) {
  const int size = (nx + 2) * (ny + 2);
  float *a = field(size), *b = field(size);
#pragma gpurma persistent distribute(a, b : rows(ny + 2, nx + 2))
  for (int k = 0; k < 5; ++k) {
    ghosts<<<dim3((nx + 15) / 16, (ny + 3) / 4), dim3(16, 4)>>>(b, a, ny);
    std::swap(a, b);
  }
  print_sum("ghosts", a, size);
}
static void along_x(int nx, int ny) {
  const int size = (nx + 2) * (ny + 2);
  float *a = field(size), *b = field(size);
#pragma gpurma persistent distribute(a, b : rows(ny + 2, nx + 2))
  for (int k = 0; k < 5; ++k) {
    across<<<dim3(ny / 4, nx / 16), dim3(4, 16)>>>(b, a);
    std::swap(a, b);
  }
  print_sum("across", a, size);
}
static void in_cube(int nx, int ny, int nz) {
  const int size = nx * ny * nz;
  float *a = field(size), *b = field(size);
#pragma gpurma persistent distribute(a, b : rows(nz, ny, nx))
  for (int k = 0; k < 3; ++k) {
    cube<<<dim3(nx / 8, ny / 2, (nz + 3) / 4), dim3(8, 2, 4)>>>(b, a, nz);
    std::swap(a, b);
  }
  print_sum("cube", a, size);
}

int main(int argc, char **argv) {
  gpurma::init(&argc, &argv);
  if (is_quiet(argc) && std::strcmp(argv[1], "quiet") == 0)
    std::freopen("/dev/null", "w", stdout);
  const bool longer = argc > 1 && std::strcmp(argv[1], "longer") == 0, shorter = argc > 1 && std::strcmp(argv[1], "shorter") == 0;
  quotient(64, 90);
  rounded(64, 90);
  passed(dim3(longer ? 5 : shorter ? 3 : 4, 23), dim3(16, 4), 64, 90);
  with_ghosts(48, 90);
  along_x(48, 96);
  in_cube(24, 20, 70);
}
