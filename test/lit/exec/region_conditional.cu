// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Conditional compilation around the pragma and inside of the region; subscripts through an accessor lambda; error checks by a
// macro around every call.
// RUN: %gpurmacc_cpu %s -o %t && %gpurmacc_cpu -O2 -DPLAIN %s -o %t.plain
// RUN: %t.plain | FileCheck %s
// RUN: %t | FileCheck %s
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 3 %t | FileCheck %s
// CHECK: sum 108371.96
#include <cstdio>
#include <cstdlib>
#include <gpurma/gpurma.h>
#include <utility>
#include <vector>

#define CUDA_CHECK(call)                                                                                                         \
  do {                                                                                                                           \
    cudaError_t error_ = (call);                                                                                                 \
    if (error_ != cudaSuccess) {                                                                                                 \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error_));                                       \
      std::exit(1);                                                                                                              \
    }                                                                                                                            \
  } while (0)

__global__ void heat(const float *__restrict__ in, float *__restrict__ out, int nx, int ny, float r) {
  auto at = [=](int x, int y) { return y * nx + x; };
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1)
    return;
  out[at(x, y)] = in[at(x, y)] + r * (in[at(x - 1, y)] + in[at(x + 1, y)] + in[at(x, y - 1)] + in[at(x, y + 1)] - 4 * in[at(x, y)]);
}

int main(int argc, char **argv) {
  gpurma::init(&argc, &argv);
  int nx = 200, ny = 150, steps = 100;
  std::vector<float> host(nx * ny, 0.f);
  for (int i = 0; i < nx; ++i)
    host[i] = 100.f;
  float *a, *b;
  std::size_t bytes = host.size() * sizeof(float);
  CUDA_CHECK(cudaMalloc(&a, bytes));
  CUDA_CHECK(cudaMalloc(&b, bytes));
  CUDA_CHECK(cudaMemcpy(a, host.data(), bytes, cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(b, host.data(), bytes, cudaMemcpyHostToDevice));
  dim3 block(32, 8), grid((nx + 31) / 32, (ny + 7) / 8);
#ifndef PLAIN
#pragma gpurma persistent \
    distribute(a, b : rows(ny, nx))
#endif
  for (int s = 0; s < steps; ++s) {
    heat<<<grid, block>>>(a, b, nx, ny, 0.2f);
#ifndef NO_CHECKS
    CUDA_CHECK(cudaGetLastError());
#endif
    std::swap(a, b);
  }
  CUDA_CHECK(cudaMemcpy(host.data(), a, bytes, cudaMemcpyDeviceToHost));
  double sum = 0;
  for (float v : host)
    sum += v;
  std::printf("sum %.2f\n", sum);
}
