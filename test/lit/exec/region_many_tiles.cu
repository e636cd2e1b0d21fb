// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Ranks that have many tiles in a row of tiles next to another process: alike, with narrower ones at the arrays' ends, of several arrays,
// and more than a rank keeps the places of. A GPU has thousands of ranks.
// RUN: %gpurmacc_cpu -O1 %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: env GPURMA_CPU_RANKS=1 GPURMA_TIMEOUT=20 %mpirun -np 3 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 GPURMA_TIMEOUT=20 %mpirun -np 5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=7 GPURMA_TIMEOUT=20 %mpirun -np 3 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 GPURMA_TIMEOUT=20 GPURMA_ROUTE=proxy %mpirun -np 3 %t | diff - %t.expected
#include "Inputs/region.h"

#include <utility>

template <class T> __device__ T mean_around(const T *in, int at, int nx) {
  return (in[at - nx] + 3 * in[at] + 7 * in[at + nx] + in[at - 1] + in[at + 1]) % 100999;
}
template <class T> __global__ void step_one(T *out, const T *in, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1)
    out[y * nx + x] = mean_around(in, y * nx + x, nx);
}
struct fields {
  int *a, *b, *c, *d, *e;
};
__global__ void step_five(fields out, fields in, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1) {
    const int at = y * nx + x;
    out.a[at] = mean_around(in.a, at, nx);
    out.b[at] = mean_around(in.b, at, nx);
    out.c[at] = mean_around(in.c, at, nx);
    out.d[at] = mean_around(in.d, at, nx);
    out.e[at] = mean_around(in.e, at, nx);
  }
}

template <class T> void run_one(const char *name, int nx, int ny) {
  T *in = array_of_numbers<T>(nx * ny), *out = array_of_numbers<T>(nx * ny);
  const dim3 block(8, 2), grid((nx + 7) / 8, (ny + 1) / 2);
#pragma gpurma persistent distribute(in, out : rows(ny, nx))
  for (int step = 0; step < 4; ++step) {
    step_one<<<grid, block>>>(out, in, nx, ny);
    std::swap(in, out);
  }
  print_sum(name, in, nx * ny);
}

int main() {
  run_one<int>("alike", 320, 23);
  run_one<int>("narrower at the end", 318, 23);
  run_one<short>("of other lengths", 333, 23);
  run_one<int>("of many places", 8 * 600, 19);
  run_one<int>("also on a GPU", 8 * 12800, 19);
  run_one<short>("also on a GPU, of other lengths", 8 * 12800 - 3, 19);

  const int nx = 100, ny = 21;
  fields in, out;
  for (fields *f : {&in, &out})
    for (int **array : {&f->a, &f->b, &f->c, &f->d, &f->e})
      *array = array_of_numbers<int>(nx * ny);
  const dim3 block(8, 2), grid((nx + 7) / 8, (ny + 1) / 2);
#pragma gpurma persistent distribute(in.a, in.b, in.c, in.d, in.e, out.a, out.b, out.c, out.d, out.e : rows(ny, nx))
  for (int step = 0; step < 4; ++step) {
    step_five<<<grid, block>>>(out, in, nx, ny);
    std::swap(in, out);
  }
  print_sum("of five arrays", in.a, nx * ny);
  print_sum("of five arrays", in.c, nx * ny);
  print_sum("of five arrays", in.e, nx * ny);
}
