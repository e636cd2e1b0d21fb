// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// A whole program: heat in a plane whose walls above and below let nothing through. A kernel in one dimension does these, and the
// residual is reduced.
// RUN: %gpurmacc_cpu %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t 1 | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=4 %mpirun -np 3 %t 1 | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 5 %t 1 | diff - %t.expected
// CHECK: steps {{[0-9]+}}, middle {{[0-9.]+}}, corner {{[0-9.]+}}
#include "Inputs/region.h"

#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

__global__ void heat(double *out, const double *in, double *change, int nx, int ny) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1)
    return;
  const int i = y * nx + x;
  out[i] = in[i] + 0.2 * (in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] - 4 * in[i]);
  atomicMax(reinterpret_cast<unsigned long long *>(change), __double_as_longlong(fabs(out[i] - in[i])));
}
__global__ void walls(double *u, int nx, int ny) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < nx) {
    u[x] = u[nx + x];
    u[(ny - 1) * nx + x] = u[(ny - 2) * nx + x];
  }
}
int main(int argc, char **argv) {
  gpurma::init(&argc, &argv);
  const bool quiet = is_quiet(argc);
  const int nx = 61, ny = 53;
  std::vector<double> host(nx * ny);
  for (int i = 0; i < nx * ny; ++i)
    host[i] = (i % nx < 20) + 2 * (i / nx > 40);
  double *a, *b, *change;
  CHECK(cudaMalloc(&a, host.size() * sizeof(double)));
  CHECK(cudaMalloc(&b, host.size() * sizeof(double)));
  CHECK(cudaMallocManaged(&change, sizeof(double)));
  CHECK(cudaMemcpy(a, host.data(), host.size() * sizeof(double), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(b, host.data(), host.size() * sizeof(double), cudaMemcpyHostToDevice));
  const dim3 block(32, 4), grid((nx + 31) / 32, (ny + 3) / 4);
  int steps = 0;
  double largest = 1;
#pragma gpurma persistent distribute(a, b : rows(ny, nx)) reduce(max : *change)
  while (largest > 0.004 && steps < 100) {
    *change = 0;
    heat<<<grid, block>>>(b, a, change, nx, ny);
    walls<<<(nx + 127) / 128, 128>>>(b, nx, ny);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    largest = *change;
    std::swap(a, b);
    ++steps;
  }
  CHECK(cudaMemcpy(host.data(), a, host.size() * sizeof(double), cudaMemcpyDeviceToHost));
  if (!quiet)
    std::printf("steps %d, middle %.12f, corner %.12f\n", steps, host[ny / 2 * nx + nx / 2], host[nx * ny - 1]);
}
