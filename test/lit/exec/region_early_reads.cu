// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Kernels that read an array behind a store into another one, or into the same one under both names, also by macros; and, when asked for, sums
// that are the same to the last bit each time, which atomics in blocks that run together do not promise without a region.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=4 GPURMA_GHOST_ROWS=8 %mpirun -np 3 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=4 %mpirun -np 2 %t sums | FileCheck --check-prefix=SUMS %s
// CHECK: changed {{[1-9][0-9]*}} {{[1-9][0-9]*}}
// CHECK: doubled apart 500 {{[1-9][0-9]*}}
// CHECK: doubled in place 1000 {{[1-9][0-9]*}}
// CHECK: macros {{[1-9][0-9]*}}
// SUMS: sums are the same each time
#include "Inputs/region.h"

#include <cmath>
#include <cstring>
#include <utility>

constexpr int ny = 70, nx = 45;
const dim3 block(16, 4), grid((nx + 15) / 16, (ny + 3) / 4);

__global__ void relax(float *a_new, const float *a, float *most, float *sum, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1) {
    const int i = y * nx + x;
    const float value = floorf(0.25f * (a[i - 1] + a[i + 1] + a[i - nx] + a[i + nx]));
    a_new[i] = value;
    const float change = fabsf(value - a[i]);
    atomicAdd(sum, change);
    atomicAdd(most, value - a[i] > 0 ? 1 : 2);
  }
}

__global__ void twice(float *to, const float *from, int *ones, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny)
    return;
  const int i = y * nx + x;
  const float found = from[i];
  to[i] = 2 * found;
  const int left = static_cast<int>(from[i] - found); // by what it has been changed
  if (i < 500)
    atomicAdd(ones, found == left ? 2 : 1);
}

#define AT(f, y, x) f[(y) * nx + (x)]
#define ADD(to, from) to[y * nx + x] += from[y * nx + x]
#define BOTH(f) (f[y * nx + x] + f[y * nx])
__global__ void by_macros(float *to, float *other, const float *from, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny)
    return;
  AT(to, y, x) = 2 * AT(from, y, x);
  ADD(to, from);
  AT(other, y, x) = AT(from, y, x) + BOTH(from);
}

__global__ void invert(float *u, float *v, float *sum, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny)
    return;
  v[y * nx + x] = u[y * nx + x];
  atomicAdd(sum, 1 / (u[y * nx + x] + 1.3f));
}

static float total(const float *array) {
  float copy[ny * nx], sum = 0;
  cudaMemcpy(copy, array, sizeof copy, cudaMemcpyDeviceToHost);
  for (int i = 0; i < ny * nx; ++i)
    sum += copy[i] * (i % 5);
  return sum;
}

int main(int argc, char **argv) {
  const bool sums = argc > 1 && std::strcmp(argv[1], "sums") == 0;
  float *a, *b, *c, *most, *sum, start[ny * nx];
  int *ones;
  cudaMalloc(&a, sizeof start);
  cudaMalloc(&b, sizeof start);
  cudaMalloc(&c, sizeof start);
  cudaMalloc(&most, sizeof *most);
  cudaMalloc(&sum, sizeof *sum);
  cudaMalloc(&ones, sizeof *ones);
  for (int i = 0; i < ny * nx; ++i)
    start[i] = 1 + i * 37 % 101;
  cudaMemcpy(a, start, sizeof start, cudaMemcpyHostToDevice);
  cudaMemcpy(b, start, sizeof start, cudaMemcpyHostToDevice);
  cudaMemset(most, 0, sizeof *most);
  cudaMemset(sum, 0, sizeof *sum);
#pragma gpurma persistent distribute(a, b : rows(ny, nx)) reduce(+ : *most, *sum)
  for (int i = 0; i < 12; ++i) {
    relax<<<grid, block>>>(b, a, most, sum, ny, nx);
    std::swap(a, b);
  }
  float moved, changed;
  cudaMemcpy(&moved, most, sizeof moved, cudaMemcpyDeviceToHost);
  cudaMemcpy(&changed, sum, sizeof changed, cudaMemcpyDeviceToHost);
  if (is_first_process())
    std::printf("changed %.0f %.0f\n", changed, moved);

  for (int in_place = 0; in_place < 2; ++in_place) {
    float *to = in_place ? a : b, *from = a;
    cudaMemcpy(a, start, sizeof start, cudaMemcpyHostToDevice);
    cudaMemset(ones, 0, sizeof *ones);
#pragma gpurma persistent distribute(a, b : rows(ny, nx)) reduce(+ : *ones)
    for (int i = 0; i < 1; ++i)
      twice<<<grid, block>>>(in_place ? a : b, a, ones, ny, nx);
    int found;
    cudaMemcpy(&found, ones, sizeof found, cudaMemcpyDeviceToHost);
    const float all = total(to) + total(from);
    if (is_first_process())
      std::printf("doubled %s %d %.0f\n", in_place ? "in place" : "apart", found, all);
  }

  cudaMemcpy(a, start, sizeof start, cudaMemcpyHostToDevice);
#pragma gpurma persistent distribute(a, b, c : rows(ny, nx))
  for (int i = 0; i < 3; ++i) {
    by_macros<<<grid, block>>>(b, c, a, ny, nx);
    std::swap(a, c);
  }
  const float all = total(a) + total(b);
  if (is_first_process())
    std::printf("macros %.0f\n", all);

  float first = 0;
  bool same = true;
  for (int time = 0; time < 4 && sums; ++time) {
    cudaMemcpy(a, start, sizeof start, cudaMemcpyHostToDevice);
    cudaMemset(sum, 0, sizeof *sum);
#pragma gpurma persistent distribute(a, b : rows(ny, nx)) reduce(+ : *sum)
    for (int i = 0; i < 5; ++i) {
      invert<<<grid, block>>>(a, b, sum, ny, nx);
      std::swap(a, b);
    }
    float found;
    cudaMemcpy(&found, sum, sizeof found, cudaMemcpyDeviceToHost);
    first = time == 0 ? found : first;
    same &= std::memcmp(&first, &found, sizeof found) == 0;
  }
  if (is_first_process() && sums)
    std::printf("sums are %s each time\n", same ? "the same" : "others");
  for (void *each : {static_cast<void *>(a), static_cast<void *>(b), static_cast<void *>(c), static_cast<void *>(most), static_cast<void *>(sum), static_cast<void *>(ones)})
    cudaFree(each);
}
