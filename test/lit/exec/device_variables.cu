// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variables of the device that Clang knows and nvcc does not: static members (CUDA C++ Programming Guide, memory space specifiers), and, without
// -rdc=true, those that are declared before they are defined. So test/gpu does not run this.
// RUN: %gpurmacc_cpu -O2 %s -o %t
// RUN: %t | FileCheck %s
// CHECK: device_variables: 40 + 2 + 100, then 41 + 2 + 100
#include <cstdio>

class numbers {
  static __device__ int first;

public:
  static __constant__ int second;
  static __device__ int next() { return first++; }
};
__device__ int numbers::first = 40;
__constant__ int numbers::second = 2;
extern __device__ int later;

__global__ void read(int *values) {
  values[0] = numbers::next();
  values[1] = numbers::second;
  values[2] = later;
}

__device__ int later = 100;

int main() {
  int *values;
  cudaMallocManaged(&values, 3 * sizeof(int));
  read<<<1, 1>>>(values);
  cudaDeviceSynchronize();
  std::printf("device_variables: %d + %d + %d", values[0], values[1], values[2]);
  read<<<1, 1>>>(values);
  cudaDeviceSynchronize();
  std::printf(", then %d + %d + %d\n", values[0], values[1], values[2]);
  return cudaGetLastError() != cudaSuccess;
}
