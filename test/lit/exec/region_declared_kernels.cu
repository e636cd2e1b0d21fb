// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Kernels that are declared before the region, and defined behind it: plain ones, in a namespace, with a reduced scalar, a template, one that shares
// out a loop through the rows, one for fixed rows, and with tiles in one dimension.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t | diff - %t.expected
// CHECK: change {{[1-9]}}
// CHECK: values {{[1-9]}}
#include "Inputs/region.h"

#include <utility>

namespace stencil {
__global__ void star(unsigned *out, const unsigned *in, unsigned *change, int ny, int nx);
}
template <int Factor> __global__ void scale(unsigned *u, int n);
__global__ void march(unsigned *out, const unsigned *in, int ny, int nx);
__global__ void walls(unsigned *u, int ny, int nx = 45);

int main() {
  const int ny = 67, nx = 45, n = ny * nx;
  unsigned *u = array_of_numbers<unsigned>(n), *next = array_of_numbers<unsigned>(n);
  unsigned *change = device_array<unsigned>(1, [](std::size_t) { return 0; }), found = 0;
  const dim3 block(32, 4), grid((nx + 31) / 32, (ny + 3) / 4);
#pragma gpurma persistent distribute(u, next : rows(ny, nx)) reduce(+ : *change)
  for (int k = 0; k < 4; ++k) {
    stencil::star<<<grid, block>>>(next, u, change, ny, nx);
    scale<3><<<(n + 127) / 128, 128>>>(next, n);
    walls<<<1, 128>>>(next, ny, nx);
    march<<<1, 128>>>(u, next, ny, nx);
  }
  CHECK(cudaMemcpy(&found, change, sizeof found, cudaMemcpyDeviceToHost));
  if (is_first_process())
    std::printf("change %u\n", found);
  print_sum("values", u, n);
}

namespace stencil {
__global__ void star(unsigned *out, const unsigned *in, unsigned *change, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1) {
    const int i = y * nx + x;
    out[i] = (in[i - 1] + 3 * in[i + 1] + 5 * in[i - nx] + 7 * in[i + nx]) % 1009;
    atomicAdd(change, out[i] % 7);
  }
}
} // namespace stencil
template <int Factor> __global__ void scale(unsigned *u, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    u[i] = u[i] * Factor % 1013;
}
__global__ void walls(unsigned *u, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < nx) {
    u[x] = 2 * u[nx + x];
    u[(ny - 1) * nx + x] = u[(ny - 2) * nx + x] + 1;
  }
}
__global__ void march(unsigned *out, const unsigned *in, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < nx)
    for (int y = 1; y < ny - 1; ++y)
      out[y * nx + x] = in[(y - 1) * nx + x] + in[(y + 1) * nx + x];
}
