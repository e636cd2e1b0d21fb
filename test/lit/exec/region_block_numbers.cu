// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Kernels that leave a number for each block, which a kernel of one block combines: conjugate gradients with two scalar products and
// one array of numbers, a stencil with its own norm in two dimensions, the most and least of elements, with trees in shared memory,
// shuffles and functions, a thread for each number and loops, in functions and beside what the host runs, and the same behind the
// region.
// RUN: %gpurmacc_cpu -I%S %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t quiet | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=4 %mpirun -np 3 %t quiet | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 5 %t quiet | diff - %t.expected
// CHECK: descent {{-?[0-9]+}}
// CHECK: norm {{[0-9.]+}}
// CHECK: squares {{[0-9.]+}}
// CHECK: range {{[0-9-]+}}
// CHECK: behind {{[0-9]+}}
// CHECK: first {{[1-9][0-9.]+ 1[0-9.]+}}
#include "Inputs/region.h"

#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdio>
#include <utility>

constexpr int Nx = 60, Ny = 131;

__global__ void apply(double *q, const double *p, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y > 0 && y < ny - 1)
    q[y * nx + x] = 4 * p[y * nx + x] - p[(y - 1) * nx + x] - p[(y + 1) * nx + x];
}
__global__ void dot_partial(const double *p, const double *q, double *partial, int n) {
  __shared__ double part[256];
  double s = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    s += p[i] * q[i];
  part[threadIdx.x] = s;
  __syncthreads();
  for (int w = blockDim.x / 2; w > 0; w /= 2) {
    if (threadIdx.x < w)
      part[threadIdx.x] += part[threadIdx.x + w];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    partial[blockIdx.x] = part[0];
}
__global__ void add_up(const double *partial, double *result, int count) {
  __shared__ double part[256];
  double s = 0;
  for (int i = threadIdx.x; i < count; i += blockDim.x)
    s += partial[i];
  part[threadIdx.x] = s;
  __syncthreads();
  for (int w = blockDim.x / 2; w > 0; w /= 2) {
    if (threadIdx.x < w)
      part[threadIdx.x] += part[threadIdx.x + w];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    *result = part[0];
}
__global__ void step(double *x, const double *p, const double *pq, const double *rr, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] = static_cast<long long>(x[i] + p[i] + *pq + *rr) % 8;
}

// Small numbers, of which sums are exact.
static void descent() {
  double *p = device_array<double>(Nx * Ny, [](std::size_t i) { return i % 5; });
  double *q = device_array<double>(Nx * Ny, [](std::size_t i) { return i % 3; });
  double *partial = device_array<double>(64, [](std::size_t) { return 1e9; });
  double *pq = device_array<double>(1, [](std::size_t) { return 1; });
  double *rr = device_array<double>(1, [](std::size_t) { return 1; });
  int n = Nx * Ny, blocks = 7, found = 0;
  double sum = 0;
#pragma gpurma persistent distribute(p, q : rows(Ny, Nx)) reduce(+ : *pq, *rr)
  for (int it = 0; it < 6; ++it) {
    apply<<<dim3((Nx + 15) / 16, (Ny + 15) / 16), dim3(16, 16)>>>(q, p, Ny, Nx);
    dot_partial<<<blocks, 256>>>(p, q, partial, n);
    add_up<<<1, 256>>>(partial, pq, blocks);
    dot_partial<<<2 * blocks, 256>>>(p, p, partial, n);
    add_up<<<1, 256>>>(partial, rr, 2 * blocks);
    step<<<(n + 255) / 256, 256>>>(p, q, pq, rr, n);
    CHECK(cudaMemcpy(&sum, rr, sizeof sum, cudaMemcpyDeviceToHost));
    found += static_cast<int>(sum) % 1000;
  }
  if (found)
    std::printf("descent %d %lld %.0f %.0f\n", found, ordered_sum(p, Nx * Ny), host_copy(pq, 1)[0], host_copy(rr, 1)[0]);
  // Behind the region they can still be added up.
  add_up<<<1, 256>>>(partial, pq, 2 * blocks);
  std::printf("again %.0f\n", host_copy(pq, 1)[0]);
}

// An array, and the root of a sum of squares.
__global__ void jacobi(float *out, const float *in, float *partial, int ny, int nx) {
  __shared__ float part[16][16];
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float change = 0;
  if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1) {
    int i = y * nx + x;
    out[i] = static_cast<int>(in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx]) % 16;
    change = out[i] - in[i];
  }
  part[threadIdx.y][threadIdx.x] = change * change;
  __syncthreads();
  const int tid = threadIdx.y * blockDim.x + threadIdx.x;
  float *all = &part[0][0];
  for (int w = blockDim.x * blockDim.y / 2; w > 0; w >>= 1) {
    if (tid < w)
      all[tid] += all[tid + w];
    __syncthreads();
  }
  const int block = blockIdx.y * gridDim.x + blockIdx.x;
  if (tid == 0)
    partial[block] = all[0];
}
__device__ float add_in_warp(float v) {
  for (int w = 16; w > 0; w /= 2)
    v += __shfl_down_sync(~0u, v, w);
  return v;
}
__global__ void root_of_sum(const float *__restrict__ partial, float *result, int count) {
  __shared__ float of_warp[32];
  float v = threadIdx.x < count ? __ldg(&partial[threadIdx.x]) : 0.0f;
  v = add_in_warp(v);
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (lane == 0)
    of_warp[warp] = v;
  __syncthreads();
  if (warp == 0) {
    v = lane < blockDim.x / 32 ? of_warp[lane] : 0;
    v = add_in_warp(v);
    if (lane == 0)
      result[0] = sqrtf(v);
  }
}
// By whole grids.
__global__ void squares(const float *a, float *partial, int ny, int nx) {
  __shared__ float part[256];
  const int x = blockIdx.x * blockDim.x + threadIdx.x, tid = threadIdx.y * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < ny; y += blockDim.y * gridDim.y)
    if (x < nx)
      sum += a[y * nx + x] * a[y * nx + x];
  part[tid] = sum;
  __syncthreads();
  for (int w = 128; w > 0; w >>= 1) {
    if (tid < w)
      part[tid] += part[tid + w];
    __syncthreads();
  }
  if (tid == 0)
    partial[blockIdx.x * gridDim.y + blockIdx.y] = part[0]; // from column to column
}
static void norms(float *norm, const float *partial, int blocks) { root_of_sum<<<1, 128>>>(partial, norm, blocks); }
static void norm() {
  float *a = device_array<float>(Nx * Ny, [](std::size_t i) { return i * i % 16; });
  float *b = device_array<float>(Nx * Ny, [](std::size_t i) { return i * i % 16; });
  float *partial = device_array<float>(64, [](std::size_t) { return 0; });
  float *norm = device_array<float>(1, [](std::size_t) { return 0; });
  const dim3 block(16, 16), grid((Nx + 15) / 16, (Ny + 15) / 16);
  float last = 1e9f, sum = 0;
  int it = 0;
#pragma gpurma persistent distribute(a, b : rows(Ny, Nx)) reduce(+ : *norm)
  for (; it < 9 && last > 1; ++it) {
    jacobi<<<grid, block>>>(b, a, partial, Ny, Nx);
    norms(norm, partial, grid.x * grid.y);
    CHECK(cudaMemcpy(&last, norm, sizeof last, cudaMemcpyDeviceToHost));
    sum += last;
    std::swap(a, b);
  }
  std::printf("norm %.6f %.6f %d %lld\n", last, sum, it, ordered_sum(a, Nx * Ny));
  const dim3 few(grid.x, 2);
#pragma gpurma persistent distribute(a : rows(Ny, Nx)) reduce(+ : *norm)
  {
    squares<<<few, block>>>(a, partial, Ny, Nx);
    norms(norm, partial, few.x * few.y);
  }
  std::printf("squares %.6f\n", host_copy(norm, 1)[0]);
}

