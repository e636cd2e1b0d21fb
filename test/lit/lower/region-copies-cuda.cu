// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: nvcc
// Copies and fills of arrays of one to four dimensions and of all sizes of elements are compiled by nvcc without a warning, and are
// recognised in CUDA's headers.
// RUN: %check_cuda --Werror all-warnings -c %s -o %t.o
// RUN: %gpurmacc_cuda -arch=sm_90 --gpurma-print-after=InferStages --gpurma-emit-source=%t.lowered.cu %s | FileCheck %s
// CHECK: stage cudaMemset: rows y; writes devPtr (own), published (y -1..0)
// CHECK: stage step: rows y; writes out (own), not published; reads in (y -1..-1)
// CHECK: stage cudaMemcpyAsync: rows y; writes dst (own), published (y -1..0); reads src (own)
// CHECK: stage cudaMemcpy: rows z; writes dst (own), not published; reads src (own)
// CHECK: stage cudaMemsetAsync: rows z; writes devPtr (own), not published
struct Vector {
  float x, y, z;
};
__global__ void step(float *out, const float *in, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y > 0 && y < ny)
    out[y * nx + x] = in[(y - 1) * nx + x];
}
void run(float *a, float *b, Vector *v, Vector *w, int nz, int ny, int nx, dim3 grid, dim3 block, cudaStream_t stream) {
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  for (int i = 0; i < 10; ++i) {
    if (cudaMemset(i % 2 ? a : b, 0, nx * ny * sizeof(float)) != cudaSuccess)
      return;
    step<<<grid, block>>>(b, a, ny, nx);
    cudaMemcpyAsync(a, b, nx * ny * sizeof(float), cudaMemcpyDeviceToDevice, stream);
  }
#pragma gpurma persistent distribute(v, w : rows(nz, ny, nx, 2))
  for (int i = 0; i < 10; ++i) {
    cudaMemcpy(w, v, sizeof(Vector) * nx * ny * nz * 2, cudaMemcpyDefault);
    cudaMemsetAsync(v, i, sizeof(Vector) * nx * ny * nz * 2, stream);
  }
}
void lines(float4 *a, float4 *b, short *c, short *d, char *e, char *f, int n) {
#pragma gpurma persistent distribute(a, b : rows(n)) distribute(c, d : rows(n)) distribute(e, f : rows(n))
  for (int i = 0; i < 10; ++i) {
    cudaMemcpy(a, b, n * sizeof *a, cudaMemcpyDeviceToDevice);
    cudaMemset(b, 1, n * sizeof *b);
    cudaMemcpy(c, d, n * sizeof *c, cudaMemcpyDeviceToDevice);
    cudaMemset(d, 2, n * sizeof *d);
    cudaMemcpy(e, f, n, cudaMemcpyDeviceToDevice);
    cudaMemset(f, 3, n);
  }
}
