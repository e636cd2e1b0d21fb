// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// What would be wrong without a word: rows that 'rows' does not name, behind a condition that lets threads store there, and variables that lead
// processes different ways.
// RUN: %gpurmacc_cpu -I%S %s -o %t
// RUN: not %mpirun -np 2 %t rows 2>&1 | FileCheck --check-prefix=ROWS %s
// RUN: not %t rows 2>&1 | FileCheck --check-prefix=ROWS %s
// RUN: not %mpirun -np 2 %t ways 2>&1 | FileCheck --check-prefix=WAYS %s
// RUN: %t ways
// RUN: not %mpirun -np 2 %t turns 2>&1 | FileCheck --check-prefix=TURNS %s
// RUN: %t turns
// RUN: %mpirun -np 2 %t loose
#include "Inputs/region.h"

#include <cstring>
#include <utility>

__global__ void smooth(float* out, const float* in, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1, w = nx + 2;
  if (x <= nx && y <= ny)
    out[y * w + x] = in[(y - 1) * w + x] + in[(y + 1) * w + x];
}
// The arrays have two rows more.
static void forgotten_rows(float* u, float* v, int nx, int ny) {
  const dim3 block(8, 8), grid((nx + 7) / 8, (ny + 7) / 8);
#pragma gpurma persistent distribute(u, v : rows(ny, nx + 2))
  for (int step = 0; step < 3; ++step) {
    // ROWS: region_mistaken_sizes.cu:[[@LINE+1]] on rank {{[0-9]+}}: along y, the launch has {{[0-9]+}} threads, and no condition of the kernel keeps those behind the first {{[0-9]+}} in the rows and columns of '{{[uv]}}'; guard what they do with a condition on what 'rows' names, or name there what the kernel compares, as in 'rows(n + 2, n + 2)' for 'i <= n'
    smooth<<<grid, block>>>(v, u, nx, ny);
    std::swap(u, v);
  }
}

__global__ void loosely(float* out, const float* in, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y <= ny)
    out[y * nx + x] = 2 * in[y * nx + x];
}
// No thread does what the condition lets it.
static void exact_grid(float* u, float* v, int nx, int ny) {
  const dim3 block(8, 8), grid(nx / 8, ny / 8);
#pragma gpurma persistent distribute(u, v : rows(ny, nx))
  for (int step = 0; step < 3; ++step) {
    loosely<<<grid, block>>>(v, u, nx, ny);
    std::swap(u, v);
  }
}

static void other_ways(float* u, float* v, int nx, int ny, int steps) {
  const dim3 block(8, 8), grid(nx / 8, ny / 8);
// WAYS: error: the persistent region at {{.*}}region_mistaken_sizes.cu:[[@LINE+1]]: process {{[01]}} has run {{[56]}} launches, and process {{[01]}} {{[56]}}; the variables that lead through the region are to have the same values in all processes
#pragma gpurma persistent distribute(u, v : rows(ny, nx))
  for (int step = 0; step < steps; ++step) {
    loosely<<<grid, block>>>(v, u, nx, ny);
    std::swap(u, v);
  }
}

static void other_turns(float* u, float* v, int nx, int ny, int last) {
  const dim3 block(8, 8), grid(nx / 8, ny / 8);
// TURNS: error: the persistent region at {{.*}}region_mistaken_sizes.cu:[[@LINE+1]]: process {{[01]}} has run 5 launches, and process {{[01]}} as many, but not the same; the variables that lead through the region are to have the same values in all processes
#pragma gpurma persistent distribute(u, v : rows(ny, nx))
  for (int step = 0; step < 5; ++step) {
    if (step < last)
      loosely<<<grid, block>>>(v, u, nx, ny);
    else
      loosely<<<grid, block>>>(u, v, nx, ny);
    std::swap(u, v);
  }
}

int main(int argc, char** argv) {
  const int nx = 40 * argc / 2, ny = 64;
  float* u = array_of_numbers<float>((ny + 2) * (nx + 2));
  float* v = array_of_numbers<float>((ny + 2) * (nx + 2));
  if (std::strcmp(argv[1], "rows") == 0)
    forgotten_rows(u, v, nx, ny);
  if (std::strcmp(argv[1], "loose") == 0)
    exact_grid(u, v, nx, ny);
  if (std::strcmp(argv[1], "ways") == 0)
    other_ways(u, v, nx, ny, is_first_process() ? 5 : 6);
  if (std::strcmp(argv[1], "turns") == 0)
    other_turns(u, v, nx, ny, is_first_process() ? 3 : 4);
  CHECK(cudaDeviceSynchronize());
}
