// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Numbers of blocks of which only the running program knows that not all of them are combined.
// RUN: %gpurmacc_cpu %s -o %t
// RUN: %t right
// RUN: not %t fewer 2>&1 | FileCheck --check-prefix=FEWER %s
// RUN: not %mpirun -np 2 %t before 2>&1 | FileCheck --check-prefix=BEFORE %s
// RUN: not %t threads 2>&1 | FileCheck --check-prefix=THREADS %s
// RUN: not %t grid 2>&1 | FileCheck --check-prefix=GRID %s
#include "../Inputs/block_sum.h"
#include <cstdio>
#include <cstring>

__global__ void add_up(const int *partial, int *result, int count) {
  int s = 0;
  if (threadIdx.x < count)
    s = partial[threadIdx.x];
  for (int w = 16; w > 0; w /= 2)
    s += __shfl_down_sync(~0u, s, w);
  if (threadIdx.x == 0)
    *result = s;
}

int main(int argc, char **argv) {
  gpurma::init(&argc, &argv);
  const auto is = [&](const char *name) { return !std::strcmp(argv[1], name); };
  const int nx = 64, ny = is("threads") ? 40 : 30, n = nx * ny;
  int *u, *partial, *result, found = 0;
  cudaMalloc(&u, n * sizeof(int));
  cudaMemset(u, 0, n * sizeof(int));
  cudaMalloc(&partial, ny * sizeof(int));
  cudaMalloc(&result, sizeof(int));
  const int count = is("fewer") ? ny - 1 : ny, first = is("before") ? 1 : 0, planes = is("grid") ? 2 : 1;
#pragma gpurma persistent distribute(u : rows(ny, nx)) reduce(+ : *result)
  for (int it = 0; it < 2; ++it) {
    if (it >= first)
      // GRID: launch in a persistent region at {{.*}}region_block_numbers_errors.cu:[[@LINE+1]] on rank {{[0-9]+}}: the grid has 60 blocks, which store into 30 elements of the array that another kernel combines; number them by all dimensions of the grid
      block_sum<int, 64><<<dim3(ny, planes), 64>>>(u, partial, n);
    // FEWER: launch in a persistent region at {{.*}}region_block_numbers_errors.cu:[[@LINE+3]] on rank {{[0-9]+}}: the kernel combines 29 numbers of blocks, but the launch before it had 30 blocks; launch it for all of them
    // BEFORE: launch in a persistent region at {{.*}}region_block_numbers_errors.cu:[[@LINE+2]] on rank {{[0-9]+}}: the kernel combines what blocks have stored before the region; launch the kernel that stores it in the region, too, or this one outside of it
    // THREADS: launch in a persistent region at {{.*}}region_block_numbers_errors.cu:[[@LINE+1]] on rank {{[0-9]+}}: the kernel combines 40 numbers of blocks with 32 threads, each of which takes one; launch it with more threads, or let them take several in a loop
    add_up<<<1, 32>>>(partial, result, count);
    cudaMemcpy(&found, result, sizeof found, cudaMemcpyDeviceToHost);
  }
  return found;
}
