// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// References to elements of an array, as programs of several grids name these: those to other elements are other objects.
// RUN: %gpurmacc_cpu -I%S -Wall -Wextra -Werror %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S -Wno-unused %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 2 %t quiet | diff - %t.expected
// RUN: not %gpurmacc_cpu -I%S -fsyntax-only -DSECOND=0 %s 2>&1 | FileCheck --check-prefix=SAME %s
// RUN: not %gpurmacc_cpu -I%S -fsyntax-only '-DSECOND=argc > 7' %s 2>&1 | FileCheck --check-prefix=SAME %s
// CHECK: fine {{[1-9]}}
// CHECK: coarse {{[1-9]}}
#include "Inputs/region.h"

#include <utility>

#ifndef SECOND
#define SECOND 1
#endif

struct level {
  int *u, *next;
  int ny, nx;
};
__global__ void smooth(int* out, const int* in, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y > 0 && y < ny - 1)
    out[y * nx + x] = (in[(y - 1) * nx + x] + 3 * in[(y + 1) * nx + x]) % 1009;
}

int main(int argc, char**) {
  level levels[2];
  for (int k = 0; k < 2; ++k) {
    const int ny = 44 >> k, nx = 37 >> k;
    levels[k] = {array_of_numbers<int>(ny * nx), array_of_numbers<int>(ny * nx), ny, nx};
  }
  // SAME: :[[@LINE+1]]:10: error: 'fine' cannot be used in a persistent region: it refers to 'coarse', which the region or its clauses name, too: name one of them only [gpurma-0129]
  level &fine = levels[0], &coarse = levels[SECOND];
  const dim3 block(16, 8);
#pragma gpurma persistent distribute(fine.u, fine.next : rows(fine.ny, fine.nx)) distribute(coarse.u, coarse.next : rows(coarse.ny, coarse.nx))
  for (int step = 0; step < 7; ++step) {
    smooth<<<dim3((fine.nx + 15) / 16, (fine.ny + 7) / 8), block>>>(fine.next, fine.u, fine.ny, fine.nx);
    std::swap(fine.u, fine.next);
    if (step % 3 == 0) {
      smooth<<<dim3((coarse.nx + 15) / 16, (coarse.ny + 7) / 8), block>>>(coarse.next, coarse.u, coarse.ny, coarse.nx);
      std::swap(coarse.u, coarse.next);
    }
  }
  if (argc < 2 || is_first_process()) {
    print_sum("fine", levels[0].u, fine.ny * fine.nx);
    print_sum("coarse", levels[1].u, coarse.ny * coarse.nx);
  }
  return cudaDeviceSynchronize() != cudaSuccess;
}
