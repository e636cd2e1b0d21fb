// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Kernels of a region whose threads sum up with CUB: over blocks, in kernels, templates and functions, and over warps.
// Whether a reduced scalar is there they may ask.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror -Rgpurma %s -o %t 2>&1 | FileCheck --check-prefix=STAGES %s
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t quiet | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=4 %mpirun -np 3 %t quiet | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 5 %t quiet | diff - %t.expected
// CHECK: step 8: {{[1-9][0-9]*}} {{[1-9][0-9]*}} {{[1-9][0-9]*}}
// CHECK: sum {{[1-9][0-9]*}}
// STAGES: stage 'smooth' reads 'in' with halo 1, writes 'out' (publishes 1 row to the process before, 1 to the one after), reduces '*total'
// STAGES: stage 'greatest' reads 'values', reduces '*most'
// STAGES: stage 'warps' reads 'values' with halo 1, reduces '*parts'
#include "Inputs/region.h"

#include <cstdio>
#include <cub/block/block_reduce.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <utility>

constexpr int Nx = 70, Ny = 83, N = Nx * Ny, Width = 16, Height = 8;

template <int X, int Y>
__global__ void smooth(int *out, const int *in, int *total, int ny, int nx) {
  typedef cub::BlockReduce<int, X, cub::BLOCK_REDUCE_WARP_REDUCTIONS, Y> BlockReduce;
  __shared__ typename BlockReduce::TempStorage storage;
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  int change = 0;
  if (x < nx && y > 0 && y < ny - 1) {
    const int value = (in[(y - 1) * nx + x] + 2 * in[y * nx + x] + in[(y + 1) * nx + x]) % 1009;
    change = value ^ in[y * nx + x];
    out[y * nx + x] = value;
  }
  const int sum = BlockReduce(storage).Sum(change);
  if (threadIdx.x == 0 && threadIdx.y == 0)
    atomicAdd(total, sum);
}

struct larger {
  __device__ int operator()(int a, int b) const { return a < b ? b : a; }
};
typedef cub::BlockReduce<int, Width, cub::BLOCK_REDUCE_RAKING, Height> Greatest;
__device__ int most_of(Greatest::TempStorage &storage, const int *values, int y, int x, int ny, int nx) {
  int mine[2] = {0, 3};
  if (x < nx && y < ny)
    mine[0] = values[y * nx + x];
  return Greatest(storage).Reduce(mine, larger());
}
__global__ void greatest(const int *values, int *most, int ny, int nx) {
  __shared__ Greatest::TempStorage storage;
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const int found = most_of(storage, values, y, x, ny, nx);
  if (most && threadIdx.x + threadIdx.y * blockDim.x == 0)
    atomicMax(most, found);
}

__global__ void warps(const int *values, int *parts, int ny, int nx) {
  using Part = cub::WarpReduce<int, Width>;
  __shared__ Part::TempStorage storage[Height];
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const int mine = x < nx && y >= 1 && y < ny ? values[y * nx + x] ^ values[(y - 1) * nx + x] : 0;
  const int sum = Part(storage[threadIdx.y]).Sum(mine);
  if (threadIdx.x == 0 && parts != nullptr)
    atomicAdd(parts, sum % 101);
}

int main(int argc, char **) {
  int *in = device_array<int>(N, [](std::size_t i) { return i * i % 1009; }), *out = device_array<int>(N, [](std::size_t) { return 0; });
  int *total, *most, *parts;
  CHECK(cudaMallocManaged(&total, sizeof(int)));
  CHECK(cudaMallocManaged(&most, sizeof(int)));
  CHECK(cudaMallocManaged(&parts, sizeof(int)));
  const dim3 block(Width, Height), grid((Nx + Width - 1) / Width, (Ny + Height - 1) / Height);
#pragma gpurma persistent distribute(in, out : rows(Ny, Nx)) reduce(+ : *total) reduce(max : *most) reduce(+ : *parts)
  for (int step = 1; step <= 12; ++step) {
    *total = 0;
    *most = 0;
    *parts = 0;
    smooth<Width, Height><<<grid, block>>>(out, in, total, Ny, Nx);
    greatest<<<grid, block>>>(out, most, Ny, Nx);
    warps<<<grid, block>>>(out, parts, Ny, Nx);
    CHECK(cudaDeviceSynchronize());
    if (step % 4 == 0)
      std::printf("step %d: %d %d %d\n", step, *total, *most, *parts);
    std::swap(in, out);
  }
  const long long sum = ordered_sum(in, N);
  if (!is_quiet(argc))
    std::printf("sum %lld\n", sum);
}
