// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Kernels with a block for each row, whose threads go through the columns: alone, together, beside launches in two dimensions, over planes,
// sums of rows, and blocks of as many threads as a row has elements.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t --gpurma-print-after=InferStages | FileCheck --check-prefix=PLAN %s
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %t | diff - %t.expected
// RUN: not %mpirun -np 3 %t tall 2>&1 | FileCheck --check-prefix=TALL %s
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=4 GPURMA_GHOST_ROWS=8 %mpirun -np 3 %t | diff - %t.expected
// PLAN: stage alone: rows x; writes v (own), {{.*}}; reads u (x -1..0); blocks begin 1 apart in x
// PLAN: stage together: rows x; {{.*}}; in blocks of another size; by some of the threads; blocks begin 1 apart in x
// PLAN: stage inside: rows x; writes v (x 1..1), {{.*}}; reads u (x 0..2); {{.*}}blocks begin 1 apart in x
// PLAN: stage add_up: rows x; reads u (own); adds to *sum; {{.*}}blocks begin 1 apart in x
// PLAN: stage smear: rows x; reads v (own); writes v (own), {{.*}}blocks begin 1 apart in x
// CHECK: rows {{[1-9][0-9]*}}
// CHECK: sum {{[1-9][0-9]*}}
// CHECK: planes {{[1-9][0-9]*}}
// CHECK: whole {{[1-9][0-9]*}}
#include "Inputs/region.h"

#include <utility>

constexpr int ny = 63, nx = 145, nz = 9;

__global__ void alone(int *v, const int *u, int nx) {
  const int y = blockIdx.x;
  for (int x = threadIdx.x; x < nx; x += blockDim.x)
    v[y * nx + x] = (u[y * nx + x] + 1 + (y > 0 ? u[(y - 1) * nx + x] : 0)) % 1009;
}
__global__ void together(int *v, const int *u, int ny, int nx) {
  __shared__ int part[64];
  const int y = blockIdx.x;
  if (y >= ny)
    return;
  int sum = 0;
  for (int x = threadIdx.x; x < nx; x += blockDim.x)
    sum += u[y * nx + x];
  part[threadIdx.x] = sum;
  __syncthreads();
  for (unsigned w = blockDim.x / 2; w > 0; w /= 2) {
    if (threadIdx.x < w)
      part[threadIdx.x] += part[threadIdx.x + w];
    __syncthreads();
  }
  for (int x = threadIdx.x; x < nx; x += blockDim.x)
    v[y * nx + x] = (u[y * nx + x] * 3 + part[0]) % 1009;
}
__global__ void tiles(int *v, const int *u, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny)
    v[y * nx + x] = (u[y * nx + x] + (y + 1 < ny ? u[(y + 1) * nx + x] : 0)) % 1009;
}
__global__ void inside(int *v, const int *u, int ny, int nx) {
  const int y = blockIdx.x + 1, x = threadIdx.x;
  if (x < nx && y < ny - 1)
    v[y * nx + x] = (u[(y - 1) * nx + x] + 2 * u[(y + 1) * nx + x]) % 1009;
}
__global__ void add_up(const int *u, int *sum, int nx) {
  const int y = blockIdx.x;
  int part = 0;
  for (int x = threadIdx.x; x < nx; x += blockDim.x)
    part += u[y * nx + x] % 7;
  atomicAdd(sum, part);
}
__global__ void planes(int *v, const int *u, int nz, int ny, int nx) {
  const int z = blockIdx.y, y = blockIdx.x;
  for (int x = threadIdx.x; x < nx; x += blockDim.x) {
    const int i = (z * ny + y) * nx + x;
    v[i] = (u[i] + (z > 0 ? u[i - ny * nx] : 0) + (z < nz - 1 ? 3 * u[i + ny * nx] : 0)) % 1009;
  }
}
__global__ void smear(int *v, int nx) {
  __shared__ int row[96];
  const int y = blockIdx.x, x = threadIdx.x;
  row[x] = v[y * nx + x];
  __syncthreads();
  v[y * nx + x] = (row[x] + 3 * row[(x + 1) % nx] + y) % 1009;
}
__global__ void down(int *v, const int *u, int ny, int nx) {
  const int y = blockIdx.x * blockDim.x + threadIdx.x, x = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y > 0 && y < ny - 1)
    v[y * nx + x] = (u[(y - 1) * nx + x] + u[(y + 1) * nx + x]) % 1009;
}

int main(int argc, char **) {
  const auto initial = [](std::size_t i) { return i * 7919 % 1009; };
  int *a = device_array<int>(ny * nx, initial), *b = device_array<int>(ny * nx, initial);
  int *sum = device_array<int>(1, [](std::size_t) { return 0; });
  const dim3 block(16, 8), grid((nx + 15) / 16, (ny + 7) / 8);
#pragma gpurma persistent distribute(a, b : rows(ny, nx)) reduce(+ : *sum)
  for (int i = 0; i < 8; ++i) {
    alone<<<ny, 160>>>(b, a, nx);
    together<<<ny, 64>>>(a, b, ny, nx);
    tiles<<<grid, block>>>(b, a, ny, nx);
    inside<<<ny - 2, 160>>>(a, b, ny, nx);
    add_up<<<ny, 32>>>(a, sum, nx);
  }
  print_sum("rows", a, ny * nx);
  print_sum("sum", sum, 1);
#pragma gpurma persistent distribute(a, b : rows(nz, ny / nz, nx))
  for (int i = 0; i < 8; ++i) {
    planes<<<dim3(ny / nz, nz), 32>>>(b, a, nz, ny / nz, nx);
    std::swap(a, b);
  }
  print_sum("planes", a, ny * nx);
  const int whole = 96, height = ny * nx / whole;
#pragma gpurma persistent distribute(a, b : rows(height, whole))
  for (int i = 0; i < 8; ++i) {
    smear<<<height, 96>>>(a, whole);
    tiles<<<dim3(6, (height + 7) / 8), block>>>(b, a, height, whole);
    std::swap(a, b);
  }
  print_sum("whole", a, height * whole);
  if (argc > 1) {
    // TALL: [[#@LINE+1]]: process {{[0-2]}} of 3 would have {{[0-9]+}} of 95 rows, {{.*}}, and its rows begin at multiples of 96, which tiles of 'down' have, of the 96 x 1 x 1 threads that ranks have here; use fewer processes
#pragma gpurma persistent distribute(a, b : rows(height, whole))
    for (int i = 0; i < 2; ++i) {
      down<<<dim3((height + 7) / 8, 6), dim3(8, 16)>>>(b, a, height, whole);
      smear<<<height, 96>>>(b, whole);
    }
  }
  for (int *each : {a, b, sum})
    CHECK(cudaFree(each));
}
