// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Stores into places that only data say, in any rows: sources of a wave, with their receivers, at points of lists and between points, and
// a few threads around a point.
// RUN: %gpurmacc_cpu %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=4 %mpirun -np 2 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t | diff - %t.expected
// RUN: env GPURMA_DISTRIBUTED_ARRAYS=banded GPURMA_CPU_RANKS=3 %mpirun -np 2 %t | diff - %t.expected
// CHECK: rows and columns {{[0-9]+}}
// CHECK: recorded {{[0-9]+}}
// CHECK: elements {{[0-9]+}}
// CHECK: atomics {{[0-9]+}}
// CHECK: along rows {{[0-9]+}}
// CHECK: constant memory {{[0-9]+}}
// CHECK: structures {{[0-9]+}}
// CHECK: places twice {{[0-9]+}}
// CHECK: by one thread {{[0-9]+}}
// CHECK: beside {{[0-9]+}}
// CHECK: both {{[0-9]+}}
// CHECK: recorded too {{[0-9]+}}
// CHECK: bell {{[0-9]+}}
// CHECK: bells {{[0-9]+}}
// CHECK: between {{[0-9]+}}
// CHECK: interpolated {{[0-9]+}}
#include "Inputs/region.h"

#include <utility>

constexpr int modulus = 1000003, sources = 21, steps = 9;

__global__ void step(int *out, const int *in, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1)
    return;
  out[y * nx + x] = (in[y * nx + x] + 3 * in[(y - 1) * nx + x] + 5 * in[(y + 1) * nx + x]) % modulus;
}

__global__ void inject(int *p, const int *sx, const int *sy, const int *amplitude, int n, int t, int nx) {
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id < n)
    p[sy[id] * nx + sx[id]] += amplitude[t * n + id];
}
__global__ void record(int *trace, const int *p, const int *rx, const int *ry, int n, int t, int nx) {
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id < n)
    trace[t * n + id] = p[ry[id] * nx + rx[id]];
}
/// What each array has at one place, which is loaded anew for each.
__global__ void elements(int *__restrict__ p, const int *__restrict__ speed, const int *points, const int *amplitude, int n) {
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= n)
    return;
  p[__ldg(&points[id])] = (p[__ldg(&points[id])] + amplitude[id] * speed[__ldg(points + id)]) % modulus;
}
/// Several threads at one place.
__global__ void atomics(int *p, const int *points, const int *amplitude, int n) {
  for (int id = blockIdx.x * blockDim.x + threadIdx.x; id < n; id += blockDim.x * gridDim.x) {
    const int k = points[id / 3];
    atomicAdd(&p[k], amplitude[id] % 1000);
    atomicMax(p + k + 1, id);
  }
}
/// In rows that are known.
__global__ void along_rows(int *p, int row, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < nx) {
    const int value = x * row % 1000;
    atomicAdd(&p[row * nx + x], value);
    atomicMin(p + x, row);
  }
}
__constant__ int columns[3] = {4, 17, 30}, rows[3];
__global__ void of_constants(int *p, int nx, int t) {
  if (threadIdx.x < 3)
    p[rows[threadIdx.x] * nx + columns[threadIdx.x]] += t;
}
struct Source {
  int x, y;
  short amplitude;
};
template <int Times> __global__ void of_structures(int *p, const Source *all, int n, int nx) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id < n) {
    const Source source = all[id];
    const std::size_t k = static_cast<std::size_t>(source.y) * nx + source.x;
    p[k] += Times * source.amplitude;
  }
}
__constant__ Source few[3];
/// Places that are written out where they are read and where they are stored into.
__global__ void twice(int *p, const Source *all, int n, int nx) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id < 3)
    p[few[id].y * nx + few[id].x] = 3 * p[few[id].y * nx + few[id].x] % modulus + few[id].amplitude;
  if (id < n) {
    const int value = p[all[id].y * nx + all[id].x];
    p[all[id].y * nx + all[id].x] = value / 2 + all[id].amplitude;
  }
}
/// In their order, one twice.
__global__ void by_one_thread(int *p, const int *points, int n, int t) {
  for (int id = 0; id < n; ++id) {
    const int k = points[id / 2];
    p[k] = (3 * p[k] + id + t) % modulus;
  }
}
__global__ void beside(int *p, const int *q, const int *points, int n, int nx) {
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= n)
    return;
  const int k = points[id];
  const int around = q[k - nx] + 3 * q[k + nx] + 5 * q[k - 1] + 7 * q[k + 1];
  const int half = around / 2;
  if (k % 2 == 0)
    p[k] = half % modulus;
  else
    p[k] -= around % modulus + q[k + 2 * nx - 4] % 5;
}
__global__ void inject_and_record(int *p, int *trace, const int *points, int n, int t) {
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id < n) {
    p[points[id]] += t;
    trace[t * n + id] = p[points[id]];
  }
}
__global__ void bell(int *p, const int *weights, int sx, int sy, int t, int ny, int nx) {
  int x = sx + threadIdx.x - 2, y = sy + threadIdx.y - 2;
  if (x >= 0 && x < nx && y >= 0 && y < ny)
    p[y * nx + x] += weights[threadIdx.x] * weights[threadIdx.y] % 100 * t;
}
/// One block for each.
__global__ void bells(int *p, const int *weights, const int *points, int t, int nx) {
  const int dx = threadIdx.x - 1, dy = threadIdx.y - 1;
  atomicAdd(&p[points[blockIdx.x] + dy * nx + dx], weights[threadIdx.x] * weights[threadIdx.y] % 100 * t);
}

