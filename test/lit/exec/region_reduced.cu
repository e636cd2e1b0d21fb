// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Scalars that kernels of a region reduce, an update for each point: added up by threads, or by atomics where the result is used, the
// name is qualified or the function is the program's own; several in one kernel, all types and operations, before an early return, from
// a macro, a template and a lambda, in kernels with a barrier, and in several launches between two reads. Sums of floats are of
// integers, so that their order does not matter.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S -Wno-unused %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=1 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 3 %t 1 | diff - %t.expected
// CHECK-COUNT-6: step
// CHECK: last 17, marks 18 and 7
#include "Inputs/region.h"

#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#define ADD(value) atomicAdd(sum, value)

__global__ void step(int *out, const int *in, float *sum, double *squares, unsigned *count, unsigned long long *hash, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny)
    return;
  const int i = y * nx + x;
  atomicAdd(count, 1);
  if (x == 0 || x == nx - 1 || y == 0 || y == ny - 1) {
    out[i] = in[i];
    return;
  }
  const int value = (in[i - 1] + 3 * in[i + 1] + 5 * in[i - nx] + 7 * in[i + nx]) % 101;
  out[i] = value;
  ADD(value - in[i]);
  const auto add_square = [&](int of) { atomicAdd(squares, of * of); };
  add_square(value);
  for (unsigned k = 0; k < 2; atomicAdd(hash, i * 7919ull + value), ++k)
    ;
}

// A function of the program, which CUDA has not for floats.
__device__ float atomicMax(float *to, float value) {
  int *const bits = reinterpret_cast<int *>(to);
  int seen = *bits;
  while (__int_as_float(seen) < value) {
    const int before = atomicCAS(bits, seen, __float_as_int(value));
    if (before == seen)
      break;
    seen = before;
  }
  return __int_as_float(seen);
}

template <class T, bool Least> __global__ void extremes(const int *in, T *most, T *least, float *largest, int nx, int ny) {
  __shared__ int values[4][10];
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const bool inside = x < nx && y < ny;
  values[threadIdx.y][threadIdx.x] = inside ? in[y * nx + x] : 50;
  __syncthreads();
  const int value = values[threadIdx.y][(threadIdx.x + 1) % blockDim.x];
  atomicMax(most, static_cast<T>(value * 3 + x * y));
  if constexpr (Least)
    atomicMin(least, static_cast<T>(value * 5 - x * y));
  atomicMax(largest, value * 0.5f + x);
}

// How many of the row's points are marked follows from the results.
__global__ void mark(const int *in, int *marks, int *marked, int *last, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny)
    return;
  const int more = in[y * nx + x] >= 0 ? 1 : 0;
  if (x == 3 && atomicAdd(marks, more) < 0)
    return;
  if (y == 2 && x < 7)
    ::atomicAdd(marked, more);
  atomicMax(last, x == 0 ? y : -1);
}

int main(int argc, char **) {
  gpurma::init();
  const bool quiet = is_quiet(argc);
  const int nx = 29, ny = 18, n = nx * ny;
  const dim3 block(10, 4), grid((nx + 9) / 10, (ny + 3) / 4); // the last warp is not full
  int *a, *b, *most, *least, *marks, *marked, *last;
  long long *wide_most, *wide_least;
  float *sum, *largest;
  double *squares;
  unsigned *count;
  unsigned long long *hash;
  cudaMalloc(&a, n * sizeof(int));
  cudaMalloc(&b, n * sizeof(int));
  cudaMallocManaged(&most, sizeof *most);
  cudaMallocManaged(&least, sizeof *least);
  cudaMallocManaged(&marks, sizeof *marks);
  cudaMallocManaged(&marked, sizeof *marked);
  cudaMallocManaged(&last, sizeof *last);
  cudaMallocManaged(&wide_most, sizeof *wide_most);
  cudaMallocManaged(&wide_least, sizeof *wide_least);
  cudaMallocManaged(&sum, sizeof *sum);
  cudaMallocManaged(&largest, sizeof *largest);
  cudaMallocManaged(&squares, sizeof *squares);
  cudaMallocManaged(&count, sizeof *count);
  cudaMallocManaged(&hash, sizeof *hash);
  std::vector<int> start(n);
  for (int i = 0; i < n; ++i)
    start[i] = i * 37 % 101;
  cudaMemcpy(a, start.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(b, start.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  *squares = 0.5;
  *count = 3;
  *hash = 11;
  *most = *last = -100000;
  *least = 100000;
  *wide_most = -1;
  *wide_least = 1;
  *sum = *largest = 0;
  float change = 0;
#pragma gpurma persistent distribute(a, b : rows(ny, nx)) reduce(+ : *sum, *squares, *count, *hash, *marks, *marked) reduce(max : *most, *wide_most, *largest, *last) reduce(min : *least, *wide_least)
  for (int i = 0; i < 6; ++i) {
    *sum = 0;
    *marks = 0;
    *marked = 0;
    step<<<grid, block>>>(b, a, sum, squares, count, hash, nx, ny);
    cudaDeviceSynchronize();
    change = *sum;
    std::swap(a, b);
    step<<<grid, block>>>(b, a, sum, squares, count, hash, nx, ny);
    extremes<int, true><<<grid, block>>>(b, most, least, largest, nx, ny);
    std::swap(a, b);
    extremes<long long, false><<<grid, block>>>(a, wide_most, wide_least, largest, nx, ny);
    mark<<<grid, block>>>(a, marks, marked, last, nx, ny);
    cudaDeviceSynchronize();
    printf("step %d: change %g, %g, squares %.17g, count %u, hash %llu, most %d, least %d, %lld to %lld, largest %g\n", i, change,
           static_cast<double>(*sum), *squares, *count, *hash, *most, *least, *wide_least, *wide_most, static_cast<double>(*largest));
  }
  if (!quiet)
    std::printf("last %d, marks %d and %d\n", *last, *marks, *marked);
}
