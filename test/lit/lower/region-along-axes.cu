// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A rank waits for those that have the tiles beside its own; for those at their corners only if a tile reads there.
// RUN: %lower_cpu %s | %filecheck %s
// RUN: %gpurmacc_cpu --gpurma-print-after=InferStages --gpurma-emit-source=%t.lowered.cu %s | %filecheck --check-prefix=PRINT-CHECK %s

__global__ void star(float* out, const float* in, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x > 1 && x < nx - 1 && y > 0 && y < ny - 1)
    out[y * nx + x] = in[y * nx + x] + in[y * nx + x - 2] + in[y * nx + x + 1] + in[(y - 1) * nx + x] + in[(y + 1) * nx + x];
}

__global__ void box(float* out, const float* in, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1)
    out[y * nx + x] = in[(y - 1) * nx + x] + in[(y + 1) * nx + x] + in[y * nx + x - 1] + in[(y + 1) * nx + x + 1];
}

// Along one axis only: there is nothing to say.
__global__ void line(float* out, const float* in, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y > 0 && y < ny - 1)
    out[y * nx + x] = in[(y - 1) * nx + x] + in[(y + 1) * nx + x];
}

// PRINT-CHECK: stage star: rows y; writes out (own), published (y -1..1); reads in (x -2..1, y -1..1) along axes{{$}}
// PRINT-CHECK: stage box: rows y; writes out (own), published (y -1..1); reads in (x -1..1, y -1..1){{$}}
// PRINT-CHECK: stage line: rows y; writes out (own), published (y -1..1); reads in (y -1..1){{$}}
// CHECK: stage_plan("star"{{.*}}.reads_along_axes(-2, 1, -1, 1, 0, 0)
// CHECK-SAME: stage_plan("box"{{.*}}.reads(-1, 1, -1, 1, 0, 0)
// CHECK-SAME: stage_plan("line"{{.*}}.reads(0, 0, -1, 1, 0, 0)
void steps(float* a, float* b, int nx, int ny, dim3 grid, dim3 block) {
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  for (int i = 0; i < 10; ++i) {
    star<<<grid, block>>>(b, a, nx, ny);
    box<<<grid, block>>>(a, b, nx, ny);
    line<<<grid, block>>>(b, a, nx, ny);
  }
}
