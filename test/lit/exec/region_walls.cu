// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Kernels for boundaries as programs have them: of four arrays at once, with all walls and corners, 32 stores; through accessors of a
// structure and functions that return elements; with numbers from their bits; for grids of a constant size, which no condition stands
// for; and columns two from the side, which are in their row where rows are long enough.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t --gpurma-print-after=InferStages | FileCheck --check-prefix=PLAN %s
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t quiet | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t quiet | diff - %t.expected
// PLAN: stage walls_of_all: rows y of stores into fixed rows; reads h (x whole, y -1..1) along axes; writes h (x whole), {{.*}}reads w (x whole, y -1..0) along axes; writes w (x whole)
// CHECK: all {{[1-9]}}
// PLAN: stage walls_of_field: rows y of stores into fixed rows; reads f.p (x whole, y -1..1) along axes; writes f.p (x whole)
// PLAN: stage record: rows y of stores into fixed rows; reads f.p
// CHECK: field {{[1-9]}}
// CHECK: trace {{[1-9]}}
// PLAN: stage exact: rows y of stores into fixed rows; {{.*}}writes u (x whole)
// PLAN: stage exact_rows: rows y of stores into fixed rows; reads u (x 1..1, y -1..1); writes u (x 1..1)
// CHECK: exact {{[1-9]}}
// PLAN: stage left: rows x; reads u (own); writes u (own)
// PLAN: stage mirror: rows y; reads u (x 2..2); writes u (x -1..1)
// CHECK: columns {{[1-9]}}
#include "Inputs/region.h"

#include <utility>

// Reads corners, too.
__global__ void box(unsigned *out, const unsigned *in, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1) {
    const int i = y * nx + x;
    out[i] = (in[i - nx] + 3 * in[i + nx] + 5 * in[i - 1] + 7 * in[i + 1] + 9 * in[i - nx - 1] + 11 * in[i - nx + 1] + 13 * in[i + nx - 1] +
              15 * in[i + nx + 1]) % 100999;
  }
}

__global__ void walls_of_all(unsigned *h, unsigned *u, unsigned *v, unsigned *w, int nx, int ny, unsigned step) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t > 0 && t < nx - 1) {
    h[t] = h[nx + t];
    u[t] = u[nx + t] + 1;
    v[t] = 100999 - v[nx + t];
    w[t] = step;
    h[(ny - 1) * nx + t] = h[(ny - 2) * nx + t];
    u[(ny - 1) * nx + t] = u[(ny - 2) * nx + t] + 2;
    v[(ny - 1) * nx + t] = 100999 - v[(ny - 2) * nx + t];
    w[(ny - 1) * nx + t] = w[(ny - 2) * nx + t] + t;
  }
  if (t > 0 && t < ny - 1) {
    h[t * nx] = h[t * nx + 1];
    u[t * nx] = u[t * nx + 1] + 3;
    v[t * nx] = 100999 - v[t * nx + 1];
    w[t * nx] = w[t * nx + 1] + t;
    h[t * nx + nx - 1] = h[t * nx + nx - 2];
    u[t * nx + nx - 1] = u[t * nx + nx - 2] + 4;
    v[t * nx + nx - 1] = 100999 - v[t * nx + nx - 2];
    w[t * nx + nx - 1] = 7;
  }
  if (t == 0) {
    h[0] = step;
    u[0] = 11;
    v[0] = 12;
    w[0] = 13;
    h[nx - 1] = 14;
    u[nx - 1] = 2 * step;
    v[nx - 1] = 15;
    w[nx - 1] = 16;
    h[(ny - 1) * nx] = 17;
    u[(ny - 1) * nx] = 18;
    v[(ny - 1) * nx] = 3 * step;
    w[(ny - 1) * nx] = 19;
    h[(ny - 1) * nx + nx - 1] = 20;
    u[(ny - 1) * nx + nx - 1] = 21;
    v[(ny - 1) * nx + nx - 1] = 22;
    w[(ny - 1) * nx + nx - 1] = 4 * step;
  }
}

struct field {
  unsigned *p;
  int nx, ny;
  __device__ unsigned &operator()(int i, int j) const { return p[j * nx + i]; }
  __device__ unsigned &at(int i, int j) const { return (*this)(i, j); }
};

__device__ unsigned &element(unsigned *p, int nx, int i, int j) { return p[j * nx + i]; }

__device__ unsigned from_bits(float number) {
  unsigned bits;
  memcpy(&bits, &number, sizeof bits);
  return bits % 100999;
}

