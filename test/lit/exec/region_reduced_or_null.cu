// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// A reduced scalar that a kernel is passed in some steps only: the others pass nullptr, and the kernel asks.
// RUN: %gpurmacc_cpu -I%S -Wall -Wextra -Werror %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S -Wno-unused %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t quiet | diff - %t.expected
// RUN: not %gpurmacc_cpu -I%S -fsyntax-only -DCHOICE %s 2>&1 | FileCheck --check-prefix=CHOICE %s
// CHECK: seen in 4 steps, most {{[1-9]}}
// CHECK: u {{[0-9]+}}
#include "Inputs/region.h"

__global__ void step_of(int* u, int ny, int nx, int* sum, int* most) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny)
    return;
  const int value = (u[y * nx + x] * 31 + x + y) % 1009;
  u[y * nx + x] = value;
  // CHOICE: :[[@LINE+2]]:5: error: blocks of all processes combine 'sum' here; a launch is passed a reduced scalar or 'nullptr', not one of them: write it in both branches of an 'if', with 'sum' and with 'nullptr' [gpurma-0216]
  if (sum != nullptr)
    atomicAdd(sum, value);
  if (most)
    atomicMax(most, value);
}

int main(int argc, char**) {
  const int ny = 61, nx = 37;
  int *u = array_of_numbers<int>(ny * nx), *sum = array_of_numbers<int>(1), *most = array_of_numbers<int>(1);
  const dim3 block(16, 8), grid((nx + 15) / 16, (ny + 7) / 8);
  int seen = 0, total = 0, largest = 0;
#pragma gpurma persistent distribute(u : rows(ny, nx)) reduce(+ : *sum) reduce(max : *most)
  for (int step = 0; step < 12; ++step) {
    const bool looks = step % 3 == 2;
    if (looks) {
      cudaMemset(sum, 0, sizeof(int));
      cudaMemset(most, 0, sizeof(int));
    }
#ifdef CHOICE
    step_of<<<grid, block>>>(u, ny, nx, looks ? sum : nullptr, looks ? most : nullptr);
#else
    if (looks)
      step_of<<<grid, block>>>(u, ny, nx, sum, most);
    else
      step_of<<<grid, block>>>(u, ny, nx, nullptr, NULL);
#endif
    if (looks) {
      int here;
      cudaMemcpy(&here, sum, sizeof(int), cudaMemcpyDeviceToHost);
      cudaMemcpy(&largest, most, sizeof(int), cudaMemcpyDeviceToHost);
      total = (total * 7 + here) % 100003;
      seen += 1;
    }
  }
  if (argc < 2 || is_first_process()) {
    std::printf("seen in %d steps, most %d, %d\n", seen, largest, total);
    print_sum("u", u, ny * nx);
  }
  return cudaDeviceSynchronize() != cudaSuccess;
}
