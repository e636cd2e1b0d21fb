// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Kernels with lambdas that have the object that made them, a copy of it, or of what a reference refers to, or that change by a pointer
// what they have a copy of; names for parts of an object that functions of the program's own return; members that others begin with; and
// values whose bits are read as another type's.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=4 %mpirun -np 3 %t | diff - %t.expected
// CHECK: captured {{[1-9][0-9]*}}
#include "Inputs/region.h"

#include <tuple>
#include <utility>

constexpr int ny = 64, nx = 24;

struct Offset {
  int rows;
  __device__ auto adder() const {
    return [this](int y) { return y + rows; };
  }
  template <class F> __device__ int twice(F add, int y) const { return add(y) + rows; }
  __device__ int before_change(int y) {
    auto add = [*this](int row) { return row + rows; };
    rows = 0;
    return add(y) + rows;
  }
};

struct Place {
  int y, x;
  template <int I> __device__ int &get() { return I == 0 ? y : x; }
};
namespace std {
template <> struct tuple_size<Place> : integral_constant<size_t, 2> {};
template <size_t I> struct tuple_element<I, Place> { using type = int; };
} // namespace std

#define INSIDE(rows)                                                                                                             \
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;                                \
  if (x >= nx || y >= ny - rows)                                                                                                 \
  return

__global__ void of_another(const int *u, int *v) {
  INSIDE(2);
  const Offset two{2}, none{0};
  v[y * nx + x] = (u[y * nx + x] + 5 * u[none.twice(two.adder(), y) * nx + x]) % 1009;
}
__global__ void of_copy(const int *u, int *v) {
  INSIDE(3);
  Offset three{3};
  v[y * nx + x] = (u[y * nx + x] + 5 * u[three.before_change(y) * nx + x]) % 1009;
}
__global__ void of_reference(const int *u, int *v) {
  INSIDE(2);
  int row = y + 2;
  int &named = row;
  const auto kept = [named] { return named; };
  row = y;
  v[y * nx + x] = (u[row * nx + x] + 3 * u[kept() * nx + x]) % 1009;
}
__global__ void of_parts(const int *u, int *v) {
  INSIDE(3);
  Place place{y, x};
  auto &[row, column] = place;
  if (column % 2 == 0)
    row += 3;
  v[y * nx + x] = (u[y * nx + x] + 5 * u[place.y * nx + place.x]) % 1009;
}

__global__ void by_pointer(const int *u, int *v) {
  INSIDE(2);
  int row = y;
  int *named = &row;
  const auto move = [=] { *named = row + 2; };
  move();
  v[y * nx + x] = (u[y * nx + x] + 3 * u[row * nx + x]) % 1009;
}
struct Rows {
  int first, second = first + 1;
  __device__ Rows next() const { return Rows{first + 2}; }
};
__global__ void of_defaults(const int *u, int *v) {
  INSIDE(3);
  const Rows rows{y}, next = rows.next();
  v[y * nx + x] = (u[rows.second * nx + x] + 3 * u[next.second * nx + x]) % 1009;
}
__global__ void of_bits(const int *u, int *v) {
  INSIDE(2);
  v[y * nx + x] = static_cast<int>((__builtin_bit_cast(unsigned, u[(y + 2) * nx + x]) + 3 * u[y * nx + x]) % 1009);
}

int main() {
  int *u = device_array<int>(ny * nx, [](std::size_t i) { return i * 37 % 101; });
  int *v = device_array<int>(ny * nx, [](std::size_t i) { return i * 41 % 103; });
  const dim3 block(8, 4), grid((nx + 7) / 8, (ny + 3) / 4);
#pragma gpurma persistent distribute(u, v : rows(ny, nx))
  for (int i = 0; i < 15; ++i) {
    of_another<<<grid, block>>>(u, v);
    of_copy<<<grid, block>>>(v, u);
    of_reference<<<grid, block>>>(u, v);
    of_parts<<<grid, block>>>(v, u);
    by_pointer<<<grid, block>>>(u, v);
    of_defaults<<<grid, block>>>(v, u);
    of_bits<<<grid, block>>>(u, v);
  }
  print_sum("captured", v, ny * nx);
  CHECK(cudaFree(u));
  CHECK(cudaFree(v));
}
