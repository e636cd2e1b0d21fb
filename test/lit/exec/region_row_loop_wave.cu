// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// A wave in three dimensions, of 25 points, with a loop over z in each thread, coefficients in constant memory, and a source.
// RUN: %gpurmacc_cpu -Werror %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=4 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t 1 | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t 1 | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=1 %mpirun -np 5 %t 1 | diff - %t.expected
// CHECK: wave: {{[1-9][0-9]*}}
#include "Inputs/region.h"

#include <cstdio>
#include <utility>
#include <vector>

constexpr int R = 4;
__constant__ float c[R + 1];

__global__ void wave(float* __restrict__ next, const float* __restrict__ now, const float* __restrict__ before, int nx, int ny, int nz) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x + R, y = blockIdx.y * blockDim.y + threadIdx.y + R;
  if (x >= nx - R || y >= ny - R)
    return;
  const size_t plane = static_cast<size_t>(nx) * ny;
  size_t at = R * plane + static_cast<size_t>(y) * nx + x;
  for (int z = R; z < nz - R; ++z, at += plane) {
    float sum = 3 * c[0] * now[at];
#pragma unroll
    for (int r = 1; r <= R; ++r)
      sum += c[r] * (now[at - r] + now[at + r] + now[at - r * nx] + now[at + r * nx] + now[at - r * plane] + now[at + r * plane]);
    next[at] = 2 * now[at] - before[at] + 0.1f * sum;
  }
}

__global__ void source(float* now, float value, int sx, int sy, int sz, int nx, int ny, int nz) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x == sx && y == sy)
    for (int z = 0; z < nz; ++z)
      if (z == sz)
        now[(static_cast<size_t>(z) * ny + y) * nx + x] += value;
}

int main(int argc, char** argv) {
  gpurma::init(&argc, &argv);
  const bool quiet = is_quiet(argc);
  const float coefficients[R + 1] = {-205.f / 72, 8.f / 5, -1.f / 5, 8.f / 315, -1.f / 560};
  cudaMemcpyToSymbol(c, coefficients, sizeof coefficients);
  const int nx = 30, ny = 26, nz = 67, n = nx * ny * nz;
  float *next, *now, *before;
  for (float** field : {&next, &now, &before}) {
    cudaMalloc(field, n * sizeof(float));
    cudaMemset(*field, 0, n * sizeof(float));
  }
  dim3 block(8, 8), grid((nx - 2 * R + 7) / 8, (ny - 2 * R + 7) / 8);
  dim3 all((nx + 7) / 8, (ny + 7) / 8);
#pragma gpurma persistent distribute(next, now, before : rows(nz, ny, nx))
  for (int step = 0; step < 12; ++step) {
    source<<<all, block>>>(now, 1.0f / (step + 1), nx / 2, ny / 2, nz / 2, nx, ny, nz);
    wave<<<grid, block>>>(next, now, before, nx, ny, nz);
    float* old = before;
    before = now;
    now = next;
    next = old;
  }
  std::vector<float> field(n);
  cudaMemcpy(field.data(), now, n * sizeof(float), cudaMemcpyDeviceToHost);
  unsigned long long sum = 0;
  for (float value : field)
    sum = (sum * 31 + static_cast<unsigned long long>(value * value * 1e12f)) % 1000000007;
  if (!quiet)
    std::printf("wave: %llu\n", sum);
  return 0;
}
