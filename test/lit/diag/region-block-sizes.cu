// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes of blocks that are not known, since something may change what a variable has first, or a member of it.
// RUN: not %gpurmacc_cpu -fsyntax-only %s 2>&1 | %filecheck %s
// RUN: not %gpurmacc_cpu -fsyntax-only %s -DOBJECTS 2>&1 | %filecheck --check-prefix=OBJECTS-CHECK %s

#define TILES_OF_EIGHT int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y

dim3 tile(32, 8);
__global__ void of_variable(float* out, int ny, int nx) {
  TILES_OF_EIGHT;
  // CHECK: :[[@LINE+2]]:25: error: successive logical blocks in y are not blockDim.y rows of 'out' apart [gpurma-0211]
  // CHECK: :[[@LINE+1]]:25: note: the launch does not give blockDim.y as a constant
  if (x < nx && y < ny) out[y * nx + x] = 0;
}
__global__ void of_condition(float* out, int ny, int nx) {
  TILES_OF_EIGHT;
  // CHECK: :[[@LINE+1]]:25: error: successive logical blocks in y are not blockDim.y rows of 'out' apart [gpurma-0211]
  if (x < nx && y < ny) out[y * nx + x] = 0;
}
__global__ void of_two_values(float* out, int ny, int nx) {
  TILES_OF_EIGHT;
  // CHECK: :[[@LINE+1]]:25: error: successive logical blocks in y are not blockDim.y rows of 'out' apart [gpurma-0211]
  if (x < nx && y < ny) out[y * nx + x] = 0;
}
__global__ void of_sum(float* out, int ny, int nx) {
  TILES_OF_EIGHT;
  // CHECK: :[[@LINE+1]]:25: error: successive logical blocks in y are not blockDim.y rows of 'out' apart [gpurma-0211]
  if (x < nx && y < ny) out[y * nx + x] = 0;
}
__global__ void before_assignment(float* out, int ny, int nx) {
  TILES_OF_EIGHT;
  // CHECK: :[[@LINE+1]]:25: error: successive logical blocks in y are not blockDim.y rows of 'out' apart [gpurma-0211]
  if (x < nx && y < ny) out[y * nx + x] = 0;
}
__global__ void of_reference(float* out, int ny, int nx) {
  TILES_OF_EIGHT;
  // CHECK: :[[@LINE+1]]:25: error: successive logical blocks in y are not blockDim.y rows of 'out' apart [gpurma-0211]
  if (x < nx && y < ny) out[y * nx + x] = 0;
}
// CHECK-NOT: error:

void variable(float* a, int ny, int nx) {
#pragma gpurma persistent distribute(a : rows(ny, nx))
  for (int k = 0; k < 5; ++k)
    of_variable<<<dim3(8, 8), tile>>>(a, ny, nx);
}
void condition(float* a, int ny, int nx) {
  dim3 block(32);
  if (ny > 100)
    block.y = 8;
#pragma gpurma persistent distribute(a : rows(ny, nx))
  for (int k = 0; k < 5; ++k)
    of_condition<<<dim3(8, 8), block>>>(a, ny, nx);
}
void two_values(float* a, int ny, int nx) {
  dim3 block(32);
  block.y = 8;
  block.y = 16;
#pragma gpurma persistent distribute(a : rows(ny, nx))
  for (int k = 0; k < 5; ++k)
    of_two_values<<<dim3(8, 8), block>>>(a, ny, nx);
}
void sum(float* a, int ny, int nx) {
  dim3 block(32);
  block.y = 8;
  block.y += 8;
#pragma gpurma persistent distribute(a : rows(ny, nx))
  for (int k = 0; k < 5; ++k)
    of_sum<<<dim3(8, 8), block>>>(a, ny, nx);
}
void before(float* a, int ny, int nx) {
  dim3 block(32);
#pragma gpurma persistent distribute(a : rows(ny, nx))
  for (int k = 0; k < 5; ++k)
    before_assignment<<<dim3(8, 8), block>>>(a, ny, nx);
  block.y = 8;
}
void reference(float* a, int ny, int nx) {
  dim3 block(32);
  unsigned& height = block.y;
  block.y = 8;
  height = 16;
#pragma gpurma persistent distribute(a : rows(ny, nx))
  for (int k = 0; k < 5; ++k)
    of_reference<<<dim3(8, 8), block>>>(a, ny, nx);
}

#ifdef OBJECTS
template <int N> struct range {
  int first, last, threads, others, rest;
  __host__ __device__ range(int first, int last) : first(first), last(last), threads(N), others(N), rest(N) {
    if (last > 100)
      others = 2 * N;
  }
  __host__ __device__ void halve() { rest /= 2; }
};
__global__ void set(float* out) { out[blockIdx.x * blockDim.x + threadIdx.x] = 0; }
// OBJECTS-CHECK-NOT: error:
void constant(float* a, int n, int first) {
  range<32> x(first, n);
  dim3 block(x.threads);
  set<<<4, block>>>(a);
}
void of_constructor(float* a, int n, int first) {
  range<32> x(first, n);
  dim3 block(x.others);
  // OBJECTS-CHECK: :[[@LINE+1]]:12: error: the block size of this launch must be known when the region begins, but 'block' is declared in it [gpurma-0135]
  set<<<4, block>>>(a);
}
void of_function(float* a, int n, int first) {
  range<32> x(first, n);
  x.halve();
  dim3 block(x.rest);
  // OBJECTS-CHECK: :[[@LINE+1]]:12: error: the block size of this launch must be known when the region begins, but 'block' is declared in it [gpurma-0135]
  set<<<4, block>>>(a);
}
void sometimes(float* a, int n, int first) {
  dim3 block(32);
  if (first > 1)
    block.x = 64;
  // OBJECTS-CHECK: :[[@LINE+1]]:12: error: the block size of this launch must be known when the region begins, but 'block' is declared in it [gpurma-0135]
  set<<<4, block>>>(a);
}
void objects(float* a, int n) {
#pragma gpurma persistent distribute(a : rows(n))
  for (int k = 0; k < 5; ++k) {
    int first = k;
    if (k == 3)
      first = 0;
    constant(a, n, first);
    of_constructor(a, n, first);
  }
}
void changed_objects(float* a, int n) {
#pragma gpurma persistent distribute(a : rows(n))
  for (int k = 0; k < 5; ++k)
    of_function(a, n, k);
}
void other_blocks(float* a, int n) {
#pragma gpurma persistent distribute(a : rows(n))
  for (int k = 0; k < 5; ++k)
    sometimes(a, n, k);
}
#endif