// The most and the least.
__global__ void range(const int *a, int *most, long long *least, int n) {
  __shared__ int high[128], low[128];
  int m = INT_MIN, l = INT_MAX;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    m = max(m, a[i]);
    l = min(l, a[i]);
  }
  high[threadIdx.x] = m;
  low[threadIdx.x] = l;
  __syncthreads();
  for (int w = blockDim.x / 2; w > 0; w /= 2) {
    if (threadIdx.x < w) {
      high[threadIdx.x] = max(high[threadIdx.x], high[threadIdx.x + w]);
      low[threadIdx.x] = min(low[threadIdx.x], low[threadIdx.x + w]);
    }
    __syncthreads();
  }
  if (threadIdx.x == 0)
    most[blockIdx.x] = high[0];
  if (!threadIdx.x)
    least[blockIdx.x] = low[0];
}
// A thread for each block, as it is compiled for so many.
template <int Blocks> __global__ void greatest(const int *numbers, int *result) {
  __shared__ int part[Blocks];
  part[threadIdx.x] = numbers[threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) {
    int m = part[0];
    for (int i = 1; i < Blocks; ++i)
      m = max(m, part[i]);
    *result = m;
  }
}
__global__ void smallest(const long long *numbers, long long *result, int count) {
  long long m = 0;
  int i = threadIdx.x;
  while (i < count) {
    m = min(m, numbers[i]);
    i += blockDim.x;
  }
  for (int w = 16; w > 0; w /= 2)
    m = min(m, __shfl_xor_sync(~0u, m, w));
  if (threadIdx.x == 31)
    *result = m;
}
__global__ void shift(int *out, const int *in, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny)
    out[y * nx + x] = in[(y > 0 ? y - 1 : y) * nx + x] * 3 % 1009 - 400 + y;
}
static void ranges() {
  int *a = device_array<int>(Nx * Ny, [](std::size_t i) { return i * 7 % 1000 - 300; });
  int *b = device_array<int>(Nx * Ny, [](std::size_t) { return 0; });
  int *highest = device_array<int>(64, [](std::size_t) { return INT_MAX; });
  long long *lowest = device_array<long long>(64, [](std::size_t) { return 0; });
  int *most = device_array<int>(1, [](std::size_t) { return 0; });
  long long *least = device_array<long long>(1, [](std::size_t) { return 0; });
  const dim3 block(32, 4), grid((Nx + 31) / 32, (Ny + 3) / 4);
  int high = 0, low = 0, n = Nx * Ny;
#pragma gpurma persistent distribute(a, b : rows(Ny, Nx)) reduce(max : *most) reduce(min : *least)
  for (int it = 0; it < 5; ++it) {
    shift<<<grid, block>>>(b, a, Ny, Nx);
    range<<<8, 128>>>(b, highest, lowest, n);
    greatest<8><<<1, 8>>>(highest, most);
    smallest<<<1, 32>>>(lowest, least, 8);
    int found;
    cudaMemcpy(&found, most, sizeof found, cudaMemcpyDeviceToHost);
    high = high * 3 + found;
    long long found_low;
    cudaMemcpy(&found_low, least, sizeof found_low, cudaMemcpyDeviceToHost);
    low = low * 3 + static_cast<int>(found_low);
    std::swap(a, b);
  }
  std::printf("range %d %d %lld\n", high, low, ordered_sum(a, Nx * Ny));
}

