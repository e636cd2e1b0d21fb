// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Two dimensions, a thread of a 1-D grid for each column: diffusion, and the most and the sum of what is left.
// RUN: %gpurmacc_cpu -Werror %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=1 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t 1 | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t 1 | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 5 %t 1 | diff - %t.expected
// RUN: %gpurmacc_cpu --gpurma-print-after=InferStages --gpurma-emit-source=%t.lowered.cu %s | FileCheck --check-prefix=PRINT %s
// PRINT: stage diffuse: rows y (4 per thread, in a loop); {{.*}}reads in (x -1..1, y -1..1) along axes
// PRINT: stage measure: rows y (4 per thread, in a loop); reads in (own); maximum in *most; adds to *total
// CHECK: most {{[1-9][0-9]*}} total {{[1-9][0-9]*}} field {{[1-9][0-9]*}}
#include "Inputs/region.h"

#include <cstdio>
#include <utility>
#include <vector>

__global__ void diffuse(int* out, const int* in, int nx, int ny) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x == 0 || x >= nx - 1)
    return;
  for (int y = 1; y < ny - 1; ++y)
    out[y * nx + x] = (4 * in[y * nx + x] + in[y * nx + x - 1] + in[y * nx + x + 1] + in[(y - 1) * nx + x] + in[(y + 1) * nx + x]) / 8;
}

__global__ void measure(const int* in, int* most, unsigned long long* total, int nx, int ny) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= nx)
    return;
  int largest = 0;
  unsigned long long sum = 0;
  const int* p = in + x;
  for (int y = 0; y < ny; ++y) {
    largest = max(largest, *p), sum += *p;
    p += nx;
  }
  atomicMax(most, largest);
  atomicAdd(total, sum);
}

int main(int argc, char** argv) {
  gpurma::init(&argc, &argv);
  const bool quiet = is_quiet(argc);
  const int nx = 203, ny = 97, n = nx * ny, threads = 64;
  std::vector<int> field(n);
  for (int i = 0; i < n; ++i)
    field[i] = i * 7919LL % 1000003;
  int *a, *b, *most;
  unsigned long long* total;
  cudaMalloc(&a, n * sizeof(int));
  cudaMalloc(&b, n * sizeof(int));
  cudaMallocManaged(&most, sizeof(int));
  cudaMallocManaged(&total, sizeof *total);
  cudaMemcpy(a, field.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(b, field.data(), n * sizeof(int), cudaMemcpyHostToDevice);
#pragma gpurma persistent distribute(a, b : rows(ny, nx)) reduce(max : *most) reduce(+ : *total)
  for (int i = 0; i < 40; ++i) {
    diffuse<<<(nx + threads - 1) / threads, threads>>>(b, a, nx, ny);
    cudaDeviceSynchronize();
    *most = 0;
    *total = 0;
    measure<<<(nx + threads - 1) / threads, threads>>>(b, most, total, nx, ny);
    std::swap(a, b);
  }
  cudaMemcpy(field.data(), a, n * sizeof(int), cudaMemcpyDeviceToHost);
  long long hash = 0;
  for (int value : field)
    hash = (hash * 31 + value) % 1000000007;
  if (!quiet)
    std::printf("most %d total %llu field %lld\n", *most, *total, hash);
  return 0;
}
