// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops until a counter is a number that say nothing of the iterations before, and conditions that move a counter by more than one.
// RUN: not %gpurmacc_cpu -c %s -o %t.o 2>&1 | %filecheck %s
#define POINT                                                                                                                    \
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;                                \
  if (x >= nx || y >= ny)                                                                                                        \
  return

__global__ void limit_changes(const int* in, int* out, int ny, int nx) {
  POINT;
  int sum = 0, end = 4;
  for (int j = 0; j != end; ++j) {
    if (in[y * nx + x] == j)
      end = 2;
    // CHECK: :[[@LINE+1]]:25: error: cannot bound how far from a logical block's own rows 'in' is read here: the distance is no constant [gpurma-0201]
    sum += y + j < ny ? in[(y + j) * nx + x] : 0;
  }
  out[y * nx + x] = sum;
}
__global__ void left_early(const int* in, int* out, int ny, int nx) {
  POINT;
  int sum = 0;
  for (int j = 1; j != 0; ++j) {
    if (y + j >= ny || sum > 100)
      break;
    // CHECK: :[[@LINE+1]]:12: error: cannot bound how far from a logical block's own rows 'in' is read here: the distance is no constant [gpurma-0201]
    sum += in[(y + j) * nx + x];
  }
  out[y * nx + x] = sum;
}
__global__ void by_grids(const int* in, int* out, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, rows = gridDim.y * blockDim.y;
  int y = blockIdx.y * blockDim.y + threadIdx.y - rows;
  if (x >= nx)
    return;
  while ((y += rows) < ny)
    // CHECK: :[[@LINE+1]]:5: error: cannot tell which elements of 'out' are written here: the subscript depends on what earlier iterations of a loop did [gpurma-0200]
    out[y * nx + x] = in[y * nx + x];
}

void run(int* a, int* b, int ny, int nx) {
  dim3 grid(8, 8), block(32, 8);
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  {
    limit_changes<<<grid, block>>>(a, b, ny, nx);
    left_early<<<grid, block>>>(b, a, ny, nx);
    by_grids<<<grid, block>>>(a, b, ny, nx);
  }
}
