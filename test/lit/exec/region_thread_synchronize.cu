// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// cudaThreadSynchronize and cudaThreadExit, which old programs call: CUDA has them no more, the CPU target does.
// RUN: %gpurmacc_cpu %s -o %t
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 2 %t | FileCheck %s
// CHECK: value 5
// CHECK: value 5
#include "Inputs/region.h"

#include <utility>

__global__ void add(int *out, const int *in, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny)
    out[y * nx + x] = in[y * nx + x] + 1;
}

int main() {
  const int ny = 30, nx = 20;
  int *u = device_array<int>(ny * nx, [](std::size_t) { return 0; }), *next = device_array<int>(ny * nx, [](std::size_t) { return 0; });
#pragma gpurma persistent distribute(u, next : rows(ny, nx))
  for (int k = 0; k < 5; ++k) {
    add<<<dim3(2, 8), dim3(16, 4)>>>(next, u, ny, nx);
    cudaThreadSynchronize();
    std::swap(u, next);
  }
  CHECK(cudaThreadSynchronize());
  std::printf("value %d\n", host_copy(u, ny * nx)[ny * nx - 1]);
  CHECK(cudaThreadExit());
}
