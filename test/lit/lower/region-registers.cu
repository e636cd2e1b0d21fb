// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %lower_cpu %s | %filecheck %s
// What threads have at a time says how many registers a kernel needs in the loop over tiles besides its own; and threads with doubles read
// what the kernel is passed again for each tile, unless they divide by it.
#include <utility>

// CHECK-LABEL: struct gpurma_launch_{{[0-9]+}}_0 {
// CHECK: gpurma_rereads = ::gpurma::stages::rereading::by_none;
// CHECK-LABEL: void floats(
// CHECK-NOT: with_registers_beside
template <class Real> __global__ void smooth(Real *out, const Real *in, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y > 0 && y < ny - 1)
    out[y * nx + x] = in[(y - 1) * nx + x] + in[(y + 1) * nx + x] / 2;
}
void floats(float *a, float *b, int nx, int ny, dim3 grid) {
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  for (int step = 0; step < 4; ++step) {
    smooth<<<grid, dim3(32, 8)>>>(b, a, nx, ny);
    std::swap(a, b);
  }
}

// CHECK-LABEL: struct gpurma_launch_{{[0-9]+}}_0 {
// CHECK: gpurma_rereads = ::gpurma::stages::rereading::by_all;
// CHECK-LABEL: void doubles(
// CHECK: .with_registers_beside(11)
void doubles(double *a, double *b, int nx, int ny, dim3 grid) {
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  for (int step = 0; step < 4; ++step) {
    smooth<<<grid, dim3(32, 8)>>>(b, a, nx, ny);
    std::swap(a, b);
  }
}

// CHECK-LABEL: struct gpurma_launch_{{[0-9]+}}_0 {
// CHECK: gpurma_rereads = ::gpurma::stages::rereading::by_none;
__device__ int after(int x, int nx) { return (x + 1) % nx; }
__global__ void shift(double *out, const double *in, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny)
    out[y * nx + x] = in[y * nx + after(x, nx)];
}
void divided(double *a, double *b, int nx, int ny, dim3 grid) {
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  for (int step = 0; step < 4; ++step) {
    shift<<<grid, dim3(32, 8)>>>(b, a, nx, ny);
    std::swap(a, b);
  }
}

// Three arrays are stored into, or three components.
// CHECK-LABEL: void several(
// CHECK: .with_registers_beside(15)
// CHECK: .with_registers_beside(15)
__global__ void split(float *r, float *g, float *b, const float *in, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny) {
    r[y * nx + x] = in[y * nx + x] * 2;
    g[y * nx + x] = in[y * nx + x] * 3;
    b[y * nx + x] = in[y * nx + x] * 5;
  }
}
__global__ void turn(float *f, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny)
    return;
  const float first = f[y * nx + x];
  for (int c = 0; c < 2; ++c)
    f[(c * ny + y) * nx + x] = f[((c + 1) * ny + y) * nx + x];
  f[(2 * ny + y) * nx + x] = first;
}
void several(float *r, float *g, float *b, float *in, float *f, int nx, int ny, dim3 grid) {
#pragma gpurma persistent distribute(r, g, b, in : rows(ny, nx)) distribute(f : components(3), rows(ny, nx))
  for (int step = 0; step < 4; ++step) {
    split<<<grid, dim3(32, 8)>>>(r, g, b, in, nx, ny);
    turn<<<grid, dim3(32, 8)>>>(f, nx, ny);
  }
}
