// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// A radius that the kernel is passed, by conditions that keep all of its reads in the array: 'halo' says how far that is, and the launch
// compares.
// RUN: %gpurmacc_cpu -I%S %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t | diff - %t.expected
// RUN: not %t deep 2>&1 | FileCheck --check-prefix=DEEP %s
// RUN: not %mpirun -np 2 %t ahead 2>&1 | FileCheck --check-prefix=AHEAD %s
// RUN: not %mpirun -np 2 %t around 2>&1 | FileCheck --check-prefix=AROUND %s
// CHECK: weighted {{[1-9][0-9]*}}
// CHECK: highest {{[1-9][0-9]*}}
// CHECK: ahead {{[1-9][0-9]*}}
// CHECK: around {{[1-9][0-9]*}}
#include "Inputs/region.h"

#include <string>
#include <utility>

struct stencil {
  int nx, ny, radius, weight[8];
};

__global__ void weighted(int* out, const int* in, stencil s) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= s.nx || y < s.radius || y >= s.ny - s.radius)
    return;
  int sum = s.weight[0] * in[y * s.nx + x];
  for (int k = 1; k <= s.radius; ++k)
    sum += s.weight[k] * (in[(y - k) * s.nx + x] + in[(y + k) * s.nx + x]);
  out[y * s.nx + x] = sum % 10007;
}
static void run_weighted(int nx, int ny, int radius) {
  const stencil s{nx, ny, radius, {3, 5, 7, 11, 13, 17, 19, 23}};
  int* u = array_of_numbers<int>(nx * ny);
  int* v = array_of_numbers<int>(nx * ny);
#pragma gpurma persistent distribute(u, v : rows(s.ny, s.nx)) halo(u, v : s.radius)
  for (int step = 0; step < 7; ++step) {
    weighted<<<dim3(3, 15), dim3(16, 4)>>>(v, u, s);
    std::swap(u, v);
  }
  print_sum("weighted", u, nx * ny);
}

// The depth is a constant, and the radius one of a few.
__global__ void highest(int* out, const int* in, int nx, int ny, int radius) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y < radius || y + radius >= ny)
    return;
  int most = 0;
  for (int k = -radius; k <= radius; ++k)
    most = max(most, in[(y + k) * nx + x]);
  out[y * nx + x] = (most * 3 + x) % 10007;
}
static void run_highest(int nx, int ny, int radius) {
  int* u = array_of_numbers<int>(nx * ny);
  int* v = array_of_numbers<int>(nx * ny);
#pragma gpurma persistent distribute(u, v : rows(ny, nx)) halo(u, v : 4)
  for (int step = 0; step < 7; ++step) {
    // DEEP: region_radius.cu:[[@LINE+1]] on rank {{[0-9]+}}: the kernel reads rows that are up to 5 away from its own, and 'halo' says 4; state at least 5
    highest<<<dim3(3, 15), dim3(16, 4)>>>(v, u, nx, ny, radius - step % 2);
    std::swap(u, v);
  }
  print_sum("highest", u, nx * ny);
}

// The radius is a multiple, and one more.
__global__ void ahead(int* out, const int* in, int nx, int ny, int radius) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny)
    out[y * nx + x] = (in[max(y - radius - 1, 0) * nx + x] + in[min(y + 2 * radius, ny - 1) * nx + x] + 1) % 10007;
}
static void run_ahead(int nx, int ny, int radius, int depth) {
  int* u = array_of_numbers<int>(nx * ny);
  int* v = array_of_numbers<int>(nx * ny);
#pragma gpurma persistent distribute(u, v : rows(ny, nx)) halo(u, v : depth)
  for (int step = 0; step < 7; ++step) {
    // AHEAD: region_radius.cu:[[@LINE+1]] on rank {{[0-9]+}}: the kernel reads rows that are up to 6 away from its own, and 'halo' says 5; state at least 6
    ahead<<<dim3(3, 15), dim3(16, 4)>>>(v, u, nx, ny, radius);
    std::swap(u, v);
  }
  print_sum("ahead", u, nx * ny);
}

// Behind the last row the first one comes again.
__global__ void around(int* out, const int* in, stencil s) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= s.nx || y >= s.ny)
    return;
  int sum = 0;
  for (int k = 1; k <= s.radius; ++k)
    sum += s.weight[k] * (in[(y + s.ny - k) % s.ny * s.nx + x] + in[(y + k) % s.ny * s.nx + x]);
  out[y * s.nx + x] = sum % 10007;
}
static void run_around(int nx, int ny, int radius, int depth) {
  const stencil s{nx, ny, radius, {3, 5, 7, 11, 13, 17, 19, 23}};
  int* u = array_of_numbers<int>(nx * ny);
  int* v = array_of_numbers<int>(nx * ny);
#pragma gpurma persistent distribute(u, v : rows(s.ny, s.nx)) halo(u, v : depth)
  for (int step = 0; step < 7; ++step) {
    // AROUND: region_radius.cu:[[@LINE+1]] on rank {{[0-9]+}}: the kernel reads rows that are up to 3 away from its own, and 'halo' says 2; state at least 3
    around<<<dim3(3, 15), dim3(16, 4)>>>(v, u, s);
    std::swap(u, v);
  }
  print_sum("around", u, nx * ny);
}

int main(int argc, char** argv) {
  const int more = argc > 5 ? 1 : 0; // which compilers do not know
  const std::string mistake = argc > 1 ? argv[1] : "";
  run_weighted(more + 40, more + 60, more + 3);
  run_highest(more + 40, more + 60, mistake == "deep" ? 5 : 4);
  run_ahead(more + 40, more + 60, more + 3, mistake == "ahead" ? 5 : 6);
  run_around(more + 40, more + 60, more + 3, mistake == "around" ? 2 : 5);
}
