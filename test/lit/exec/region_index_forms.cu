// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Subscripts as programs have them: periodic rows by a mask; an element that is chosen by min and stored into behind a guard, beside a
// tile with its edges; a first row in a variable of the host that nothing changes; a kernel template with constants of the function
// that launches it; rows in structured bindings; unsigned numbers below zero, which are large ones; and rows that are as long as the grid.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t --gpurma-print-after=InferStages | FileCheck --check-prefix=PLAN %s
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided | sort -u > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | sort -u | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 3 %t | sort -u | diff - %t.expected
// CHECK: chosen {{[1-9]}}
// CHECK: grid {{[1-9]}}
// CHECK: inside {{[1-9]}}
// CHECK: mask {{[1-9]}}
// CHECK: parts {{[1-9]}}
// PLAN: stage masked: rows y; writes out (own), published (y -1..1); reads in (x whole, y -1..1 periodic)
// PLAN: stage chosen: rows y; writes out (own), published (y -1..1); reads in (y -1..1)
// PLAN: stage inside: rows y; writes out (y 1..1), published (y 0..2); reads in (y 0..2)
// PLAN: stage of_grid: rows y; writes out (own), published (y -1..1); reads in (x -1..1, y -1..1)
#include "Inputs/region.h"

#include <cstdio>
#include <utility>

typedef unsigned long long number;
constexpr int N = 64;

__global__ void masked(number *out, const number *in) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= N || y >= N)
    return;
  const int up = (y - 1) & (N - 1), down = (y + 1) & (N - 1), left = (x - 1) & (N - 1);
  out[y * N + x] = in[up * N + x] * 3 + in[down * N + x] * 5 + in[y * N + left];
}

template <int Width, int Height> __global__ void chosen(number *out, const number *in, int w, int h, int pitch) {
  __shared__ number tile[(Height + 2) * Width];
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const int at = min(x, w - 1) + min(y, h - 1) * pitch, own = (threadIdx.y + 1) * Width + threadIdx.x;
  tile[own] = in[at];
  if (threadIdx.y == 0) {
    const int first = blockIdx.y * blockDim.y - 1, behind = blockIdx.y * blockDim.y + blockDim.y;
    tile[threadIdx.x] = in[max(first, 0) * pitch + min(x, w - 1)];
    tile[(Height + 1) * Width + threadIdx.x] = in[min(behind, h - 1) * pitch + min(x, w - 1)];
  }
  __syncthreads();
  if (x >= w || y >= h)
    return;
  out[at] = tile[own - Width] * 3 + tile[own + Width] * 5 + tile[own];
}

__global__ void inside(number *out, const number *in, int first, int last, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y + first;
  if (x < nx && y < last)
    out[y * nx + x] = in[(y - 1) * nx + x] * 3 + in[(y + 1) * nx + x] * 5;
}

struct point {
  int x, y;
};

__global__ void parts(number *out, const number *in) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= N || y + 3 > N)
    return;
  point of{x, y};
  auto &[column, row] = of;
  row += 2;
  const long long beyond = static_cast<unsigned>(x - 5);
  const int behind = y + (static_cast<unsigned>(x - 7) >> 31), far = beyond >= N ? y + 2 : y;
  unsigned all = 0;
  all = ~all;
  const int next = y + static_cast<int>(all / 2147483647u) - 1;
  out[y * N + x] = in[of.y * N + of.x] * 3 + in[behind * N + x] * 5 + in[far * N + x] * 7 + in[next * N + x] * 11;
}

void sweep(number *to, const number *from, int w, int h, int pitch) {
  constexpr int width = 16;
  constexpr int height = 4;
  chosen<width, height><<<dim3((w + width - 1) / width, (h + height - 1) / height), dim3(width, height)>>>(to, from, w, h, pitch);
}

void print(const char *name, const number *a, int n) {
  number total = 0;
  for (number value : host_copy(a, n))
    total = total * 31 + value;
  std::printf("%s %llu\n", name, total);
}

__global__ void of_grid(number *out, const number *in) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const int i = x + y * blockDim.x * gridDim.x;
  if (x >= N || y >= N)
    return;
  int top = i - N, bottom = i + N, left = i - 1, right = i + 1;
  if (x == 0)
    ++left;
  if (x == N - 1)
    --right;
  if (y == 0)
    top += N;
  if (y == N - 1)
    bottom -= N;
  out[i] = (in[top] + 3 * in[bottom] + 5 * in[left] + 7 * in[right]) % 100999;
}

int main() {
  const auto initial = [](std::size_t i) { return i * 37 % 101; };
  number *u = device_array<number>(N * N, initial), *v = device_array<number>(N * N, initial);
  const dim3 block(16, 4), grid(N / 16, N / 4);
#pragma gpurma persistent distribute(u, v : rows(N, N))
  for (int it = 0; it < 7; ++it) {
    masked<<<grid, block>>>(v, u);
    std::swap(u, v);
  }
  print("mask", u, N * N);

  int w = 51, h = 59;
#pragma gpurma persistent distribute(u, v : rows(h, w))
  for (int it = 0; it < 7; ++it) {
    sweep(v, u, w, h, w);
    std::swap(u, v);
  }
  print("chosen", u, N * N);

  int nx = 40, ny = 50, first = 1, last = ny - 1;
#pragma gpurma persistent distribute(u, v : rows(ny, nx))
  for (int it = 0; it < 7; ++it) {
    inside<<<dim3((nx + 15) / 16, (ny + 3) / 4), block>>>(v, u, first, last, nx);
    std::swap(u, v);
  }
  print("inside", u, N * N);

#pragma gpurma persistent distribute(u, v : rows(N, N))
  for (int it = 0; it < 7; ++it) {
    parts<<<grid, block>>>(v, u);
    std::swap(u, v);
  }
  print("parts", u, N * N);

#pragma gpurma persistent distribute(u, v : rows(N, N))
  for (int it = 0; it < 7; ++it) {
    of_grid<<<grid, block>>>(v, u);
    std::swap(u, v);
  }
  print("grid", u, N * N);
}
