// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: nvcc
// What kernels launched in one dimension, or with blocks of another size, become is compiled by nvcc without a warning, and CUDA's
// headers, where threadIdx has properties, are understood as the CPU target's are.
// RUN: %check_cuda --Werror all-warnings -c %s -o %t.o
// RUN: %gpurmacc_cuda -arch=sm_90 --gpurma-print-after=InferStages --gpurma-emit-source=%t.lowered.cu %s | FileCheck %s
// CHECK: stage axpy: rows y in one dimension; reads p (own); reads u (own); writes u (own)
// CHECK: stage star: rows y in one dimension; writes out (own), not published; reads in (x -1..0, y -1..0) along axes
// CHECK: stage block: rows y; reads u (own); writes u (own)
// CHECK: stage block: rows y; reads u (own); writes u (own), {{.*}}; in blocks of another size
// CHECK: stage left: rows x; writes u (own), {{.*}}; in blocks of another size
// CHECK: stage down: rows y (4 per thread, in a loop); writes u (own), {{.*}}; in blocks of another size
// CHECK: stage scale: rows y in one dimension; reads u (own); writes u (own)
__global__ void axpy(int n, float a, const float *p, float *u) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    u[i] += a * p[i];
}
__global__ void star(float *out, const float *in, int ny, int nx) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, x = i % nx, y = i / nx;
  if (x > 0 && y > 0 && y < ny)
    out[i] = in[i - nx] + in[i - 1];
}
__global__ void block(float *u, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny)
    u[y * nx + x] += threadIdx.x;
}
__global__ void left(float *u, int ny, int nx) {
  int y = blockIdx.x * blockDim.x + threadIdx.x;
  if (y < ny)
    u[y * nx] = 0;
}
__global__ void down(float *u, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < nx)
    for (int y = 1; y < ny - 1; ++y)
      u[y * nx + x] = threadIdx.x;
}
__global__ void scale(float *u, int n) {
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
    u[i] *= 2;
}
void run(float *a, float *b, int ny, int nx, int threads) {
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  for (int i = 0; i < 10; ++i) {
    axpy<<<(nx * ny + threads - 1) / threads, threads>>>(nx * ny, 2.0f, a, b);
    star<<<(nx * ny + 127) / 128, 128>>>(a, b, ny, nx);
    block<<<dim3(nx / 32 + 1, ny / 8 + 1), dim3(32, 8)>>>(a, ny, nx);
    block<<<dim3(nx / 16 + 1, ny / 16 + 1), dim3(16, 16)>>>(b, ny, nx);
    left<<<(ny + threads - 1) / threads, threads>>>(b, ny, nx);
    down<<<(nx + 63) / 64, 64>>>(b, ny, nx);
    scale<<<512, 256>>>(b, nx * ny);
  }
}
