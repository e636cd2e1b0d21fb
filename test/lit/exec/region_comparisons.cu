// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// The most and least of values by comparisons instead of functions: of elements and in trees, in one dimension and in blocks, by
// statements and choices, also where a second kernel combines a number of each block.
// RUN: %gpurmacc_cpu -I%S -Werror %s -o %t --gpurma-print-after=InferStages | FileCheck --check-prefix=PLAN %s
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t quiet | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t quiet | diff - %t.expected
// CHECK: range {{-?[0-9]+}} {{-?[0-9]+}} {{[0-9.]+}} {{[0-9]+}} {{-?[1-9]}}
#include "Inputs/region.h"

#include <climits>
#include <utility>

__global__ void advance(int *out, const int *in, int *most, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  int found = INT_MIN;
  if (x < nx && y < ny) {
    const int next = (in[y * nx + x] * 3 + in[(y > 0 ? y - 1 : y) * nx + x]) % 10007 - 4000 + x;
    out[y * nx + x] = next;
    if (next > found)
      found = next;
  }
  __shared__ int part[64];
  const int t = threadIdx.y * blockDim.x + threadIdx.x;
  part[t] = found;
  __syncthreads();
  for (int w = 32; w > 0; w /= 2) {
    if (t < w)
      if (part[t + w] > part[t])
        part[t] = part[t + w];
    __syncthreads();
  }
  if (t == 0)
    atomicMax(most, part[0]);
}
__global__ void lowest(const int *in, int *least, int n) {
  __shared__ int part[64];
  int m = INT_MAX;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const int v = in[i];
    m = v <= m ? v : m;
  }
  part[threadIdx.x] = m;
  __syncthreads();
  for (int w = 32; w > 0; w >>= 1) {
    if (threadIdx.x < w) {
      const int other = part[threadIdx.x + w];
      part[threadIdx.x] = part[threadIdx.x] < other ? part[threadIdx.x] : other;
    }
    __syncthreads();
  }
  if (threadIdx.x == 0)
    atomicMin(least, part[0]);
}
// The largest magnitude, whose bits are compared, by shuffles.
__global__ void magnitude(const int *in, float *largest, int n) {
  float m = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    if (fabsf(0.5f * in[i]) > m)
      m = fabsf(0.5f * in[i]);
  for (int w = 16; w > 0; w /= 2) {
    const float other = __shfl_down_sync(~0u, m, w);
    if (other > m)
      m = other;
  }
  if (threadIdx.x % 32 == 0)
    atomicMax(reinterpret_cast<int *>(largest), __float_as_int(m));
}
__global__ void of_blocks(const int *in, unsigned *numbers, int n) {
  __shared__ unsigned part[64];
  unsigned m = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const unsigned v = in[i] & 0xffffu;
    if (m < v) {
      m = v;
    }
  }
  part[threadIdx.x] = m;
  __syncthreads();
  for (int w = 32; w > 0; w /= 2) {
    if (threadIdx.x < w && part[threadIdx.x] < part[threadIdx.x + w])
      part[threadIdx.x] = part[threadIdx.x + w];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    numbers[blockIdx.x] = part[0];
}
__global__ void of_all(const unsigned *numbers, unsigned *result, int count) {
  __shared__ unsigned part[32];
  unsigned m = 0;
  for (int i = threadIdx.x; i < count; i += blockDim.x)
    if (numbers[i] > m)
      m = numbers[i];
  part[threadIdx.x] = m;
  __syncthreads();
  for (int w = 16; w > 0; w /= 2) {
    if (threadIdx.x < w)
      part[threadIdx.x] = part[threadIdx.x] > part[threadIdx.x + w] ? part[threadIdx.x] : part[threadIdx.x + w];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    *result = part[0];
}

int main(int argc, char **argv) {
  gpurma::init(&argc, &argv);
  int ny = 90, nx = 53, n = ny * nx;
  int *u = array_of_numbers<int>(n), *v = array_of_numbers<int>(n);
  unsigned *numbers = device_array<unsigned>(4, [](std::size_t) { return 0u; });
  int *most = device_array<int>(1, [](std::size_t) { return INT_MIN; }), *least = device_array<int>(1, [](std::size_t) { return INT_MAX; });
  float *largest = device_array<float>(1, [](std::size_t) { return 0.f; });
  unsigned *result = device_array<unsigned>(1, [](std::size_t) { return 0u; });
  const dim3 block(16, 4), grid((nx + 15) / 16, (ny + 3) / 4);
  // PLAN: stage advance: {{.*}}; maximum in *most; {{.*}}found first over all tiles
  // PLAN: stage lowest: rows y of parts of blocks in one dimension; reads in (own); minimum in *least
  // PLAN: stage magnitude: rows y of parts of blocks in one dimension; reads in (own); maximum in *largest
  // PLAN: stage of_blocks: rows y of parts of blocks in one dimension; reads in (own)
#pragma gpurma persistent distribute(u, v : rows(ny, nx)) reduce(max : *most, *largest, *result) reduce(min : *least)
  for (int t = 0; t < 4; ++t) {
    advance<<<grid, block>>>(v, u, most, ny, nx);
    lowest<<<3, 64>>>(v, least, n);
    magnitude<<<5, 64>>>(v, largest, n);
    of_blocks<<<4, 64>>>(v, numbers, n);
    of_all<<<1, 32>>>(numbers, result, 4);
    std::swap(u, v);
  }
  if (!is_quiet(argc))
    std::printf("range %d %d %.1f %u %lld\n", host_copy(most, 1)[0], host_copy(least, 1)[0], host_copy(largest, 1)[0], host_copy(result, 1)[0],
                ordered_sum(u, n));
}
