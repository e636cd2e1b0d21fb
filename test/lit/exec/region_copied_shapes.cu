// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Copies and fills of arrays of one to four dimensions, of elements of all sizes, between swapped and chosen pointers, onto
// themselves, next to launches in one dimension, and before the first launch.
// RUN: %gpurmacc_cpu %s -o %t
// RUN: grep -v "#pragma gpurma" %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 5 %t | diff - %t.expected
// RUN: env GPURMA_DISTRIBUTED_ARRAYS=banded GPURMA_CPU_RANKS=2 %mpirun -np 2 %t | diff - %t.expected
// CHECK: line {{[0-9]+}} {{[0-9]+}}
// CHECK: wide {{[0-9]+}} {{[0-9]+}}
// CHECK: plane {{[0-9]+}} {{[0-9]+}} {{[0-9]+}}
// CHECK: space {{[0-9]+}} {{[0-9]+}} {{[0-9]+}}
// CHECK: parts {{[0-9]+}} {{[0-9]+}}
// CHECK: cells {{[0-9]+}} {{[0-9]+}}
// CHECK: mixed {{[0-9]+}} {{[0-9]+}} {{[0-9]+}}
// CHECK: no launch {{[0-9]+}} {{[0-9]+}} {{[0-9]+}}
#include "Inputs/region.h"

#include <cstdio>
#include <utility>
#include <vector>

struct Vector {
  float x, y, z;
};

template <class T> __global__ void smooth_line(T *out, const T *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n - 1)
    out[i] = in[i - 1] + 3 * in[i] + in[i + 1];
}
template <class T> __global__ void smooth_plane(T *out, const T *in, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y > 0 && y < ny - 1)
    out[y * nx + x] = in[(y - 1) * nx + x] + 3 * in[y * nx + x] + in[(y + 1) * nx + x];
}
__global__ void smooth_space(double *out, const double *in, int nz, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < nx && y < ny && z > 0 && z < nz - 1)
    out[(z * ny + y) * nx + x] = in[((z - 1) * ny + y) * nx + x] * 0.5 + in[((z + 1) * ny + y) * nx + x] * 0.25;
}
__global__ void smooth_parts(short *out, const short *in, int nz, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < nx && y < ny && z > 0)
    for (int part = 0; part < 5; ++part)
      out[((z * ny + y) * nx + x) * 5 + part] = in[(((z - 1) * ny + y) * nx + x) * 5 + part] + part;
}
__global__ void turn(Vector *out, const Vector *in, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny - 2)
    out[y * nx + x] = {in[(y + 2) * nx + x].y, in[y * nx + x].z + 1, in[y * nx + x].x};
}
__global__ void add(long long *u, const long long *v, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    u[i] = 3 * u[i] + v[i] + i;
}
__global__ void sum_rows(long long *sums, const long long *u, int ny, int nx) {
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (y < ny - 1)
    sums[y] += u[y * nx] + u[(y + 1) * nx + 1];
}
__global__ void rows_together(int *out, const int *in, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, first = (blockIdx.y * blockDim.y + threadIdx.y) * 4;
  for (int r = 0; r < 4; ++r) {
    int y = first + r;
    if (x < nx && y > 0 && y < ny)
      out[y * nx + x] += in[(y - 1) * nx + x];
  }
}

template <class T> static T *array(size_t n, int seed) {
  std::vector<unsigned char> bytes(n * sizeof(T));
  T *memory, *host = reinterpret_cast<T *>(bytes.data());
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = i % 4 == 3 ? 63 : (i * 7919 + seed) % 13;
  cudaMalloc(&memory, bytes.size());
  cudaMemcpy(memory, host, bytes.size(), cudaMemcpyHostToDevice);
  return memory;
}
template <class T> static unsigned digest(const T *memory, size_t n) {
  std::vector<unsigned char> bytes(n * sizeof(T));
  cudaMemcpy(bytes.data(), memory, bytes.size(), cudaMemcpyDeviceToHost);
  unsigned sum = 0;
  for (unsigned char byte : bytes)
    sum = sum * 31 + byte;
  return sum;
}
template <class... Values> static void print(const char *format, Values... values) {
  if (is_first_process())
    std::printf(format, values...);
}

static void line() {
  const int n = 1201;
  unsigned char *a = array<unsigned char>(n, 1), *b = array<unsigned char>(n, 2);
#pragma gpurma persistent distribute(a, b : rows(n))
  for (int i = 0; i < 7; ++i) {
    smooth_line<unsigned char><<<(n + 31) / 32, 32>>>(b, a, n);
    cudaMemcpy(a, b, n, cudaMemcpyDeviceToDevice);
  }
  print("line %u %u\n", digest(a, n), digest(b, n));
  // Threads of a column do the same; of a copy, each has elements.
#pragma gpurma persistent distribute(a, b : rows(n))
  for (int i = 0; i < 3; ++i) {
    smooth_line<unsigned char><<<(n + 7) / 8, dim3(8, 4)>>>(b, a, n);
    cudaMemcpy(a, b, n, cudaMemcpyDeviceToDevice);
  }
  print("wide %u %u\n", digest(a, n), digest(b, n));
}

