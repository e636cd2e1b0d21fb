// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels do not launch kernels, which the CPU target would pass by.
// RUN: not %gpurmacc_cpu -c %s -o %t.o 2>&1 | %filecheck %s

__global__ void child(int* p) { atomicAdd(p, 1); }
__global__ void parent(int* p) {
  if (threadIdx.x == 0)
    // CHECK: :[[@LINE+1]]:5: error: 'parent' runs on the device and launches a kernel, which gpurma does not provide; launch it from the host, or make what it does a __device__ function [gpurma-0166]
    child<<<2, 32>>>(p);
}
namespace tree {
struct node {
  __device__ void grow(int* p) {
    // CHECK: :[[@LINE+1]]:5: error: 'tree::node::grow' runs on the device and launches a kernel
    child<<<2, 32>>>(p);
  }
  // What may run on both is taken for the host's.
  __host__ __device__ void start(int* p) { child<<<2, 32>>>(p); }
};
} // namespace tree
void start(int* p) { parent<<<1, 32>>>(p); }
// CHECK: 2 errors generated.
