// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Rows that other processes read and that do not begin, or end, at multiples of 16 bytes: of elements of 1 to 16 bytes, of threads whose
// first column is 1, and in arrays that themselves begin between such multiples. GPUs store them in words of 1 to 16 bytes.
// RUN: %gpurmacc_cpu -O1 %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 GPURMA_TIMEOUT=20 %mpirun -np 3 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=7 GPURMA_TIMEOUT=20 GPURMA_ROUTE=proxy %mpirun -np 2 %t | diff - %t.expected
#include "Inputs/region.h"

#include <utility>

struct alignas(16) pair {
  long long of[2];
};
__device__ pair operator+(pair a, pair b) { return {a.of[0] + b.of[0], a.of[1] + b.of[1]}; }

template <class T> __global__ void step_2d(T *out, const T *in, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (x < nx - 1 && y < ny - 1)
    out[y * nx + x] = in[(y - 1) * nx + x] + in[(y + 1) * nx + x] + in[y * nx + x - 1] + in[y * nx + x + 1];
}
template <class T> __global__ void step_3d(T *out, const T *in, int nx, int ny, int nz) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  const int z = blockIdx.z * blockDim.z + threadIdx.z + 1;
  if (x < nx - 1 && y < ny - 1 && z < nz - 1) {
    const int at = (z * ny + y) * nx + x;
    out[at] = in[at - nx * ny] + in[at + nx * ny] + in[at - nx] + in[at + nx] + in[at - 1] + in[at + 1];
  }
}

// The arrays begin `offset` elements behind what cudaMalloc returns, and count that much more.
template <class T> void run(const char *name, T *in, T *out, int nx, int ny, int offset = 0) {
  in += offset;
  out += offset;
  const dim3 block(16, 4), grid((nx + 13) / 16, (ny + 1) / 4);
#pragma gpurma persistent distribute(in, out : rows(ny, nx))
  for (int step = 0; step < 5; ++step) {
    step_2d<<<grid, block>>>(out, in, nx, ny);
    std::swap(in, out);
  }
  const int nz = ny - 10, layer = 10; // another way to look at the same numbers
  const dim3 block_3d(8, 2, 2), grid_3d((nx + 5) / 8, layer / 2, nz / 2);
#pragma gpurma persistent distribute(in, out : rows(nz, layer, nx))
  for (int step = 0; step < 3; ++step) {
    step_3d<<<grid_3d, block_3d>>>(out, in, nx, layer, nz);
    std::swap(in, out);
  }
  print_sum(name, reinterpret_cast<const unsigned char *>(in), std::size_t(nz) * layer * nx * sizeof(T));
}
template <class T> void run(const char *name, int nx, int offset = 0) {
  const int ny = 27;
  const std::size_t count = std::size_t(10) * ny * nx + offset;
  run(name, array_of_numbers<T>(count), array_of_numbers<T>(count), nx, ny, offset);
}

int main() {
  run<unsigned char>("1 byte", 77);
  run<unsigned short>("2 bytes", 64);
  run<unsigned>("4 bytes", 64);
  run<unsigned>("4 bytes, of other lengths", 83);
  run<long long>("8 bytes", 64);
  run<long long>("8 bytes, of other lengths", 35);
  run<unsigned>("4 bytes, behind another", 64, 1);
  run<long long>("8 bytes, behind another", 48, 1);

  const int nx = 50, ny = 27;
  const auto numbers = [](std::size_t i) { return pair{{static_cast<long long>(i % 1009), static_cast<long long>(i % 97)}}; };
  run("16 bytes", device_array<pair>(10 * nx * ny, numbers), device_array<pair>(10 * nx * ny, numbers), nx, ny);
}
