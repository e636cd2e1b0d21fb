// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Heat in three dimensions, by threads that go through the planes of a 2-D grid in a loop: the annotated program against the plain one.
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
// RUN: %lower_cpu %s > %t.lowered.cu
// RUN: FileCheck --check-prefix=LOWERED --input-file=%t.lowered.cu %s
// CHECK: after {{[1-9][0-9]*}} steps: residual {{[1-9][0-9]*}}, field {{[1-9][0-9]*}}
#include "Inputs/region.h"

#include <cstdio>
#include <utility>
#include <vector>

__global__ void heat(double* __restrict__ out, const double* __restrict__ in, int nx, int ny, int nz) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1)
    return;
  for (int z = 1; z < nz - 1; ++z) {
    int i = (z * ny + y) * nx + x;
    out[i] = (2 * in[i] + in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + in[i - nx * ny] + in[i + nx * ny]) / 8;
  }
}
// LOWERED: void gpurma_stage_{{[0-9]+}}_heat({{.*}}const uint3 blockIdx, {{.*}}const dim3 gridDim, {{.*}}const ::gpurma::stages::tile_rows gpurma_rows, double*
// LOWERED: for (int z = gpurma_rows.from<int>(1); z < gpurma_rows.below(nz - 1); ++z) {

// The change of a step, in parts that are exact in any order.
__global__ void change(const double* a, const double* b, unsigned long long* residual, int nx, int ny, int nz) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  unsigned long long sum = 0;
  if (x < nx && y < ny)
    for (int z = 0; z < nz; z++) {
      size_t i = (static_cast<size_t>(z) * ny + y) * nx + x;
      double d = a[i] - b[i];
      sum += static_cast<unsigned long long>(d * d);
    }
  atomicAdd(residual, sum);
}

int main(int argc, char** argv) {
  gpurma::init(&argc, &argv);
  const bool quiet = is_quiet(argc);

  const int nx = 37, ny = 29, nz = 43, n = nx * ny * nz;
  std::vector<double> field(n);
  for (int i = 0; i < n; ++i)
    field[i] = i * 7919LL % 100003;
  double *a, *b;
  unsigned long long* residual;
  cudaMalloc(&a, n * sizeof(double));
  cudaMalloc(&b, n * sizeof(double));
  cudaMallocManaged(&residual, sizeof *residual);
  cudaMemcpy(a, field.data(), n * sizeof(double), cudaMemcpyHostToDevice);
  cudaMemcpy(b, field.data(), n * sizeof(double), cudaMemcpyHostToDevice);
  const dim3 block(16, 4), grid((nx + 15) / 16, (ny + 3) / 4);
  const unsigned long long enough = n * 100ull;
  int steps = 0;
#pragma gpurma persistent distribute(a, b : rows(nz, ny, nx)) reduce(+ : *residual)
  for (; steps < 60; ++steps) {
    heat<<<grid, block>>>(b, a, nx, ny, nz);
    *residual = 0;
    change<<<grid, block>>>(a, b, residual, nx, ny, nz);
    cudaDeviceSynchronize();
    std::swap(a, b);
    if (*residual < enough)
      break;
  }
  cudaMemcpy(field.data(), a, n * sizeof(double), cudaMemcpyDeviceToHost);
  long long sum = 0;
  for (double value : field)
    sum = (sum * 31 + static_cast<long long>(value * 256)) % 1000000007;
  if (!quiet)
    std::printf("after %d steps: residual %llu, field %lld\n", steps, *residual, sum);
  return 0;
}
