// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// What --gpurma-check finds in a kernel of a header is said to be there.
// RUN: %gpurmacc_cpu --gpurma-check -I%S %s -o %t
// RUN: env GPURMA_CPU_RANKS=3 not %t 2>&1 | FileCheck %s
// CHECK: gather.h:6 on rank {{[0-9]+}}: the kernel reads row {{[0-9]+}} of 'u'
#include "Inputs/gather.h"
#include "Inputs/region.h"

#include <utility>

int main() {
  const int ny = 64, nx = 40;
  float* u = array_of_numbers<float>(ny * nx);
  float* v = array_of_numbers<float>(ny * nx);
  int* row = device_array<int>(ny, [](std::size_t y) { return (y * 37) % 64; });
#pragma gpurma persistent distribute(u, v : rows(ny, nx)) halo(u, v : 1)
  for (int step = 0; step < 3; ++step) {
    gather<<<dim3(5, 8), dim3(8, 8)>>>(v, u, row, ny, nx);
    std::swap(u, v);
  }
  CHECK(cudaDeviceSynchronize());
}
