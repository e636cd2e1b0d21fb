// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is found of loops through the rows with queues of registers, and what they become: before its rows a tile runs what the queues need
// of some iterations.
// RUN: %gpurmacc_cpu --gpurma-print-after=InferStages --gpurma-emit-source=%t.lowered.cu %s | %filecheck --check-prefix=PRINT-CHECK %s
// RUN: %filecheck --input-file=%t.lowered.cu %s
#include <gpurma/gpurma.h>

#define POINT                                                                                      \
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;        \
  if (x >= nx || y >= ny)                                                                          \
  return

// CHECK: void gpurma_stage_{{[0-9]+}}_heat({{.*}}const ::gpurma::stages::tile_rows gpurma_rows, float* out,
// CHECK: float below = (gpurma_rows.starts<int>(1) ? (in[i]) : 0), current = (gpurma_rows.starts<int>(1) ? (in[i + plane]) : 0);
// CHECK-NEXT: { GPURMA_ROLLED for (int z = (i += gpurma_rows.skipped<int>(1) * (plane), gpurma_rows.filled_from<int>(1)); gpurma_rows.fills(z) && (z < nz - 1); ++z) {
// CHECK-NEXT: i += plane;
// CHECK-NOT: out[i]
// CHECK: float above = in[i + plane];
// CHECK-NOT: out[i]
// CHECK: below = current;
// CHECK: current = above;
// CHECK-NEXT: {{^}} }
// CHECK-NEXT: #line [[@LINE+5]] "{{.*}}region-row-queues.cu"
// CHECK-NEXT: GPURMA_ROLLED for (int z = gpurma_rows.from<int>(1); z < gpurma_rows.below(nz - 1); ++z) {
__global__ void heat(float* out, const float* in, int nx, int ny, int nz) {
  POINT;
  int i = y * nx + x, plane = nx * ny; float below = in[i], current = in[i + plane];
  for (int z = 1; z < nz - 1; ++z) {
    i += plane;
    float above = in[i + plane];
    out[i] = below + above - 2 * current;
    below = current;
    current = above;
  }
}

// The pragma stays with its loop, and the condition of the threads around what it holds for.
// CHECK: void gpurma_stage_{{[0-9]+}}_columns(
// CHECK: { GPURMA_ROLLED for (unsigned z = (gpurma_rows.filled_from<unsigned>(R)); gpurma_rows.fills(z) && (z <= nz - R); z++) { { if (x < nx) {
// CHECK-NOT: out
// CHECK: #pragma unroll
// CHECK-NEXT: for (int k = 0; k < R; ++k)
// CHECK-NEXT: kept[k] = kept[k + 1];
// CHECK-NOT: out
// CHECK: kept[R] = in[z * nx + x];
// CHECK-NEXT: } } }
// CHECK-NEXT: #line
// CHECK-NEXT: #pragma unroll 4
// CHECK-NEXT: for (unsigned z = gpurma_rows.from<unsigned>(R); z <= gpurma_rows.upto(nz - R); z++) {
template <unsigned R> __global__ void columns(float* out, const float* in, unsigned nx, unsigned nz) {
  unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
  float kept[R + 1] = {};
#pragma unroll 4
  for (unsigned z = R; z <= nz - R; z++) {
    if (x < nx) {
      out[z * nx + x] = kept[1];
#pragma unroll
      for (int k = 0; k < R; ++k)
        kept[k] = kept[k + 1];
      kept[R] = in[z * nx + x];
    }
  }
}

// CHECK: gpurma_rereads = ::gpurma::stages::rereading::{{by_all}};
// CHECK: ::gpurma::stages::tile_rows(gpurma_block.z, gpurma_grid[2], ::blockDim.z * {{8}}, 2)
// CHECK: ::gpurma::stages::tile_rows(gpurma_block.y, gpurma_grid[1], ::blockDim.y * {{8}}, 2)
// CHECK: ::gpurma::stages::tile_rows(gpurma_block.y, gpurma_grid[1], ::blockDim.y * {{16}}, 4)
void run(float* a, float* b, float* c, float* d, int nx, int ny, int nz) {
#pragma gpurma persistent distribute(a, b : rows(nz, ny, nx))
  {
    // PRINT-CHECK: :[[@LINE+1]]: stage heat: rows z (8 per thread, in a loop after 2 for its queues); writes out (own), not published; reads in (z -1..1)
    heat<<<dim3(4, 4), dim3(32, 8)>>>(a, b, nx, ny, nz);
  }
#pragma gpurma persistent distribute(c, d : rows(nz, nx))
  {
    // PRINT-CHECK: :[[@LINE+1]]: stage columns: rows y (8 per thread, in a loop after 2 for its queues); writes out (own), {{.*}}; reads in (y -2..0)
    columns<2><<<4, 32>>>(c, d, nx, nz);
    // PRINT-CHECK: :[[@LINE+1]]: stage columns: rows y (16 per thread, in a loop after 4 for its queues); writes out (own), {{.*}}; reads in (y -4..0)
    columns<4><<<4, 32>>>(d, c, nx, nz);
  }
}