// What the host runs stands between the two kernels; the result adds up over all steps. Of long long CUDA has no sums.
__global__ void count_positive(const int *a, long long *partial, int n) {
  __shared__ int count;
  if (threadIdx.x == 0)
    count = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int own = 0;
  if (i < n)
    own = a[i] > 0 ? 1 : 0;
  atomicAdd(&count, own);
  __syncthreads();
  if (threadIdx.x == 0)
    partial[blockIdx.x] = count;
}
__global__ void add_to(const long long *partial, long long *result, int count) {
  __shared__ long long part[64];
  long long s = 0;
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x)
    s = partial[i] + s;
  part[threadIdx.x] = s;
  __syncthreads();
  for (int w = 32; w > 0; w /= 2) {
    if (threadIdx.x < w)
      part[threadIdx.x] += part[threadIdx.x + w];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    *result += part[0];
}
static void between() {
  int *a = device_array<int>(Nx * Ny, [](std::size_t i) { return i * 7 % 1000 - 300; });
  int *b = device_array<int>(Nx * Ny, [](std::size_t) { return 0; });
  long long *partial = device_array<long long>(64, [](std::size_t) { return 77; });
  long long *sum = device_array<long long>(1, [](std::size_t) { return -5; });
  const dim3 block(32, 4), grid((Nx + 31) / 32, (Ny + 3) / 4);
  const int n = Nx * Ny, blocks = (n + 127) / 128;
  int steps = 0;
#pragma gpurma persistent distribute(a, b : rows(Ny, Nx)) reduce(+ : *sum)
  for (int it = 0; it < 5; ++it) {
    shift<<<grid, block>>>(b, a, Ny, Nx);
    count_positive<<<blocks, 128>>>(b, partial, n);
    if (it == 2) {
#pragma gpurma host
      steps += 100;
    }
    add_to<<<1, 64>>>(partial, sum, blocks);
    std::swap(a, b);
  }
  std::printf("behind %lld %d %lld\n", host_copy(sum, 1)[0], steps, ordered_sum(a, Nx * Ny));
}

