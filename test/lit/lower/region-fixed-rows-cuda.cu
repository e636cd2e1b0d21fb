// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: nvcc
// What kernels for fixed rows become is compiled by nvcc without a warning, and CUDA's headers are understood as the CPU target's are.
// RUN: %check_cuda --Werror all-warnings -c %s -o %t.o
// RUN: %gpurmacc_cuda -arch=sm_90 --gpurma-print-after=InferStages --gpurma-emit-source=%t.lowered.cu %s | FileCheck %s
// CHECK: stage walls: rows y of stores into fixed rows; reads u (y -1..1); writes u (own)
// CHECK: stage point: rows x of stores into fixed rows; reads u (own); writes u (own)
// CHECK: stage face: rows z of stores into fixed rows; reads u (z 1..1); writes u (own)
__global__ void walls(float *u, int nx, int ny) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < nx) {
    u[x] = u[nx + x];
    u[(ny - 1) * nx + x] = u[(ny - 2) * nx + x];
  }
}
__global__ void point(float *u) {
  if (blockIdx.x == 0 && threadIdx.x == 0 && blockIdx.y == 0 && threadIdx.y == 0)
    u[5] += 1;
}
__global__ void face(float4 *u, int nx, int ny) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny)
    u[y * nx + x] = u[(ny + y) * nx + x];
  else
    return;
}
void run(float *a, float *line, float4 *c, int nz, int ny, int nx, int threads) {
#pragma gpurma persistent distribute(a : rows(ny, nx)) distribute(c : rows(nz, ny, nx)) distribute(line : rows(ny))
  for (int i = 0; i < 10; ++i) {
    walls<<<(nx + threads - 1) / threads, threads>>>(a, nx, ny);
    point<<<dim3(2, 2), dim3(8, 8)>>>(line);
    face<<<dim3(nx / 32 + 1, ny / 8 + 1), dim3(32, 8)>>>(c, nx, ny);
  }
}
