// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// `a < b ? a : b` of two variables, elements or arrays is an lvalue that kernels do not store to: what is read of both arms counts, and the value is
// one of two. The region itself changes one of two variables.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror -Rgpurma %s -o %t 2>&1 | %filecheck --check-prefix=REMARK-CHECK %s
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 3 %t | sort -u | diff - %t.expected
// CHECK: hash
#include <cstdio>
#include <utility>
#include <vector>

__device__ inline int smaller(int a, int b) { return a < b ? a : b; }
__device__ inline const int &larger(const int &a, const int &b) { return a < b ? b : a; }
template <class T> __device__ inline T limited(T value, T low, T high) {
  return value < low ? low : (value > high ? high : value);
}

__global__ void step(int *out, const int *in, const int *other, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny)
    return;
  const int right = smaller(x + 1, nx - 1), above = larger(y - 1, 0), below = limited(y + 2, 0, ny - 1);
  const int most = in[y * nx + x] > other[below * nx + x] ? in[y * nx + x] : other[below * nx + x];
  const int least = x % 2 == 0 ? in[above * nx + x] : in[y * nx + right];
  out[y * nx + x] = (3 * most + 5 * least + in[above * nx + right]) % 1009;
}

struct pair_of_numbers {
  int first, second;
};
/// Of an element and a variable, neither of which is const.
__global__ void exchange(pair_of_numbers *out, pair_of_numbers *in, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny)
    return;
  pair_of_numbers zero = {1, 2};
  pair_of_numbers up = y > 0 ? in[(y - 1) * nx + x] : zero, left = x > 0 ? in[y * nx + x - 1] : y > 1 ? in[(y - 2) * nx + x] : zero;
  out[y * nx + x] = {(up.second + 3 * left.first + (y < ny - 1 ? in[(y + 1) * nx + x] : zero).second) % 1009, up.first};
}

__global__ void find_most(const int *in, int *most, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny)
    atomicMax(most, in[y * nx + x]);
}
__global__ void add(int *out, int by, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny)
    out[y * nx + x] = (out[y * nx + x] + by) % 1009;
}

int main() {
  const int nx = 30, ny = 26, n = nx * ny;
  const dim3 block(10, 4), grid((nx + 9) / 10, (ny + 3) / 4);
  std::vector<int> start(n);
  for (int i = 0; i < n; ++i)
    start[i] = i * 37 % 53;
  int *a, *b, *c, *d, evens = 0, odds = 0;
  for (int **each : {&a, &b, &c, &d}) {
    cudaMalloc(each, n * sizeof(int));
    cudaMemcpy(*each, start.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  }
  int *most = nullptr;
  cudaMallocManaged(&most, sizeof *most);
  *most = 0;
#pragma gpurma persistent distribute(a, b, c, d : rows(ny, nx)) reduce(max : *most)
  for (int i = 0; i < 9; ++i) {
    // REMARK-CHECK: :[[@LINE+1]]:5: remark: stage 'step' reads 'in' with halo 1, reads 'other' with halo 2, writes 'out'
    step<<<grid, block>>>(c, a, b, nx, ny);
    std::swap(a, b);
    std::swap(a, i % 3 == 1 ? d : c);
    (i % 2 == 0 ? evens : odds) += i;
    // What decides is no pointer that the other may be.
    find_most<<<grid, block>>>(a, most, nx, ny);
    cudaDeviceSynchronize();
    int *view = *most > 1000 ? b : d;
    add<<<grid, block>>>(view, *most % 7, nx, ny);
  }
  pair_of_numbers *u, *v;
  cudaMalloc(&u, n * sizeof *u);
  cudaMalloc(&v, n * sizeof *v);
  cudaMemcpy(u, a, n * sizeof(int), cudaMemcpyDeviceToDevice);
  cudaMemcpy(reinterpret_cast<int *>(u) + n, b, n * sizeof(int), cudaMemcpyDeviceToDevice);
#pragma gpurma persistent distribute(u, v : rows(ny, nx))
  for (int i = 0; i < 4; ++i) {
    // REMARK-CHECK: :[[@LINE+1]]:5: remark: stage 'exchange' reads 'in' with halo 2, writes 'out'
    exchange<<<grid, block>>>(v, u, nx, ny);
    std::swap(u, v);
  }
  cudaMemcpy(a, u, n * sizeof(int), cudaMemcpyDeviceToDevice);
  cudaMemcpy(start.data(), a, n * sizeof(int), cudaMemcpyDeviceToHost);
  unsigned long long hash = 0;
  for (int value : start)
    hash = hash * 31 + value;
  std::printf("hash %llx, %d and %d, most %d\n", hash, evens, odds, *most);
}
