// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Kernels with objects whose copy constructors and assignments read arrays, or change which element is meant.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=4 %mpirun -np 3 %t | diff - %t.expected
// CHECK: copied {{[1-9][0-9]*}}
#include "Inputs/region.h"

#include <utility>

constexpr int ny = 64, nx = 24;

struct Around {
  const int *place;
  int sum = 0;
  __device__ explicit Around(const int *p) : place(p) {}
  __device__ Around(const Around &other) : place(other.place) { sum = place[-nx] * 3 + place[2 * nx]; }
};

struct Pair { // copied by its members
  Around around;
  int factor;
};

struct Place {
  int row;
  __device__ explicit Place(int y) : row(y) {}
  __device__ Place(const Place &) = default;
  __device__ Place &operator=(const Place &other) {
    row = other.row - 1;
    return *this;
  }
};

__global__ void copied(const int *u, int *v) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y < 1 || y >= ny - 2)
    return;
  const Around first(u + y * nx + x);
  const Around second = first;
  v[y * nx + x] = (u[y * nx + x] + second.sum) % 1009;
}

__global__ void assigned(const int *u, int *v) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y < 1 || y >= ny - 1)
    return;
  const Place here(y);
  Place above(0);
  above = here;
  v[y * nx + x] = (u[y * nx + x] + 5 * u[above.row * nx + x]) % 1009;
}

__global__ void nested(const int *u, int *v) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y < 1 || y >= ny - 2)
    return;
  const Pair first{Around(u + y * nx + x), 2};
  const Pair second = first;
  v[y * nx + x] = (u[y * nx + x] + second.around.sum * second.factor) % 1009;
}

int main() {
  int *u = device_array<int>(ny * nx, [](std::size_t i) { return i * 37 % 101; });
  int *v = device_array<int>(ny * nx, [](std::size_t i) { return i * 41 % 103; });
  const dim3 block(8, 4), grid((nx + 7) / 8, (ny + 3) / 4);
#pragma gpurma persistent distribute(u, v : rows(ny, nx))
  for (int i = 0; i < 15; ++i) {
    copied<<<grid, block>>>(u, v);
    assigned<<<grid, block>>>(v, u);
    nested<<<grid, block>>>(u, v);
    std::swap(u, v);
  }
  int sum = 0, at = 0;
  for (int value : host_copy(u, ny * nx))
    sum += value * (1 + at++ % 7);
  if (is_first_process())
    std::printf("copied %d\n", sum);
  CHECK(cudaFree(u));
  CHECK(cudaFree(v));
}
