// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Numbers of blocks that functions store which kernels pass the array, or a pointer to the block's element: one function for several
// kernels and arrays and for the kernels that combine, templates, functions behind functions, conditions on what they are passed, in two
// dimensions, for the host to add up; and second kernels that add up in shared memory as they go.
// RUN: %gpurmacc_cpu -I%S %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t quiet | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=4 %mpirun -np 3 %t quiet | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 5 %t quiet | diff - %t.expected
// CHECK: descent 6 {{[1-9][0-9]*}} {{[1-9][0-9]*}}
// CHECK: most {{[1-9][0-9]*}}
// CHECK: host {{[1-9][0-9]*}}
#include "Inputs/region.h"

#include <cstring>
#include <utility>

constexpr int Nx = 53, Ny = 67, Threads = 128;

// As a library of a program has it: the threads of a block leave their sum.
template <int N, class T> __device__ void block_sum(T* part, T* out) {
  __syncthreads();
  for (int width = N / 2; width > 0; width /= 2) {
    if (threadIdx.x < width)
      part[threadIdx.x] += part[threadIdx.x + width];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    out[blockIdx.x] = part[0];
}
__global__ void products(const double* p, const double* q, double* partial, int n) {
  __shared__ double part[Threads];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  part[threadIdx.x] = 0;
  if (i < n)
    part[threadIdx.x] = p[i] * q[i];
  block_sum<Threads>(part, partial);
}
// Stores, too, and has rows of a grid in one dimension.
__global__ void smooth(double* q, const double* p, double* partial, int ny, int nx) {
  __shared__ double part[Threads];
  const int i = blockIdx.x * blockDim.x + threadIdx.x, row = i / nx, column = i % nx;
  part[threadIdx.x] = 0.0;
  if (row > 0 && row < ny - 1 && column > 0 && column < nx - 1) {
    q[i] = static_cast<int>(p[i - nx] + p[i + nx] + p[i - 1] + p[i + 1]) % 32;
    part[threadIdx.x] = q[i] * q[i];
  }
  block_sum<Threads>(part, partial);
}
// The threads' sums stand in shared memory from the beginning.
__global__ void add_up(int count, const double* partial, double* result) {
  __shared__ double part[Threads];
  part[threadIdx.x] = 0.0;
  for (int i = threadIdx.x; i < count; i += blockDim.x)
    part[threadIdx.x] += partial[i];
  block_sum<Threads>(part, result);
}
static void descent() {
  double* p = device_array<double>(Nx * Ny, [](std::size_t i) { return i % 17; });
  double* q = device_array<double>(Nx * Ny, [](std::size_t i) { return i % 17; });
  const int n = Nx * Ny, blocks = (n + Threads - 1) / Threads;
  double* of_products = device_array<double>(blocks, [](std::size_t) { return 0; });
  double* of_squares = device_array<double>(blocks, [](std::size_t) { return 0; });
  double* pq = device_array<double>(1, [](std::size_t) { return 0; });
  double* qq = device_array<double>(1, [](std::size_t) { return 0; });
  int steps = 0;
  double total = 0, both[2] = {};
#pragma gpurma persistent distribute(p, q : rows(Ny, Nx)) reduce(+ : *pq, *qq)
  for (; steps < 6; ++steps) {
    smooth<<<blocks, Threads>>>(q, p, of_squares, Ny, Nx);
    products<<<blocks, Threads>>>(p, q, of_products, n);
    add_up<<<1, Threads>>>(blocks, of_products, pq);
    add_up<<<1, Threads>>>(blocks, of_squares, qq);
    CHECK(cudaMemcpy(&both[0], pq, sizeof(double), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&both[1], qq, sizeof(double), cudaMemcpyDeviceToHost));
    total += both[0] + 3 * both[1];
    std::swap(p, q);
  }
  if (is_first_process())
    std::printf("descent %d %.0f %lld\n", steps, total, ordered_sum(p, Nx * Ny));
}

// Of blocks in two dimensions, through two functions, the second of which is passed the thread.
__device__ int larger(int a, int b) { return a > b ? a : b; }
__device__ void store_most(const int* of_warps, int* most, const int thread, int warps) {
  if (thread != 0)
    return;
  int found = of_warps[0];
  for (int w = 1; w < warps; ++w)
    found = larger(found, of_warps[w]);
  *most = found;
}
__device__ void block_most(int value, int* most) {
  __shared__ int of_warps[8];
  const int thread = threadIdx.y * blockDim.x + threadIdx.x;
  for (int lane = 16; lane > 0; lane /= 2)
    value = larger(value, __shfl_down_sync(0xffffffff, value, lane));
  if (thread % 32 == 0)
    of_warps[thread / 32] = value;
  __syncthreads();
  store_most(of_warps, most, thread, blockDim.x * blockDim.y / 32);
}
__global__ void spread(int* out, const int* in, int* most, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  int value = 0;
  if (x < nx && y > 0 && y < ny - 1) {
    value = (in[y * nx + x] * 7 + in[(y - 1) * nx + x] + in[(y + 1) * nx + x]) % 100999;
    out[y * nx + x] = value;
  }
  block_most(value, most + blockIdx.y * gridDim.x + blockIdx.x);
}
__global__ void most_of(const int* partial, int* result, int count) {
  __shared__ int part[Threads];
  part[threadIdx.x] = 0;
  for (int i = threadIdx.x; i < count; i += Threads)
    part[threadIdx.x] = max(part[threadIdx.x], partial[i]);
  __syncthreads();
  for (int width = Threads / 2; width > 0; width /= 2) {
    if (threadIdx.x < width)
      part[threadIdx.x] = max(part[threadIdx.x], part[threadIdx.x + width]);
    __syncthreads();
  }
  if (threadIdx.x == 0)
    *result = part[0];
}
static void most() {
  int* a = array_of_numbers<int>(Nx * Ny);
  int* b = array_of_numbers<int>(Nx * Ny);
  const dim3 block(32, 4), grid((Nx + 31) / 32, (Ny + 3) / 4);
  int* partial = device_array<int>(grid.x * grid.y, [](std::size_t) { return 0; });
  int* result = device_array<int>(1, [](std::size_t) { return 0; });
  int one = 0;
  long long total = 0;
#pragma gpurma persistent distribute(a, b : rows(Ny, Nx)) reduce(max : *result)
  for (int t = 0; t < 5; ++t) {
    spread<<<grid, block>>>(b, a, partial, Ny, Nx);
    most_of<<<1, Threads>>>(partial, result, grid.x * grid.y);
    CHECK(cudaMemcpy(&one, result, sizeof one, cudaMemcpyDeviceToHost));
    total = total * 31 % 1000003 + one;
    std::swap(a, b);
  }
  if (is_first_process())
    std::printf("most %lld %lld\n", total, ordered_sum(a, Nx * Ny));
}

// The host adds them up.
__device__ void leave(const long long* part, long long* number) {
  if (threadIdx.x == 0) {
    long long sum = 0;
    for (int i = 0; i < 64; ++i)
      sum += part[i];
    number[0] = sum;
  }
}
__global__ void count(const int* a, long long* numbers, int n) {
  __shared__ long long part[64];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  part[threadIdx.x] = i < n ? a[i] % 11 : 0;
  __syncthreads();
  leave(part, &numbers[blockIdx.x]);
}
__global__ void add(int* a, long long by, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] = (a[i] + by + i) % 1000;
}
static void host() {
  constexpr int n = Nx * Ny, blocks = (n + 63) / 64;
  int* a = array_of_numbers<int>(n);
  long long* numbers = device_array<long long>(blocks, [](std::size_t) { return 0; });
  std::vector<long long> host(blocks);
  long long total = 0;
#pragma gpurma persistent distribute(a : rows(Ny, Nx))
  for (int t = 0; t < 5; ++t) {
    count<<<blocks, 64>>>(a, numbers, n);
    CHECK(cudaMemcpy(host.data(), numbers, blocks * sizeof(long long), cudaMemcpyDeviceToHost));
    for (int b = 0; b < blocks; ++b)
      total += host[b];
    add<<<blocks, 64>>>(a, total % 100, n);
  }
  if (is_first_process())
    std::printf("host %lld %lld\n", total, ordered_sum(a, n));
}

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "quiet") != 0)
    return 1;
  descent();
  most();
  host();
}
