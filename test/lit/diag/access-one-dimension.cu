// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches in one dimension over arrays of two whose threads cannot be dealt to the tiles of the arrays.
// RUN: not %gpurmacc_cpu -fsyntax-only %s 2>&1 | %filecheck %s
#include <gpurma/gpurma.h>

#define POINT                                                                                      \
  int i = blockIdx.x * blockDim.x + threadIdx.x;                                                   \
  if (i >= nx * ny)                                                                                \
  return

__global__ void smooths(float* u, int ny, int nx) {
  __shared__ float part[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  part[threadIdx.x] = i < nx * ny ? u[i] : 0;
  __syncthreads();
  if (i < nx * ny)
    u[i] = part[threadIdx.x ^ 1];
}
__global__ void waits(float* u, int ny, int nx) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __syncthreads();
  if (i < nx * ny)
    u[i] += 1;
}
__global__ void shuffles(float* u, int ny, int nx) {
  POINT;
  u[i] = __shfl_down_sync(0xffffffffu, u[i], 1);
}
__global__ void assembles(float* u, int ny, int nx) {
  POINT;
  unsigned lane = 0;
  asm volatile("" : "+r"(lane));
  u[i] = static_cast<float>(lane);
}
struct Lane { int i; __device__ Lane() : i(threadIdx.x % 32) {} };
__global__ void asks(float* u, int ny, int nx) {
  POINT;
  u[i] = static_cast<float>(Lane().i);
}
__global__ void two_lengths(float* u, const float* wide, int ny, int nx) {
  POINT;
  u[i] = wide[i];
}
__global__ void beyond(float* u, int n, int ny, int nx) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    u[i] *= 2;
}
__global__ void counts_grids(float* u, int ny, int nx) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < nx * ny; i += blockDim.x * gridDim.x)
    u[i] = gridDim.x;
}
__global__ void four(float* u, int ny, int nx) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 4; ++k)
    if (4 * i + k < nx * ny)
      u[4 * i + k] = 0;
}
__global__ void of_a_block(float* u, int ny, int nx) {
  POINT;
  u[blockIdx.x] = 0;
}
__global__ void of_a_thread(float* u, int ny, int nx) {
  POINT;
  u[threadIdx.x] = 0;
}
__global__ void transposes(float* u, const float* in, int ny, int nx) {
  POINT;
  int x = i / ny, y = i % ny;
  u[y * nx + x] = in[i];
}
__global__ void last_row(float* u, int ny, int nx) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < nx)
    u[(ny - 1) * nx + i] = u[i];
}
__global__ void next_too(float* u, int ny, int nx) {
  POINT;
  u[i] = 0;
  if (i + nx < nx * ny)
    u[i + nx] = 1;
}
__global__ void appends(float* u, int* used, int ny, int nx) {
  POINT;
  if (u[i] > 0)
    u[atomicAdd(used, 1)] = 0;
}

void run(float* a, float* b, float* wide, float* sum, int* used, int ny, int nx, int n) {
  const int blocks = (nx * ny + 255) / 256;
#pragma gpurma persistent distribute(a, b : rows(ny, nx)) distribute(wide : rows(ny, nx + 1)) reduce(+ : *sum, *used)
  {
    smooths<<<blocks, 256>>>(a, ny, nx);
    waits<<<blocks, 256>>>(a, ny, nx);
    shuffles<<<blocks, 256>>>(a, ny, nx);
    assembles<<<blocks, 256>>>(a, ny, nx);
    asks<<<blocks, 256>>>(a, ny, nx);
    two_lengths<<<blocks, 256>>>(a, wide, ny, nx);
    beyond<<<64, 256>>>(a, n, ny, nx);
    counts_grids<<<64, 256>>>(a, ny, nx);
    four<<<blocks, 256>>>(a, ny, nx);
    of_a_block<<<blocks, 256>>>(a, ny, nx);
    of_a_thread<<<blocks, 256>>>(a, ny, nx);
    transposes<<<blocks, 256>>>(a, b, ny, nx);
    last_row<<<blocks, 256>>>(a, ny, nx);
    next_too<<<blocks, 256>>>(a, ny, nx);
    appends<<<blocks, 256>>>(a, used, ny, nx);
  }
}

