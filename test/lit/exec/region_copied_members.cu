// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Copies and fills of members of an object, in a class template, and of arrays in structures that take turns.
// RUN: %gpurmacc_cpu %s -o %t
// RUN: grep -v "#pragma gpurma" %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 5 %t | diff - %t.expected
// CHECK: short {{[0-9]+}} {{[0-9]+}}
// CHECK: int {{[0-9]+}} {{[0-9]+}}
// CHECK: structures {{[0-9]+}} {{[0-9]+}} {{[0-9]+}}
#include "Inputs/region.h"

#include <cstdio>
#include <utility>
#include <vector>

template <class T> __global__ void step(T *out, const T *in, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x > 0 && x < nx && y > 0 && y < ny - 1)
    out[y * nx + x] += in[(y - 1) * nx + x] + 2 * in[(y + 1) * nx + x] - in[y * nx + x - 1];
}

template <class T> static T *array(int n, int seed) {
  std::vector<T> host(n);
  for (int i = 0; i < n; ++i)
    host[i] = static_cast<T>(i * 31 % 97 + seed);
  T *memory;
  cudaMalloc(&memory, n * sizeof(T));
  cudaMemcpy(memory, host.data(), n * sizeof(T), cudaMemcpyHostToDevice);
  return memory;
}
template <class T> static unsigned digest(const T *memory, int n) {
  std::vector<T> host(n);
  cudaMemcpy(host.data(), memory, n * sizeof(T), cudaMemcpyDeviceToHost);
  unsigned sum = 0;
  for (T value : host)
    sum = sum * 31 + static_cast<unsigned>(value);
  return sum;
}

template <class T> class Solver {
public:
  Solver(int ny, int nx) : ny(ny), nx(nx), u(array<T>(ny * nx, 1)), next(array<T>(ny * nx, 2)) {}
  void run(int steps) {
    const dim3 block(16, 4), grid((nx + 15) / 16, (ny + 3) / 4);
#pragma gpurma persistent distribute(u, next : rows(ny, nx))
    for (int i = 0; i < steps; ++i) {
      if (i % 3 == 0)
        cudaMemset(this->next, i, ny * nx * sizeof(T));
      step<T><<<grid, block>>>(next, u, ny, nx);
      cudaMemcpy(u, next, ny * nx * sizeof *u, cudaMemcpyDeviceToDevice);
    }
  }
  void print(const char *name) const {
    unsigned digests[] = {digest(u, ny * nx), digest(next, ny * nx)};
    if (is_first_process())
      std::printf("%s %u %u\n", name, digests[0], digests[1]);
  }

private:
  int ny, nx;
  T *u, *next;
};

struct Fields {
  int *u, *old;
};

int main(int argc, char **argv) {
  gpurma::init(&argc, &argv);
  Solver<short> small(45, 37);
  small.run(7);
  small.print("short");
  Solver<int> large(60, 20);
  large.run(8);
  large.print("int");
  const int ny = 53, nx = 30, n = ny * nx;
  Fields one{array<int>(n, 1), array<int>(n, 2)}, other{array<int>(n, 3), nullptr};
  other.old = one.old;
  const dim3 block(8, 4), grid((nx + 7) / 8, (ny + 3) / 4);
#pragma gpurma persistent distribute(one.u, other.u, one.old : rows(ny, nx))
  for (int i = 0; i < 9; ++i) {
    cudaMemcpy(one.old, one.u, n * sizeof(int), cudaMemcpyDeviceToDevice);
    step<int><<<grid, block>>>(other.u, one.old, ny, nx);
    std::swap(one.u, other.u);
  }
  unsigned digests[] = {digest(one.u, n), digest(other.u, n), digest(one.old, n)};
  if (is_first_process())
    std::printf("structures %u %u %u\n", digests[0], digests[1], digests[2]);
}
