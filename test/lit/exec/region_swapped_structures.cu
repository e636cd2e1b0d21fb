// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Structures that hold an array and its sizes, which change places as a whole: all of them have the size that the clause names, by a member
// of one or by the variable that they have it from. The same where pointers in them change places, and launches pass the sizes of either.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t --gpurma-print-after=InferStages | FileCheck --check-prefix=PLAN %s
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t quiet | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t quiet | diff - %t.expected
// RUN: %gpurmacc_cpu %s -o %t.other -DOTHER_SIZE=1
// RUN: not %t.other 2>&1 | FileCheck --check-prefix=OTHER %s
// OTHER: the persistent region at {{.*}}region_swapped_structures.cu:[[#]] takes 'v.nx' and 'u.nx' to be the same, as their arrays are in one clause or change places; they are not: pass variables of the host
// PLAN-COUNT-9: stage step: rows y; writes out.values (x 1..1, y 1..1), published (y 0..2); reads in.values (x 0..2, y 0..2)
// PLAN: stage step_lines: rows y; writes out (x 1..1, y 1..1), published (y 0..2); reads in (x 0..2, y 0..2)
// CHECK: swapped {{[1-9]}}
// CHECK: by assignments {{[1-9]}}
// CHECK: variables {{[1-9]}}
// CHECK: from structure {{[1-9]}}
// CHECK: in function {{[1-9]}}
// CHECK: three {{[1-9]}}
// CHECK: members {{[1-9]}}
// CHECK: with host {{[1-9]}}
// CHECK: pointers {{[1-9]}}
// CHECK: lines {{[1-9]}}
#include "Inputs/region.h"

#include <utility>

#ifndef OTHER_SIZE
#define OTHER_SIZE 0
#endif

struct field {
  unsigned *values;
  int nx, ny;
  int number;
};
__global__ void step(field out, field in) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (x < in.nx - 1 && y < in.ny - 1)
    out.values[y * out.nx + x] = (in.values[y * in.nx + x - 1] + 3 * in.values[y * in.nx + x + 1] + 5 * in.values[(y - 1) * in.nx + x] +
                                  7 * in.values[(y + 1) * in.nx + x] + in.number) % 100999;
}
__global__ void step_lines(unsigned *out, const unsigned *in, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (x < nx - 1 && y < ny - 1)
    out[y * nx + x] = (in[y * nx + x - 1] + 3 * in[y * nx + x + 1] + 5 * in[(y - 1) * nx + x] + 7 * in[(y + 1) * nx + x]) % 100999;
}
static void print_field(const char *name, field u) { print_sum(name, u.values, u.nx * u.ny); }
static field make(int nx, int ny, int number) { return {array_of_numbers<unsigned>(nx * ny), nx, ny, number}; }
static void exchange(field &a, field &b) {
  field old = a;
  a = b;
  b = old;
}
static void advance(field &next, const field &now) {
  const int nx = now.nx;
  step<<<dim3((nx + 7) / 8, (now.ny + 3) / 4), dim3(8, 4)>>>(next, now);
}
const dim3 grid(5, 11), block(8, 4);

static void swapped(field u, field v) {
  v.nx += OTHER_SIZE;
#pragma gpurma persistent distribute(u.values, v.values : rows(u.ny, u.nx))
  for (int k = 0; k < 5; ++k) {
    step<<<grid, block>>>(v, u);
    std::swap(u, v);
  }
  print_field("swapped", u);
}
static void by_assignments(field u, field v) {
#pragma gpurma persistent distribute(u.values, v.values : rows(v.ny, v.nx))
  for (int k = 0; k < 5; ++k) {
    step<<<grid, block>>>(v, u);
    field t = u, unset;
    unset = v;
    u = unset;
    v = t;
  }
  print_field("by assignments", u);
}
static void with_variables(int nx, int ny) {
  field u{array_of_numbers<unsigned>(nx * ny), nx, ny, 1}, v = {array_of_numbers<unsigned>(nx * ny), nx, ny, 2};
#pragma gpurma persistent distribute(u.values, v.values : rows(ny, nx))
  for (int k = 0; k < 5; ++k) {
    step<<<grid, block>>>(v, u);
    std::swap(u, v);
  }
  print_field("variables", u);
}
static void from_structure(field u, field v) {
  const int nx = u.nx, ny = v.ny;
#pragma gpurma persistent distribute(u.values, v.values : rows(ny, nx))
  for (int k = 0; k < 5; ++k) {
    step<<<grid, block>>>(v, u);
    std::swap(v, u);
  }
  print_field("from structure", u);
}
static void in_function(field u, field v) {
#pragma gpurma persistent distribute(u.values, v.values : rows(u.ny, u.nx))
  for (int k = 0; k < 5; ++k) {
    advance(v, u);
    exchange(u, v);
  }
  print_field("in function", u);
}
static void three(field u, field v, field w) {
#pragma gpurma persistent distribute(u.values, v.values, w.values : rows(w.ny, w.nx))
  for (int k = 0; k < 5; ++k) {
    step<<<grid, block>>>(w, v);
    exchange(u, v);
    exchange(v, w);
  }
  print_field("three", v);
}
struct solver {
  field now, next;
  void run() {
#pragma gpurma persistent distribute(now.values, next.values : rows(now.ny, now.nx))
    for (int k = 0; k < 5; ++k) {
      step<<<grid, block>>>(next, now);
      std::swap(now, next);
    }
  }
};
static void with_host(field u, field v) {
  int steps = 0;
#pragma gpurma persistent distribute(u.values, v.values : rows(u.ny, u.nx))
  for (int k = 0; k < 5; ++k) {
    step<<<grid, block>>>(v, u);
    std::swap(u, v);
#pragma gpurma host
    ++steps;
  }
  print_field(steps == 5 ? "with host" : "too few", u);
}
static void swapped_pointers(field u, field v) {
#pragma gpurma persistent distribute(u.values, v.values : rows(u.ny, u.nx))
  for (int k = 0; k < 5; ++k) {
    step<<<grid, block>>>(v, u);
    std::swap(u.values, v.values);
  }
  print_field("pointers", u);
}
static void lines(field u, field v) {
#pragma gpurma persistent distribute(u.values, v.values : rows(u.ny, u.nx))
  for (int k = 0; k < 5; ++k) {
    int width = v.nx, height = v.ny;
    step_lines<<<grid, block>>>(v.values, u.values, width, height);
    std::swap(u, v);
  }
  print_field("lines", u);
}

int main() {
  swapped(make(37, 41, 1), make(37, 41, 2));
  by_assignments(make(37, 41, 1), make(37, 41, 2));
  with_variables(37, 41);
  from_structure(make(37, 41, 1), make(37, 41, 2));
  in_function(make(37, 41, 1), make(37, 41, 2));
  three(make(37, 41, 1), make(37, 41, 2), make(37, 41, 3));
  solver s{make(37, 41, 1), make(37, 41, 2)};
  s.run();
  print_field("members", s.now);
  with_host(make(37, 41, 1), make(37, 41, 2));
  swapped_pointers(make(37, 41, 1), make(37, 41, 2));
  lines(make(37, 41, 1), make(37, 41, 2));
}