__global__ void walls_of_field(field f, float number) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned bits = from_bits(number);
  if (i > 0 && i < f.nx - 1) {
    const unsigned first = f(i, 1);
    f(i, 0) = first + static_cast<unsigned>(__float_as_int(number)) % 17;
    f.at(i, f.ny - 1) += f.at(i, f.ny - 2);
  }
  if (i > 0 && i < f.ny - 1) {
    element(f.p, f.nx, 0, i) = f(1, i) + from_bits(number + 1);
    element(f.p, f.nx, f.nx - 1, i) = bits + i;
  }
}

__global__ void record(unsigned *trace, field f, int t, int i, int j) {
  if (blockIdx.x * blockDim.x + threadIdx.x == 0)
    trace[t] = f(i, j);
}

#define EXACT 48
#define ROW (EXACT + 2)
__global__ void exact(unsigned *u) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
  u[i] = 5;
  u[(EXACT + 1) * ROW + i] = 100999 - u[EXACT * ROW + i];
  u[i * ROW] = 100999 - u[i * ROW + 1];
  u[i * ROW + EXACT + 1] = 2 * u[i * ROW + EXACT] % 100999;
}
__global__ void exact_rows(unsigned *u) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
  u[i] = u[ROW + i] + 1;
  u[(EXACT + 1) * ROW + i] = u[EXACT * ROW + i] + 2;
}
__global__ void left(unsigned *u, int nx, int ny) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < ny)
    u[i * nx + 1] = u[i * nx + 2] + u[i * nx + nx - 3];
}
__global__ void mirror(unsigned *u, int nx, int ny, int depth) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (column < depth && y < ny)
    u[y * nx + (1 - column)] = u[y * nx + 2 + column] + 1;
}

int main(int argc, char **argv) {
  gpurma::init(&argc, &argv);
  const bool quiet = is_quiet(argc);
  auto print = [&](const char *name, const unsigned *memory, std::size_t count) {
    const long long sum = ordered_sum(memory, count);
    if (!quiet)
      std::printf("%s %lld\n", name, sum);
  };
  const int nx = 45, ny = 83, n = nx * ny;
  unsigned *fields[4], *others[4];
  for (unsigned *&a : fields)
    a = array_of_numbers<unsigned>(n);
  for (unsigned *&a : others)
    a = array_of_numbers<unsigned>(n);
  unsigned *h = fields[0], *u = fields[1], *v = fields[2], *w = fields[3], *next = others[0];
  const dim3 block(16, 4), grid((nx + 15) / 16, (ny + 3) / 4);
#pragma gpurma persistent distribute(h, u, v, w, next : rows(ny, nx))
  for (int it = 0; it < 7; ++it) {
    walls_of_all<<<1, 96>>>(h, u, v, w, nx, ny, it);
    box<<<grid, block>>>(next, h, nx, ny);
    box<<<grid, block>>>(h, u, nx, ny);
    box<<<grid, block>>>(u, v, nx, ny);
    box<<<grid, block>>>(v, w, nx, ny);
    std::swap(next, w);
  }
  print("all", h, n);
  print("all", u, n);
  print("all", v, n);
  print("all", w, n);

  const int steps = 6;
  unsigned *trace = array_of_numbers<unsigned>(steps);
  unsigned *a = others[1], *b = others[2];
#pragma gpurma persistent distribute(a, b : rows(ny, nx)) collect(trace : steps)
  for (int it = 0; it < steps; ++it) {
    walls_of_field<<<3, 32>>>(field{a, nx, ny}, 0.25f * it);
    box<<<grid, block>>>(b, a, nx, ny);
    record<<<1, 32>>>(trace, field{b, nx, ny}, it, 20, 61);
    std::swap(a, b);
  }
  print("field", a, n);
  print("trace", trace, steps);

  unsigned *c = array_of_numbers<unsigned>(ROW * ROW), *d = array_of_numbers<unsigned>(ROW * ROW);
  const dim3 side(16, 1), sides(EXACT / 16, 1);
#pragma gpurma persistent distribute(c, d : rows(EXACT + 2, ROW))
  for (int it = 0; it < 7; ++it) {
    if (it % 2 == 0)
      exact<<<sides, side>>>(c);
    else
      exact_rows<<<sides, side>>>(c);
    box<<<dim3(4, 13), block>>>(d, c, ROW, ROW);
    std::swap(c, d);
  }
  print("exact", c, ROW * ROW);

#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  for (int it = 0; it < 7; ++it) {
    left<<<1, 96>>>(a, nx, ny);
    box<<<grid, block>>>(b, a, nx, ny);
    mirror<<<dim3(1, 21), dim3(32, 4)>>>(b, nx, ny, 2);
    std::swap(a, b);
  }
  print("columns", a, n);
}
