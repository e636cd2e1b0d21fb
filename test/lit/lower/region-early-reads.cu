// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kernels of a region read behind a store, of an array that they only read, they read before it, unless the launch is passed one
// array as both: where they read it in any case, and by a subscript that is known there.
// RUN: %gpurmacc_cpu --gpurma-emit-source=- %s | FileCheck %s
// RUN: %gpurmacc_cpu %s -o %t
#define AT(y, x) ((y) * nx + (x))
#define POINT                                                                                                                    \
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;                                \
  if (x >= nx || y >= ny)                                                                                                        \
    return;

// CHECK: gpurma_stage_[[#]]_changes(
// CHECK: const auto gpurma_read_0 = u[AT(y, x)]; v[AT(y, x)] = w;
// CHECK-NEXT: float change = w - (::gpurma::stages::are_apart(u, v) ? gpurma_read_0 : u[AT(y, x)]);
__global__ void changes(const float *u, float *v, float *sum, int ny, int nx) {
  POINT
  const float w = 0.5f * u[AT(y, x)];
  v[AT(y, x)] = w;
  float change = w - u[AT(y, x)];
  atomicAdd(sum, change);
}

// Two of three, before a store among others, by an index that has been changed before it.
// CHECK: gpurma_stage_[[#]]_several(
// CHECK: i += x;
// CHECK-NEXT: const auto gpurma_read_0 = u[i]; const auto gpurma_read_1 = a[i]; v[i] = 1, b[i] = 2;
// CHECK-NEXT: const float one = (::gpurma::stages::are_apart(u, v) && ::gpurma::stages::are_apart(u, b) ? gpurma_read_0 : u[i]);
// CHECK-NEXT: b[i] += one * (::gpurma::stages::are_apart(a, v) && ::gpurma::stages::are_apart(a, b) ? gpurma_read_1 : a[i]) + u[i];
__global__ void several(const float *u, float *v, const float *a, float *b, int ny, int nx) {
  POINT
  int i = y * nx;
  i += x;
  v[i] = 1, b[i] = 2;
  const float one = u[i];
  b[i] += one * a[i] + u[i];
}

// Not where it may not be read, nor behind what may leave, nor what the subscript needs that is found between.
// CHECK: gpurma_stage_[[#]]_perhaps(
// CHECK-NOT: gpurma_read_
// CHECK: gpurma_stage_[[#]]_instances(
__global__ void perhaps(const float *u, float *v, float *sum, int ny, int nx) {
  POINT
  v[AT(y, x)] = x;
  const bool read = y > 2;
  float w = read ? u[AT(y, x)] : 0;
  if (read && u[AT(y, x)] > 0)
    w += u[AT(y, x)];
  int i = AT(y, x);
  w += u[i];
  i = i;
  if (!read)
    return;
  w += u[AT(y, x)];
  atomicAdd(sum, w);
}

// All launches of a template.
// CHECK: const auto gpurma_read_0 = u[AT(y, x)]; v[AT(y, x)] = 3;
template <class T> __global__ void instances(const T *u, T *v, T *sum, int ny, int nx) {
  POINT
  v[AT(y, x)] = 3;
  atomicAdd(sum, u[AT(y, x)]);
}

// A parameter that is changed, or hidden, is not compared with another.
// CHECK: gpurma_stage_[[#]]_hidden(
// CHECK-NOT: gpurma_read_
// CHECK: void run(
__global__ void hidden(const float *u, float *v, float *sum, int ny, int nx) {
  POINT
  {
    const int v = 2;
    atomicAdd(sum, v);
  }
  v[AT(y, x)] = 3;
  atomicAdd(sum, u[AT(y, x)]);
}

void run(float *a, float *b, float *c, float *d, int *k, int *l, float *sum, int *count, int ny, int nx) {
  const dim3 block(32, 4), grid((nx + 31) / 32, (ny + 3) / 4);
#pragma gpurma persistent distribute(a, b, c, d, k, l : rows(ny, nx)) reduce(+ : *sum, *count)
  for (int i = 0; i < 3; ++i) {
    changes<<<grid, block>>>(a, b, sum, ny, nx);
    several<<<grid, block>>>(a, b, c, d, ny, nx);
    perhaps<<<grid, block>>>(a, b, sum, ny, nx);
    instances<<<grid, block>>>(a, b, sum, ny, nx);
    instances<<<grid, block>>>(k, l, count, ny, nx);
    hidden<<<grid, block>>>(a, b, sum, ny, nx);
  }
}

int main() {}
