// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Kernels that leave a number for each block, of which the host takes the most or the least: by functions, comparisons and choices, of copies and of
// memory that it shares with the device, as for the time step of a flow; from the first number on, by the standard library, and in loops over vectors.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t | diff - %t.expected
// CHECK: copies {{[1-9]}}
// CHECK: shared {{[1-9]}}
// CHECK: first {{[1-9]}}
// CHECK: library {{[1-9]}}
#include "Inputs/region.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>
#include <vector>

constexpr int Nx = 45, Ny = 67, N = Nx * Ny;

__global__ void star(float *out, const float *in, float change, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1)
    out[y * nx + x] = fmodf(in[y * nx + x - 1] + 3 * in[y * nx + x + 1] + 5 * in[(y - 1) * nx + x] + 7 * in[(y + 1) * nx + x] + change, 1009) - 300;
}
__global__ void most_of(const float *u, float *most, int ny, int nx) {
  __shared__ float part[128];
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, t = threadIdx.y * blockDim.x + threadIdx.x;
  part[t] = x < nx && y < ny ? u[y * nx + x] : -1e30f;
  __syncthreads();
  for (int w = 64; w > 0; w >>= 1) {
    if (t < w)
      part[t] = fmaxf(part[t], part[t + w]);
    __syncthreads();
  }
  if (t == 0)
    most[blockIdx.y * gridDim.x + blockIdx.x] = part[0];
}
__global__ void least_of(const float *u, float *least, int n) {
  __shared__ float part[128];
  float low = 1e30f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    low = fminf(low, u[i]);
  part[threadIdx.x] = low;
  __syncthreads();
  for (unsigned w = 64; w > 0; w >>= 1) {
    if (threadIdx.x < w)
      part[threadIdx.x] = fminf(part[threadIdx.x], part[threadIdx.x + w]);
    __syncthreads();
  }
  if (threadIdx.x == 0)
    least[blockIdx.x] = part[0];
}
static float *field() {
  return device_array<float>(N, [](std::size_t i) { return i * i % 1009; });
}

static void of_copies() {
  float *u = field(), *next = field(), *most = nullptr, *least = nullptr, all = 0;
  const dim3 block(32, 4), grid((Nx + 31) / 32, (Ny + 3) / 4);
  const int blocks = grid.x * grid.y;
  CHECK(cudaMalloc(&most, blocks * sizeof(float)));
  CHECK(cudaMalloc(&least, 7 * sizeof(float)));
  float *host = static_cast<float *>(std::malloc(blocks * sizeof(float)));
  std::vector<float> lowest(7);
#pragma gpurma persistent distribute(u, next : rows(Ny, Nx))
  for (int k = 0; k < 5; ++k) {
    star<<<grid, block>>>(next, u, all, Ny, Nx);
    most_of<<<grid, block>>>(next, most, Ny, Nx);
    cudaMemcpy(host, most, blocks * sizeof(float), cudaMemcpyDeviceToHost);
    float high = -1e30f, low = 1e30f;
    for (int b = 0; b < blocks; ++b)
      high = fmaxf(high, host[b]);
    least_of<<<7, 128>>>(next, least, N);
    cudaMemcpy(lowest.data(), least, 7 * sizeof(float), cudaMemcpyDeviceToHost);
    for (int b = 0; b < 7; ++b) {
      if (lowest[b] < low)
        low = lowest[b];
    }
    all = std::fmod(2 * all + high - low, 997.0f);
    std::swap(u, next);
  }
  if (is_first_process())
    std::printf("copies %g\n", all);
  std::free(host);
}

static void of_shared_memory() {
  float *u = field(), *next = field(), *most = nullptr, *least = nullptr, all = 0;
  const dim3 block(32, 4), grid((Nx + 31) / 32, (Ny + 3) / 4);
  const int blocks = grid.x * grid.y;
  CHECK(cudaMallocManaged(&most, blocks * sizeof(float)));
  CHECK(cudaMallocManaged(&least, 7 * sizeof(float)));
#pragma gpurma persistent distribute(u, next : rows(Ny, Nx))
  for (int k = 0; k < 5; ++k) {
    star<<<grid, block>>>(next, u, all, Ny, Nx);
    most_of<<<grid, block>>>(next, most, Ny, Nx);
    least_of<<<7, 128>>>(next, least, N);
    cudaDeviceSynchronize();
    float high = 0, low = 0;
    for (int b = 0; b < blocks; ++b)
      high = std::max(most[b], high);
    for (int b = 0; b < 7; ++b)
      low = least[b] < low ? least[b] : low;
    all = std::fmod(2 * all + high - low, 997.0f);
    std::swap(u, next);
  }
  if (is_first_process())
    std::printf("shared %g\n", all);
}

