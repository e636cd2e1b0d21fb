// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// A wave and what it spreads as many programs have it, which copy arrays at the end of a step instead of swapping pointers, and clear
// what a step adds up: with error checks, streams, copies only now and then, and copies of copies.
// RUN: %gpurmacc_cpu %s -o %t
// RUN: grep -v "#pragma gpurma" %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 5 %t | diff - %t.expected
// RUN: env GPURMA_DISTRIBUTED_ARRAYS=banded GPURMA_CPU_RANKS=2 %mpirun -np 3 %t | diff - %t.expected
// CHECK: step 24: wave {{[0-9]+}} before {{[0-9]+}} kept {{[0-9]+}} sum {{[0-9]+}}
// CHECK: most {{[0-9]+}} errors 0
#include "Inputs/region.h"

#include <cstdio>
#include <cstring>
#include <vector>

__global__ void step(float *next, const float *u, const float *old, int nx, int ny) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || x >= nx - 1 || y < 1 || y >= ny - 1)
    return;
  int i = y * nx + x;
  next[i] = 2 * u[i] - old[i] + 0.2f * (u[i - 1] + u[i + 1] + u[i - nx] + u[i + nx] - 4 * u[i]);
}
__global__ void spread(float *flux, const float *u, int nx, int ny) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y > 1 && y < ny && y % 3 != 0)
    flux[y * nx + x] += 0.01f * u[(y - 2) * nx + x];
}
__global__ void absorb(float *u, const float *flux, float *most, int nx, int ny) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny - 1) {
    u[y * nx + x] += flux[(y + 1) * nx + x];
    atomicMax(reinterpret_cast<int *>(most), __float_as_int(u[y * nx + x] * u[y * nx + x]));
  }
}

static unsigned digest(const float *memory, int n) {
  std::vector<float> host(n);
  CHECK(cudaMemcpy(host.data(), memory, n * sizeof(float), cudaMemcpyDeviceToHost));
  unsigned sum = 0;
  for (float value : host) {
    unsigned bits;
    std::memcpy(&bits, &value, sizeof bits);
    sum = sum * 31 + bits;
  }
  return sum;
}

int main(int argc, char **argv) {
  gpurma::init(&argc, &argv);
  const int nx = 77, ny = 83;
  const size_t bytes = nx * ny * sizeof(float);
  float *u, *old, *next, *flux, *kept, *most;
  std::vector<float> host(nx * ny);
  for (int i = 0; i < nx * ny; ++i)
    host[i] = (i * 7919 % 2003) / 1000.0f;
  for (float **each : {&u, &old, &next, &flux, &kept}) {
    CHECK(cudaMalloc(each, bytes));
    CHECK(cudaMemcpy(*each, host.data(), bytes, cudaMemcpyHostToDevice));
  }
  CHECK(cudaMallocManaged(&most, sizeof(float)));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  dim3 block(16, 8), grid((nx + 15) / 16, (ny + 7) / 8);
  float largest = 0;
  int errors = 0;
#pragma gpurma persistent distribute(u, old, next, flux, kept : rows(ny, nx)) reduce(max : *most)
  for (int n = 1; n <= 24; n++) {
    CHECK(cudaMemset(flux, 0, bytes));
    CHECK(cudaMemset(most, 0, sizeof(float)));
    step<<<grid, block>>>(next, u, old, nx, ny);
    spread<<<grid, block>>>(flux, next, nx, ny);
    absorb<<<grid, block>>>(next, flux, most, nx, ny);
    CHECK(cudaMemcpyAsync(old, u, nx * ny * sizeof(float), cudaMemcpyDeviceToDevice, stream));
    cudaError_t status = cudaMemcpy((void *)u, (const void *)next, bytes, cudaMemcpyDefault);
    if (status != cudaSuccess)
      errors++;
    if (n % 5 == 0) {
      for (int twice = 0; twice < 2; ++twice)
        if (cudaMemcpyAsync(kept, twice ? u : old, bytes, cudaMemcpyDeviceToDevice) != cudaSuccess)
          errors++;
      CHECK(cudaMemcpy(old, kept, bytes, cudaMemcpyDeviceToDevice));
    }
    CHECK(cudaStreamSynchronize(stream));
    float now = *most;
    largest = now > largest ? now : largest;
  }
  unsigned digests[] = {digest(u, nx * ny), digest(old, nx * ny), digest(kept, nx * ny), digest(flux, nx * ny)};
  if (is_first_process())
    std::printf("step 24: wave %u before %u kept %u sum %u\nmost %d errors %d\n", digests[0], digests[1], digests[2], digests[3],
                static_cast<int>(largest * 1000), errors);
}
