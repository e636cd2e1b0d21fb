// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Pointers and counters that go on within an expression, once in each iteration of a loop: `sum += *row++`. What only some iterations
// evaluate leaves the place unknown.
// And accessors that are not declared const, in a loop; and parameters that are constants of the grid, and assembly on numbers.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t --gpurma-print-after=InferStages | FileCheck --check-prefix=PLAN %s
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t quiet | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t quiet | diff - %t.expected
// RUN: %gpurmacc_cpu --gpurma-emit-source=- %s | FileCheck --check-prefix=LOWERED %s
// RUN: not %gpurmacc_cpu -fsyntax-only '-DNEXT=x > 3 && *p++' %s 2>&1 | FileCheck --check-prefix=SOME %s
// RUN: not %gpurmacc_cpu -fsyntax-only '-DNEXT=x > 3 ? *p++ : 1' %s 2>&1 | FileCheck --check-prefix=SOME %s
// RUN: not %gpurmacc_cpu -fsyntax-only '-DNEXT=*p++ + *p++' %s 2>&1 | FileCheck --check-prefix=SOME %s
// RUN: not %gpurmacc_cpu -fsyntax-only '-DNEXT=[&] { return *p++; }()' %s 2>&1 | FileCheck --check-prefix=SOME %s
// PLAN: stage box: rows y; writes out (own), published (y -2..3); reads in (x -1..1, y -1..1)
// PLAN: stage column: rows y; writes out (own), published (y -2..3); reads in (y -2..3)
// PLAN: stage weighted: rows y; writes out (own), published (y -2..3); reads in (y -1..1)
// PLAN: stage by_accessor: rows y; {{.*}}reads {{.*}}in.p (y -1..1)
// LOWERED: void gpurma_stage_{{.*}}_by_accessor({{.*}}, matrix in, const {{ *}}int ny)
// SOME: region_walking_pointers.cu:[[#]]:{{[0-9]+}}: error: cannot tell which array is read here: the pointer may be one of several, or lead to what is not known
// CHECK: walked {{[1-9]}}
#include "Inputs/region.h"

#include <utility>

#ifndef NEXT
#define NEXT *p++
#endif

__global__ void box(unsigned *out, const unsigned *in, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || x >= nx - 1 || y < 1 || y >= ny - 1)
    return;
  unsigned sum = 0;
  for (int j = -1; j <= 1; ++j) {
    const unsigned *p = in + (y + j) * nx + x - 1;
    for (int i = 0; i < 3; ++i)
      sum = 3 * sum + (NEXT);
  }
  out[y * nx + x] = sum % 100999;
}
__global__ void column(unsigned *out, const unsigned *in, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y < 2 || y >= ny - 3)
    return;
  const unsigned *down = in + (y + 4) * nx + x;
  unsigned sum = 0;
  int k = 0;
  while (k < 6) {
    sum = 5 * sum + *(down -= nx);
    if (k++ == 2)
      sum ^= 77;
  }
  out[y * nx + x] = sum % 100999;
}
__global__ void weighted(unsigned *out, const unsigned *in, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y < 1 || y >= ny - 1)
    return;
  const unsigned weights[3] = {2, 5, 11};
  unsigned sum = 0;
  int row = y - 1;
  const unsigned *w = weights;
  for (int i = 0; i < 3; ++i)
    sum += *w++ * in[row++ * nx + x];
  asm("" : "+r"(sum));
  out[y * nx + x] = sum % 100999;
}

// Which could be const.
struct matrix {
  unsigned *p;
  int nx;
  __device__ unsigned &operator()(int y, int x) { return p[y * nx + x]; }
};
__global__ void by_accessor(matrix out, matrix in, const __grid_constant__ int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= in.nx || y < 1 || y >= ny - 1)
    return;
  for (int j = -1; j <= 1; ++j)
    out(y, x) = (out(y, x) + (j + 2) * in(y + j, x)) % 100999;
}

int main() {
  int nx = 24, ny = 37;
  unsigned *in = array_of_numbers<unsigned>(ny * nx), *out = array_of_numbers<unsigned>(ny * nx);
  const dim3 block(8, 4), grid((nx + 7) / 8, (ny + 3) / 4);
#pragma gpurma persistent distribute(in, out : rows(ny, nx))
  for (int k = 0; k < 5; ++k) {
    box<<<grid, block>>>(out, in, ny, nx);
    column<<<grid, block>>>(in, out, ny, nx);
    weighted<<<grid, block>>>(out, in, ny, nx);
    by_accessor<<<grid, block>>>(matrix{in, nx}, matrix{out, nx}, ny);
    std::swap(in, out);
  }
  print_sum("walked", in, ny * nx);
}
