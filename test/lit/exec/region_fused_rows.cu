// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Launches whose blocks store into other rows than each other's run one after the other, also where their pointers now lead to one array and now to
// several: together, each would be taken to store into the other's rows, too.
// RUN: %gpurmacc_cpu -I%S -Wall -Wextra -Werror %s -o %t
// RUN: %gpurmacc_cpu -I%S -c --gpurma-print-after=FuseLaunches %s -o %t.o 2>&1 | FileCheck --check-prefix=PLAN %s
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S -Wno-unused %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=1 %mpirun -np 2 %t quiet | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t quiet | diff - %t.expected
// CHECK: u {{[0-9]+}}
// PLAN: after FuseLaunches
// PLAN-NOT: one stage: scale, sum
// PLAN: one stage: sum, sum; if
// PLAN-NOT: one stage
#include "Inputs/region.h"

__global__ void scale(int* u, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny)
    u[y * nx + x] = (u[y * nx + x] * 5 + 3) % 1009;
}
__global__ void sum(int* v, const int* u, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (x < nx && y < ny - 1)
    v[y * nx + x] = (u[(y - 1) * nx + x] + 3 * u[(y + 1) * nx + x]) % 1009;
}

int main(int argc, char**) {
  const int ny = 88, nx = 80;
  int* u[3] = {array_of_numbers<int>(ny * nx), array_of_numbers<int>(ny * nx), array_of_numbers<int>(ny * nx)};
  const dim3 block(16, 4), grid((nx + 15) / 16, (ny + 3) / 4);
  int a = 0, b = 1, c = 2;
#pragma gpurma persistent distribute(u : rows(ny, nx))
  for (int step = 0; step < 40; ++step) {
    scale<<<grid, block>>>(u[a], ny, nx);
    sum<<<grid, block>>>(u[c], u[b], ny, nx);
    sum<<<grid, block>>>(u[a], u[b], ny, nx);
    a = step % 3;
    b = step * 5 % 3;
    c = (b + 1) % 3;
  }
  if (argc < 2 || is_first_process())
    for (const int* each : u)
      print_sum("u", each, ny * nx);
  return cudaDeviceSynchronize() != cudaSuccess;
}
