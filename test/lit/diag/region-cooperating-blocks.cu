// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches whose threads work together, in blocks that are not those of the ranks, by what takes their threads to be all of a rank's.
// RUN: not %gpurmacc_cpu -fsyntax-only -ferror-limit=0 %s 2>&1 | %filecheck %s
#include <cooperative_groups.h>

#define PLACE int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y
#define COPY if (x < nx && y < ny) b[y * nx + x] = a[y * nx + x] + part[threadIdx.y][0]

__global__ void tiles(float* b, const float* a, int ny, int nx) {
  PLACE;
  __shared__ float part[16][16];
  part[threadIdx.y][threadIdx.x] = 1;
  __syncthreads();
  COPY;
}
__global__ void grouped(float* b, const float* a, int ny, int nx) {
  PLACE;
  __shared__ float part[16][32];
  part[threadIdx.y][threadIdx.x] = 1;
  cooperative_groups::this_thread_block().sync();
  COPY;
}
__global__ void votes(float* b, const float* a, int ny, int nx) {
  PLACE;
  __shared__ float part[16][32];
  part[threadIdx.y][threadIdx.x] = __syncthreads_or(x == 3);
  __syncthreads();
  COPY;
}
__global__ void shuffles(float* b, const float* a, int ny, int nx) {
  PLACE;
  __shared__ float part[16][32];
  part[threadIdx.y][threadIdx.x] = __shfl_xor_sync(0xffffffff, 1.0f, 1);
  __syncthreads();
  COPY;
}
__global__ void qualified(float* b, const float* a, int ny, int nx) {
  PLACE;
  __shared__ float part[16][32];
  part[threadIdx.y][threadIdx.x] = 1;
  ::__syncthreads();
  COPY;
}
__global__ void in_lambda(float* b, const float* a, int ny, int nx) {
  PLACE;
  __shared__ float part[16][32];
  part[threadIdx.y][threadIdx.x] = 1;
  auto wait = [] { __syncthreads(); };
  wait();
  COPY;
}
#define WAIT_FOR_BLOCK wait_for_block()
__device__ void wait_for_block() { __syncthreads(); }
__global__ void by_macro(float* b, const float* a, int ny, int nx) {
  PLACE;
  __shared__ float part[16][32];
  part[threadIdx.y][threadIdx.x] = 1;
  WAIT_FOR_BLOCK;
  COPY;
}

void run(float* a, float* b, int ny, int nx) {
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  for (int k = 0; k < 5; ++k) {
    tiles<<<dim3((nx + 15) / 16, (ny + 15) / 16), dim3(16, 16)>>>(b, a, ny, nx);
    grouped<<<dim3((nx + 31) / 32, (ny + 7) / 8), dim3(32, 8)>>>(b, a, ny, nx);
    votes<<<dim3((nx + 31) / 32, (ny + 7) / 8), dim3(32, 8)>>>(b, a, ny, nx); // as many threads: taken
    votes<<<dim3((nx + 31) / 32, (ny + 3) / 4), dim3(32, 4)>>>(b, a, ny, nx);
    shuffles<<<dim3((nx + 31) / 32, (ny + 3) / 4), dim3(32, 4)>>>(b, a, ny, nx); // whole warps: taken
    shuffles<<<dim3((nx + 19) / 20, (ny + 7) / 8), dim3(20, 8)>>>(b, a, ny, nx); // these, too
    shuffles<<<dim3((nx + 19) / 20, (ny + 3) / 4), dim3(20, 4)>>>(b, a, ny, nx);
    qualified<<<dim3((nx + 31) / 32, (ny + 3) / 4), dim3(32, 4)>>>(b, a, ny, nx);
    in_lambda<<<dim3((nx + 31) / 32, (ny + 3) / 4), dim3(32, 4)>>>(b, a, ny, nx);
    by_macro<<<dim3((nx + 31) / 32, (ny + 3) / 4), dim3(32, 4)>>>(b, a, ny, nx);
  }
}

// CHECK: :66:5: error: threads of 'grouped' work together by 'sync', which takes them to be all threads of a rank, as they lie in its block; 'grouped' has blocks of 256 threads in another shape than others of this region: use __syncthreads() and functions that stand before the kernel and are called by their names, or launch all of these kernels with the same blocks [gpurma-0230]
// CHECK: :20:43: note: 'sync' is used here
// CHECK: :65:5: note: that launch is here
// CHECK: error: threads of 'votes' work together by '__syncthreads_or', which takes them to be all threads of a rank, as they lie in its block; 'votes' has blocks of 128 threads, and the ranks of this region have 256:
// CHECK: :26:36: note: '__syncthreads_or' is used here
// CHECK: error: threads of 'shuffles' work together by '__shfl_xor_sync', which takes them to be all threads of a rank, as they lie in its block; 'shuffles' has blocks of 80 threads, and the ranks of this region have 256:
// CHECK: error: threads of 'qualified' work together by '__syncthreads',
// CHECK: :41:3: note: '__syncthreads' is used here
// CHECK: error: threads of 'in_lambda' work together by '__syncthreads',
// CHECK: error: threads of 'by_macro' work together by 'wait_for_block',
