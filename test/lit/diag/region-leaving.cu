// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Barriers to which some threads do not come, behind a return of theirs or under a condition, are __syncthreads() that can be replaced.
// RUN: not %gpurmacc_cpu -fsyntax-only -ferror-limit=0 %s 2>&1 | %filecheck %s
#include <cooperative_groups.h>

#define TILE                                                                                                                     \
  __shared__ float tile[4][32];                                                                                                  \
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y
#define WAIT_FOR_ALL wait_for_all()

__device__ void wait_for_all() { __syncthreads(); }
__global__ void by_macro(float* out, const float* in, int ny, int nx) {
  TILE;
  if (x >= nx || y >= ny)
    return;
  tile[threadIdx.y][threadIdx.x] = in[y * nx + x];
  WAIT_FOR_ALL;
  out[y * nx + x] = tile[threadIdx.y][threadIdx.x / 2 * 2];
}
__global__ void grouped(float* out, const float* in, int ny, int nx) {
  TILE;
  if (x < nx && y < ny) {
    tile[threadIdx.y][threadIdx.x] = in[y * nx + x];
    cooperative_groups::this_thread_block().sync();
    out[y * nx + x] = tile[threadIdx.y][threadIdx.x / 2 * 2];
  }
}
__device__ void vote(bool any) {
  if (threadIdx.x < 5)
    __syncthreads_or(any);
}
__global__ void in_function(float* out, const float* in, int ny, int nx) {
  TILE;
  tile[threadIdx.y][threadIdx.x] = 1;
  vote(x < nx);
  if (x < nx && y < ny)
    out[y * nx + x] = in[y * nx + x] * tile[threadIdx.y][0];
}
__global__ void in_lambda(float* out, const float* in, int ny, int nx) {
  TILE;
  if (x >= nx || y >= ny)
    return;
  tile[threadIdx.y][threadIdx.x] = in[y * nx + x];
  [] { __syncthreads(); }();
  out[y * nx + x] = tile[threadIdx.y][threadIdx.x / 2 * 2];
}
// All threads come here, whatever the values are.
__global__ void uniform(float* out, const float* in, int ny, int nx, int most) {
  TILE;
  tile[threadIdx.y][threadIdx.x] = 1;
  if (most > 3)
    cooperative_groups::this_thread_block().sync();
  for (int w = blockDim.x; w > 0; w /= 2)
    cooperative_groups::this_thread_block().sync();
  if (x < nx && y < ny)
    out[y * nx + x] = in[y * nx + x] * tile[threadIdx.y][0];
}
// No barrier, but an obstacle.
__device__ bool is_barrier(int x, int y) { return x * x + y * y < 20; }
__global__ void obstacles(float* out, const float* in, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny && !is_barrier(x, y))
    out[y * nx + x] = in[y * nx + x];
}
void iterate(float* a, float* b, int ny, int nx) {
  dim3 grid(nx / 32, ny / 4), block(32, 4);
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  for (int i = 0; i < 10; ++i) {
    by_macro<<<grid, block>>>(b, a, ny, nx);
    grouped<<<grid, block>>>(a, b, ny, nx);
    in_function<<<grid, block>>>(b, a, ny, nx);
    in_lambda<<<grid, block>>>(a, b, ny, nx);
    uniform<<<grid, block>>>(b, a, ny, nx, i);
    obstacles<<<grid, block>>>(a, b, ny, nx);
  }
}
// CHECK: :69:5: error: some threads of kernel 'by_macro' may not come to where others wait for each other in 'wait_for_all', which a persistent region waits for: write __syncthreads(), in functions that stand before the kernel and are called by their names, or let all threads come there [gpurma-0162]
// CHECK: :17:3: note: in the call of 'wait_for_all' here
// CHECK: :70:5: error: some threads of kernel 'grouped' may not come to where others wait for each other in 'sync',
// CHECK: :24:45: note: in the call of 'sync' here
// CHECK: :71:5: error: some threads of kernel 'in_function' may not come to where others wait for each other in '__syncthreads_or',
// CHECK: :30:5: note: in the call of '__syncthreads_or' here
// CHECK: :72:5: error: some threads of kernel 'in_lambda' may not come to where others wait for each other in
// CHECK: :44:3: note: in the call of
