// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Arrays of reduced scalars: what each cell is counted as, maxima and minima, sums of other types, by threads that work together, in loops by
// whole grids and through the rows, and all that the region does with them, also in loops over them and of some of them, and kernels that are
// passed one of them, or some from one on.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror -Rgpurma %s -o %t 2>&1 | FileCheck --check-prefix=REMARK %s
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=4 %mpirun -np 2 %t quiet | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t quiet | diff - %t.expected
// REMARK: remark: stage 'life' {{.*}}reduces elements of 'counts'
// REMARK: remark: stage 'two_moments' {{.*}}reduces '*one' (first in each thread), reduces '*two' (first in each thread)
// REMARK: remark: stage 'remainders' {{.*}}reduces elements of 'of_three'
// CHECK: counts {{[0-9]+}} {{[0-9]+}} {{[0-9]+}} {{[0-9]+}}
// CHECK: extremes {{-?[0-9]+ -?[0-9]+ -?[0-9]+ -?[0-9]+}}
// CHECK: moments {{[0-9]+}} {{[0-9]+}} {{[0-9]+}}
// CHECK: rows {{[0-9]+}} {{[0-9]+}}
// CHECK: bins {{[0-9]+}} {{[0-9]+}} {{[0-9]+}} {{[0-9]+}} {{[0-9]+}}
// CHECK: followed {{[0-9]+}}
// CHECK: loops {{[0-9]+}} {{[0-9]+}} {{[0-9]+}} {{[0-9]+}} {{[0-9]+}}
// CHECK: each {{[0-9]+}} {{[0-9]+}} {{[0-9]+}} {{[0-9]+}} {{[0-9]+}}
#include "Inputs/region.h"

#include <utility>

typedef unsigned long long number;
enum Kind : unsigned char { Empty, Tree, Fire, Kinds };

#define POINT                                                                                                                    \
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;                                \
  if (x >= nx || y >= ny)                                                                                                        \
  return

__global__ void life(int *next, const int *now, int *counts, int ny, int nx) {
  POINT;
  const int i = y * nx + x, around = (y > 0 ? now[i - nx] : 3) + (y < ny - 1 ? now[i + nx] : 5);
  next[i] = (3 * now[i] + around) % 10007;
  Kind kind = Empty;
  switch (next[i] % 7) {
  case 0:
  case 3:
    kind = Fire;
    break;
  case 4:
    kind = Tree;
  }
  atomicAdd(&counts[kind], 1);
  if (around % 5 == 0)
    atomicAdd(counts + Tree, around);
}
__global__ void extremes(const int *a, int *most, int *least, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    atomicMax(&most[i % 2], a[i]);
    atomicMin(&least[a[i] % 2], a[i] - 5000);
  }
}
// Twice as many bits, taken for another type.
template <int Powers> __global__ void moments(const int *__restrict__ a, unsigned long *sums, int n) {
  number one = 0, two = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    one += a[i];
    two += static_cast<number>(a[i]) * a[i];
    for (int power = 2; power < Powers; ++power)
      atomicAdd(reinterpret_cast<number *>(&sums[power]), a[i] / power);
  }
  atomicAdd((number *)&sums[0], one);
  atomicAdd((number *)(sums + 1), two);
}
__global__ void along(const int *a, unsigned *sums, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < nx)
    for (int y = 0; y < ny; ++y)
      atomicAdd(&sums[y % 2], static_cast<unsigned>(a[y * nx + x]));
}
// Blocks count in shared memory first.
__global__ void bins(const int *a, int *all, int ny, int nx) {
  __shared__ int part[5];
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const int t = threadIdx.y * blockDim.x + threadIdx.x;
  if (t < 5)
    part[t] = 0;
  __syncthreads();
  if (x < nx && y < ny)
    atomicAdd(&part[a[y * nx + x] % 5], 1);
  __syncthreads();
  if (t < 5)
    atomicAdd(&all[t], part[t]);
}
__global__ void follow(int *a, const int *counts, int ny, int nx) {
  POINT;
  a[y * nx + x] += *counts % 11;
}
// A pointer for each scalar, as of codes that keep all in one array.
__global__ void two_moments(const int *a, int *one, int *two, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    atomicAdd(one, a[i] % 13);
    atomicAdd(two, a[i] % 13 * (a[i] % 13));
  }
}
__global__ void remainders(const int *a, int *of_three, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(&of_three[a[i] % 3], 1);
}

static int weighted_sum(const int *counts, int number) {
  int sum = 0;
  for (int k = 0; k < number; ++k)
    sum += (1 + 4 * k) * counts[k];
  return sum;
}

