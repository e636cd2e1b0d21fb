// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks that overlap become tiles of what they begin apart, which the launch's threads run.
// RUN: %gpurmacc_cpu --gpurma-print-after=InferStages --gpurma-emit-source=%t.lowered.cu %s | %filecheck --check-prefix=PRINT-CHECK %s
// RUN: %filecheck --input-file=%t.lowered.cu %s
#include <gpurma/gpurma.h>

__global__ void smooth(float* out, const float* in, int ny, int nx) {
  __shared__ float tile[8][32];
  int x = 30 * blockIdx.x + threadIdx.x - 1, y = 4 * blockIdx.y + threadIdx.y - 2;
  bool inside = x >= 0 && x < nx && y >= 0 && y < ny;
  if (inside)
    tile[threadIdx.y][threadIdx.x] = in[y * nx + x];
  __syncthreads();
  if (inside && threadIdx.x > 0 && threadIdx.x < 31 && threadIdx.y > 1 && threadIdx.y < 6 && y > 1 && y < ny - 2 && x > 0 && x < nx - 1)
    out[y * nx + x] = tile[threadIdx.y - 2][threadIdx.x] + tile[threadIdx.y + 2][threadIdx.x] + tile[threadIdx.y][threadIdx.x - 1];
}

// CHECK: gpurma_region.launch(gpurma_launch_0_0{{[{][{]}}gpurma_grid.x, gpurma_grid.y, gpurma_grid.z}, gpurma_0, gpurma_1, gpurma_2, gpurma_3}, block,
// CHECK: ::gpurma::stages::stage_plan("smooth", {{.*}}, 1, dim3(30, 4, 1), 0).writes(0, 0, 0, 0, 0, 0).reads(-1, 1, -2, 2, 0, 0).with_walks(80u, 1, false).with_renumbered_threads(dim3(block))
// PRINT-CHECK: :[[@LINE+5]]: stage smooth: rows y; writes out (own), published (y -2..2); reads in (x -1..1, y -2..2); blocks begin 30 apart in x; blocks begin 4 apart in y
void run(float* a, float* b, int ny, int nx) {
  const dim3 block(32, 8), grid((nx + 29) / 30, (ny + 3) / 4);
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  for (int i = 0; i < 10; ++i) {
    smooth<<<grid, block>>>(b, a, ny, nx);
    float* before = a;
    a = b;
    b = before;
  }
}
int main() {}
