// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Launches with a few threads or blocks along a dimension that numbers halo rows, as the kernels that update halos have them: at both ends, in
// any order, of which some have nothing to do, with the other sides of the domain in columns, and in three dimensions.
// RUN: %gpurmacc_cpu -I%S %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=4 %mpirun -np 3 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=1 GPURMA_DISTRIBUTED_ARRAYS=banded %mpirun -np 3 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 5 %t | diff - %t.expected
// RUN: %gpurmacc_cpu -I%S --gpurma-print-after=InferStages -fsyntax-only %s 2>&1 | FileCheck --check-prefix=STAGES %s
// CHECK: threads {{[1-9][0-9]*}}
// CHECK: blocks {{[1-9][0-9]*}}
// CHECK: planes {{[1-9][0-9]*}}
// STAGES-DAG: stage bottom: rows y of stores into fixed rows by 2 threads each; reads f (y 1..3); writes f (own)
// STAGES-DAG: stage top: rows y of stores into fixed rows by 2 threads each; reads f (y -3..-1); writes f (own)
// STAGES-DAG: stage bottom_by_blocks: rows y of stores into fixed rows by 3 threads each;
// STAGES-DAG: stage front: rows z of stores into fixed rows by 4 threads each;
#include "Inputs/region.h"

#include <utility>

constexpr int Modulus = 100999;

__global__ void step(int* out, const int* in, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x > 1 && x < nx - 2 && y > 1 && y < ny - 2)
    out[y * nx + x] = (in[y * nx + x] * 3 + in[(y - 2) * nx + x] + in[(y + 2) * nx + x] + in[y * nx + x - 1] + in[y * nx + x + 1]) % Modulus;
}
// Halo rows as mirrors of the rows behind them.
__global__ void bottom(int* f, int depth, int ny, int nx) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x, k = blockIdx.y * blockDim.y + threadIdx.y;
  if (j < nx && k < depth)
    f[j + (1 - k) * nx] = f[j + (2 + k) * nx] + k + threadIdx.y;
}
__global__ void top(int* f, int depth, int ny, int nx) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x, k = blockIdx.y * blockDim.y + threadIdx.y;
  if (j < nx && k < depth)
    f[j + (ny - 2 + k) * nx] = f[j + (ny - 3 - k) * nx];
}
__global__ void left(int* f, int depth, int ny, int nx) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x, k = blockIdx.y * blockDim.y + threadIdx.y;
  if (j < depth && k < ny)
    f[k * nx + 1 - j] = f[k * nx + 2 + j];
}
static void threads(int ny, int nx, int depth) {
  int* u = array_of_numbers<int>(ny * nx);
  int* v = array_of_numbers<int>(ny * nx);
#pragma gpurma persistent distribute(u, v : rows(ny, nx))
  for (int t = 0; t < 8; ++t) {
    step<<<dim3((nx + 15) / 16, (ny + 3) / 4), dim3(16, 4)>>>(v, u, ny, nx);
    bottom<<<dim3((nx + 31) / 32, 1), dim3(32, 2)>>>(v, depth, ny, nx);
    top<<<dim3((nx + 31) / 32, 1), dim3(32, 2)>>>(v, depth, ny, nx);
    left<<<dim3(1, (ny + 31) / 32), dim3(2, 32)>>>(v, depth, ny, nx);
    std::swap(u, v);
  }
  print_sum("threads", u, ny * nx);
}

// A block for each row, with what it is passed for them.
__global__ void bottom_by_blocks(int* f, int factor, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, k = blockIdx.y;
  if (x < nx)
    f[(2 - k) * nx + x] = (factor * f[(3 + k) * nx + x] + gridDim.y * k) % Modulus;
}
static void blocks(int ny, int nx, int factor) {
  int* u = array_of_numbers<int>(ny * nx);
  int* v = array_of_numbers<int>(ny * nx);
#pragma gpurma persistent distribute(u, v : rows(ny, nx))
  for (int t = 0; t < 8; ++t) {
    step<<<dim3((nx + 15) / 16, (ny + 3) / 4), dim3(16, 4)>>>(v, u, ny, nx);
    bottom_by_blocks<<<dim3((nx + 31) / 32, 3), 32>>>(v, factor, ny, nx);
    std::swap(u, v);
  }
  print_sum("blocks", u, ny * nx);
}

__global__ void step_3d(int* out, const int* in, int nz, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < nx && y < ny && z > 1 && z < nz - 2) {
    const int i = (z * ny + y) * nx + x;
    out[i] = (in[i] + in[i - 2 * ny * nx] + in[i + ny * nx]) % Modulus;
  }
}
__global__ void front(int* f, int depth, int nz, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, k = threadIdx.z;
  if (x < nx && y < ny && k < depth)
    f[((1 - k) * ny + y) * nx + x] = f[((2 + k) * ny + y) * nx + x];
}
static void planes(int nz, int ny, int nx, int depth) {
  int* u = array_of_numbers<int>(nz * ny * nx);
  int* v = array_of_numbers<int>(nz * ny * nx);
#pragma gpurma persistent distribute(u, v : rows(nz, ny, nx))
  for (int t = 0; t < 8; ++t) {
    step_3d<<<dim3((nx + 15) / 16, (ny + 3) / 4, nz), dim3(16, 4)>>>(v, u, nz, ny, nx);
    front<<<dim3((nx + 15) / 16, (ny + 1) / 2), dim3(16, 2, 4)>>>(v, depth, nz, ny, nx);
    std::swap(u, v);
  }
  print_sum("planes", u, nz * ny * nx);
}

int main(int argc, char**) {
  const int depth = argc > 4 ? 1 : 2; // which compilers do not know
  threads(61, 45, depth);
  threads(57, 29, depth - 1);
  blocks(53, 33, depth + 1);
  planes(41, 7, 19, depth);
}
