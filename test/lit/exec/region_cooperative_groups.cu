// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Kernels of a region with cooperative groups within a block: barriers of the block around a shared tile, and sums and the most of tiles
// of threads, in the kernel and in a function; and barriers in a loop through the rows.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror -Rgpurma %s -o %t 2>&1 | FileCheck --check-prefix=STAGES %s
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t quiet | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=4 %mpirun -np 3 %t quiet | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 5 %t quiet | diff - %t.expected
// CHECK: step 8: {{[0-9]+}} {{[0-9]+}}
// CHECK: sum {{[0-9]+}}
// CHECK: marched {{[0-9]+}}
// STAGES: stage 'smooth' reads 'in' with halo 1, writes 'out' (publishes 1 row to the process before, 1 to the one after), reduces '*total'
// STAGES: stage 'greatest' reads 'values', reduces '*most'
// STAGES: stage 'march' reads 'in' with halo 1, writes 'out'
#include "Inputs/region.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
#include <utility>

namespace cg = cooperative_groups;

constexpr int Nx = 70, Ny = 83, N = Nx * Ny, Width = 16, Height = 8;

__global__ void smooth(int *out, const int *in, int *total, int ny, int nx) {
  cg::thread_block block = cg::this_thread_block();
  __shared__ int tile[Height + 2][Width];
  const int x = blockIdx.x * Width + threadIdx.x, y = blockIdx.y * Height + threadIdx.y;
  const auto at = [&](int row) { return x < nx && row >= 0 && row < ny ? in[row * nx + x] : 0; };
  tile[threadIdx.y + 1][threadIdx.x] = at(y);
  if (threadIdx.y == 0)
    tile[0][threadIdx.x] = at(y - 1);
  if (threadIdx.y == Height - 1)
    tile[Height + 1][threadIdx.x] = at(y + 1);
  cg::sync(block);
  int change = 0;
  if (x < nx && y < ny) {
    const int value = (tile[threadIdx.y][threadIdx.x] + 2 * tile[threadIdx.y + 1][threadIdx.x] + tile[threadIdx.y + 2][threadIdx.x]) % 1009;
    change = value ^ tile[threadIdx.y + 1][threadIdx.x];
    out[y * nx + x] = value;
  }
  auto warp = cg::tiled_partition<32>(block);
  change = cg::reduce(warp, change, cg::plus<int>());
  if (warp.thread_rank() == 0)
    atomicAdd(total, change);
}

__device__ int most_of(const cg::thread_block_tile<16> &lanes, int value) {
  for (unsigned distance = lanes.size() / 2; distance > 0; distance /= 2) {
    const int other = lanes.shfl_down(value, distance);
    value = value < other ? other : value;
  }
  return value;
}
__global__ void greatest(const int *values, int *most, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const auto lanes = cg::tiled_partition<16>(cg::this_thread_block());
  const int found = most_of(lanes, x < nx && y < ny ? values[y * nx + x] : 0);
  if (lanes.thread_rank() == 0)
    atomicMax(most, found);
}

__global__ void march(int *out, const int *in, int ny, int nx) {
  cg::thread_block block = cg::this_thread_block();
  __shared__ int line[64];
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  for (int y = 1; y < ny - 1; ++y) {
    cg::sync(block);
    line[threadIdx.x] = x < nx ? in[y * nx + x] : 0;
    cg::sync(block);
    if (x < nx)
      out[y * nx + x] = (line[threadIdx.x ^ 1] + in[(y - 1) * nx + x] + 3 * in[(y + 1) * nx + x]) % 10007;
  }
}

int main(int argc, char **) {
  int *in = device_array<int>(N, [](std::size_t i) { return i * i % 1009; }), *out = device_array<int>(N, [](std::size_t) { return 0; });
  int *total, *most;
  CHECK(cudaMallocManaged(&total, sizeof(int)));
  CHECK(cudaMallocManaged(&most, sizeof(int)));
  const dim3 block(Width, Height), grid((Nx + Width - 1) / Width, (Ny + Height - 1) / Height);
#pragma gpurma persistent distribute(in, out : rows(Ny, Nx)) reduce(+ : *total) reduce(max : *most)
  for (int step = 1; step <= 12; ++step) {
    *total = 0;
    *most = 0;
    smooth<<<grid, block>>>(out, in, total, Ny, Nx);
    greatest<<<grid, block>>>(out, most, Ny, Nx);
    CHECK(cudaDeviceSynchronize());
    if (step % 4 == 0)
      std::printf("step %d: %d %d\n", step, *total, *most);
    std::swap(in, out);
  }
  const long long sum = ordered_sum(in, N);
  if (!is_quiet(argc))
    std::printf("sum %lld\n", sum);
#pragma gpurma persistent distribute(in, out : rows(Ny, Nx))
  for (int step = 0; step < 4; ++step) {
    march<<<(Nx + 63) / 64, 64>>>(out, in, Ny, Nx);
    std::swap(in, out);
  }
  const long long marched = ordered_sum(in, N);
  if (!is_quiet(argc))
    std::printf("marched %lld\n", marched);
}
