// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches for rows from a parameter on: what is found of them, and how their threads are placed.
// RUN: %lower_cpu --gpurma-print-after=InferStages %s 2>&1 | FileCheck %s
// CHECK-DAG: stage smooth: rows y from 'first' on; writes out (own), published (y 0..2); reads in (y -1..1)
// CHECK-DAG: stage smooth: rows y; writes out (y 1..1), published (y -1..1); reads in (y 0..2)
// CHECK-DAG: stage vector: rows x from 'begin' on; writes a (own), not published
// CHECK-DAG: stage scale: rows y from '2 * part.low.y' on; writes a (own), not published

// CHECK: ::gpurma::stages::placed_thread<2, 32, 8, 1, false, 1> gpurma_played
// CHECK: place_threads(gpurma_region, {{[0-9]+}}, false, dim3(grid), dim3({{.*}}), first + 2, {{.*}});
__global__ void smooth(float* out, const float* in, int first, int last, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = first + blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < last)
    out[y * nx + x] = in[(y - 1) * nx + x] + in[(y + 1) * nx + x];
}
void rows(float* u, float* v, int first, int last, int ny, int nx) {
  const dim3 block(32, 8), grid(nx / 32, ny / 8);
#pragma gpurma persistent distribute(u, v : rows(ny, nx))
  for (int i = 0; i < 10; ++i) {
    smooth<<<grid, block>>>(v, u, first + 2, last, ny, nx);
    smooth<<<grid, block>>>(u, v, 1, ny - 1, ny, nx);
  }
}
// CHECK: ::gpurma::stages::placed_thread<1, 64, 1, 1, false, 0> gpurma_played
__global__ void vector(float* a, long begin, int end) {
  const long i = begin + blockIdx.x * blockDim.x + threadIdx.x;
  if (i < end)
    a[i] = 2;
}
void run_vector(float* a, long begin, int end, int n) {
#pragma gpurma persistent distribute(a : rows(n))
  for (int i = 0; i < 10; ++i)
    vector<<<(n + 63) / 64, 64>>>(a, begin, end);
}

// CHECK: place_threads(gpurma_region, {{[0-9]+}}, false, dim3(grid), dim3({{.*}}), 2 * part.low.y, {{.*}});
struct corner {
  int x, y;
};
struct range {
  corner low, high;
};
__global__ void scale(float* a, range part, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = 2 * part.low.y + blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < part.high.y)
    a[y * nx + x] = 2;
}
void run_scale(float* a, range part, int ny, int nx) {
  const dim3 block(32, 8), grid(nx / 32, ny / 8);
#pragma gpurma persistent distribute(a : rows(ny, nx))
  for (int i = 0; i < 10; ++i)
    scale<<<grid, block>>>(a, part, nx);
}
