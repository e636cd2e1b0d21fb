// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Vector fields with a component behind the other: Maxwell's equations in one and two dimensions, with a number of components that is
// known when the region begins, norms by blocks that work together, stated halos, and a put before a launch.
// RUN: %gpurmacc_cpu %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided | sort > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=4 %t quiet | sort | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t quiet | sort | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t quiet | sort | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 5 %t quiet | sort | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 GPURMA_DISTRIBUTED_ARRAYS=banded %mpirun -np 3 %t quiet | sort | diff - %t.expected
// CHECK-DAG: line: {{[0-9a-f]+}} {{[1-9]}}
// CHECK-DAG: plane: {{[0-9a-f]+}}
#include "Inputs/region.h"

#include <cstdio>
#include <utility>

typedef unsigned long long number;

// Along x: E has y and z, so has B, one behind the other in a field.
__global__ void electric(number *field, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 1 || i >= n)
    return;
  number *Ey = field, *Ez = field + n;
  const number *By = field + 2 * n, *Bz = field + 3 * n;
  Ey[i] = (Ey[i] + 3 * Bz[i] + 5 * Bz[i - 1]) % 10007;
  Ez[i] = (Ez[i] + 3 * By[i] + 5 * By[i - 1]) % 10007;
}
__global__ void magnetic(number *field, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n - 1)
    return;
  field[2 * n + i] = (field[2 * n + i] + field[n + i + 1] + 2 * field[n + i]) % 10007;
  field[3 * n + i] = (field[3 * n + i] + field[i + 1] + 2 * field[i]) % 10007;
}
__global__ void norm(const number *field, number *sum, int n, int components) {
  __shared__ number part[64];
  number mine = 0;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    for (int c = 0; c < components; ++c)
      mine += field[c * n + i] * (c + 1);
  part[threadIdx.x] = mine;
  __syncthreads();
  for (int w = blockDim.x / 2; w > 0; w /= 2) {
    if (threadIdx.x < w)
      part[threadIdx.x] += part[threadIdx.x + w];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    atomicAdd(sum, part[0]);
}

// Structures by value, with the field and its sizes.
struct fields {
  number *E, *H;
  int nx, ny;
};
__global__ void update_e(fields f) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= f.nx || y >= f.ny || x == 0 || y == 0)
    return;
  const int n = f.nx * f.ny, i = y * f.nx + x;
  f.E[i] = (f.E[i] + 2 * f.H[2 * n + i] + f.H[2 * n + i - f.nx]) % 10007;
  f.E[n + i] = (f.E[n + i] + 2 * f.H[2 * n + i] + f.H[2 * n + i - 1]) % 10007;
  f.E[2 * n + i] = (f.E[2 * n + i] + 2 * f.H[n + i] + f.H[n + i - 1] + 3 * f.H[i] + f.H[i - f.nx]) % 10007;
}
__global__ void update_h(fields f) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= f.nx - 1 || y >= f.ny - 1)
    return;
  const int n = f.nx * f.ny, i = y * f.nx + x;
  f.H[i] = (f.H[i] + 2 * f.E[2 * n + i + f.nx] + f.E[2 * n + i]) % 10007;
  f.H[n + i] = (f.H[n + i] + 2 * f.E[2 * n + i + 1] + f.E[2 * n + i]) % 10007;
  f.H[2 * n + i] = (f.H[2 * n + i] + 2 * f.E[n + i + 1] + f.E[n + i] + 3 * f.E[i + f.nx] + f.E[i]) % 10007;
}
// What is read is known to the user only.
__global__ void mix(fields f, const int *shift) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < f.nx && y < f.ny)
    for (int c = 0; c < 3; ++c) {
      const int row = min(max(y + shift[c], 0), f.ny - 1);
      f.H[(c * f.ny + y) * f.nx + x] = (f.E[(shift[c + 3] * f.ny + row) * f.nx + x] + c) % 10009;
    }
}

template <class T> static T *device(size_t n, T most) {
  return device_array<T>(n, [=](size_t i) { return i * 7919 / 13 % most; });
}

int main(int argc, char **) {
  // So that no compiler knows it.
  const int n = 4099, components = argc > 0 ? 4 : 3;
  number *field = device<number>(components * n, 10007), *sum = nullptr, last = 0;
  cudaMallocManaged(&sum, sizeof(number));
#pragma gpurma persistent distribute(field : components(components), rows(n)) reduce(+ : *sum)
  for (int step = 0; step < 20; ++step) {
    electric<<<(n + 63) / 64, 64>>>(field, n);
    magnetic<<<(n + 63) / 64, 64>>>(field, n);
    *sum = 0;
    norm<<<(n + 63) / 64, 64>>>(field, sum, n, components);
    cudaDeviceSynchronize();
    last = *sum;
  }
  const auto line = ordered_sum(field, components * n);

  const int nx = 61, ny = 93;
  fields f{device<number>(3 * nx * ny, 10007), device<number>(3 * nx * ny, 10009), nx, ny};
  int *shift = device<int>(6, 3);
  const int shifts[6] = {-2, 1, 2, 2, 0, 1};
  cudaMemcpy(shift, shifts, sizeof shifts, cudaMemcpyHostToDevice);
  const dim3 block(16, 4), grid((nx + 15) / 16, (ny + 3) / 4);
#pragma gpurma persistent distribute(f.E, f.H : components(3), rows(f.ny, f.nx)) halo(f.E : 2)
  for (int step = 0; step < 15; ++step) {
#pragma gpurma put(f.E : halo(2)) notify
    update_e<<<grid, block>>>(f);
    update_h<<<grid, block>>>(f);
    if (step % 3 == 1)
      mix<<<grid, block>>>(f, shift);
  }
  const auto plane = ordered_sum(f.E, 3 * nx * ny) ^ ordered_sum(f.H, 3 * nx * ny);
  if (!is_quiet(argc))
    printf("line: %llx %llu\nplane: %llx\n", line, last, plane);
}
