// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What becomes of kernels that leave a number for each block, and of the kernel that combines these.
// RUN: %lower_cpu --gpurma-print-after=InferStages %s 2>&1 | FileCheck %s
// CHECK: stage step: rows y; writes out (own), not published; reads in (y -1..0); adds to *partial; *partial first in each thread; s first over all tiles
// CHECK-NOT: stage root

// CHECK: gpurma_stage_{{[0-9]+}}_step(
// CHECK: gpurma_behind_stage_{{[0-9]+}}_step(
// CHECK: if (threadIdx.x == 0)
// CHECK-NEXT: static_cast<void>(blockIdx.y * gridDim.x + blockIdx.x), atomicAdd(partial, s);
__global__ void step(float* out, const float* in, float* partial, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float s = 0;
  if (x < nx && y > 0 && y < ny) {
    out[y * nx + x] = in[(y - 1) * nx + x];
    s = in[y * nx + x];
  }
  for (int w = 16; w > 0; w /= 2)
    s += __shfl_down_sync(~0u, s, w);
  if (threadIdx.x == 0)
    partial[blockIdx.y * gridDim.x + blockIdx.x] = s;
}
// CHECK-NOT: _root(
// CHECK: __global__ void root(
__global__ void root(const float* partial, float* result, int count) {
  float s = threadIdx.x < count ? partial[threadIdx.x] : 0;
  for (int w = 16; w > 0; w /= 2)
    s += __shfl_xor_sync(~0u, s, w);
  if (threadIdx.x == 0)
    *result = sqrtf(s);
}
// CHECK: unsigned long long gpurma_blocks_1;
// CHECK: gpurma_reduced_1(gpurma_region, 1, gpurma_values.gpurma_scalar_1);
// CHECK: auto& gpurma_blocks_1 = gpurma_values.gpurma_blocks_1;
// CHECK: gpurma_reduced_1 = ::gpurma::stages::plus::template identity<float>;
// CHECK-NEXT: gpurma_blocks_1 = ::gpurma::stages::numbered_blocks_of(dim3(grid), 2, {{.*}});
// CHECK: gpurma_reduced_1.adds_by_warp();
// CHECK: ::gpurma::stages::check_block_numbers(gpurma_blocks_1, grid.x * grid.y, 32, {{.*}});
// CHECK-NEXT: gpurma_reduced_0 = static_cast<float>(::sqrtf(gpurma_reduced_1.value()));
void run(float* u, float* v, float* partial, float* result, int ny, int nx) {
  const dim3 grid(nx / 32, ny);
  // CHECK: gpurma_values.gpurma_blocks_1 = 0;
  // CHECK: ::gpurma::stages::load_block_numbers(gpurma_values.gpurma_scalar_1, partial, gpurma_values.gpurma_blocks_1);
  // CHECK: ::gpurma::stages::store_block_numbers<::gpurma::stages::plus>(partial, gpurma_values.gpurma_scalar_1, gpurma_values.gpurma_blocks_1);
#pragma gpurma persistent distribute(u, v : rows(ny, nx)) reduce(+ : *result)
  for (int i = 0; i < 10; ++i) {
    step<<<grid, 32>>>(v, u, partial, ny, nx);
    root<<<1, 32>>>(partial, result, grid.x * grid.y);
  }
}

// A function's copy has what the launch adds up in place of the pointer.
// CHECK: gpurma_of_thread_leave({{.*}}, float sum, const ::gpurma::stages::part_pointer<float, ::gpurma::stages::plus> number)
// CHECK: atomicAdd(number, sum);
__device__ void leave(float sum, float* number) {
  if (threadIdx.x == 0)
    *number = sum;
}
// CHECK: _squares(
// CHECK: gpurma_of_thread_leave(threadIdx, blockIdx, blockDim, gridDim, s, partial);
__global__ void squares(const float* u, float* partial, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = i < n ? u[i] * u[i] : 0;
  for (int w = 16; w > 0; w /= 2)
    s += __shfl_down_sync(~0u, s, w);
  leave(s, &partial[blockIdx.x]);
}
void run_function(float* u, float* partial, float* result, int ny, int nx, int blocks) {
#pragma gpurma persistent distribute(u : rows(ny, nx)) reduce(+ : *result)
  for (int i = 0; i < 10; ++i) {
    squares<<<blocks, 32>>>(u, partial, ny * nx);
    root<<<1, 32>>>(partial, result, blocks);
  }
}
