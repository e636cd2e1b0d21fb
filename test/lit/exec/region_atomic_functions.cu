// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Kernels that hand the reduced scalar on to functions, which update it by atomic operations, also for parts of blocks; and programs' own atomic
// operations on numbers in floating point, which CUDA does not have.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t | diff - %t.expected
// CHECK: sums {{[1-9]}}
// CHECK: most {{-?[1-9]}}
// CHECK: least -{{[1-9]}}
#include "Inputs/region.h"

#include <utility>

__device__ float atomicMaxFloat(float *to, float value) {
  return value >= 0 ? __int_as_float(atomicMax(reinterpret_cast<int *>(to), __float_as_int(value)))
                    : __uint_as_float(atomicMin(reinterpret_cast<unsigned *>(to), __float_as_uint(value)));
}
__device__ float atomicFloatMin(float *to, float value) {
  return value >= 0 ? __int_as_float(atomicMin(reinterpret_cast<int *>(to), __float_as_int(value)))
                    : __uint_as_float(atomicMax(reinterpret_cast<unsigned *>(to), __float_as_uint(value)));
}
__device__ void add_to(int *sum, int value) {
  if (value % 2 == 0)
    atomicAdd(sum, value);
  else
    atomicAdd(&sum[0], value + 1);
}
template <class T> __device__ void add_of_block(T *sum, T value) {
  __shared__ T part[128];
  part[threadIdx.x] = value;
  __syncthreads();
  for (unsigned w = 64; w > 0; w /= 2) {
    if (threadIdx.x < w)
      part[threadIdx.x] += part[threadIdx.x + w];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    atomicAdd(sum, part[0]);
}

__global__ void star(int *out, const int *in, int *sum, float *most, float *least, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1) {
    const int value = (in[y * nx + x - 1] + 3 * in[y * nx + x + 1] + 5 * in[(y - 1) * nx + x] + 7 * in[(y + 1) * nx + x]) % 1009;
    out[y * nx + x] = value;
    add_to(sum, value);
    atomicMaxFloat(most, 0.5f * static_cast<float>(value - 1200));
    atomicFloatMin(least, 0.25f * static_cast<float>(value - 700));
  }
}
__global__ void total(const int *u, int *sum, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  add_of_block(sum, i < n ? u[i] : 0);
}

int main() {
  const int ny = 71, nx = 37, n = ny * nx;
  const auto number = [](std::size_t i) { return i * i % 1009; };
  int *u = device_array<int>(n, number), *next = device_array<int>(n, number);
  int *sum = device_array<int>(1, [](std::size_t) { return 0; }), sums = 0;
  float *most = device_array<float>(1, [](std::size_t) { return -1e9f; }), *least = device_array<float>(1, [](std::size_t) { return 1e9f; });
  const dim3 block(32, 4), grid((nx + 31) / 32, (ny + 3) / 4);
#pragma gpurma persistent distribute(u, next : rows(ny, nx)) reduce(+ : *sum) reduce(max : *most) reduce(min : *least)
  for (int k = 0; k < 5; ++k) {
    star<<<grid, block>>>(next, u, sum, most, least, ny, nx);
    total<<<(n + 127) / 128, 128>>>(next, sum, n);
    std::swap(u, next);
  }
  CHECK(cudaMemcpy(&sums, sum, sizeof sums, cudaMemcpyDeviceToHost));
  if (is_first_process())
    std::printf("sums %d\nmost %g\nleast %g\n", sums, host_copy(most, 1)[0], host_copy(least, 1)[0]);
}
