// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Elements that are structures with arrays, as cells of lattice Boltzmann codes have their populations: by counters, tables and values
// that are loaded, through pointers, references and functions. Whatever part of an element is named, it is the element.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror -Rgpurma %s -o %t 2>&1 | FileCheck --check-prefix=HALO %s
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t quiet | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=4 %mpirun -np 3 %t quiet | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 5 %t quiet | diff - %t.expected
// CHECK: sum {{[0-9]+}}
// HALO: stage 'stream' reads 'from' with halo 1, writes 'to' (publishes 1 row to the process before, 1 to the one after)
// HALO: stage 'turn' reads 'cells', writes 'cells' (publishes 1 row to the process before, 1 to the one after)
#include "Inputs/region.h"

#include <array>
#include <cstdio>
#include <utility>

constexpr int Nx = 50, Ny = 77, N = Nx * Ny, Directions = 9;

struct Cell {
  int f[Directions];
  std::array<int, 3> moments;
  struct {
    int of[2][3];
    __device__ int &at(int i, int j) { return of[i][j]; }
  } tensor;
};
__constant__ int ex[Directions] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, ey[Directions] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
__constant__ int opposite[Directions] = {0, 3, 4, 1, 2, 7, 8, 5, 6};

__global__ void stream(Cell *to, const Cell *from, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny)
    return;
  Cell &cell = to[y * nx + x];
  for (int q = 0; q < Directions; ++q) {
    const int xs = x - ex[q], ys = y - ey[q];
    const bool inside = xs >= 0 && xs < nx && ys >= 0 && ys < ny;
    cell.f[q] = inside ? from[ys * nx + xs].f[q] : from[y * nx + x].f[opposite[q]];
  }
  const int *f = from[y * nx + x].f;
  const int *moments = &from[y * nx + x].moments[0];
  for (int k = 0; k < 3; ++k)
    cell.moments[k] = f[k + 3] + moments[k] % 100;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j)
      to[y * nx + x].tensor.of[i][j] = (from[y * nx + x].tensor.of[1 - i][2 - j] + i + f[opposite[j]]) % 1000;
}
__global__ void turn(Cell *cells, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny)
    return;
  Cell &cell = cells[y * nx + x];
  const int first = cell.f[0] % Directions;
  cell.f[first] += cell.tensor.at(1, 2); // a value that nothing is known of
  cell.f[first] %= 1000;
  cell.tensor.at(0, first % 3) += cell.moments[1];
}

int main(int argc, char **) {
  Cell *from = nullptr, *to = nullptr;
  std::vector<Cell> cells(N);
  for (int i = 0; i < N; ++i)
    for (int q = 0; q < Directions; ++q) {
      cells[i].f[q] = i * i * (q + 1) % 101;
      cells[i].moments[q % 3] = q;
      cells[i].tensor.of[q % 2][q % 3] = i % 7;
    }
  CHECK(cudaMalloc(&from, N * sizeof(Cell)));
  CHECK(cudaMalloc(&to, N * sizeof(Cell)));
  CHECK(cudaMemcpy(from, cells.data(), N * sizeof(Cell), cudaMemcpyHostToDevice));
  const dim3 block(16, 4), grid((Nx + 15) / 16, (Ny + 3) / 4);
#pragma gpurma persistent distribute(from, to : rows(Ny, Nx))
  for (int step = 0; step < 12; ++step) {
    stream<<<grid, block>>>(to, from, Nx, Ny);
    turn<<<grid, block>>>(to, Nx, Ny);
    std::swap(from, to);
  }
  if (!is_quiet(argc))
    std::printf("sum %lld\n", ordered_sum(reinterpret_cast<int *>(from), N * (sizeof(Cell) / sizeof(int))));
  CHECK(cudaFree(from));
  CHECK(cudaFree(to));
}
