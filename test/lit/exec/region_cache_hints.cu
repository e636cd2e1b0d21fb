// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Loads and stores with cache hints are those of a region's arrays, also of vectors.
// RUN: %gpurmacc_cpu -I%S %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t | diff - %t.expected
// RUN: %if nvcc %{ %check_cuda --Werror all-warnings -DGPURMA_REGION_REGISTERS=0x100 -I%S -c %s -o %t.o %}
// CHECK: hints {{[1-9][0-9]*}}
// CHECK: vectors {{[1-9][0-9]*}}
#include "Inputs/region.h"

#include <utility>

__global__ void mix(int* out, const int* in, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= 1 && x < nx - 1 && y >= 1 && y < ny - 1)
    __stcs(&out[y * nx + x], (__ldcs(in + y * nx + x - 1) + 3 * __ldcg(&in[(y - 1) * nx + x]) + __ldca(&in[(y + 1) * nx + x])) % 10007);
}
__global__ void scale(int4* u, int ny, int n4) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n4 || y >= ny)
    return;
  int4 v = __ldcv(&u[y * n4 + x]);
  v.x = v.x * 3 % 10007;
  v.w = v.w * 5 % 10007;
  __stwt(&u[y * n4 + x], v);
}

int main(int argc, char**) {
  const int ny = 61 * (argc > 5 ? 2 : 1), nx = 44;
  int* u = array_of_numbers<int>(ny * nx);
  int* v = array_of_numbers<int>(ny * nx);
#pragma gpurma persistent distribute(u, v : rows(ny, nx))
  for (int t = 0; t < 5; ++t) {
    mix<<<dim3(3, 16), dim3(16, 4)>>>(v, u, ny, nx);
    std::swap(u, v);
  }
  print_sum("hints", u, ny * nx);
#pragma gpurma persistent distribute(u, v : rows(ny, nx))
  for (int t = 0; t < 5; ++t) {
    mix<<<dim3(3, 16), dim3(16, 4)>>>(v, u, ny, nx);
    scale<<<dim3(1, 16), dim3(16, 4)>>>(reinterpret_cast<int4*>(v), ny, nx / 4);
    std::swap(u, v);
  }
  print_sum("vectors", u, ny * nx);
}
