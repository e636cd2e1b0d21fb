// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels for rows and columns whose borders meet: what a thread reads or stores in a corner, another one stores.
// RUN: not %gpurmacc_cpu -fsyntax-only %s 2>&1 | %filecheck %s
#include <gpurma/gpurma.h>

#define THREAD int i = blockIdx.x * blockDim.x + threadIdx.x

__global__ void both_store(float* u, int nx, int ny) {
  THREAD;
  if (i < nx)
    u[i] = 0;
  if (i < ny)
    u[i * nx + nx - 1] = 1;
}
__global__ void by_variable(float* u, int nx, int ny, float wall) {
  THREAD, j = wall += i;
  if (i < nx)
    u[i] = wall;
  if (i < ny)
    u[i * nx + nx - 1] = wall; // in each thread another value, as j is
}
__global__ void column_reads_corner(float* u, int nx, int ny) {
  THREAD;
  if (i > 0 && i < nx - 1)
    u[i] = 0;
  if (i < ny)
    u[i * nx] = u[i * nx + 1];
}
__global__ void row_reads_corner(float* u, int nx, int ny) {
  THREAD;
  if (i < nx)
    u[(ny - 1) * nx + i] = u[(ny - 2) * nx + i];
  if (i > 0 && i < ny - 1)
    u[i * nx] = 0;
}
__global__ void own_row_before(float* u, int nx, int ny) {
  THREAD;
  if (i > 1 && i < nx - 1)
    u[i] = 1;
  if (i > 1 && i < ny - 1 && i < nx - 1)
    u[i * nx] = u[i];
}
__global__ void column_above(float* u, int nx, int ny) {
  THREAD;
  if (i > 0 && i < nx - 1)
    u[i] = 1;
  if (i > 0 && i < ny - 1)
    u[i * nx] = u[(i + 1) * nx];
}
__global__ void column_and_atomic(float* u, float* sum, int nx, int ny) {
  THREAD;
  if (i > 0 && i < nx - 1)
    u[i] = 1;
  if (i > 0 && i < ny - 1)
    u[i * nx] = 0;
  atomicAdd(sum, 1.0f);
}
__global__ void any_row(float* u, const int* rows, int nx, int ny) {
  THREAD;
  if (i > 0 && i < nx - 1)
    u[i] = 1;
  if (i > 0 && i < ny - 1)
    u[rows[i] * nx] = 0;
}

void run(float* a, float* sum, int* rows, int ny, int nx) {
  const int blocks = ((nx > ny ? nx : ny) + 255) / 256;
#pragma gpurma persistent distribute(a : rows(ny, nx)) reduce(+ : *sum)
  {
    both_store<<<blocks, 256>>>(a, nx, ny);
    by_variable<<<blocks, 256>>>(a, nx, ny, 2.0f);
    column_reads_corner<<<blocks, 256>>>(a, nx, ny);
    row_reads_corner<<<blocks, 256>>>(a, nx, ny);
    own_row_before<<<blocks, 256>>>(a, nx, ny);
    column_above<<<blocks, 256>>>(a, nx, ny);
    column_and_atomic<<<blocks, 256>>>(a, sum, nx, ny);
    any_row<<<blocks, 256>>>(a, rows, nx, ny);
  }
}

// CHECK: :[[@LINE-70]]:5: error: two logical blocks that differ in x may write the same element of 'u', {{.*}} [gpurma-0202]
// CHECK: :[[@LINE-69]]:5: note: the other write is here
// CHECK: :[[@LINE-65]]:5: error: two logical blocks that differ in x may write the same element of 'u', {{.*}} [gpurma-0202]
// CHECK: :[[@LINE-57]]:17: error: 'column_reads_corner' reads a row of 'u' here that it stores into elsewhere; different threads do so, in no order: launch two kernels [gpurma-0236]
// CHECK: :[[@LINE-60]]:5: note: the row is stored into here
// CHECK: :[[@LINE-54]]:28: error: 'row_reads_corner' reads a row of 'u' here that it stores into elsewhere; {{.*}} [gpurma-0236]
// CHECK: :[[@LINE-53]]:5: note: the row is stored into here
// CHECK: :[[@LINE-47]]:17: error: 'own_row_before' reads a row of 'u' here that it stores into elsewhere; {{.*}} [gpurma-0236]
// CHECK: :[[@LINE-50]]:5: note: the row is stored into here
// CHECK: :[[@LINE-42]]:17: error: 'column_above' reads a row of 'u' here that it stores into elsewhere; {{.*}} [gpurma-0236]
// CHECK: :[[@LINE-38]]:5: error: no grid dimension walks the rows of 'u'{{.*}} [gpurma-0203]
// CHECK: :[[@LINE-31]]:5: error: no grid dimension walks the rows of 'u'{{.*}} [gpurma-0203]
