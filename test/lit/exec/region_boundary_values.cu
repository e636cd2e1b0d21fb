// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Kernels for fixed rows that keep what they read in variables, for one store or several, by way of others, and for a point: only the
// threads of rows that are stored into read it.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t --gpurma-print-after=InferStages | FileCheck --check-prefix=PLAN %s
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided | sort -u > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | sort -u | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 3 %t | sort -u | diff - %t.expected
// RUN: env GPURMA_DISTRIBUTED_ARRAYS=banded GPURMA_CPU_RANKS=2 %mpirun -np 4 %t | sort -u | diff - %t.expected
// RUN: %lower_cpu %s | grep -v '^ *//' | FileCheck --check-prefix=LOWERED %s
// CHECK: walls {{[1-9]}}
// PLAN: stage walls: rows y of stores into fixed rows; reads u (y -1..1); writes u (own)
// PLAN: stage lid: rows y of stores into fixed rows; reads u (own); writes u (own), published (y -1..1); reads v (y -1..-1); writes v (own)
// LOWERED: const number below = ::gpurma::stages::value_if(gpurma_rows.have(u[x]), [&] { return u[nx + x]; });
// LOWERED: number a = ::gpurma::stages::value_if(gpurma_rows.have(v[(ny - 1) * nx + x]) || gpurma_rows.have(u[(ny - 1) * nx + x]), [&] { return
#include "Inputs/region.h"

#include <cstdio>
#include <utility>

typedef unsigned long long number;

__global__ void diffuse(number *out, const number *in, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y > 0 && y < ny - 1)
    out[y * nx + x] = in[(y - 1) * nx + x] * 3 + in[(y + 1) * nx + x] * 5 + in[y * nx + x];
}

__global__ void walls(number *u, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= nx)
    return;
  const number below = u[nx + x];
  u[x] = below;
  number above = u[(ny - 2) * nx + x];
  u[(ny - 1) * nx + x] = above + 1;
}

// The value that a row has before it is stored into, for another array.
__global__ void lid(number *u, number *v, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < nx) {
    number a = u[(ny - 1) * nx + x] + v[(ny - 2) * nx + x], b = a * 7;
    u[(ny - 1) * nx + x] = 9;
    v[(ny - 1) * nx + x] = b;
    u[(ny - 1) * nx + x] += a;
  }
}

int main() {
  const int ny = 61, nx = 37;
  const auto initial = [](std::size_t i) { return i * 37 % 101; };
  number *u = device_array<number>(ny * nx, initial), *v = device_array<number>(ny * nx, initial);
  const dim3 block(16, 4), grid((nx + 15) / 16, (ny + 3) / 4);
#pragma gpurma persistent distribute(u, v : rows(ny, nx))
  for (int it = 0; it < 9; ++it) {
    diffuse<<<grid, block>>>(v, u, ny, nx);
    walls<<<(nx + 31) / 32, 32>>>(v, ny, nx);
    lid<<<(nx + 31) / 32, 32>>>(v, u, ny, nx);
    std::swap(u, v);
  }
  number total = 0;
  for (const number *array : {u, v})
    for (number value : host_copy(array, ny * nx))
      total = total * 31 + value;
  std::printf("walls %llu\n", total);
}
