// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Kernels for fixed rows and borders that store one value into several elements, `u[i] = u[j] = v`, of which each row's threads do their own,
// or have several stores in one statement; into arrays of one shape whose elements differ in size.
// RUN: %gpurmacc_cpu -I%S -Wall -Wextra -Werror --gpurma-print-after=InferStages %s -o %t | FileCheck --check-prefix=STAGES %s
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S -Wno-unused %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=1 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 3 %t quiet | diff - %t.expected
// RUN: %lower_cpu -I%S %s | grep -v '^ *//' | FileCheck --check-prefix=LOWERED %s
// CHECK: u {{[1-9]}}
// CHECK: v {{[1-9]}}
// CHECK: w {{[1-9]}}
#include "Inputs/region.h"

constexpr int ny = 47, nx = 37;

// The value in between is a whole number.
// STAGES: stage lids: rows y of stores into fixed rows; writes u (own), published (y -1..1); reads v (y 0..4 periodic); writes v (own), published (y -1..4)
// LOWERED: gpurma_rows.element(u[x]) = gpurma_rows.element(v[(ny - 1) * nx + x]) = ::gpurma::stages::value_if(gpurma_rows.have(u[x]) || gpurma_rows.have(v[(ny - 1) * nx + x]), [&] { return 0.75 * x; });
__global__ void lids(double* u, int* v) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= nx)
    return;
  u[x] = v[(ny - 1) * nx + x] = 0.75 * x;
  const int below = v[2 * nx + x];
  v[nx + x] = (v[x] = v[(ny - 2) * nx + x] = below / 2 + x);
}

// STAGES: stage walls: rows y of stores into fixed rows; writes u (x whole)
struct walls_of {
  int cold;
  float by;
};
__global__ void walls(double* u, walls_of all) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t < ny)
    u[t * nx] = u[t * nx + nx - 1] = all.cold + 2 * all.by;
  if (t < nx)
    u[t] = u[(ny - 1) * nx + t] = (all.cold + 2 * all.by);
}

struct pair {
  int first, second;
};
__global__ void ends(pair* w, pair value) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < nx)
    w[x] = w[(ny - 1) * nx + x] = value, (w[nx + x] = {x, value.first}, w[3 * nx + x].second = x);
}

__global__ void smooth(double* u, int* v, pair* w, const double* before, const int* old, const pair* last) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, i = y * nx + x;
  if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1)
    return;
  u[i] = 0.25 * (before[i - 1] + before[i + 1] + before[i - nx] + before[i + nx]);
  v[i] = (old[i - nx] + 3 * old[i + nx]) % 1013;
  w[i] = {(last[i - nx].first + last[i + nx].second) % 1013, last[i].first};
}

int main(int argc, char**) {
  double *u = array_of_numbers<double>(ny * nx), *before = array_of_numbers<double>(ny * nx);
  int *v = array_of_numbers<int>(ny * nx), *old = array_of_numbers<int>(ny * nx);
  int* numbers = array_of_numbers<int>(4 * ny * nx);
  pair *w = reinterpret_cast<pair*>(numbers), *last = w + ny * nx;
  const dim3 block(16, 4), grid((nx + 15) / 16, (ny + 3) / 4);
#pragma gpurma persistent distribute(u, before, v, old, w, last : rows(ny, nx))
  for (int step = 0; step < 7; ++step) {
    lids<<<3, 16>>>(before, old);
    walls<<<4, 16>>>(before, walls_of{step, 0.25f});
    ends<<<3, 16>>>(last, pair{step, step + 1});
    smooth<<<grid, block>>>(u, v, w, before, old, last);
    std::swap(u, before);
    std::swap(v, old);
    std::swap(w, last);
  }
  if (argc < 2 || is_first_process()) {
    print_sum("u", before, ny * nx);
    print_sum("v", old, ny * nx);
    print_sum("w", reinterpret_cast<int*>(last), 2 * ny * nx);
  }
  return cudaDeviceSynchronize() != cudaSuccess;
}
