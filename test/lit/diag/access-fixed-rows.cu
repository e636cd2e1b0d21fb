// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels for fixed rows that cannot be run once for each row.
// RUN: not %gpurmacc_cpu -fsyntax-only %s 2>&1 | %filecheck %s
#include <gpurma/gpurma.h>
#include <cstdio>

#define COLUMN                                                                                     \
  int x = blockIdx.x * blockDim.x + threadIdx.x;                                                   \
  if (x >= nx)                                                                                     \
  return
#define LAST(value) u[(ny - 1) * nx + x] = value

__global__ void reads_before(float* u, int nx, int ny) {
  COLUMN;
  float v = u[nx + x];
  if (v > 0) u[(ny - 1) * nx + x] = v;
}
__global__ void tests(float* u, int nx, int ny) {
  COLUMN;
  if (u[nx + x] > 0)
    u[(ny - 1) * nx + x] = 0;
}
__global__ void chains(float* u, int nx, int ny) {
  COLUMN;
  u[x] += u[(ny - 1) * nx + x] = 0;
}
__global__ void lists(float* u, int nx, int ny) {
  COLUMN;
  float last = (u[x] = 1, u[(ny - 1) * nx + x] = 0);
}
__device__ float next(unsigned* state) {
  *state = *state * 1664525u + 1013904223u;
  return static_cast<float>(*state >> 8);
}
__global__ void randomly(float* u, int nx, int ny) {
  COLUMN;
  unsigned state = x;
  u[x] = next(&state);
  u[(ny - 1) * nx + x] = next(&state);
}
__device__ void set(float* u, int i, float value) { u[i] = value; }
__global__ void by_call(float* u, int nx, int ny) {
  COLUMN;
  u[x] = 0;
  set(u, (ny - 1) * nx + x, 1);
}
__global__ void adds_up(float* u, float* sum, int nx, int ny) {
  COLUMN;
  u[(ny - 1) * nx + x] = 0;
  atomicAdd(sum, 1.0f);
}
__global__ void says(float* u, int nx, int ny) {
  COLUMN;
  u[(ny - 1) * nx + x] = 0;
  printf("%d\n", x);
}
__global__ void before(float* u, int nx, int ny) {
  COLUMN;
  u[(ny - 1) * nx + x - 1] = 0;
}
__global__ void by_macro(float* u, int nx, int ny) {
  COLUMN;
  LAST(u[nx + x]);
}
__global__ void in_order(float* u, int nx) {
  COLUMN;
  u[x] = 1;
  u[nx + x] = u[2 * nx + x] = u[x];
}
__global__ void moves_down(float* u, int nx) {
  COLUMN;
  for (int r = 0; r < 3; ++r)
    u[r * nx + x] = u[(r + 1) * nx + x];
}
__global__ void all_rows(float* u, int nx, int ny) {
  COLUMN;
  for (int y = ny; y > 0; --y)
    u[(y - 1) * nx + x] = 0;
}
__global__ void waits(float* u, int nx, int ny) {
  COLUMN;
  __syncthreads();
  u[(ny - 1) * nx + x] = 0;
}
__global__ void unbounded(float* u, int nx, int ny, int m) {
  if (const int x = blockIdx.x * blockDim.x + threadIdx.x; x < m) u[(ny - 1) * nx + x] = 0;
}
__global__ void log_too(float* u, float* other, int nx, int ny) {
  COLUMN;
  u[(ny - 1) * nx + x] = 0;
  other[x] = 1;
}

