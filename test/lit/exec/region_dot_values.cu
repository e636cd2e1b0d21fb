// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Norms in one dimension whose threads compute something from their element behind the condition that they have one: squares, magnitudes, powers and
// roots of what is 0 otherwise; trees over dynamic shared memory that a pointer of the element's type names, and over an array that a statement
// clears before the condition; and the most of what is 0 or more.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=4 %mpirun -np 3 %t | diff - %t.expected
// CHECK: sums {{[1-9]}}
// CHECK: most {{-?[1-9]}}
#include "Inputs/region.h"

#include <cmath>
#include <utility>

// All values are whole numbers, so that the order of additions does not matter.
__global__ void star(float *out, const float *in, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1)
    out[y * nx + x] = static_cast<float>(static_cast<int>(in[y * nx + x - 1] + 3 * in[y * nx + x + 1] + 5 * in[(y - 1) * nx + x] + 7 * in[(y + 1) * nx + x]) % 7);
}

template <class T> __device__ void add_up(T *part) {
  __syncthreads();
  for (unsigned w = blockDim.x / 2; w > 0; w >>= 1) {
    if (threadIdx.x < w)
      part[threadIdx.x] += part[threadIdx.x + w];
    __syncthreads();
  }
}
template <class T> __global__ void square_of_choice(const T *a, const T *b, T *sum, int n) {
  extern __shared__ unsigned char storage[];
  T *part = reinterpret_cast<T *>(storage);
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const T d = i < n ? a[i] - b[i] : T(0);
  part[threadIdx.x] = d * d;
  add_up(part);
  if (threadIdx.x == 0)
    atomicAdd(sum, part[0]);
}
__global__ void square_of_difference(const float *a, const float *b, float *sum, int n) {
  extern __shared__ float part[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = 0, y = 0;
  if (i < n) {
    x = a[i];
    y = b[i];
  }
  const float d = x - y;
  part[threadIdx.x] = 2 * (d * d) + fabsf(d) - (d > 0 ? d : -d);
  add_up(part);
  if (threadIdx.x == 0)
    atomicAdd(sum, part[0]);
}
__global__ void power_of_parity(const float *a, const float *, float *sum, int n) {
  extern __shared__ char bytes[];
  float *const part = (float *)bytes;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float odd = i < n ? static_cast<float>(static_cast<int>(a[i]) % 2) : 0;
  part[threadIdx.x] = powf(odd, 2.0f) + sqrtf(odd);
  add_up(part);
  if (threadIdx.x == 0)
    atomicAdd(sum, part[0]);
}
__global__ void cleared_before(const float *a, const float *b, float *sum, int n) {
  __shared__ float part[128];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  part[threadIdx.x] = 0;
  if (i < n)
    part[threadIdx.x] = a[i] * b[i];
  add_up(part);
  if (threadIdx.x == 0)
    atomicAdd(sum, part[0]);
}

__device__ void find_most(float *part) {
  __syncthreads();
  for (unsigned w = blockDim.x / 2; w > 0; w >>= 1) {
    if (threadIdx.x < w)
      part[threadIdx.x] = fmaxf(part[threadIdx.x], part[threadIdx.x + w]);
    __syncthreads();
  }
}
__global__ void most_of_choices(const float *a, const float *b, int *most, int n) {
  extern __shared__ char bytes[];
  float *part = reinterpret_cast<float *>(bytes);
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  part[threadIdx.x] = i < n ? fabsf(a[i] - b[i]) : 0;
  find_most(part);
  if (threadIdx.x == 0)
    atomicMax(most, __float_as_int(part[0]));
}
__global__ void most_of_squares(const float *a, const float *b, int *most, int n) {
  __shared__ float part[128];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float d = 0;
  if (i < n)
    d = (a[i] - 2 * b[i]) * (a[i] - 2 * b[i]);
  part[threadIdx.x] = d;
  __syncthreads();
  for (unsigned w = blockDim.x / 2; w > 0; w >>= 1) {
    if (threadIdx.x < w && part[threadIdx.x] < part[threadIdx.x + w])
      part[threadIdx.x] = part[threadIdx.x + w];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    atomicMax(most, __float_as_int(part[0]));
}

int main() {
  const int ny = 67, nx = 45, n = ny * nx, blocks = (n + 127) / 128, bytes = 128 * sizeof(float);
  const auto number = [](std::size_t i) { return static_cast<float>((i * i + i / 7) % 7); };
  float *a = device_array<float>(n, number), *b = device_array<float>(n, number);
  float *sum = device_array<float>(1, [](std::size_t) { return 0; }), found = 0, sums = 0;
  int *most = device_array<int>(1, [](std::size_t) { return 0; }), bits = 0;
  const dim3 block(32, 4), grid((nx + 31) / 32, (ny + 3) / 4);
#pragma gpurma persistent distribute(a, b : rows(ny, nx)) reduce(+ : *sum)
  for (int k = 0; k < 3; ++k) {
    star<<<grid, block>>>(b, a, ny, nx);
    cudaMemset(sum, 0, sizeof *sum);
    square_of_choice<<<blocks, 128, bytes>>>(a, b, sum, n);
    square_of_difference<<<blocks, 128, bytes>>>(a, b, sum, n);
    power_of_parity<<<blocks, 128, bytes>>>(a, b, sum, n);
    cleared_before<<<blocks, 128>>>(a, b, sum, n);
    cudaMemcpy(&found, sum, sizeof found, cudaMemcpyDeviceToHost);
    sums = 2 * sums + found;
    std::swap(a, b);
  }
  if (is_first_process())
    std::printf("sums %.0f\n", sums);
  int all = 0;
#pragma gpurma persistent distribute(a, b : rows(ny, nx)) reduce(max : *most)
  for (int k = 0; k < 3; ++k) {
    star<<<grid, block>>>(b, a, ny, nx);
    cudaMemset(most, 0, sizeof *most);
    most_of_choices<<<blocks, 128, bytes>>>(a, b, most, n);
    cudaMemcpy(&bits, most, sizeof bits, cudaMemcpyDeviceToHost);
    all ^= bits;
    cudaMemset(most, 0, sizeof *most);
    most_of_squares<<<blocks, 128>>>(a, b, most, n);
    cudaMemcpy(&bits, most, sizeof bits, cudaMemcpyDeviceToHost);
    all += bits;
    std::swap(a, b);
  }
  if (is_first_process())
    std::printf("most %d\n", all);
}
