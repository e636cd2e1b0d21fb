// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// A whole program: a wave in space with a source at one point, and faces below and above by a launch in two dimensions.
// RUN: %gpurmacc_cpu %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t 1 | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=4 %mpirun -np 3 %t 1 | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 5 %t 1 | diff - %t.expected
// CHECK: sum {{-?[0-9.]+}} at {{-?[0-9.]+}}
#include "Inputs/region.h"

#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

struct Size {
  int nx, ny, nz;
};

__global__ void wave(float *next, const float *now, const float *before, Size n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < 1 || y < 1 || z < 1 || x >= n.nx - 1 || y >= n.ny - 1 || z >= n.nz - 1)
    return;
  const int i = (z * n.ny + y) * n.nx + x, plane = n.nx * n.ny;
  next[i] = 2 * now[i] - before[i] +
            0.125f * (now[i - 1] + now[i + 1] + now[i - n.nx] + now[i + n.nx] + now[i - plane] + now[i + plane] - 6 * now[i]);
}
__global__ void inject(float *u, Size n, int sx, int sy, int sz, float amplitude) {
  u[(sz * n.ny + sy) * n.nx + sx] += amplitude;
}
// Free below, absorbing above.
__global__ void faces(float *next, const float *now, Size n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n.nx || y >= n.ny)
    return;
  next[y * n.nx + x] = next[(n.ny + y) * n.nx + x];
  next[((n.nz - 1) * n.ny + y) * n.nx + x] =
      now[((n.nz - 2) * n.ny + y) * n.nx + x] - 0.5f * (next[((n.nz - 2) * n.ny + y) * n.nx + x] - now[((n.nz - 1) * n.ny + y) * n.nx + x]);
}

int main(int argc, char **argv) {
  gpurma::init(&argc, &argv);
  const bool quiet = is_quiet(argc);
  const Size n{21, 18, 34};
  const int elements = n.nx * n.ny * n.nz;
  float *field[3];
  for (float *&each : field) {
    cudaMalloc(&each, elements * sizeof(float));
    cudaMemset(each, 0, elements * sizeof(float));
  }
  float *next = field[0], *now = field[1], *before = field[2];
  const dim3 block(8, 4, 4), grid((n.nx + 7) / 8, (n.ny + 3) / 4, (n.nz + 3) / 4);
  const dim3 square(16, 8), squares((n.nx + 15) / 16, (n.ny + 7) / 8);
  const int sx = n.nx / 2, sy = n.ny / 3, sz = 2;
#pragma gpurma persistent distribute(next, now, before : rows(n.nz, n.ny, n.nx))
  for (int it = 0; it < 60; ++it) {
    inject<<<1, 1>>>(now, n, sx, sy, sz, sqrtf(0.3f * it));
    wave<<<grid, block>>>(next, now, before, n);
    faces<<<squares, square>>>(next, now, n);
    float *last = before;
    before = now;
    now = next;
    next = last;
  }
  std::vector<float> host(elements);
  cudaMemcpy(host.data(), now, elements * sizeof(float), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (float each : host)
    sum += std::fabs(each);
  if (!quiet)
    std::printf("sum %.6f at %.9f\n", sum, host[(sz * n.ny + sy) * n.nx + sx]);
}
