// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a launch without distributed arrays may be passed.
// RUN: not %gpurmacc_cpu -c %s -o %t.o 2>&1 | %filecheck %s

__global__ void set(float* b) { b[blockIdx.x * blockDim.x + threadIdx.x] = 0; }
__global__ void pairs(float2* b) { b[blockIdx.x * blockDim.x + threadIdx.x] = {0, 0}; }
__global__ void add(const float* b, float* sum) { atomicAdd(sum, b[blockIdx.x * blockDim.x + threadIdx.x]); }

void pointers(float* a, float* b, float* sum, int n) {
#pragma gpurma persistent distribute(a : rows(n))
  { set<<<n, 1>>>(b); }
#pragma gpurma persistent distribute(a : rows(n))
  {
    float2* as_pairs = reinterpret_cast<float2*>(a);
    pairs<<<n, 1>>>(as_pairs);
  }
#pragma gpurma persistent distribute(a : rows(n)) reduce(+ : *sum)
  { add<<<n, 1>>>(b, sum); }
}

// CHECK: :[[@LINE-10]]:19: error: kernel 'set' may write through 'b', which is neither distributed nor reduced; name it in 'distribute', or make the parameter a pointer to const [gpurma-0133]
// CHECK: :[[@LINE-17]]:28: note: 'b' is declared here
// CHECK: :[[@LINE-8]]:21: error: kernel 'pairs' may write through 'as_pairs', which is neither distributed nor reduced; name it in 'distribute', or make the parameter a pointer to const [gpurma-0133]
// CHECK: :[[@LINE-18]]:31: note: 'b' is declared here
