// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Kernels in one dimension whose threads first store into arrays of rows and columns, and then work together on what they add up: the
// two updates of conjugate gradients, a product with what a stencil has just stored, loops by whole grids, a most, numbers of blocks.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t
// RUN: %gpurmacc_cpu -Rgpurma -fsyntax-only %s 2>&1 | FileCheck --check-prefix=REMARK %s
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=1 %mpirun -np 2 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=4 GPURMA_GHOST_ROWS=8 %mpirun -np 3 %t | diff - %t.expected
// CHECK: solver {{[1-9][0-9]*}} {{[1-9][0-9]*}} {{[1-9][0-9]*}}
// CHECK: blocks {{[1-9][0-9]*}} {{[1-9][0-9]*}}
// CHECK: volume {{[1-9][0-9]*}} {{[1-9][0-9]*}}
// REMARK: stage 'apply' reads 'w', reads 'p' with halo 1, writes 'w' (publishes nothing), reduces '*pw' (once for all tiles)
// REMARK: stage 'update' {{.*}} writes 'u' (publishes nothing), writes 'r' (publishes nothing), reduces '*rr' (once for all tiles)
#include "Inputs/region.h"

#include <utility>

constexpr int ny = 61, nx = 45, n = ny * nx;
using number = long long;
using total = unsigned long long;

// A stencil and the product with what it stores, in blocks of 96 threads.
template <int Threads> __device__ total sum_of_block(total value) {
  __shared__ total part[Threads];
  part[threadIdx.x] = value;
  __syncthreads();
  for (unsigned apart = 64; apart > 0; apart /= 2) {
    if (threadIdx.x < apart && threadIdx.x + apart < Threads)
      part[threadIdx.x] += part[threadIdx.x + apart];
    __syncthreads();
  }
  return part[0];
}
template <int Threads> __global__ void apply(number *w, const number *p, total *pw, int ny, int nx) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  total mine = 0;
  if (i < ny * nx) {
    const int y = i / nx;
    w[i] = (4 * p[i] - (y > 0 ? p[i - nx] : 0) - (y < ny - 1 ? p[i + nx] : 0)) % 1009;
    mine = (w[i] * p[i] + 2000000) % 977;
  }
  const total all = sum_of_block<Threads>(mine);
  if (threadIdx.x == 0)
    atomicAdd(pw, all);
}
// Two updates and a norm; another one behind a condition of its own.
__device__ void store(number *array, int i, number value) { array[i] = value; }
__global__ void update(number *u, number *r, const number *p, const number *w, number alpha, total *rr, int n) {
  __shared__ total part[128];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  total mine = 0;
  if (i < n) {
    u[i] += alpha * p[i];
    store(r, i, (r[i] - alpha * w[i]) % 1013);
    mine = (r[i] * r[i]) % 1000;
  }
  if (i < n && i % 45 == 0)
    u[i] %= 100003;
  part[threadIdx.x] = mine;
  for (unsigned apart = blockDim.x / 2; apart > 0; apart /= 2) {
    __syncthreads();
    if (threadIdx.x < apart)
      part[threadIdx.x] += part[threadIdx.x + apart];
  }
  if (threadIdx.x == 0)
    atomicAdd(rr, part[0]);
}
// By whole grids.
__global__ void direction(number *p, const number *r, number beta, total *most, int n) {
  total mine = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    p[i] = (r[i] + beta * p[i]) % 1019;
    const total here = (p[i] * p[i]) % 1021;
    mine = here > mine ? here : mine;
  }
  for (int apart = 16; apart > 0; apart /= 2) {
    const total other = __shfl_down_sync(0xffffffff, mine, apart);
    mine = other > mine ? other : mine;
  }
  if (threadIdx.x % 32 == 0)
    atomicMax(most, mine);
}
// The host adds up what the blocks leave.
__global__ void decay(number *u, total *partial, int n) {
  __shared__ total part[64];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  part[threadIdx.x] = 0;
  if (i < n) {
    u[i] = 3 * u[i] % 1031;
    part[threadIdx.x] = (u[i] + 2000) % 97;
  }
  __syncthreads();
  for (unsigned apart = 32; apart > 0; apart /= 2) {
    if (threadIdx.x < apart)
      part[threadIdx.x] += part[threadIdx.x + apart];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    partial[blockIdx.x] = part[0];
}
// Three dimensions.
__global__ void grow(int *field, total *sum, int cells) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  total mine = 0;
  if (c < cells) {
    field[c] = (field[c] * 5 + c) % 1033;
    mine = field[c];
  }
  for (int apart = 16; apart > 0; apart /= 2)
    mine += __shfl_xor_sync(0xffffffff, mine, apart);
  if (threadIdx.x % 32 == 0)
    atomicAdd(sum, mine);
}