void run(float* a, float* b, float* sum, float* other, int ny, int nx, int m) {
  const int blocks = (nx + 255) / 256;
#pragma gpurma persistent distribute(a, b : rows(ny, nx)) reduce(+ : *sum)
  {
    reads_before<<<blocks, 256>>>(a, nx, ny);
    tests<<<blocks, 256>>>(a, nx, ny);
    chains<<<blocks, 256>>>(a, nx, ny);
    lists<<<blocks, 256>>>(a, nx, ny);
    randomly<<<blocks, 256>>>(a, nx, ny);
    by_call<<<blocks, 256>>>(a, nx, ny);
    adds_up<<<blocks, 256>>>(a, sum, nx, ny);
    says<<<blocks, 256>>>(a, nx, ny);
    before<<<blocks, 256>>>(a, nx, ny);
    by_macro<<<blocks, 256>>>(a, nx, ny);
    in_order<<<blocks, 256>>>(a, nx);
    moves_down<<<blocks, 256>>>(a, nx);
    all_rows<<<blocks, 256>>>(a, nx, ny);
    waits<<<blocks, 256>>>(a, nx, ny);
    unbounded<<<blocks, 256>>>(a, nx, ny, m);
    log_too<<<blocks, 256>>>(a, other, nx, ny);
  }
}

// CHECK: :[[@LINE-102]]:13: error: no grid dimension of 'reads_before' walks rows, so that it runs once for each of them, and stores into that one only; here a distributed array is read outside of such a store: write 'u[...] = ...;' as one statement [gpurma-0235]
// CHECK: :[[@LINE-98]]:7: error: no grid dimension of 'tests' walks rows, {{.*}} here a distributed array is read outside of such a store
// CHECK: :[[@LINE-94]]:{{[0-9]+}}: error: no grid dimension of 'chains' walks rows, {{.*}} here the store is not a statement 'u[...] = ...;' of its own that changes nothing else
// CHECK: :[[@LINE-91]]:17: error: no grid dimension of 'lists' walks rows, {{.*}} here the store is not a statement
// CHECK: :[[@LINE-92]]:27: error: no grid dimension of 'lists'{{.*}}
// CHECK: :[[@LINE-93]]:25: error: no grid dimension of 'lists' walks rows
// CHECK: :[[@LINE-85]]:{{[0-9]+}}: error: no grid dimension of 'randomly' walks rows, {{.*}} here the store is not a statement
// CHECK: :[[@LINE-85]]:{{[0-9]+}}: error: no grid dimension of 'randomly' walks rows
// CHECK: :[[@LINE-84]]:53: error: no grid dimension of 'by_call' walks rows, {{.*}} here the store is not a statement
// CHECK: :[[@LINE-76]]:3: error: no grid dimension of 'adds_up' walks rows, {{.*}} here a reduced scalar would be updated for each row
// CHECK: :[[@LINE-72]]:3: error: no grid dimension of 'says' walks rows, {{.*}} here a call whose function is not known would be done for each row
// CHECK: :[[@LINE-69]]:3: error: no grid dimension of 'before' walks rows, {{.*}} here the subscript may leave its row
// CHECK: :[[@LINE-66]]:{{[0-9]+}}: error: no grid dimension of 'by_macro' walks rows, {{.*}} here the store stands in a macro
// CHECK: :[[@LINE-62]]:31: error: 'in_order' reads a row of 'u' here that it stores into elsewhere; different threads do so, in no order: launch two kernels [gpurma-0236]
// CHECK: :[[@LINE-64]]:3: note: the row is stored into here
// CHECK: :[[@LINE-59]]:21: error: {{.*}}'u' of another row is used, which another iteration writes; {{.*}} [gpurma-0221]
// CHECK: :[[@LINE-56]]:3: error: {{.*}}this loop is not of the form 'for (int z = first; z < last; ++z)'{{.*}} [gpurma-0221]
// CHECK: :[[@LINE-52]]:3: error: 'waits' {{.*}} here threads wait for each other ('__syncthreads') [gpurma-0225]
// CHECK: :[[@LINE-24]]:5: note: that launch is here
// CHECK: :[[@LINE-50]]:67: error: {{.*}} [gpurma-02{{03|28}}]
// CHECK: :[[@LINE-51]]:67: note: if this is a column of a row that is the same for all threads, it lacks a condition that keeps it in that row, by the length that 'rows' names: 'if (x < nx)'
// CHECK: :[[@LINE-47]]:3: error: {{.*}}'other'
