// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// A launch with more blocks than are resident, of a kernel that does not ask how many there are: a warning, once for a kernel.
// RUN: %gpurmacc_cpu -O2 %s -o %t
// RUN: env GPURMA_CPU_RANKS=4 %mpirun -np 2 %t 2>&1 | FileCheck %s --implicit-check-not=warning
// RUN: env GPURMA_CPU_RANKS=8 %mpirun -np 2 %t 2>&1 | FileCheck %s --check-prefix=ALL --implicit-check-not=warning
// CHECK: [gpurma 0] warning: rank kernel scale(float*, int) is launched with 8 blocks, and runs with 4, as many as are resident; it uses blockIdx, but does not ask for gridDim or gpurma::size(), so that what the other blocks would do is not done; let the blocks go through all of it in steps of gridDim, or launch as many as gpurma::query says
// CHECK: missed_blocks: done
// ALL: missed_blocks: done
#include <cstdio>
#include <cstdlib>
#include <gpurma/gpurma.h>

__global__ void scale(float *x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] *= 2;
#pragma gpurma barrier
}

__device__ int threads() { return gridDim.x * blockDim.x; }

__global__ void in_steps(float *x, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads())
    x[i] *= 2;
#pragma gpurma barrier
}

__global__ void of_ranks(float *x, int n) {
  if (blockIdx.x == gpurma::device_size() - 1 && threadIdx.x == 0)
    x[0] = n;
#pragma gpurma barrier
}

__global__ void asked_for(float *x) {
  x[blockIdx.x] = 1;
#pragma gpurma barrier
}

int main(int argc, char **argv) {
  const int blocks = argc < 2 ? 8 : std::atoi(argv[1]);
  gpurma::init();
  float *x = nullptr;
  cudaMalloc(&x, blocks * 32 * sizeof(float));
  for (int i = 0; i < 2; ++i) {
    scale<<<blocks, 32>>>(x, blocks * 32);
    in_steps<<<blocks, 32>>>(x, blocks * 32);
    of_ranks<<<blocks, 32>>>(x, blocks * 32);
  }
  const auto layout = gpurma::query(asked_for, 32);
  asked_for<<<blocks, 32>>>(x);
  if (cudaDeviceSynchronize() == cudaSuccess && layout.process == 0)
    std::printf("missed_blocks: done\n");
}
