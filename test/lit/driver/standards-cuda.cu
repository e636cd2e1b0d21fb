// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: nvcc
// The library and what is written of regions are C++20, too, and variables that are only __managed__ are the device's. (Other tests have
// C++17.)
// RUN: %check_cuda -std=c++20 -c %s -o %t.o
// RUN: echo '__global__ void simple() {}' > %t.simple.cu
// RUN: %gpurmacc_cuda -arch=sm_90 -ptx %t.simple.cu -o %t.ptx && FileCheck %s < %t.ptx
// CHECK: .visible .entry {{.*}}simple
// RUN: not %gpurmacc_cuda -arch=sm_75 -c %t.simple.cu -o %t.o 2>&1 | FileCheck %s --check-prefix=OLD
// OLD: error: #error "gpurma takes devices from compute capability 8.0 on: compile with -arch=sm_80 or later"
#include <gpurma/gpurma.h>

__managed__ int exchanges = 0;

__global__ void exchange(int* memory) {
#pragma gpurma window(w = memory[0:8])
  int tag = 3;
#pragma gpurma put(memory[0:4]) to((gpurma::rank() + 1) % gpurma::size()) at(w[4]) notify(tag)
#pragma gpurma wait tag(tag)
#pragma gpurma barrier
  if (threadIdx.x == 0 && gpurma::rank() == 0)
    ++exchanges;
}
__global__ void smooth(float* out, const float* in, int n) {
  const int i = 1 + blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n - 1)
    out[i] = in[i - 1] + in[i + 1];
}
int main() {
  int* memory = nullptr;
  float *u = nullptr, *v = nullptr;
  cudaMalloc(&memory, 8 * sizeof(int));
  cudaMalloc(&u, 100 * sizeof(float));
  cudaMalloc(&v, 100 * sizeof(float));
  exchange<<<2, 32>>>(memory);
#pragma gpurma persistent distribute(u, v : rows(100))
  for (int i = 0; i < 4; ++i) {
    smooth<<<2, 64>>>(v, u, 100);
    smooth<<<2, 64>>>(u, v, 100);
  }
  return cudaDeviceSynchronize() != cudaSuccess;
}