int main(int argc, char **) {
  const bool quiet = is_quiet(argc);
  const int nx = 61, ny = 97, n = nx * ny;
  const dim3 block(16, 4), grid((nx + 15) / 16, (ny + 3) / 4);
  int *a = array_of_numbers<int>(n), *b = array_of_numbers<int>(n);
  int *counts = device_array<int>(Kinds, [](std::size_t i) { return 100 * i; });
  int *most = device_array<int>(2, [](std::size_t) { return 17; }), *least = device_array<int>(2, [](std::size_t) { return 0; });
  long long total = 0;
  int seen[4] = {1, 2, 3, 4};
#pragma gpurma persistent distribute(a, b : rows(ny, nx)) reduce(+ : counts[0], counts[Tree], counts[2]) reduce(max : *most, most[1]) reduce(min : least[0], least[1])
  for (int step = 0; step < 12; ++step) {
    if (step % 4 == 1)
      cudaMemset(counts, 0, Kinds * sizeof(int));
    life<<<grid, block>>>(b, a, counts, ny, nx);
    extremes<<<(n + 63) / 64, 64>>>(b, most, least, n);
    if (step % 3 == 0) {
      cudaMemcpy(seen, counts, Kinds * sizeof(int), cudaMemcpyDeviceToHost);
      total += seen[0] + 3 * seen[1] + 5 * seen[2] + seen[3];
      seen[1] %= 101;
      cudaMemcpyAsync(counts, seen, Kinds * sizeof(int), cudaMemcpyHostToDevice, nullptr);
    }
    if (step == 7) {
      cudaMemset(&counts[1], 0, sizeof(int));
      cudaMemset(most + 1, 0, sizeof(int));
    }
    std::swap(a, b);
  }
  const std::vector<int> kinds = host_copy(counts, Kinds), highest = host_copy(most, 2), lowest = host_copy(least, 2);
  if (!quiet) {
    std::printf("counts %d %d %d %lld\n", kinds[0], kinds[1], kinds[2], total);
    std::printf("extremes %d %d %d %d\n", highest[0], highest[1], lowest[0], lowest[1]);
  }

  unsigned long *sums = nullptr;
  unsigned *sides = nullptr;
  cudaMallocManaged(&sums, 3 * sizeof *sums);
  cudaMallocManaged(&sides, 2 * sizeof *sides);
  sums[0] = sums[1] = sums[2] = sides[0] = sides[1] = 1;
  number product = 1;
#pragma gpurma persistent distribute(a, b : rows(ny, nx)) reduce(+ : sums[0], sums[1], sums[2], sides[0], sides[1], counts[0], counts[1], counts[2])
  for (int step = 0; step < 5; ++step) {
    moments<3><<<13, 64>>>(a, sums, n);
    along<<<(nx + 63) / 64, 64>>>(a, sides, ny, nx);
    life<<<grid, block>>>(b, a, counts, ny, nx);
    cudaDeviceSynchronize();
    sums[1] %= 1000003;
    sides[1] += sums[2] % 7;
    product = (product * 31 + sums[0] + sums[1]) % 1000003;
    std::swap(a, b);
  }
  if (!quiet) {
    std::printf("moments %lu %lu %llu\n", sums[0], sums[2], product);
    std::printf("rows %u %u\n", sides[0], sides[1]);
  }

  int *all = device_array<int>(5, [](std::size_t i) { return i; });
#pragma gpurma persistent distribute(a, b : rows(ny, nx)) reduce(+ : all[0], all[1], all[2], all[3], all[4])
  for (int step = 0; step < 4; ++step) {
    bins<<<grid, block>>>(a, all, ny, nx);
    follow<<<grid, block>>>(a, all, ny, nx);
  }
  const std::vector<int> found = host_copy(all, 5);
  if (!quiet)
    std::printf("bins %d %d %d %d %d\n", found[0], found[1], found[2], found[3], found[4]);
  print_sum("followed", a, n);

  int *kinds_of = nullptr, some[2] = {5, 6};
  cudaMallocManaged(&kinds_of, 3 * sizeof *kinds_of);
  cudaMemset(kinds_of, 0, 3 * sizeof *kinds_of);
  number weighted = 0, parts = 0;
#pragma gpurma persistent distribute(a, b : rows(ny, nx)) reduce(+ : kinds_of[0], kinds_of[1], kinds_of[2])
  for (int step = 0; step < 9; ++step) {
    life<<<grid, block>>>(b, a, kinds_of, ny, nx);
    cudaDeviceSynchronize();
    for (int k = 0; k < Kinds; ++k)
      weighted += (k + 1) * kinds_of[k];
    if (step % 3 == 1)
      for (unsigned k = 0; k != 2; ++k) {
        kinds_of[k] %= 1009;
        kinds_of[2 - k] += k;
      }
    if (step == 4)
      for (int k = Kinds - 1; k >= 0; --k)
        kinds_of[k] = 7 * k;
    if (step == 5)
      cudaMemset(kinds_of + 1, 0, 2 * sizeof *kinds_of);
    if (step == 6)
      cudaMemset(kinds_of, 0, 2 * sizeof *kinds_of);
    cudaMemcpy(some, &kinds_of[1], 2 * sizeof *kinds_of, cudaMemcpyDeviceToHost);
    parts = parts * 3 % 100003 + weighted_sum(some, 2);
    some[1] = 11;
    if (step == 7)
      cudaMemcpy(kinds_of, some, sizeof some, cudaMemcpyHostToDevice);
    std::swap(a, b);
  }
  if (!quiet)
    std::printf("loops %d %d %d %llu %llu\n", kinds_of[0], kinds_of[1], kinds_of[2], weighted, parts);

  int *each = device_array<int>(5, [](std::size_t i) { return 7 * i; });
  constexpr int second = 1;
#pragma gpurma persistent distribute(a : rows(ny, nx)) reduce(+ : each[0], each[1], each[2], each[3], each[4])
  for (int step = 0; step < 5; ++step) {
    two_moments<<<(n + 63) / 64, 64>>>(a, each, each + second, n);
    remainders<<<(n + 127) / 128, 128>>>(a, &each[2], n);
    if (step % 2 == 1)
      two_moments<<<(n + 63) / 64, 64>>>(a, &each[3], each + 1, n);
    follow<<<grid, block>>>(a, each + 1, ny, nx);
  }
  const std::vector<int> last = host_copy(each, 5);
  if (!quiet)
    std::printf("each %d %d %d %d %d\n", last[0], last[1], last[2], last[3], last[4]);
}
