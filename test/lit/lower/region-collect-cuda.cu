// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: nvcc
// What kernels become that store into collected arrays is compiled by nvcc without a warning.
// RUN: %check_cuda --Werror all-warnings -c %s -o %t.o
template <class T>
__global__ void step(T *v, const T *u, T *__restrict__ trace, short *last, unsigned t, int ry, int rx, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny)
    return;
  v[y * nx + x] = u[y * nx + x];
  if (y == ry && x == rx)
    trace[t] = last[t] = v[y * nx + x];
}
__global__ void table(double *trace, const float *u, const int *points, int n, int nx) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < n) {
    const float value = u[points[r]];
    trace[r] = value;
  }
  if (r < nx)
    trace[n + r] = u[3 * nx + r];
}
void run(float *u, float *v, float *trace, double *lines, short *last, const int *points, int steps, int ny, int nx) {
#pragma gpurma persistent distribute(u, v : rows(ny, nx)) collect(trace, last : steps) collect(lines : steps * nx)
  for (int t = 0; t < steps; ++t) {
    step<<<dim3(nx / 8, ny / 8), dim3(8, 8)>>>(v, u, trace, last, unsigned(t), 3, 5, ny, nx);
    table<<<nx / 64, 64>>>(lines + t * nx, v, points, 32, nx);
  }
}
