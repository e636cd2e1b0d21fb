// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Grids of a size that only the running program knows, and no condition in the kernel: borders of a field, fixed rows, and rows of
// components. A quotient by the block's size says how many threads there are; of what is rounded up, the region looks at the launch.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t --gpurma-print-after=InferStages | FileCheck --check-prefix=PLAN %s
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t quiet | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t quiet | diff - %t.expected
// RUN: not %t quiet 65 2>&1 | FileCheck --check-prefix=TOO-MANY %s
// RUN: not %t quiet 64 66 2>&1 | FileCheck --check-prefix=TOO-MANY-ROWS %s
// PLAN: stage borders: rows y of stores into fixed rows; reads u (x whole, y -1..0); writes u (x whole)
// PLAN: stage top_and_bottom: rows y of stores into fixed rows; reads u (y -1..1); writes u (own)
// PLAN: stage move: rows y; writes g (own), {{.*}}reads f (own)
// PLAN: stage move: rows y; writes g (own), {{.*}}reads f (own)
// CHECK: field {{[1-9]}}
// CHECK: components {{[1-9]}}
#include "Inputs/region.h"

#include <utility>

// Of n x n points with one around them: nothing but the grid keeps corners from two stores.
__global__ void borders(unsigned *u, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x + 1, w = n + 2;
  u[i] = 3;
  u[(n + 1) * w + i] = 7 * u[n * w + i] % 10007;
  u[i * w] = u[i * w + 1] + 1;
  u[i * w + n + 1] = u[i * w + n] + 2;
}

__global__ void top_and_bottom(unsigned *u, int w) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  u[x] = u[w + x] % 10007 + 1;
  u[(w - 1) * w + x] = u[(w - 2) * w + x] % 10007 + 2;
}

__global__ void inner(unsigned *out, const unsigned *in, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1, w = n + 2;
  if (x <= n && y <= n)
    out[y * w + x] = (in[y * w + x - 1] + 3 * in[y * w + x + 1] + 5 * in[(y - 1) * w + x] + 7 * in[(y + 1) * w + x]) % 10007;
}

__global__ void move(unsigned *g, const unsigned *f, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  for (int q = 0; q < 3; ++q)
    g[(q * ny + y) * nx + x] = (f[((2 - q) * ny + y) * nx + x] + q) % 10007;
}

int main(int argc, char **argv) {
  gpurma::init(&argc, &argv);
  const int columns = argc > 2 ? std::atoi(argv[2]) : 64;
  const int rows = argc > 3 ? std::atoi(argv[3]) : 64;
  int n = 64, w = n + 2;
  unsigned *u = array_of_numbers<unsigned>(w * w), *v = array_of_numbers<unsigned>(w * w);
  const dim3 block(16, 4);
  dim3 grid((n + 15) / 16, (n + 3) / 4);
#pragma gpurma persistent distribute(u, v : rows(n + 2, n + 2))
  for (int it = 0; it < 5; ++it) {
    borders<<<n / 16, 16>>>(u, n);
    inner<<<grid, block>>>(v, u, n);
    std::swap(u, v);
    top_and_bottom<<<(w + 10) / 11, 11>>>(u, n + 2);
  }
  print_sum("field", u, w * w);

  int nx = columns, ny = rows;
  unsigned *f = array_of_numbers<unsigned>(3 * nx * ny), *g = array_of_numbers<unsigned>(3 * nx * ny);
  const dim3 exact(nx / 16, ny / 4), rounded((nx + 15) / 16, (ny + 3) / 4);
#pragma gpurma persistent distribute(f, g : components(3), rows(ny, nx))
  for (int it = 0; it < 5; ++it) {
    move<<<exact, block>>>(g, f, nx, ny);
    // TOO-MANY: :[[@LINE+2]] on rank {{[0-9]+}}: along x, the launch has 80 threads, and no condition of the kernel keeps those behind the first 65 in the rows and columns of '{{[fg]}}'; guard what they do with a condition
    // TOO-MANY-ROWS: :[[@LINE+1]] on rank {{[0-9]+}}: along y, the launch has 68 threads, and no condition of the kernel keeps those behind the first 66 in the rows and columns of '{{[fg]}}'
    move<<<rounded, block>>>(f, g, nx, ny);
  }
  print_sum("components", f, 3 * nx * ny);
}
