// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pointers that may point into distributed arrays.
// RUN: not %gpurmacc_cpu -fsyntax-only %s 2>&1 | %filecheck %s
#include <gpurma/gpurma.h>

#define POINT                                                                                      \
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;        \
  if (x >= nx || y >= ny)                                                                          \
  return

__device__ float average(const float* of);
__device__ void fill(float* p, int n) {
  if (n > 0)
    fill(p, n - 1);
}

__global__ void table(float* out, const float* const* fields, int ny, int nx) {
  POINT;
  out[y * nx + x] = fields[1][y * nx + x];
}
__global__ void rotates(float* out, float* other, int ny, int nx) {
  POINT;
  for (int i = 0; i < 3; ++i) {
    out[y * nx + x] = i;
    float* before = out;
    out = other;
    other = before;
  }
}
__global__ void reinterprets(const float* in, float4* out, int ny, int nx) {
  POINT;
  out[y * nx + x].x = reinterpret_cast<const short*>(in)[y * nx + x];
}
__global__ void calls(const float* in, float* out, int ny, int nx) {
  POINT;
  out[y * nx + x] = average(in + y * nx + x);
}
__global__ void recurses(float* out, int ny, int nx) {
  POINT;
  fill(out + y * nx + x, 3);
}
__global__ void plain(const float* in, float* out, int ny, int nx) {
  POINT;
  out[y * nx + x] = in[y * nx + x];
}

void run(float* a, float* b, float* c, float4* d, const float* const* fields, int ny, int nx) {
  dim3 grid(8, 8), block(32, 8);
#pragma gpurma persistent distribute(a, b : rows(ny, nx)) distribute(c : rows(nx, ny))             \
    distribute(d : rows(ny, nx))
  for (int i = 0; i < 10; ++i) {
    table<<<grid, block>>>(a, fields, ny, nx);
    rotates<<<grid, block>>>(a, b, ny, nx);
    reinterprets<<<grid, block>>>(a, d, ny, nx);
    calls<<<grid, block>>>(a, b, ny, nx);
    recurses<<<grid, block>>>(a, ny, nx);
    plain<<<grid, block>>>(a + nx, b, ny, nx);
    plain<<<grid, block>>>(i % 2 ? a : c, b, ny, nx);
  }
}

// CHECK: :[[@LINE-43]]:21: error: cannot tell which array is read here: the pointer is loaded from memory, 'fields'; index a pointer parameter of the kernel, which no branch or loop exchanges [gpurma-0205]
// CHECK: :[[@LINE-39]]:5: error: cannot tell which array is written here: the pointer may be one of several, or lead to what is not known; index a pointer parameter of the kernel, which no branch or loop exchanges [gpurma-0205]
// CHECK: :[[@LINE-32]]:23: error: cannot tell which array is read here: 'in' is taken for elements of another size, or begins within one; index a pointer parameter of the kernel, which no branch or loop exchanges [gpurma-0205]
// CHECK: :[[@LINE-29]]:41: error: distributed array 'in' is passed to 'average', whose body is not visible here; define it in this translation unit [gpurma-0207]
// CHECK: :[[@LINE-52]]:10: error: distributed array 'out' is passed to 'fill', which is recursive or called too deeply; write a loop [gpurma-0207]
// CHECK: :[[@LINE-10]]:28: error: 'a' must be passed to 'plain' as it is, or chosen by '?:'; an offset belongs into the kernel [gpurma-0215]
// CHECK: :[[@LINE-10]]:28: error: 'c' and another array that may be passed here to 'plain' have different shapes [gpurma-0215]

// What programs take for an array of pointers, and is a pointer to them.
void levels(float* levels[2], int ny, int nx) {
  int now = 0, next = 1;
#pragma gpurma persistent distribute(levels : rows(ny, nx))
  for (int i = 0; i < 10; ++i) {
    plain<<<dim3(8, 8), dim3(32, 8)>>>(levels[now], levels[next], ny, nx);
    int last = now;
    now = next;
    next = last;
  }
}
// CHECK: :[[@LINE-6]]:40: error: 'levels' is a pointer to pointers, of which 'plain' is passed one: before the region put these into an array, as 'float *u[2]' with levels[0] and levels[1], name that one, and pass its elements [gpurma-0215]

// What is said of pointers that kernels find in memory.
__device__ float* of_device;
struct holder {
  float* table;
};
__global__ void finds(float* out, const float* in, const holder* held, int ny, int nx) {
  POINT;
  // CHECK: :[[@LINE+1]]:38: error: cannot tell which array is read here: the pointer is loaded from memory, 'of_device'; index {{.*}} [gpurma-0205]
  out[y * nx + x] = in[y * nx + x] + of_device[y * nx + x];
  // CHECK: :[[@LINE+1]]:38: error: cannot tell which array is read here: the pointer is loaded from memory, 'table'; index {{.*}} [gpurma-0205]
  out[y * nx + x] = in[y * nx + x] + *(held->table + y * nx + x);
}
void find(float* a, float* b, const holder* held, int ny, int nx) {
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  for (int i = 0; i < 10; ++i)
    finds<<<dim3(8, 8), dim3(32, 8)>>>(a, b, held, ny, nx);
}

// What lies behind a member is not the next element.
__global__ void flattens(float* out, const float4* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float* numbers = &in[0].x;
  // CHECK: :[[@LINE+2]]:14: error: cannot tell which array is read here: the pointer may be one of several, or lead to what is not known; {{.*}} [gpurma-0205]
  if (i < n)
    out[i] = numbers[i];
}
void flatten(float* a, float4* d, int n) {
#pragma gpurma persistent distribute(a, d : rows(n))
  for (int i = 0; i < 10; ++i)
    flattens<<<(n + 255) / 256, 256>>>(a, d, n);
}

__global__ void set(float* row) { row[blockIdx.x] = 0; }
void rows(float (*u)[16], int n) {
#pragma gpurma persistent distribute(u : rows(n, 16))
  {
    // CHECK: :[[@LINE+1]]:24: error: 'u' must be passed to 'set' as it is, or chosen by '?:'; an offset belongs into the kernel [gpurma-0215]
    set<<<16 * n, 1>>>(u[1]);
  }
}

// What is reduced has a pointer.
__global__ void sum_of(float& sum, const float* in, int ny, int nx) {
  POINT;
  // CHECK: :[[@LINE+1]]:13: error: cannot tell which array is read here: the kernel is passed 'sum' by reference; let its parameter be a pointer, as 'distribute' and 'reduce' name pointers, and write '*sum' for it [gpurma-0205]
  atomicAdd(&sum, in[y * nx + x]);
}
void reduce(float* a, float* sum, int ny, int nx) {
#pragma gpurma persistent distribute(a : rows(ny, nx)) reduce(+ : *sum)
  for (int i = 0; i < 10; ++i)
    sum_of<<<dim3(8, 8), dim3(32, 8)>>>(*sum, a, ny, nx);
}