static void from_first() {
  float *u = field(), *next = field(), *most = nullptr, *least = nullptr, *shared = nullptr, all = 0;
  const dim3 block(32, 4), grid((Nx + 31) / 32, (Ny + 3) / 4);
  const int blocks = grid.x * grid.y;
  CHECK(cudaMalloc(&most, blocks * sizeof(float)));
  CHECK(cudaMalloc(&least, 7 * sizeof(float)));
  CHECK(cudaMallocManaged(&shared, blocks * sizeof(float)));
  float *host = new float[blocks], lowest[7], high = 0, low = 0;
  int b = 0;
#pragma gpurma persistent distribute(u, next : rows(Ny, Nx))
  for (int k = 0; k < 5; ++k) {
    star<<<grid, block>>>(next, u, all, Ny, Nx);
    most_of<<<grid, block>>>(next, most, Ny, Nx);
    least_of<<<7, 128>>>(next, least, N);
    cudaMemcpy(host, most, blocks * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(lowest, least, sizeof lowest, cudaMemcpyDeviceToHost);
    high = host[0];
    low = *lowest;
    for (b = 1; b < blocks; ++b)
      high = std::max(high, host[b]);
    all += static_cast<float>(b % 7);
    for (b = 1; b < 7; b++)
      if (low > lowest[b])
        low = lowest[b];
    all += static_cast<float>(b);
    most_of<<<grid, block>>>(u, shared, Ny, Nx);
    cudaDeviceSynchronize();
    double best = shared[0];
    for (int i = 0; i < blocks; ++i) {
      const double found = shared[i];
      best = found > best ? found : best;
    }
    all = std::fmod(2 * all + high - low + static_cast<float>(best), 997.0f);
    std::swap(u, next);
  }
  if (is_first_process())
    std::printf("first %g\n", all);
  delete[] host;
}

static void by_library() {
  float *u = field(), *next = field(), *most = nullptr, *least = nullptr, all = 0;
  const dim3 block(32, 4), grid((Nx + 31) / 32, (Ny + 3) / 4);
  const int blocks = grid.x * grid.y;
  CHECK(cudaMalloc(&most, blocks * sizeof(float)));
  CHECK(cudaMalloc(&least, 7 * sizeof(float)));
  std::vector<float> host(blocks), lowest(7);
  float *again = new float[7];
#pragma gpurma persistent distribute(u, next : rows(Ny, Nx))
  for (int k = 0; k < 5; ++k) {
    star<<<grid, block>>>(next, u, all, Ny, Nx);
    most_of<<<grid, block>>>(next, most, Ny, Nx);
    least_of<<<7, 128>>>(next, least, N);
    cudaMemcpy(&host[0], most, host.size() * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(lowest.data(), least, 7 * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(again, least, 7 * sizeof(float), cudaMemcpyDeviceToHost);
    float high = std::sqrt(std::fabs(*std::max_element(host.begin(), host.end()))), low = *std::min_element(again, again + 7);
    if (*std::min_element(lowest.cbegin(), lowest.cbegin() + 7) < all)
      all += high;
    most_of<<<grid, block>>>(u, most, Ny, Nx);
    least_of<<<7, 128>>>(u, least, N);
    cudaMemcpy(host.data(), most, host.size() * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(lowest.data(), least, 7 * sizeof(float), cudaMemcpyDeviceToHost);
    for (float found : host)
      high = std::max(high, found);
    for (const auto &found : lowest)
      if (found < low)
        low = found;
    all = std::fmod(2 * all + high - low, 997.0f);
    std::swap(u, next);
  }
  if (is_first_process())
    std::printf("library %g\n", all);
  delete[] again;
}

int main() {
  of_copies();
  of_shared_memory();
  from_first();
  by_library();
}
