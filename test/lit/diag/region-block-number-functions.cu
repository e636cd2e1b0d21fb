// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that are passed an array for the numbers of blocks, of which it is not certain that they store one for each and nothing else.
// RUN: not %gpurmacc_cpu -c -DCASE=1 %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK1 %s
// RUN: not %gpurmacc_cpu -c -DCASE=2 %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK2 %s
// RUN: not %gpurmacc_cpu -c -DCASE=3 %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK3 %s
// RUN: not %gpurmacc_cpu -c -DCASE=4 %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK4 %s
// RUN: not %gpurmacc_cpu -c -DCASE=5 %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK5 %s
// RUN: not %gpurmacc_cpu -c -DCASE=6 %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK6 %s
// RUN: not %gpurmacc_cpu -c -DCASE=7 %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK7 %s
// RUN: not %gpurmacc_cpu -c -DCASE=8 %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK8 %s
// RUN: not %gpurmacc_cpu -c -DCASE=9 %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK9 %s

#if CASE == 6
__device__ void leave(const float* part, float* out);
#elif CASE == 3
using numbers = float*;
__device__ void leave(const float* part, numbers out) {
  if (threadIdx.x == 0)
    out[blockIdx.x] = part[0];
}
#elif CASE == 4
__device__ void leave(const float* part, float* out) {
  int thread = threadIdx.x;
  thread /= 2;
  if (thread == 0)
    out[blockIdx.x] = part[0];
}
#elif CASE == 5
__device__ void leave(const float* part, float* out) {
  if (threadIdx.x == 0)
    out[0] = part[0];
}
#else
__device__ void leave(const float* part, float* out) {
  if (threadIdx.x != 0)
    return;
  out[blockIdx.x] = part[0];
}
#endif

__global__ void squares(const float* u, float* partial, int n) {
  __shared__ float part[64];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  part[threadIdx.x] = i < n ? u[i] * u[i] : 0;
  for (int w = 32; w > 0; w /= 2) {
    __syncthreads();
    if (threadIdx.x < w)
      part[threadIdx.x] += part[threadIdx.x + w];
  }
#if CASE == 7
  if (blockIdx.x > 2)
    return;
#endif
  leave(part, partial);
#if CASE == 2
  leave(part + 1, partial);
#endif
}
#if CASE == 6
__device__ void leave(const float* part, float* out) {
  if (threadIdx.x == 0)
    out[blockIdx.x] = part[0];
}
#endif
__global__ void others(const float* u, float* out) {
  __shared__ float part[64];
  part[threadIdx.x] = u[blockIdx.x];
  leave(part, out);
}

__global__ void sum(const float* partial, float* result, int blocks) {
  __shared__ float part[64];
  part[threadIdx.x] = 0;
#if CASE == 8
  for (int i = threadIdx.x; i < blocks; i += blockDim.x)
    part[threadIdx.x / 2] += partial[i];
#elif CASE == 9
  __shared__ float last[64];
  last[threadIdx.x] = 0;
  for (int i = threadIdx.x; i < blocks; i += blockDim.x) {
    part[threadIdx.x] += last[threadIdx.x];
    last[threadIdx.x] = partial[i];
  }
  part[threadIdx.x] += last[threadIdx.x];
#else
  for (int i = threadIdx.x; i < blocks; i += blockDim.x)
    part[threadIdx.x] += partial[i];
#endif
  for (int w = 32; w > 0; w /= 2) {
    __syncthreads();
    if (threadIdx.x < w)
      part[threadIdx.x] += part[threadIdx.x + w];
  }
  if (threadIdx.x == 0)
    *result = part[0];
}

void run(float* u, float* v, float* partial, float* result, int ny, int nx, int blocks) {
  // CHECK1: :68:3: error: {{.*}} a function that stores the blocks' numbers is called here, too, in 'others', for something else; write another function [gpurma-0231]
  // CHECK1: :54:3: note: 'squares' calls it here for numbers of blocks
  // CHECK2: :95:6: error: kernel 'sum' may update the reduced 'result' only by {{.*}} [gpurma-0136]
  // CHECK2: :112:5: note: if the blocks of this launch leave numbers in 'partial', which 'sum' combines, let its kernel store them, 'partial[blockIdx.x] = ...;', or one function that it passes 'partial', and not through a pointer to one of them
  // CHECK3: :19:5: error: {{.*}} each block stores one number in a statement of its own, 'partial[...] = ...;', of the type of the array [gpurma-0231]
  // CHECK4: :26:5: error: {{.*}} one thread of each block should store here, whatever else it does: {{.*}} [gpurma-0231]
  // CHECK5: :31:9: error: {{.*}} the number of the block should be the subscript, {{.*}} [gpurma-0231]
  // CHECK6: :112:5: error: 'leave', which kernel 'squares' calls, uses 'out', and in a persistent region only a copy of it knows the logical block, which would stand behind what calls it: define it before that [gpurma-0131]
  // CHECK7: :37:3: error: {{.*}} one thread of each block should store here, whatever else it does: {{.*}} [gpurma-0231]
  // CHECK8: :{{[0-9]+}}:{{[0-9]+}}: error: {{.*}} cannot show that 'sum' stores here what all numbers are combined, each once, or the root of it [gpurma-0231]
  // CHECK9: :{{[0-9]+}}:{{[0-9]+}}: error: {{.*}} cannot show that 'sum' stores here what all numbers are combined, each once, or the root of it [gpurma-0231]
#pragma gpurma persistent distribute(u, v : rows(ny, nx)) reduce(+ : *result)
  for (int t = 0; t < 3; ++t) {
    squares<<<blocks, 64>>>(u, partial, ny * nx);
    sum<<<1, 64>>>(partial, result, blocks);
#if CASE == 1
    others<<<blocks, 64>>>(u, v);
#endif
  }
}