static void plane() {
  const int ny = 67, nx = 45, n = ny * nx;
  int *a = array<int>(n, 1), *b = array<int>(n, 2), *c = array<int>(n, 3);
  const dim3 block(8, 4), grid((nx + 7) / 8, (ny + 3) / 4);
#pragma gpurma persistent distribute(a, b, c : rows(ny, nx))
  for (int i = 0; i < 12; ++i) {
    smooth_plane<int><<<grid, block>>>(b, a, ny, nx);
    std::swap(a, b);
    cudaMemcpy(c, a, n * sizeof(int), cudaMemcpyDeviceToDevice);
    smooth_plane<int><<<grid, block>>>(b, c, ny, nx);
    int *last = i % 3 ? b : c, *first = a;
    cudaMemcpy(first, last, sizeof(int) * ny * nx, cudaMemcpyDeviceToDevice);
    cudaMemcpy(a, a, n * sizeof(int), cudaMemcpyDeviceToDevice);
    if (i == 8)
      cudaMemset(i % 2 ? a : c, i * 37 + 300, n * sizeof(*c));
    a = c, c = first;
  }
  print("plane %u %u %u\n", digest(a, n), digest(b, n), digest(c, n));
}

static void space() {
  const int nz = 41, ny = 13, nx = 21, n = nz * ny * nx;
  const size_t bytes = n * sizeof(double);
  double *a = array<double>(n, 1), *b = array<double>(n, 2);
  float *heights = array<float>(nz * nx, 5), *before = array<float>(nz * nx, 7);
  const dim3 block(8, 4, 2), grid((nx + 7) / 8, (ny + 3) / 4, (nz + 1) / 2);
#pragma gpurma persistent distribute(a, b : rows(nz, ny, nx)) distribute(heights, before : rows(nz, nx))
  for (int i = 0; i < 6; ++i) {
    if (i == 2)
      cudaMemset(b, 0, bytes);
    smooth_space<<<grid, block>>>(b, a, nz, ny, nx);
    cudaMemcpy(a, b, bytes, cudaMemcpyDeviceToDevice);
    cudaMemcpy(before, heights, nz * nx * sizeof(float), cudaMemcpyDeviceToDevice);
  }
  print("space %u %u %u\n", digest(a, n), digest(b, n), digest(before, nz * nx));
}

static void parts() {
  const int nz = 37, ny = 6, nx = 9, n = nz * ny * nx * 5;
  short *a = array<short>(n, 1), *b = array<short>(n, 2);
  const dim3 block(4, 4, 1), grid((nx + 3) / 4, (ny + 3) / 4, nz);
#pragma gpurma persistent distribute(a, b : rows(nz, ny, nx, 5))
  for (int i = 0; i < 5; ++i) {
    smooth_parts<<<grid, block>>>(b, a, nz, ny, nx);
    cudaMemcpy(a, b, n * sizeof(short), cudaMemcpyDeviceToDevice);
    if (i == 3)
      cudaMemset(b, 1, n * sizeof(short));
  }
  print("parts %u %u\n", digest(a, n), digest(b, n));
}

static void cells() {
  const int ny = 50, nx = 17, n = ny * nx;
  Vector *a = array<Vector>(n, 1), *b = array<Vector>(n, 2);
  const dim3 block(16, 2), grid((nx + 15) / 16, (ny + 1) / 2);
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  for (int i = 0; i < 5; ++i) {
    turn<<<grid, block>>>(b, a, ny, nx);
    cudaMemcpy(a, b, n * sizeof(Vector), cudaMemcpyDeviceToDevice);
  }
  print("cells %u %u\n", digest(a, n), digest(b, n));
}

static void mixed() {
  const int ny = 61, nx = 33, n = ny * nx;
  long long *u = array<long long>(n, 1), *v = array<long long>(n, 2), *sums = array<long long>(ny, 3), *old = array<long long>(ny, 4);
#pragma gpurma persistent distribute(u, v : rows(ny, nx))
  for (int i = 0; i < 5; ++i) {
    cudaMemset(v, i, n * sizeof(long long));
    add<<<(n + 127) / 128, 128>>>(u, v, n);
    cudaMemcpy(v, u, n * sizeof(long long), cudaMemcpyDeviceToDevice);
    add<<<(n + 63) / 64, 64>>>(u, v, n);
  }
#pragma gpurma persistent distribute(u : rows(ny, nx)) distribute(sums, old : rows(ny))
  for (int i = 0; i < 5; ++i) {
    cudaMemcpy(old, sums, ny * sizeof(long long), cudaMemcpyDeviceToDevice);
    cudaMemset(sums, 0, ny * sizeof(long long));
    sum_rows<<<dim3(1, (ny + 7) / 8), dim3(1, 8)>>>(sums, u, ny, nx);
  }
  int *high = array<int>(n, 5), *low = array<int>(n, 6);
#pragma gpurma persistent distribute(high, low : rows(ny, nx))
  for (int i = 0; i < 5; ++i) {
    cudaMemset(high, 0, n * sizeof(int));
    rows_together<<<dim3((nx + 31) / 32, (ny + 7) / 8), dim3(32, 2)>>>(high, low, ny, nx);
    cudaMemcpy(low, high, n * sizeof(int), cudaMemcpyDeviceToDevice);
  }
  print("mixed %u %u %u\n", digest(u, n), digest(old, ny), digest(low, n));
}

static void no_launch() {
  const int ny = 91, nx = 40, n = ny * nx;
  float4 *a = array<float4>(n, 1), *b = array<float4>(n, 2);
  int *bits = array<int>(n, 3);
  float *values = array<float>(n, 4);
#pragma gpurma persistent distribute(a, b : rows(ny, nx)) distribute(bits, values : rows(ny, nx))
  for (int i = 0; i < 3; ++i) {
    cudaMemcpy(a, b, n * sizeof(float4), cudaMemcpyDeviceToDevice);
    cudaMemset(b, i, n * sizeof(float4));
    cudaMemcpy(bits, values, n * sizeof(float), cudaMemcpyDeviceToDevice);
  }
  print("no launch %u %u %u\n", digest(a, n), digest(b, n), digest(bits, n));
}

int main(int argc, char **argv) {
  gpurma::init(&argc, &argv);
  line();
  plane();
  space();
  parts();
  cells();
  mixed();
  no_launch();
}