// CHECK: :[[@LINE-96]]:3: error: 'smooths' goes through the rows of 'u' in one dimension, so that any thread has to be able to take any element; here threads of a block share memory ('part') [gpurma-0225]
// CHECK: :[[@LINE-19]]:5: note: that launch is here
// CHECK: :[[@LINE-98]]:3: note: let each thread work for itself: where atomics of many threads update a reduced scalar, threads add up in registers first; a launch that is to be run block by block is the host's, '#pragma gpurma host'
// CHECK: :[[@LINE-92]]:3: error: 'waits' goes through the rows of 'u' in one dimension, so that any thread has to be able to take any element; here threads wait for each other ('__syncthreads') [gpurma-0225]
// CHECK: :[[@LINE-21]]:5: note: that launch is here
// CHECK: :[[@LINE-94]]:3: note: let each thread work for itself: where atomics of many threads update a reduced scalar, threads add up in registers first; a launch that is to be run block by block is the host's, '#pragma gpurma host'
// CHECK: :[[@LINE-89]]:10: error: 'shuffles' goes through the rows of 'u' in one dimension, so that any thread has to be able to take any element; here threads exchange values ('__shfl_down_sync') [gpurma-0225]
// CHECK: :[[@LINE-23]]:5: note: that launch is here
// CHECK: :[[@LINE-91]]:10: note: let each thread work for itself: where atomics of many threads update a reduced scalar, threads add up in registers first; a launch that is to be run block by block is the host's, '#pragma gpurma host'
// CHECK: :[[@LINE-87]]:3: error: 'assembles' goes through the rows of 'u' in one dimension, so that any thread has to be able to take any element; here it may be that threads work together ('asm') [gpurma-0225]
// CHECK: :[[@LINE-25]]:5: note: that launch is here
// CHECK: :[[@LINE-86]]:44: error: 'asks' goes through the rows of 'u' in one dimension, so that any thread has to be able to take any element; here a function that it calls names 'threadIdx', which should be an argument [gpurma-0225]
// CHECK: :[[@LINE-26]]:5: note: that launch is here
// CHECK: :[[@LINE-83]]:17: error: 'two_lengths' goes through the rows of 'u' in one dimension, and 'wide' has rows of another length; launch it with a grid dimension for each dimension of the arrays [gpurma-0226]
// CHECK: :[[@LINE-79]]:3: error: cannot show that this loop by whole grids ends with the array: its condition should be that the index is less than the product of the extents, as 'rows' names them; pass that product, or a local variable that is initialised with it, 'const int n = ny * nx;' [gpurma-0227]
// CHECK: :[[@LINE-75]]:12: error: the kernel gets a grid with a thread for each element of 'u', so nothing but the steps of its loops may depend on gridDim, and no function that it calls on blockIdx [gpurma-0210]
// CHECK: :[[@LINE-70]]:7: error: 'four' goes through the rows of 'u' in one dimension: this subscript should be blockIdx.x * blockDim.x + threadIdx.x, plus whole rows and columns [gpurma-0228]
// CHECK: :[[@LINE-67]]:3: error: 'of_a_block' goes through the rows of 'u' in one dimension: this subscript should be blockIdx.x * blockDim.x + threadIdx.x, plus whole rows and columns [gpurma-0228]
// CHECK: :[[@LINE-64]]:3: error: 'of_a_thread' goes through the rows of 'u' in one dimension: this subscript should be blockIdx.x * blockDim.x + threadIdx.x, plus whole rows and columns [gpurma-0228]
// CHECK: :[[@LINE-60]]:3: error: 'transposes' goes through the rows of 'u' in one dimension: this subscript should be blockIdx.x * blockDim.x + threadIdx.x, plus whole rows and columns [gpurma-0228]
// last_row is for a fixed row.
//
// CHECK: :[[@LINE-52]]:5: error: logical blocks may write rows of 'u' that lie among those of the next block; write them in a kernel of their own [gpurma-0210]
// CHECK: :[[@LINE-48]]:5: error: cannot tell which elements of 'u' are written here: the subscript depends on a value that is loaded from memory [gpurma-0200]
// CHECK: :[[@LINE-49]]:7: note: the value comes from here
