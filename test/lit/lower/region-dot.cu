// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What becomes of kernels in one dimension whose threads work together: the conditions of elements, loops by whole grids, functions
// that name threadIdx, and what is done once for all tiles.
// RUN: %lower_cpu --gpurma-print-after=InferStages %s 2>&1 | FileCheck %s
// CHECK: stage by_elements: rows y of parts of blocks in one dimension; reads a (own); adds to *sum; *sum first in each thread; s first over all tiles; t first over all tiles
// CHECK: stage by_grids: rows y of parts of blocks in one dimension; reads a (own); reads b (own); adds to *sum; *sum first in each thread; s first over all tiles

// CHECK: __device__ T gpurma_of_thread_of_warp({{.*}}const uint3 threadIdx, {{.*}}const uint3 blockIdx, {{.*}}const dim3 blockDim, {{.*}}const dim3 gridDim, T value) {
// CHECK: return threadIdx.x % 32 == 0 ? value : 0;
template <class T> __device__ T of_warp(T value) {
  for (int off = 16; off > 0; off /= 2)
    value += __shfl_down_sync(0xffffffffu, value, off);
  return threadIdx.x % 32 == 0 ? value : 0;
}
// CHECK: __device__ double gpurma_of_thread_of_block({{.*}}const uint3 threadIdx, {{.*}}const uint3 blockIdx, {{.*}}const dim3 blockDim, {{.*}}const dim3 gridDim, double value) { return 2 * gpurma_of_thread_of_warp<double>(threadIdx, blockIdx, blockDim, gridDim, value); }
__device__ double of_block(double value) { return 2 * of_warp<double>(value); }

// CHECK: template <unsigned gpurma_copy, class gpurma_type_1, class gpurma_sum_0_type, class gpurma_sum_1_type> {{.*}} void gpurma_part_[[N:[0-9]+]]_by_elements({{.*}}const uint3 threadIdx, {{.*}}const uint3 blockIdx, {{.*}}const dim3 blockDim, {{.*}}const dim3 gridDim, {{.*}}const ::gpurma::stages::tile_elements<false> gpurma_elements, gpurma_type_1 gpurma_part_1, gpurma_sum_0_type& gpurma_sum_0, gpurma_sum_1_type& gpurma_sum_1, const double* a, double* sum, int n)
// CHECK: double s = (gpurma_elements.here() && (i < n)) ? a[i] : 0, t = 0;
// CHECK-NEXT: if ((gpurma_elements.here() && (i < n)))
// CHECK: gpurma_sum_0.update(s); gpurma_sum_1.update(t);
// CHECK: void gpurma_behind_part_[[N]]_by_elements({{.*}}const uint3 threadIdx, {{.*}}const dim3 blockDim, {{.*}}const dim3 gridDim, gpurma_type_1 gpurma_part_1, gpurma_sum_0_type s, gpurma_sum_1_type t, const double* a, double* sum, int n)
// CHECK-NOT: gpurma_elements
// CHECK: atomicAdd(sum, gpurma_of_thread_of_block(threadIdx, blockIdx, blockDim, gridDim, s + t));
__global__ void by_elements(const double* a, double* sum, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  double s = i < n ? a[i] : 0, t = 0;
  if (i < n)
    t = a[i] * a[i];
  atomicAdd(sum, of_block(s + t));
}
// CHECK: gpurma_part_{{[0-9]+}}_by_grids(
// CHECK: for (int i = gpurma_elements.from(blockIdx.x * blockDim.x + threadIdx.x); i < gpurma_elements.below(n); i += gridDim.x * blockDim.x)
__global__ void by_grids(const double* a, const double* b, double* sum, int n) {
  double s = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    s += a[i] * b[i];
  atomicAdd(sum, of_block(s));
}

// CHECK: for (::gpurma::stages::tile_blocks<2, false> gpurma_played(gpurma_threads, gpurma_block); gpurma_played.exist(); gpurma_played.go_on()) ::gpurma_part_[[N]]_by_elements<gpurma_copy>(gpurma_played.thread(), gpurma_played.block(), gpurma_played.block_size(), gpurma_played.grid(), gpurma_played.elements(),
// CHECK: tile_blocks<2, true>
// CHECK: number_blocks(gpurma_region, 0, {0}, 2, false, dim3(
// CHECK: number_blocks(gpurma_region, 1, {0}, 2, true, dim3(
// CHECK: ::gpurma::stages::tile_in_line(::gpurma::stages::block_of_line(dim3(256)), false, nx)
// CHECK: ::gpurma::stages::tile_in_line(::gpurma::stages::block_of_line(dim3(256)), true, nx)
void run(double* a, double* b, double* sum, int ny, int nx) {
#pragma gpurma persistent distribute(a, b : rows(ny, nx)) reduce(+ : *sum)
  {
    by_elements<<<(ny * nx + 255) / 256, 256>>>(a, sum, ny * nx);
    by_grids<<<64, 256>>>(a, b, sum, ny * nx);
  }
}
