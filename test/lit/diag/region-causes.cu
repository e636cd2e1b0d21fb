// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors whose cause is elsewhere: numbers of blocks that a function stores, what one thread computes, and statements of functions that
// name what they are passed.
// RUN: not %gpurmacc_cpu -c -DNUMBERS %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK-NUMBERS %s
// RUN: not %gpurmacc_cpu -c -DTHREAD %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK-THREAD %s
// RUN: not %gpurmacc_cpu -c -DREDUCED %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK-REDUCED %s
// RUN: not %gpurmacc_cpu -c -DTEXT %s -o %t.o 2>&1 | %filecheck --check-prefix=CHECK-TEXT %s

__global__ void add_one(float* u, float most, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    u[i] += most;
}

#ifdef NUMBERS
__device__ void add_up(float* part, float* out) {
  for (int w = 32; w > 0; w /= 2) {
    __syncthreads();
    if (threadIdx.x < w)
      part[threadIdx.x] += part[threadIdx.x + w];
  }
  // CHECK-NUMBERS: :[[@LINE+2]]:6: error: kernel 'sum' may update the reduced 'result' only by atomicAdd, atomicMax or atomicMin that fits the clause 'reduce(+ : ...)' [gpurma-0136]
  if (threadIdx.x == 0)
    *out = part[0];
}
__global__ void dot(const float* u, float* partial, int n) {
  __shared__ float part[64];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  part[threadIdx.x] = 0;
  if (i < n)
    part[threadIdx.x] = u[i] * u[i];
  float* own = partial + blockIdx.x;
  add_up(part, own);
}
__global__ void sum(const float* partial, float* result, int blocks) {
  __shared__ float part[64];
  part[threadIdx.x] = threadIdx.x < blocks ? partial[threadIdx.x] : 0;
  add_up(part, result);
}
void run(float* u, float* partial, float* result, int ny, int nx, int blocks) {
#pragma gpurma persistent distribute(u : rows(ny, nx)) reduce(+ : *result)
  for (int t = 0; t < 3; ++t) {
    // CHECK-NUMBERS: :[[@LINE+1]]:5: note: if the blocks of this launch leave numbers in 'partial', which 'sum' combines, let its kernel store them, 'partial[blockIdx.x] = ...;', or one function that it passes 'partial', and not through a pointer to one of them
    dot<<<blocks, 64>>>(u, partial, ny * nx);
    sum<<<1, 64>>>(partial, result, blocks);
  }
}
#elif defined(THREAD)
__global__ void compute(const float* most, float* dt) { *dt = 1 / *most; }
void run(float* u, float* dt, float* most, int n) {
#pragma gpurma persistent distribute(u : rows(n))
  for (int t = 0; t < 3; ++t) {
    add_one<<<2, 32>>>(u, 1, n);
    // CHECK-THREAD: :[[@LINE+2]]:29: error: kernel 'compute' may write through 'dt', which is neither distributed nor reduced; name it in 'distribute', or make the parameter a pointer to const [gpurma-0133]
    // CHECK-THREAD: :[[@LINE+1]]:5: note: what one thread computes of reduced scalars and numbers, the region can compute between launches, in a variable that kernels are passed by value
    compute<<<1, 1>>>(most, dt);
  }
}
#elif defined(REDUCED)
__global__ void compute(const float* most, float* dt) { *dt = 1 / *most; }
void run(float* u, float* dt, float* most, int n) {
#pragma gpurma persistent distribute(u : rows(n)) reduce(max : *most) reduce(+ : *dt)
  for (int t = 0; t < 3; ++t) {
    add_one<<<2, 32>>>(u, 1, n);
    // CHECK-REDUCED: error: kernel 'compute' may update the reduced 'dt' only by atomicAdd, atomicMax or atomicMin that fits the clause 'reduce(+ : ...)' [gpurma-0136]
    // CHECK-REDUCED: :[[@LINE+1]]:5: note: what one thread computes of reduced scalars and numbers, the region can compute between launches, in a variable that kernels are passed by value
    compute<<<1, 1>>>(most, dt);
  }
}
#else
void step(float* u, int n, double* error) {
  add_one<<<2, 32>>>(u, 1, n);
  // CHECK-TEXT: :[[@LINE+1]]:3: error: '*error' cannot be part of a persistent region, which runs on the device; move it out of the region [gpurma-0124]
  *error = 1;
}
void run(float* u, int n, double* error) {
#pragma gpurma persistent distribute(u : rows(n))
  for (int t = 0; t < 3; ++t)
    step(u, n, error);
}
#endif
