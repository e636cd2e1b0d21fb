// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Loops over the elements of arrays and lists in regions, with and without launches, arrays of numbers that regions read and change, and
// switch statements with initialisers. In templates such a loop may be the region.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t 1 | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t 1 | diff - %t.expected
// CHECK: hash {{[0-9]+}} {{[0-9]+}} counted 5 9 {{[0-9.]+}}
// CHECK: templates {{[0-9]+}} {{[0-9]+}}
#include "Inputs/region.h"

#include <array>
#include <cstdio>
#include <utility>
#include <vector>

constexpr int nx = 21, ny = 33, n = nx * ny;

static int *make(int seed) {
  return device_array<int>(n, [=](size_t i) { return (i * 37 + seed) % 101; });
}
static unsigned long sum(const int *u) {
  std::vector<int> host(n);
  cudaMemcpy(host.data(), u, n * sizeof(int), cudaMemcpyDeviceToHost);
  unsigned long hash = 0;
  for (int i = 0; i < n; ++i)
    hash = (hash * 31 + host[i]) % 1000003;
  return hash;
}
__global__ void relax(int *out, const int *in, int nx, int ny, int w) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny)
    return;
  const int i = y * nx + x;
  out[i] = (3 * (y > 0 ? in[i - nx] : 0) + 5 * (y < ny - 1 ? in[i + nx] : 0) + in[i] + w) % 1009;
}
__global__ void colour(int *u, int nx, int ny, int parity) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y > 0 && y < ny - 1 && y % 2 == parity)
    u[y * nx + x] = (u[(y - 1) * nx + x] + 2 * u[(y + 1) * nx + x] + 1) % 1009;
}
template <class T> static void relax_by(T *u, T *v, const T (&weights)[3]) {
  const dim3 block(8, 4), grid((nx + 7) / 8, (ny + 3) / 4);
#pragma gpurma persistent distribute(u, v : rows(ny, nx))
  for (const T w : weights) {
    relax<<<grid, block>>>(v, u, nx, ny, w);
    std::swap(u, v);
  }
}
template <class List> static void relax_by_all(int *u, int *v, const List &weights) {
  const dim3 block(8, 4), grid((nx + 7) / 8, (ny + 3) / 4);
#pragma gpurma persistent distribute(u, v : rows(ny, nx))
  for (auto w : weights) {
    relax<<<grid, block>>>(v, u, nx, ny, w);
    std::swap(u, v);
  }
}
template <class T> static void colour_both(T *u) {
  const dim3 block(8, 4), grid((nx + 7) / 8, (ny + 3) / 4);
#pragma gpurma persistent distribute(u : rows(ny, nx))
  for (int parity : {0, 1})
    colour<<<grid, block>>>(u, nx, ny, parity);
}

int main(int argc, char **argv) {
  gpurma::init(&argc, &argv);
  const bool quiet = is_quiet(argc);
  const dim3 block(8, 4), grid((nx + 7) / 8, (ny + 3) / 4);
  int *u = make(1), *v = make(2);
  const int weights[3] = {3, 1, 4};
  std::array<int, 3> order{2, 0, 1};
  float seconds[2] = {0.5f, 0.25f}, total = 0;
  int counted[2] = {};
#pragma gpurma persistent distribute(u, v : rows(ny, nx))
  for (int it = 0; it < 5; ++it) {
    for (int parity : {1, 0})
      colour<<<grid, block>>>(u, nx, ny, parity);
    for (const auto &w : weights) {
      if (w == 1 && it % 2)
        continue;
      relax<<<grid, block>>>(v, u, nx, ny, w * weights[order[it % 3]]);
      std::swap(u, v);
      if (it == 4)
        break;
    }
    for (int *each : {u, v})
      colour<<<grid, block>>>(each, nx, ny, it % 2);
    for (int &k : order)
      k = (k + 1) % 3;
    for (double s : seconds)
      total += s;
    for (auto first : order)
      for (auto second : order)
        counted[1] += first < second && it < 3;
    switch (const int kind = it % 4; kind) {
    case 0:
    case 1:
      relax<<<grid, block>>>(v, u, nx, ny, kind);
      std::swap(u, v);
      [[fallthrough]];
    default:
      ++counted[0];
    }
  }
  if (!quiet)
    std::printf("hash %lu %lu counted %d %d %.2f\n", sum(u), sum(v), counted[0], counted[1], total);
  else
    static_cast<void>(sum(u) + sum(v));
  relax_by(u, v, weights);
  relax_by_all(u, v, std::vector<int>{7, 2, 8, 5});
  relax_by_all(v, u, order);
  colour_both(u);
  const unsigned long first = sum(u), second = sum(v);
  if (!quiet)
    std::printf("templates %lu %lu\n", first, second);
}
