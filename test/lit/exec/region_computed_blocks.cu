// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Sizes of blocks that variables have, which nothing changes: as constants, so that kernels with shared memory may have blocks of two sizes. One that is
// changed before the region is none.
// RUN: %gpurmacc_cpu -I%S -Wall -Wextra -Werror --gpurma-print-after=InferStages %s -o %t | FileCheck --check-prefix=STAGES %s
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S -Wno-unused %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=1 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t quiet | diff - %t.expected
// CHECK: u {{[0-9]+}}
// CHECK: w {{[0-9]+}}
#include "Inputs/region.h"

// STAGES: stage smooth: rows y; {{[^;]*}}; {{[^;]*$}}
// STAGES: stage smooth: rows y; {{.*}}in blocks of another size
// STAGES: stage shift: rows y; {{[^;]*}}; {{[^;]*$}}
__global__ void smooth(int* v, const int* u, int ny, int nx) {
  __shared__ int tile[8][32];
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = x < nx && y < ny ? u[y * nx + x] : 0;
  __syncthreads();
  if (x > 0 && y > 0 && x < nx && y < ny)
    v[y * nx + x] = (3 * tile[threadIdx.y][threadIdx.x] + u[(y - 1) * nx + x] + (threadIdx.x > 0 ? tile[threadIdx.y][threadIdx.x - 1] : 1)) % 10007;
}
__global__ void shift(int* v, const int* u, int ny, int nx) {
  __shared__ int of_thread[32];
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  of_thread[threadIdx.x] = x;
  __syncthreads();
  if (x < nx && y > 0 && y < ny)
    v[y * nx + x] = (u[(y - 1) * nx + x] + of_thread[threadIdx.x]) % 10007;
}

int main(int argc, char**) {
  const int ny = 61, nx = 67;
  int *u = array_of_numbers<int>(ny * nx), *v = array_of_numbers<int>(ny * nx);
  int width = 32, height = width / 4;
  int half = (width + 1) / 2;
  const dim3 block(width, height), narrow(half, height);
  const dim3 grid((nx + width - 1) / width, (ny + height - 1) / height), narrow_grid((nx + half - 1) / half, (ny + height - 1) / height);
#pragma gpurma persistent distribute(u, v : rows(ny, nx))
  for (int step = 0; step < 5; ++step) {
    smooth<<<grid, block>>>(v, u, ny, nx);
    smooth<<<narrow_grid, narrow>>>(u, v, ny, nx);
  }
  if (argc < 2 || is_first_process())
    print_sum("u", u, ny * nx);

  int *w = array_of_numbers<int>(ny * nx), *t = array_of_numbers<int>(ny * nx);
  int threads = 64;
  threads /= 2;
#pragma gpurma persistent distribute(w, t : rows(ny, nx))
  for (int step = 0; step < 5; ++step) {
    shift<<<dim3((nx + 31) / 32, ny), threads>>>(t, w, ny, nx);
    shift<<<dim3((nx + 31) / 32, ny), 32>>>(w, t, ny, nx);
  }
  if (argc < 2 || is_first_process())
    print_sum("w", w, ny * nx);
  return cudaDeviceSynchronize() != cudaSuccess;
}