/// Between four points, which numbers in floating point say; several sources may share one.
__global__ void between(int *p, const float *sx, const float *sy, int n, int t, int nx) {
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= n)
    return;
  const int x = static_cast<int>(sx[id]), y = static_cast<int>(floorf(sy[id]));
  const float ax = sx[id] - x, ay = sy[id] - y;
  atomicAdd(&p[y * nx + x], static_cast<int>((1 - ax) * (1 - ay) * 1024) + t);
  atomicAdd(&p[y * nx + x + 1], static_cast<int>(ax * (1 - ay) * 1024));
  atomicAdd(&p[(y + 1) * nx + x], static_cast<int>((1 - ax) * ay * 1024));
  atomicAdd(&p[(y + 1) * nx + x + 1], static_cast<int>(ax * ay * 1024));
}
__global__ void interpolate(int *trace, const int *p, const float *rx, const float *ry, int n, int t, int nx) {
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= n)
    return;
  const int k = static_cast<int>(ry[id]) * nx + static_cast<int>(rx[id]);
  trace[t * n + id] = p[k] + 3 * p[k + 1] + 5 * p[k + nx] + 7 * p[k + nx + 1];
}

int main(int argc, char **argv) {
  gpurma::init(&argc, &argv);
  const int nx = 37, ny = 101, n = nx * ny;
  const dim3 block(16, 4), grid((nx + 15) / 16, (ny + 3) / 4);
  int *a = array_of_numbers<int>(n), *b = array_of_numbers<int>(n), *trace = array_of_numbers<int>(steps * sources);
  const int *x = device_array<int>(sources, [](std::size_t i) { return 1 + i * 7 % 35; });
  const int *y = device_array<int>(sources, [](std::size_t i) { return i * 5 % 101; });
  const int *points = device_array<int>(sources, [](std::size_t i) { return (3 + i * 37 % 94) * 37 + 6 + i; });
  const int *amplitude = array_of_numbers<int>(steps * sources);
  const Source *all = device_array<Source>(sources, [](std::size_t i) {
    return Source{static_cast<int>(i * 3 % 37), static_cast<int>(i * 31 % 101), static_cast<short>(i)};
  });
  const int three[3] = {11, 50, 98};
  cudaMemcpyToSymbol(rows, three, sizeof three);
#define RUN(...)                                                                                                                 \
  for (int t = 0; t < steps; ++t) {                                                                                              \
    step<<<grid, block>>>(b, a, ny, nx);                                                                                         \
    __VA_ARGS__;                                                                                                                 \
    std::swap(a, b);                                                                                                             \
  }
#pragma gpurma persistent distribute(a, b : rows(ny, nx)) collect(trace : steps * sources)
  RUN(inject<<<(sources + 7) / 8, 8>>>(b, x, y, amplitude, sources, t, nx);
      record<<<1, 32>>>(trace, b, x, y, sources, t, nx))
  print_sum("rows and columns", a, n);
  print_sum("recorded", trace, steps * sources);
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  RUN(elements<<<1, sources>>>(b, a, points, amplitude, sources))
  print_sum("elements", a, n);
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  RUN(atomics<<<2, 8>>>(b, points, amplitude, 3 * sources))
  print_sum("atomics", a, n);
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  RUN(along_rows<<<2, 32>>>(b, 11 * t + 1, nx))
  print_sum("along rows", a, n);
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  RUN(of_constants<<<1, 32>>>(b, nx, t))
  print_sum("constant memory", a, n);
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  RUN(of_structures<5><<<3, 8>>>(b, all, sources, nx))
  print_sum("structures", a, n);
  const Source three_of[3] = {{2, 99, 5}, {36, 60, 7}, {1, 3, 11}};
  cudaMemcpyToSymbol(few, three_of, sizeof three_of);
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  RUN(twice<<<3, 8>>>(b, all, sources, nx))
  print_sum("places twice", a, n);
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  RUN(by_one_thread<<<1, 1>>>(b, points, sources, t))
  print_sum("by one thread", a, n);
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  RUN(beside<<<1, 32>>>(b, a, points, sources, nx))
  print_sum("beside", a, n);
#pragma gpurma persistent distribute(a, b : rows(ny, nx)) collect(trace : steps * sources)
  RUN(inject_and_record<<<1, 32>>>(b, trace, points, sources, t))
  print_sum("both", a, n);
  print_sum("recorded too", trace, steps * sources);
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  RUN(bell<<<1, dim3(5, 5)>>>(b, amplitude, 3 + t, 10 * t, t, ny, nx))
  print_sum("bell", a, n);
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  RUN(bells<<<sources, dim3(3, 3)>>>(b, amplitude, points, t, nx))
  print_sum("bells", a, n);
  // Numbers of which fractions are exact.
  const float *fx = device_array<float>(sources, [](std::size_t i) { return 2 + i * 13 % 128 * 0.25f; });
  const float *fy = device_array<float>(sources, [](std::size_t i) { return 3 + i * 57 % 380 * 0.25f; });
#pragma gpurma persistent distribute(a, b : rows(ny, nx)) collect(trace : steps * sources)
  RUN(between<<<2, 16>>>(b, fx, fy, sources, t, nx); interpolate<<<2, 16>>>(trace, b, fx, fy, sources, t, nx))
  print_sum("between", a, n);
  print_sum("interpolated", trace, steps * sources);
}
