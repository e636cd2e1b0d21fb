// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Kernels whose threads work together on a most or least that is compared by its bits, whose order is not that of negative numbers, nor
// of NaN, which fmax leaves out and atomicMax of its bits does not: each tile does that for itself, unless there are no such numbers.
// RUN: %gpurmacc_cpu %s -o %t --gpurma-print-after=InferStages | FileCheck --check-prefix=PLAN %s
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=1 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t 1 | diff - %t.expected
// CHECK: step 0: most 46.3, least bits {{.*}}, most of roots 7.2
// CHECK: step 1: most nan
// CHECK: step 4: most nan
#include "Inputs/region.h"

#include <cstdio>
#include <cstring>
#include <utility>

// PLAN-DAG: stage change: {{.*}}maximum in *most{{$}}
__global__ void change(float *out, const float *in, float *most, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float change = 0;
  if (x < nx && y < ny) {
    const int i = y * nx + x;
    out[i] = sqrtf(in[i] - 20);
    change = fabsf(out[i] - in[i]);
  }
  for (int w = 16; w > 0; w /= 2)
    change = fmaxf(change, __shfl_down_sync(~0u, change, w));
  if ((threadIdx.y * blockDim.x + threadIdx.x) % 32 == 0)
    atomicMax((int *)most, __float_as_int(change));
}

// PLAN-DAG: stage least_of: {{.*}}minimum in *least{{$}}
__global__ void least_of(const float *in, float *least, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float found = 1000;
  // A square root of a negative number is a NaN whose sign is not the same everywhere.
  if (x < nx && y < ny && !isnan(in[y * nx + x]))
    found = in[y * nx + x] - x - y;
  for (int w = 16; w > 0; w /= 2)
    found = fminf(found, __shfl_down_sync(~0u, found, w));
  if ((threadIdx.y * blockDim.x + threadIdx.x) % 32 == 0)
    atomicMin((int *)least, __float_as_int(found));
}

// PLAN-DAG: stage most_of: {{.*}}; found first over all tiles
__global__ void most_of(const float *in, float *most, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float found = 0;
  if (x < nx && y < ny)
    found = fmaxf(found, sqrtf(in[y * nx + x]));
  for (int w = 16; w > 0; w /= 2)
    found = fmaxf(found, __shfl_down_sync(~0u, found, w));
  if ((threadIdx.y * blockDim.x + threadIdx.x) % 32 == 0)
    atomicMax((int *)most, __float_as_int(found));
}

int main(int argc, char **) {
  const int nx = 40, ny = 36, n = nx * ny;
  const dim3 block(8, 4), grid((nx + 7) / 8, (ny + 3) / 4);
  float *u = device_array<float>(n, [](size_t i) { return i * 37 % 53; });
  float *v = device_array<float>(n, [](size_t) { return 0; });
  float *most = nullptr, *least = nullptr, *most_root = nullptr;
  CHECK(cudaMallocManaged(&most, sizeof *most));
  CHECK(cudaMallocManaged(&least, sizeof *least));
  CHECK(cudaMallocManaged(&most_root, sizeof *most_root));
  float mosts[5], leasts[5], roots[5];
#pragma gpurma persistent distribute(u, v : rows(ny, nx)) reduce(max : *most, *most_root) reduce(min : *least)
  for (int step = 0; step < 5; ++step) {
    *most = 0;
    *most_root = 0;
    *least = 1000;
    most_of<<<grid, block>>>(u, most_root, ny, nx);
    least_of<<<grid, block>>>(u, least, ny, nx);
    change<<<grid, block>>>(v, u, most, ny, nx);
    CHECK(cudaDeviceSynchronize());
    mosts[step] = *most;
    leasts[step] = *least;
    roots[step] = *most_root;
    std::swap(u, v);
  }
  if (is_quiet(argc))
    return 0;
  for (int step = 0; step < 5; ++step) {
    unsigned bits;
    std::memcpy(&bits, &leasts[step], sizeof(bits));
    std::printf("step %d: most %.3g, least bits %x, most of roots %.2g\n", step, mosts[step], bits, roots[step]);
  }
}
