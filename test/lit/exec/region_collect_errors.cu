// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Collected arrays of which only the running program knows that several ranks store an element, that an element is not there, or that
// they are not arrays of their own.
// RUN: %gpurmacc_cpu %s -o %t
// RUN: env GPURMA_CPU_RANKS=4 %t right
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t right
// RUN: not env GPURMA_CPU_RANKS=4 %t moves 2>&1 | FileCheck --check-prefix=TWICE %s
// RUN: not env GPURMA_CPU_RANKS=1 %mpirun -np 2 %t moves 2>&1 | FileCheck --check-prefix=TWICE %s
// RUN: not env GPURMA_CPU_RANKS=4 %t blocks 2>&1 | FileCheck --check-prefix=BLOCKS %s
// RUN: not env GPURMA_CPU_RANKS=1 %mpirun -np 2 %t behind 2>&1 | FileCheck --check-prefix=BEHIND %s
// RUN: not %t before 2>&1 | FileCheck --check-prefix=BEHIND %s
// RUN: not %t negative 2>&1 | FileCheck --check-prefix=NEGATIVE %s
// RUN: not %t inside 2>&1 | FileCheck --check-prefix=INSIDE %s
// RUN: not %t shared 2>&1 | FileCheck --check-prefix=SHARED %s
// RUN: not %t read 2>&1 | FileCheck --check-prefix=READ %s
// RUN: not env GPURMA_CPU_RANKS=1 %mpirun -np 2 %t differs 2>&1 | FileCheck --check-prefix=DIFFERS %s
#include "Inputs/region.h"

#include <cstring>
#include <utility>

__global__ void step(int *next, const int *u, const int *weights, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny)
    next[y * nx + x] = u[y * nx + x] + weights[0];
}
__global__ void record(int *trace, const int *u, int t, int y, int nx) {
  if (threadIdx.x == 0 && blockIdx.x == 0)
    trace[t] = u[y * nx];
}
__global__ void in_blocks(int *next, const int *u, int *trace, int t, int all, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny)
    return;
  next[y * nx + x] = u[y * nx + x] + 1;
  if (threadIdx.x == 0 && threadIdx.y == 0 && (all || (blockIdx.x == 0 && blockIdx.y == 0)))
    trace[t] = 7;
}

int main(int argc, char **argv) {
  gpurma::init(&argc, &argv);
  const auto is = [&](const char *name) { return !std::strcmp(argv[1], name); };
  const int nx = 32, ny = 64, steps = 8;
  const auto zero = [](std::size_t) { return 0; };
  int *u = device_array<int>(nx * ny, zero), *next = device_array<int>(nx * ny, zero), *own = device_array<int>(2 * steps, zero);
  int *trace = is("inside") ? u + nx : own, *second = is("shared") ? own + steps - 1 : own + steps,
      *weights = is("read") ? own + 2 : device_array<int>(1, zero);
  const int elements = is("negative") ? -1 : is("differs") && !is_first_process() ? steps - 1 : steps;
  const int moved = is("moves") ? 8 : 0, further = is("behind") ? 1 : is("before") ? -1 : 0, all = is("blocks");
  const dim3 block(8, 8), grid(nx / 8, ny / 8);
  // TWICE: the persistent region at {{.*}}region_collect_errors.cu:[[@LINE+6]]: several ranks store element 3 of 'trace', which it collects, so that it is not known which of them comes last; let one thread store each element, always from the same row of a distributed array
  // BEHIND: the persistent region at {{.*}}region_collect_errors.cu:[[@LINE+5]]: a kernel stores an element of 'trace' that is none of the 8 that it collects
  // NEGATIVE: the persistent region at {{.*}}region_collect_errors.cu:[[@LINE+4]]: 'trace' has -1 elements to collect
  // INSIDE: the persistent region at {{.*}}region_collect_errors.cu:[[@LINE+3]]: 'trace', which it collects, and 'u' share memory; collect an array of its own
  // READ: the persistent region at {{.*}}region_collect_errors.cu:[[@LINE+2]]: 'weights' shares memory with 'trace', which the region collects: kernels store there and read nothing
  // DIFFERS: the persistent region at {{.*}}region_collect_errors.cu:[[@LINE+1]]: arrays with 1{{[56]}} elements are collected on process {{[01]}} and with 1{{[56]}} on process {{[01]}}; all processes run the region with the same numbers
#pragma gpurma persistent distribute(u, next : rows(ny, nx)) collect(trace : elements) collect(second : steps)
  for (int t = 0; t < steps; ++t) {
    step<<<grid, block>>>(next, u, weights, ny, nx);
    // With moved rows, those of other ranks and processes store what the first one does in the element before.
    record<<<1, 1>>>(trace + further, next, t, 4, nx);
    record<<<1, 1>>>(trace, next, 3, 4 + moved * t, nx);
    // BLOCKS: several ranks store element 0 of 'second'
    in_blocks<<<grid, block>>>(u, next, second, t, all, ny, nx);
    // SHARED: 'second', which it collects, and 'trace' share memory; collect an array of its own
  }
}
