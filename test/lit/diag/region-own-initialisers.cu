// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variables that are initialised with themselves, where another of the name was meant.
// RUN: not %gpurmacc_cpu -fsyntax-only %s 2>&1 | %filecheck %s
__global__ void set(float* a, int v, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny)
    a[y * nx + x] = v;
}
void repeat(float* a, int ny, dim3 grid) {
  int more = more + 1;
  set<<<grid, dim3(32, 8)>>>(a, more, ny, 64);
}
void extent(float* a, int ny) {
// CHECK: :[[@LINE+1]]:7: error: 'nx' cannot be used in a persistent region: it is initialised with itself, 'nx' [gpurma-0129]
  int nx = nx;
// CHECK: :[[@LINE+1]]:8: error: 'grid' cannot be used in a persistent region: it is initialised with itself, 'dim3(grid.x, 4)' [gpurma-0129]
  dim3 grid = dim3(grid.x, 4);
  void* own = &own;
#pragma gpurma persistent distribute(a : rows(ny, nx))
  for (int v = 0; v < 4; ++v)
    set<<<grid, dim3(32, 8)>>>(a, v, ny, nx);
}
void called(float* a, int ny, dim3 grid) {
#pragma gpurma persistent distribute(a : rows(ny, 64))
  for (int v = 0; v < 4; ++v)
    repeat(a, ny, grid);
}
// CHECK: :10:7: error: 'more{{.*}}' cannot be used in a persistent region: it is initialised with itself, 'more + 1' [gpurma-0129]
