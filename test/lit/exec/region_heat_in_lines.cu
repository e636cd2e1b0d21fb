// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Heat in a plate, all of it in launches of one dimension with / and %, as users write it who have learnt CUDA that way.
// RUN: %gpurmacc_cpu %s -o %t
// RUN: grep -v "#pragma gpurma" %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 5 %t | diff - %t.expected
// CHECK: step 40: hottest
// CHECK: centre {{[0-9.]+}} corner {{[0-9.]+}}
#include "Inputs/region.h"

#include <cstdio>
#include <utility>
#include <vector>

#define IDX(x, y) ((y) * width + (x))

__global__ void initialise(float *t, int width, int height) {
  int idx = threadIdx.x + blockIdx.x * blockDim.x;
  if (idx < width * height) {
    int x = idx % width;
    int y = idx / width;
    t[idx] = (x * 37 + y * 91) % 101;
  }
}
__global__ void diffuse(const float *t, float *next, int width, int height, float k) {
  int idx = threadIdx.x + blockIdx.x * blockDim.x;
  int x = idx % width;
  int y = idx / width;
  if (x > 0 && x < width - 1 && y > 0 && y < height - 1) {
    float here = t[IDX(x, y)];
    next[IDX(x, y)] = here + k * (t[IDX(x - 1, y)] + t[IDX(x + 1, y)] + t[IDX(x, y - 1)] + t[IDX(x, y + 1)] - 4 * here);
  } else if (idx < width * height) {
    next[idx] = t[idx];
  }
}
__global__ void source(float *t, int width, int height, float value) {
  int idx = threadIdx.x + blockIdx.x * blockDim.x;
  int x = idx % width, y = idx / width;
  if (x == width / 2 && y == height / 2)
    t[idx] += value;
}
__global__ void hottest(const float *t, int n, unsigned *most) {
  int idx = threadIdx.x + blockIdx.x * blockDim.x;
  if (idx < n)
    atomicMax(most, static_cast<unsigned>(t[idx] * 1000));
}

int main(int argc, char **argv) {
  gpurma::init(&argc, &argv);
  int width = 75, height = 64, n = width * height;
  float *t, *next;
  unsigned *most, seen = 0;
  cudaMalloc(&t, n * sizeof(float));
  cudaMalloc(&next, n * sizeof(float));
  cudaMallocManaged(&most, sizeof *most);
  int threads = 256;
  int blocks = (n + threads - 1) / threads;
#pragma gpurma persistent distribute(t, next : rows(height, width)) reduce(max : *most)
  {
    initialise<<<blocks, threads>>>(t, width, height);
    for (int step = 1; step <= 40; step++) {
      diffuse<<<blocks, threads>>>(t, next, width, height, 0.2f);
      source<<<blocks, threads>>>(next, width, height, 20.0f);
      std::swap(t, next);
      if (step % 20 == 0) {
        *most = 0;
        hottest<<<blocks, threads>>>(t, n, most);
        cudaDeviceSynchronize();
        seen = *most;
      }
    }
  }
  std::vector<float> host(n);
  cudaMemcpy(host.data(), t, n * sizeof(float), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += (i % 17) * host[i];
  if (is_first_process())
    std::printf("step 40: hottest %u\ncentre %.9g corner %.9g sum %.17g\n", seen, host[IDX(width / 2, height / 2)], host[0], sum);
}
