// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels for fixed rows that more than one thread of the dimensions does that walk none.
// RUN: not %gpurmacc_cpu -fsyntax-only %s 2>&1 | %filecheck %s
#include <gpurma/gpurma.h>

__global__ void of_each_block(float* u, int nx) {
  if (threadIdx.x == 0)
    u[nx + 1] = 0;
}
__global__ void of_second_block(float* u, int nx) {
  if (blockIdx.x == 1 && threadIdx.x < 2)
    u[nx] = 0;
}
__global__ void of_all_rows(float* u, int nx, int ny) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny)
    u[3 * nx + x] = 0;
}
__global__ void of_some_rows(float* u, int nx, int ny) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx)
    return;
  if (y == 0)
    u[x] = 0;
  if (y == ny - 1)
    u[(ny - 1) * nx + x] = 0;
}

void run(float* a, int ny, int nx, dim3 grid, dim3 block) {
#pragma gpurma persistent distribute(a : rows(ny, nx))
  {
    of_each_block<<<2, 256>>>(a, nx);
    of_second_block<<<2, 256>>>(a, nx);
    of_all_rows<<<grid, block>>>(a, nx, ny);
    of_some_rows<<<grid, block>>>(a, nx, ny);
  }
}

// CHECK: :[[@LINE-31]]:{{[0-9]+}}: error: two logical blocks that differ in x may write the same element of 'u', {{.*}} [gpurma-0202]
// CHECK: :[[@LINE-28]]:{{[0-9]+}}: error: two logical blocks that differ in x may write the same element of 'u', {{.*}} [gpurma-0202]
// CHECK: :[[@LINE-24]]:{{[0-9]+}}: error: no grid dimension walks the rows of 'u': {{.*}} [gpurma-0203]
// CHECK: :[[@LINE-18]]:{{[0-9]+}}: error: no grid dimension walks the rows of 'u': {{.*}} [gpurma-0203]