// The least begins with a constant, which threads without a number have, or all.
__device__ void least_of_block(double *part, double *out) {
  for (int w = 32; w > 0; w /= 2) {
    __syncthreads();
    if (threadIdx.x < w)
      part[threadIdx.x] = fmin(part[threadIdx.x], part[threadIdx.x + w]);
  }
  if (threadIdx.x == 0)
    *out = part[0];
}
__global__ void least_of_elements(const int *a, double *partial, int n) {
  __shared__ double part[256];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  double least = 1e21;
  if (i < n)
    least = fmin(least, static_cast<double>(a[i]));
  part[threadIdx.x] = least;
  for (int w = 128; w > 0; w /= 2) {
    __syncthreads();
    if (threadIdx.x < w)
      part[threadIdx.x] = fmin(part[threadIdx.x], part[threadIdx.x + w]);
  }
  if (threadIdx.x == 0)
    partial[blockIdx.x] = part[0];
}
__global__ void one_each(const double *numbers, double *result, int count) {
  __shared__ double part[64];
  part[threadIdx.x] = 1e21;
  if (threadIdx.x < count)
    part[threadIdx.x] = numbers[threadIdx.x];
  least_of_block(part, result);
}
__global__ void at_most(const double *numbers, double *result, int count) {
  __shared__ double part[64];
  double least = 1700.5;
  for (int i = threadIdx.x; i < count; i += blockDim.x)
    least = fmin(least, numbers[i]);
  part[threadIdx.x] = least;
  least_of_block(part, result);
}
static void first_values() {
  int *a = device_array<int>(Nx * Ny, [](std::size_t i) { return i * 7 % 1000 + 2000; });
  const int n = Nx * Ny, blocks = (n + 255) / 256;
  double *partial = device_array<double>(blocks, [](std::size_t) { return 0; }), *result = device_array<double>(1, [](std::size_t) { return 0; });
  double found = 0, least = 0;
#pragma gpurma persistent distribute(a : rows(Ny, Nx)) reduce(min : *result)
  for (int it = 0; it < 3; ++it) {
    least_of_elements<<<blocks, 256>>>(a, partial, n);
    one_each<<<1, 64>>>(partial, result, blocks);
    cudaMemcpy(&found, result, sizeof found, cudaMemcpyDeviceToHost);
    least_of_elements<<<blocks, 256>>>(a, partial, n);
    at_most<<<1, 64>>>(partial, result, blocks);
    cudaMemcpy(&least, result, sizeof least, cudaMemcpyDeviceToHost);
  }
  std::printf("first %g %g\n", found, least);
}

int main(int argc, char **argv) {
  if (is_quiet(argc))
    std::freopen("/dev/null", "w", stdout);
  descent();
  norm();
  ranges();
  between();
  first_values();
}
