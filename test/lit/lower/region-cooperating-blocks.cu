// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches whose threads work together in blocks that are not those of the ranks: some of the ranks' threads play theirs.
// RUN: %gpurmacc_cpu -fsyntax-only --gpurma-print-after=InferStages %s 2>&1 | FileCheck --check-prefix=PLAN %s
// RUN: %gpurmacc_cpu --gpurma-emit-source=- %s | FileCheck %s
// PLAN: shift{{.*}}rows y; writes out (own), not published; reads in (own); in blocks of another size; by some of the threads
// PLAN: shift{{.*}}rows y; writes out (own), not published; reads in (own){{$}}
// PLAN: turn{{.*}}; in blocks of another size{{$}}
// PLAN: leave{{.*}}; in blocks of another size; by some of the threads
// PLAN: dot{{.*}} of parts of blocks in one dimension; {{.*}}by some of the threads

template <int Width, int Height> __global__ void shift(int* out, const int* in, int ny, int nx) {
  __shared__ int tile[Height][Width];
  const int x = blockIdx.x * Width + threadIdx.x, y = blockIdx.y * Height + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = x < nx && y < ny ? in[y * nx + x] : 0;
  __syncthreads();
  if (x < nx && y < ny)
    out[y * nx + x] = tile[threadIdx.y][threadIdx.x ^ 1];
}
// Two texts: as it is launched in the ranks' blocks, and in others.
// CHECK-DAG: gpurma_stage_[[#]]_shift([[UNUSED:\[\[maybe_unused\]\]]] const uint3 blockIdx, [[UNUSED]] const dim3 gridDim,
// CHECK-DAG: gpurma_played_[[#]]_shift([[UNUSED]] const uint3 threadIdx, [[UNUSED]] const uint3 blockIdx, [[UNUSED]] const dim3 blockDim, [[UNUSED]] const dim3 gridDim,
// CHECK-DAG: { [[UNUSED]] const ::gpurma::stages::barrier_of_first __syncthreads{blockDim.x * blockDim.y * blockDim.z}; if (::gpurma::stages::is_in_block(threadIdx, blockDim)) {

// In blocks of another shape, all threads of the ranks come to the barrier.
// CHECK-LABEL: __global__ void turn(
__global__ void turn(int* out, const int* in, int ny, int nx) {
  __shared__ int tile[8][32];
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = x < nx && y < ny ? in[y * nx + x] : 0;
  __syncthreads();
  if (x < nx && y < ny)
    out[y * nx + x] = tile[threadIdx.y][threadIdx.x ^ 1];
}
// CHECK: gpurma_played_[[#]]_turn(
// CHECK-NOT: is_in_block
// CHECK-LABEL: __global__ void leave(

__global__ void leave(int* out, const int* in, int ny, int nx) {
  __shared__ int tile[8][12];
  const int x = blockIdx.x * 12 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x >= nx || y >= ny)
    return;
  tile[threadIdx.y][threadIdx.x] = in[y * nx + x];
  __syncthreads();
  out[y * nx + x] = tile[threadIdx.y][0];
}
// CHECK: { const ::gpurma::stages::leaving_threads gpurma_leaving{}; [[UNUSED]] const ::gpurma::stages::barrier_of_staying __syncthreads{}; if (::gpurma::stages::is_in_block(threadIdx, blockDim)) {

// A function that waits is told for whom.
__device__ int sum_of_block(int value) {
  static __shared__ int part[64];
  part[threadIdx.x] = value;
  __syncthreads();
  int sum = 0;
  for (unsigned i = 0; i < blockDim.x; ++i)
    sum += part[i];
  return sum;
}
// CHECK: int gpurma_waiting_of_thread_sum_of_block({{.*}}const dim3 gridDim, [[UNUSED]] const ::gpurma::stages::barrier_of_first __syncthreads, int value)
__global__ void dot(const int* a, const int* b, int* sum, int n) {
  int s = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    s += a[i] * b[i];
  s = sum_of_block(s);
  if (threadIdx.x == 0)
    atomicAdd(sum, s);
}
// CHECK: gpurma_waiting_of_thread_sum_of_block(threadIdx, blockIdx, blockDim, gridDim, __syncthreads, s)

void run(int* a, int* b, int* sum, int ny, int nx) {
#pragma gpurma persistent distribute(a, b : rows(ny, nx)) reduce(+ : *sum)
  for (int k = 0; k < 5; ++k) {
    shift<32, 2><<<dim3((nx + 31) / 32, (ny + 1) / 2), dim3(32, 2)>>>(b, a, ny, nx);
    shift<16, 16><<<dim3((nx + 15) / 16, (ny + 15) / 16), dim3(16, 16)>>>(a, b, ny, nx);
    turn<<<dim3((nx + 31) / 32, (ny + 7) / 8), dim3(32, 8)>>>(b, a, ny, nx);
    leave<<<dim3((nx + 11) / 12, (ny + 7) / 8), dim3(12, 8)>>>(a, b, ny, nx);
    dot<<<20, 64>>>(a, b, sum, nx * ny);
  }
}
// CHECK-DAG: ::gpurma_played_[[#]]_shift<gpurma_copy, 32, 2>(::gpurma::stages::thread_in_block(dim3(32, 2, 1)), gpurma_block, dim3(32, 2, 1), dim3(gpurma_grid[0], gpurma_grid[1], gpurma_grid[2]),
// CHECK-DAG: ::gpurma_stage_[[#]]_shift<gpurma_copy, 16, 16>(gpurma_block, dim3(gpurma_grid[0], gpurma_grid[1], gpurma_grid[2]),
// CHECK-DAG: .with_renumbered_threads(dim3(dim3(16, 16)))
