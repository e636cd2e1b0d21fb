// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Columns that no condition keeps in their row: a warning, and an error with -Werror.
// RUN: %gpurmacc_cpu -fsyntax-only %s 2>&1 | %filecheck --implicit-check-not=note: --implicit-check-not=warning: %s
#include <gpurma/gpurma.h>

#define POINT                                                                                      \
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;        \
  if (x >= nx || y >= ny)                                                                          \
  return

__global__ void two(float* out, const float* in, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  out[y * nx + x] = 0;
  out[y * nx + x] += in[y * nx + x]; // one warning for each dimension in a kernel is enough
}
__global__ void three(float* out, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < nx)
    out[(z * ny + y) * nx + x] = 0;
}

void run(float* a, float* b, float* c, int nz, int ny, int nx) {
  dim3 grid(8, 8), block(32, 8), blocks(8, 8, 8), cube(8, 8, 8);
#pragma gpurma persistent distribute(a, c : rows(ny, nx)) distribute(b : rows(nz, ny, nx))
  {
    two<<<grid, block>>>(a, c, nx);
    three<<<blocks, cube>>>(b, ny, nx);
  }
}

// CHECK: :[[@LINE-19]]:3: warning: cannot show that this index of 'out' stays within the extent of its fastest dimension; taken as if it did: guard it with a condition [gpurma-0208]
// CHECK: :[[@LINE-13]]:5: warning: cannot show that this index of 'out' stays within the extent of its second fastest dimension; taken as if it did: guard it with a condition [gpurma-0208]
