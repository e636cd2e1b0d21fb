// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// A persistent region of arrays that other processes cannot map, while they map the memory in which ranks tell how far they are: what
// they tell must not overtake rows that go by way of the hosts.
// RUN: %gpurmacc_cpu %s -o %t
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 3 %t | FileCheck %s
// CHECK-COUNT-3: managed_region: ok
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <utility>
#include <vector>

constexpr int nx = 128, ny = 401, steps = 100;

static __host__ __device__ int mixed(const int *from, int x, int y) {
  const int above = y > 0 ? from[(y - 1) * nx + x] : 3, below = y + 1 < ny ? from[(y + 1) * nx + x] : 5;
  return (above * 7 + below * 11 + from[y * nx + (x + 1) % nx] + 1) % 65521;
}

__global__ void mix(int *to, const int *from) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny)
    to[y * nx + x] = mixed(from, x, y);
}

int main(int argc, char **argv) {
  gpurma::init(&argc, &argv);
  int *a, *b;
  if (cudaMallocManaged(&a, nx * ny * sizeof(int)) != cudaSuccess || cudaMallocManaged(&b, nx * ny * sizeof(int)) != cudaSuccess)
    return 1;
  std::vector<int> expected(nx * ny), next(nx * ny);
  for (int i = 0; i < nx * ny; ++i)
    expected[i] = a[i] = i % 97;
  for (int step = 0; step < steps; ++step) {
    for (int i = 0; i < nx * ny; ++i)
      next[i] = mixed(expected.data(), i % nx, i / nx);
    expected.swap(next);
  }
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  for (int step = 0; step < steps; ++step) {
    mix<<<dim3(nx / 32, (ny + 3) / 4), dim3(32, 4)>>>(b, a);
    std::swap(a, b);
  }
  cudaDeviceSynchronize();
  int wrong = 0;
  for (int i = 0; i < nx * ny; ++i)
    wrong += a[i] != expected[i];
  if (wrong != 0)
    std::printf("managed_region: %d elements are wrong\n", wrong);
  else
    std::printf("managed_region: ok\n");
  return wrong != 0;
}
