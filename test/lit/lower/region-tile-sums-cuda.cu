// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel that reduces in its blocks: what it does for each tile, and once behind them, with the shared memory, whose macro CUDA's
// headers have in another one.
// REQUIRES: nvcc
// RUN: %lower_cuda --gpurma-print-after=InferStages %s 2>&1 | FileCheck %s
// RUN: %check_cuda --Werror all-warnings -c %s -o %t.o
// CHECK: stage reduce: {{.*}}; change first over all tiles

// CHECK: void gpurma_stage_[[N:[0-9]+]]_reduce({{.*}}const uint3 blockIdx, {{.*}}const dim3 gridDim, gpurma_type_2 gpurma_part_2, gpurma_sum_0_type& gpurma_sum_0, float* out, const float* in, float* norm, int ny, int nx)
// CHECK-NOT: __shared__
// CHECK: gpurma_sum_0.update(change);
// CHECK: void gpurma_behind_stage_[[N]]_reduce({{.*}}const dim3 gridDim, gpurma_type_2 gpurma_part_2, gpurma_sum_0_type change, float* out, const float* in, float* norm, int ny, int nx)
// CHECK: __shared__ float sums[8];
// CHECK-NOT: out[
// CHECK: change += __shfl_down_sync(~0u, change, w);
__global__ void reduce(float* out, const float* in, float* norm, int ny, int nx) {
  __shared__ float sums[8];
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float change = 0;
  if (x < nx && y > 0 && y < ny - 1) {
    out[y * nx + x] = 0.5f * (in[(y - 1) * nx + x] + in[(y + 1) * nx + x]);
    change = out[y * nx + x] - in[y * nx + x];
    change *= change;
  }
  for (int w = 16; w > 0; w /= 2)
    change += __shfl_down_sync(~0u, change, w);
  if (threadIdx.x == 0)
    sums[threadIdx.y] = change;
  __syncthreads();
  if (threadIdx.x == 0 && threadIdx.y == 0)
    for (int w = 0; w < 8; ++w)
      atomicAdd(norm, sums[w]);
}

// CHECK: ::gpurma::stages::thread_part<float, ::gpurma::stages::plus> gpurma_sum_0;
// CHECK: ::gpurma_stage_[[N]]_reduce<gpurma_copy>(gpurma_block, dim3(gpurma_grid[0], gpurma_grid[1], gpurma_grid[2]), {{.*}}, gpurma_thread.gpurma_sum_0, gpurma_0,
// CHECK: gpurma_finish({{.*}}::gpurma_behind_stage_[[N]]_reduce<gpurma_copy>(dim3(gpurma_grid[0], gpurma_grid[1], gpurma_grid[2]), {{.*}}, gpurma_thread.gpurma_sum_0.value(), gpurma_0,
void run(float* u, float* v, float* norm, int ny, int nx) {
  const dim3 block(32, 8), grid((nx + 31) / 32, (ny + 7) / 8);
#pragma gpurma persistent distribute(u, v : rows(ny, nx)) reduce(+ : *norm)
  for (int i = 0; i < 10; ++i) {
    reduce<<<grid, block>>>(v, u, norm, ny, nx);
    float* w = u;
    u = v;
    v = w;
  }
}
