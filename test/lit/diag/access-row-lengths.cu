// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A clause with other rows than the kernel's: each array is named once for each kernel.
// RUN: not %gpurmacc_cpu -fsyntax-only %s 2>&1 | %filecheck --implicit-check-not=note: %s
#include <gpurma/gpurma.h>

__global__ void smooth(float* out, const float* in, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || x >= nx - 1 || y < 1 || y >= ny - 1)
    return;
  const int i = y * nx + x;
  out[i] = in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx];
}
__global__ void scale(float* out, int nz, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
  if (x < nx && y < ny && z < nz)
    out[(z * ny + y) * nx + x] *= 2;
}
__global__ void three_values(float* out, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny)
    for (int q = 0; q < 3; ++q)
      out[(y * nx + x) * 3 + q] = q;
}
constexpr int radius = 4;
__global__ void padded(float* out, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny)
    out[(y + radius) * (nx + 2 * radius) + x + radius] = 0;
}

void run(float* a, float* b, int nz, int ny, int nx, int r) {
  const dim3 grid(8, 8), block(32, 8), blocks(8, 8, 8);
#pragma gpurma persistent distribute(a, b : rows(ny, nx + 1))
  { smooth<<<grid, block>>>(b, a, ny, nx); }
// CHECK: :11:12: error: rows of 'in' have nx + 1 elements by its clause, but threads next to each other along grid dimension 'y' are nx elements apart here; state the extents by which the kernel goes through the array [gpurma-0245]
// CHECK: :11:3: error: rows of 'out' have nx + 1 elements
#pragma gpurma persistent distribute(a, b : rows(nx, ny))
  { smooth<<<grid, block>>>(b, a, ny, nx); }
// CHECK: :11:12: error: rows of 'in' have ny elements by its clause, but threads next to each other along grid dimension 'y' are nx elements apart here
// CHECK: :11:3: error: rows of 'out' have ny elements
#pragma gpurma persistent distribute(a : rows(nz, ny + 1, nx))
  { scale<<<blocks, block>>>(a, nz, ny, nx); }
// CHECK: :16:5: error: planes of 'out' have ny * nx + nx elements by its clause, but threads next to each other along grid dimension 'z' are ny * nx elements apart here
#pragma gpurma persistent distribute(a : rows(ny, nx))
  { three_values<<<grid, block>>>(a, ny, nx); }
// CHECK: :22:7: error: rows of 'out' have nx elements by its clause, but threads next to each other along grid dimension 'y' are 3 * nx elements apart here
#pragma gpurma persistent distribute(a : rows(ny + 8, nx + 2 * r))
  { padded<<<grid, block>>>(a, ny, nx); }
// CHECK: :28:5: error: rows of 'out' have nx + 2 * r elements by its clause, but threads next to each other along grid dimension 'y' are nx + 8 elements apart here
}
