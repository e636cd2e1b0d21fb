// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Functions that launch the kernel that they are given, as programs have them to check errors or choose blocks: by a pointer, by a parameter of
// any type, with arguments that are forwarded, as an argument of a template, and through another such function.
// RUN: %gpurmacc_cpu -I%S %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t | diff - %t.expected
// CHECK: launched {{[1-9][0-9]*}}
#include "Inputs/region.h"

#include <utility>

constexpr int Modulus = 10007;

__global__ void smooth(int* out, const int* in, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= 1 && x < nx - 1 && y >= 1 && y < ny - 1)
    out[y * nx + x] = (3 * in[y * nx + x - 1] + in[y * nx + x + 1] + in[(y - 1) * nx + x] + in[(y + 1) * nx + x]) % Modulus;
}
template <class T> __global__ void scale(T* u, T factor, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny)
    u[y * nx + x] = u[y * nx + x] * factor % Modulus;
}

template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, Arguments&&... arguments) {
  kernel<<<grid, block>>>(std::forward<Arguments>(arguments)...);
  CHECK(cudaGetLastError());
}
template <class Kernel, class... Arguments> void launch_for(int ny, int nx, Kernel&& kernel, Arguments... arguments) {
  const dim3 block(16, 4);
  launch(kernel, dim3((nx + 15) / 16, (ny + 3) / 4), block, arguments..., ny, nx);
}
template <void (*Kernel)(int*, const int*, int, int)> void launch_named(dim3 grid, dim3 block, int* out, const int* in, int ny, int nx) {
  Kernel<<<grid, block>>>(out, in, ny, nx);
}
template <class Kernel, class... Arguments> void launch_forwarded(Kernel&& kernel, dim3 grid, dim3 block, Arguments&&... arguments) {
  std::forward<Kernel>(kernel)<<<grid, block>>>(std::forward<Arguments>(arguments)...);
}

int main(int argc, char**) {
  const int many = argc > 5 ? 2 : 1; // which compilers do not know
  const int ny = 61 * many, nx = 45;
  int* u = array_of_numbers<int>(ny * nx);
  int* v = array_of_numbers<int>(ny * nx);
  const dim3 block(16, 4), grid((nx + 15) / 16, (ny + 3) / 4);
#pragma gpurma persistent distribute(u, v : rows(ny, nx))
  for (int t = 0; t < 5; ++t) {
    launch(smooth, grid, block, v, u, ny, nx);
    launch(&smooth, grid, block, u, v, ny, nx);
    launch(scale<int>, grid, block, u, t + 2, ny, nx);
    launch_for(ny, nx, smooth, v, u);
    launch_forwarded(smooth, grid, block, u, v, ny, nx);
    launch_forwarded(scale<int>, grid, block, v, t + 1, ny, nx);
    launch_named<smooth>(grid, block, u, v, ny, nx);
  }
  print_sum("launched", u, ny * nx);
}
