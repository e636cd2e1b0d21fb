// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Where nothing crosses between processes, a rank does not wait for those of others, though other launches of the region do: here one
// process waits, in a launch, for what the other one does in the next.
// RUN: %gpurmacc_cpu %s %S/Inputs/region_flag.cu -o %t
// RUN: env GPURMA_CPU_RANKS=1 GPURMA_TIMEOUT=20 %mpirun -np 2 %t %t.flag | FileCheck %s
// CHECK: passed
#include <cstdio>
#include <cstdlib>

__global__ void stencil(int *out, const int *in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n - 1)
    out[i] = in[i - 1] + in[i + 1];
}
// Of region_flag.cu: an int in memory that the processes share.
__host__ __device__ int flag();
__host__ __device__ void set_flag();
bool share_flag(const char *path);

// The last element waits for the flag.
__global__ void await(int *own, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  while (i == n - 1 && flag() == 0) {
  }
  own[i] += 1;
}
// The first one sets it.
__global__ void set(int *own, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  if (i == 0)
    set_flag();
  own[i] += 2;
}

int main(int, char **argv) {
  if (!share_flag(argv[1]))
    return 1;
  const int n = 64;
  int *a, *b, *own;
  cudaMalloc(&a, n * sizeof(int));
  cudaMalloc(&b, n * sizeof(int));
  cudaMalloc(&own, n * sizeof(int));
#pragma gpurma persistent distribute(a, b, own : rows(n))
  {
    stencil<<<n / 8, 8>>>(b, a, n);
    stencil<<<n / 8, 8>>>(a, b, n);
    await<<<n / 8, 8>>>(own, n);
    set<<<n / 8, 8>>>(own, n);
    stencil<<<n / 8, 8>>>(b, a, n);
  }
  const char *rank = std::getenv("OMPI_COMM_WORLD_RANK");
  if (rank && std::atoi(rank) == 0)
    std::puts("passed");
}