template <class T> static total ordered_sum(const T *array, int count) {
  T copy[n];
  cudaMemcpy(copy, array, count * sizeof *array, cudaMemcpyDeviceToHost);
  total sum = 0;
  for (int i = 0; i < count; ++i)
    sum = (sum * 31 + static_cast<total>(copy[i] + 4000000)) % 1000003;
  return sum;
}
static total value_of(const total *scalar) {
  total value;
  cudaMemcpy(&value, scalar, sizeof value, cudaMemcpyDeviceToHost);
  return value;
}

int main() {
  number *u, *r, *p, *w, start[n];
  int *field, first[n];
  total *rr, *pw, *most, *partial, host[(n + 63) / 64];
  for (int i = 0; i < n; ++i) {
    start[i] = i * 37 % 101;
    first[i] = i * 13 % 89;
  }
  for (number **each : {&u, &r, &p, &w}) {
    cudaMalloc(each, sizeof start);
    cudaMemcpy(*each, start, sizeof start, cudaMemcpyHostToDevice);
  }
  cudaMalloc(&field, sizeof first);
  cudaMemcpy(field, first, sizeof first, cudaMemcpyHostToDevice);
  for (total **each : {&rr, &pw, &most}) {
    cudaMalloc(each, sizeof **each);
    cudaMemset(*each, 0, sizeof **each);
  }
  cudaMalloc(&partial, sizeof host);

  total norm = 0, norms = 0;
#pragma gpurma persistent distribute(u, r, p, w : rows(ny, nx)) reduce(+ : *rr, *pw) reduce(max : *most)
  for (int it = 0; it < 7; ++it) {
    apply<96><<<(n + 95) / 96, 96>>>(w, p, pw, ny, nx);
    cudaMemset(rr, 0, sizeof *rr);
    update<<<(n + 127) / 128, 128>>>(u, r, p, w, 3, rr, n);
    cudaMemcpy(&norm, rr, sizeof norm, cudaMemcpyDeviceToHost);
    norms += norm;
    direction<<<5, 64>>>(p, r, norm % 5, most, n);
  }
  if (is_first_process())
    std::printf("solver %llu %llu %llu\n", ordered_sum(u, n) + ordered_sum(r, n) + ordered_sum(p, n), norms + value_of(pw), value_of(most));

  const int blocks = (n + 63) / 64;
  total sums = 0;
#pragma gpurma persistent distribute(u : rows(ny, nx))
  for (int it = 0; it < 4; ++it) {
    decay<<<blocks, 64>>>(u, partial, n);
    cudaMemcpy(host, partial, blocks * sizeof *host, cudaMemcpyDeviceToHost);
    total sum = 0;
    for (int b = 0; b < blocks; ++b)
      sum += host[b];
    sums += sum * it;
  }
  if (is_first_process())
    std::printf("blocks %llu %llu\n", ordered_sum(u, n), sums);

  const int nz = 9, sy = 13, sx = 21, cells = nz * sy * sx;
  cudaMemset(pw, 0, sizeof *pw);
#pragma gpurma persistent distribute(field : rows(nz, sy, sx)) reduce(+ : *pw)
  for (int it = 0; it < 5; ++it)
    grow<<<(cells + 63) / 64, 64>>>(field, pw, cells);
  if (is_first_process())
    std::printf("volume %llu %llu\n", ordered_sum(field, cells), value_of(pw));
  for (void *each : {static_cast<void *>(u), static_cast<void *>(r), static_cast<void *>(p), static_cast<void *>(w), static_cast<void *>(field),
                     static_cast<void *>(rr), static_cast<void *>(pw), static_cast<void *>(most), static_cast<void *>(partial)})
    cudaFree(each);
}
