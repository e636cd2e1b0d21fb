// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Distances between rows that variables of the host hold, which the file gives one number: a parameter that all calls pass it, a variable at
// file scope, members of structures that are passed by value, by constructors, or by the class. Sizes next to them may be any.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t --gpurma-print-after=InferStages | FileCheck --check-prefix=PLAN %s
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t quiet | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t quiet | diff - %t.expected
// RUN: %t quiet 80 1 | FileCheck --check-prefix=LARGER %s
// RUN: not %t quiet 64 3 2>&1 | FileCheck --check-prefix=OTHER %s
// PLAN-COUNT-5: stage step: rows y; writes out (x {{.}}..{{.}}, y {{[12]}}..{{[12]}}){{.*}}; reads in (x 0..{{.}}, y 0..{{[24]}})
// CHECK: calls {{[1-9]}}
// CHECK: calls {{[1-9]}}
// CHECK: file {{[1-9]}}
// CHECK: value {{[1-9]}}
// CHECK: constructor {{[1-9]}}
// CHECK: class {{[1-9]}}
// LARGER: class {{[1-9]}}
#include "Inputs/region.h"

#include <utility>

__global__ void step(unsigned *out, const unsigned *in, int nx, int ny, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x + h, y = blockIdx.y * blockDim.y + threadIdx.y + h;
  if (x < nx - h && y < ny - h)
    out[y * nx + x] = (in[y * nx + x - h] + 3 * in[y * nx + x + h] + 5 * in[(y - h) * nx + x] + 7 * in[(y + h) * nx + x]) % 100999;
}
static const dim3 block(16, 4);
static dim3 grid_for(int nx, int ny) { return dim3((nx + 15) / 16, (ny + 3) / 4); }

static void with_calls(unsigned *u, unsigned *v, int nx, int ny, int h) {
  const dim3 grid = grid_for(nx, ny);
#pragma gpurma persistent distribute(u, v : rows(ny, nx))
  for (int it = 0; it < 4; ++it) {
    step<<<grid, block>>>(v, u, nx, ny, h);
    std::swap(u, v);
  }
  print_sum("calls", u, nx * ny);
}

static int halo = 1;
static void with_file(unsigned *u, unsigned *v, int nx, int ny) {
  const dim3 grid = grid_for(nx, ny);
  // OTHER: the persistent region at {{.*}}region_row_offsets.cu:[[#@LINE+1]] takes 'halo' to be 1, which is what that file gives it, and it is 3: let kernels and 'rows' have their sizes from the same variables, and distances between rows from constants
#pragma gpurma persistent distribute(u, v : rows(ny, nx))
  for (int it = 0; it < 4; ++it) {
    step<<<grid, block>>>(v, u, nx, ny, halo);
    std::swap(u, v);
  }
  print_sum("file", u, nx * ny);
}

struct extents {
  int nx, ny, halo;
};
static void with_value(unsigned *u, unsigned *v, extents e) {
  const dim3 grid = grid_for(e.nx, e.ny);
#pragma gpurma persistent distribute(u, v : rows(e.ny, e.nx))
  for (int it = 0; it < 4; ++it) {
    step<<<grid, block>>>(v, u, e.nx, e.ny, e.halo);
    std::swap(u, v);
  }
  print_sum("value", u, e.nx * e.ny);
}

struct chunk {
  int nx, ny, halo;
  chunk(int nx, int ny, int halo) : nx(nx), ny(ny), halo(halo) {}
};
static void with_constructor(unsigned *u, unsigned *v, int nx, int ny) {
  chunk c(nx, ny, 2);
  const dim3 grid = grid_for(nx, ny);
#pragma gpurma persistent distribute(u, v : rows(c.ny, c.nx))
  for (int it = 0; it < 4; ++it) {
    step<<<grid, block>>>(v, u, c.nx, c.ny, c.halo);
    std::swap(u, v);
  }
  print_sum("constructor", u, nx * ny);
}

struct solver {
  int nx, ny, halo = 1;
  unsigned *u, *v;
  void run() {
    const dim3 grid = grid_for(nx, ny);
#pragma gpurma persistent distribute(u, v : rows(ny, nx))
    for (int it = 0; it < 4; ++it) {
      step<<<grid, block>>>(v, u, nx, ny, halo);
      std::swap(u, v);
    }
    print_sum("class", u, nx * ny);
  }
};

int main(int argc, char **argv) {
  gpurma::init(&argc, &argv);
  int ny = 64;
  if (argc > 2)
    ny = std::atoi(argv[2]);
  if (argc > 3)
    halo = std::atoi(argv[3]);
  const int nx = 40;
  unsigned *u = array_of_numbers<unsigned>(nx * ny), *v = array_of_numbers<unsigned>(nx * ny);
  with_calls(u, v, nx, ny, 2);
  with_calls(v, u, nx, ny, 2);
  with_file(u, v, nx, ny);
  with_value(u, v, extents{nx, ny, 1});
  with_constructor(u, v, nx, ny);
  solver s;
  s.nx = nx, s.ny = ny, s.u = u, s.v = v;
  s.run();
}
