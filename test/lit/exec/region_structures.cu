// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Kernels that get their arrays in structures: variables whose members are swapped, structures that are swapped as a whole,
// nested ones, views made at the launch and in the region, a choice, accessors, a halo that a clause states.
// RUN: %gpurmacc_cpu %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t 1 | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 5 %t 1 | diff - %t.expected
// CHECK: fields {{-?[0-9]+ -?[0-9]+ [0-9]+}}
// CHECK: whole {{-?[0-9]+}}
// CHECK: nested {{-?[0-9]+}}
// CHECK: views {{-?[0-9]+}}
// CHECK: chosen {{-?[0-9]+}}
#include "Inputs/region.h"

#include <cstdio>
#include <utility>

struct fields {
  long long *u, *v, *flux;
  int ny, nx;
  __device__ int at(int y, int x) const { return y * nx + x; }
};

__global__ void fluxes(const fields f) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < f.nx && y > 0 && y < f.ny)
    f.flux[f.at(y, x)] = f.u[f.at(y, x)] - f.u[f.at(y - 1, x)];
}
__global__ void update(fields f, const long long* total) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= f.nx || y >= f.ny - 1)
    return;
  const int i = f.at(y, x);
  f.v[i] = (3 * f.u[i] + f.flux[i + f.nx] - f.flux[i] + *total % 7) % 1000003;
}
__global__ void sum(fields f, unsigned long long* total) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < f.nx && y < f.ny)
    atomicAdd(total, static_cast<unsigned long long>(f.v[f.at(y, x)] % 1009));
}

struct level { long long* data; };
__global__ void smooth(level out, level in, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y >= 2 && y < ny - 1)
    out.data[y * nx + x] = (in.data[(y - 2) * nx + x] + 5 * in.data[(y + 1) * nx + x]) % 1000003;
}

struct grid_size { int ny, nx; };
struct state {
  level old, now;
  grid_size size;
};
__global__ void step(state s, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const long long* const in = s.old.data;
  if (x < nx && y >= 1 && y < ny - 1)
    s.now.data[y * nx + x] = (in[(y - 1) * nx + x] + in[(y + 1) * nx + x] + s.size.nx) % 1000003;
}

// All that it needs is in the structure.
__global__ void drift(state s) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const grid_size& size = s.size;
  if (x < size.nx && y < size.ny - 2)
    s.now.data[y * size.nx + x] = (3 * s.old.data[(y + 2) * s.size.nx + x] + x) % 1000003;
}

struct view {
  long long* data;
  int ny, nx;
  __device__ long long& operator()(int y, int x) const { return data[y * nx + x]; }
};
// Of which a launch leaves out what it does not use.
struct view_of_two {
  long long* data;
  int ny, nx;
  long long* flux;
};
struct made_by_constructor : grid_size {
  long long* data;
  __host__ __device__ made_by_constructor(long long* data, int ny, int nx) : grid_size{ny, nx}, data(data) {}
};
__global__ void average(view out, view in) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x > 0 && x < in.nx && y < in.ny - 3)
    out(y, x) = (in(y + 3, x) + 2 * in(y, x - 1)) % 1000003;
}
__global__ void shifted(view_of_two out, view_of_two in) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < in.nx && y > 0 && y < in.ny)
    out.data[y * in.nx + x] = (in.data[(y - 1) * in.nx + x] + 1) % 1000003;
}
__global__ void stated(made_by_constructor out, view in, const int* offset, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny - 2)
    out.data[y * nx + x] = in.data[(y + offset[0]) * nx + x] + 1;
}

static long long* device(int n) {
  return device_array<long long>(n, [](size_t i) { return i * 7919 % 1009; });
}

int main(int argc, char** argv) {
  gpurma::init(&argc, &argv);
  const bool quiet = is_quiet(argc);
  const int ny = 83, nx = 21, n = ny * nx;
  const dim3 block(8, 4), grid((nx + 7) / 8, (ny + 3) / 4);
  long long* total = nullptr;
  cudaMallocManaged(&total, sizeof *total);
  *total = 0;
  unsigned long long *added = nullptr, seen = 0;
  cudaMallocManaged(&added, sizeof *added);

  fields f{device(n), device(n), nullptr, 0, 0};
  f.flux = device(n);
  f.ny = ny;
  f.nx = nx;
#pragma gpurma persistent distribute(f.u, f.v, f.flux : rows(f.ny, f.nx)) reduce(+ : *added)
  for (int i = 0; i < 6; ++i) {
    fluxes<<<grid, block>>>(f);
    update<<<grid, block>>>(f, total);
    *added = 0;
    sum<<<grid, block>>>(f, added);
    cudaDeviceSynchronize();
    seen = seen * 31 + *added;
    std::swap(f.u, f.v);
  }
  const long long u = ordered_sum(f.u, n), v = ordered_sum(f.v, n);
  if (!quiet)
    std::printf("fields %lld %lld %llu\n", u, v, seen);

  level now{f.u}, next{f.v};
#pragma gpurma persistent distribute(now.data, next.data : rows(ny, nx))
  for (int i = 0; i < 5; ++i) {
    smooth<<<grid, block>>>(next, now, ny, nx);
    std::swap(now, next);
  }
  const long long whole = ordered_sum(now.data, n);
  if (!quiet)
    std::printf("whole %lld\n", whole);

  state s{{f.u}, {f.v}, {ny, nx}};
#pragma gpurma persistent distribute(s.old.data, s.now.data : rows(ny, nx))
  for (int i = 0; i < 5; ++i) {
    step<<<grid, block>>>(s, ny, nx);
    const level last = s.old;
    s.old = s.now;
    s.now = last;
  }
#pragma gpurma persistent distribute(s.old.data, s.now.data : rows(ny, nx))
  for (int i = 0; i < 3; ++i) {
    drift<<<grid, block>>>(s);
    std::swap(s.old, s.now);
  }
  state later = s;
  later.size.ny = ny;
#pragma gpurma persistent distribute(later.old.data, later.now.data : rows(later.size.ny, later.size.nx))
  for (int i = 0; i < 3; ++i) {
    drift<<<grid, block>>>(later);
    const state back{later.now, later.old, later.size};
    drift<<<grid, block>>>(back);
  }
  const long long nested = ordered_sum(s.old.data, n);
  if (!quiet)
    std::printf("nested %lld\n", nested);

  long long *a = f.u, *b = f.v;
  int* offset = nullptr;
  cudaMallocManaged(&offset, sizeof *offset);
  *offset = 2;
#pragma gpurma persistent distribute(a, b : rows(ny, nx)) halo(a, b : 3)
  for (int i = 0; i < 4; ++i) {
    average<<<grid, block>>>(view{b, ny, nx}, view{a, ny, nx});
    const view in{b, ny, nx};
    stated<<<grid, block>>>(made_by_constructor(a, ny, nx), in, offset, ny, nx);
    shifted<<<grid, block>>>(view_of_two{b, ny, nx}, view_of_two{a, ny, nx, nullptr});
    std::swap(a, b);
  }
  const long long views = ordered_sum(a, n);
  if (!quiet)
    std::printf("views %lld\n", views);

  const level first{a}, second{b};
#pragma gpurma persistent distribute(first.data, second.data : rows(ny, nx))
  for (int i = 0; i < 5; ++i)
    smooth<<<grid, block>>>(i % 2 == 0 ? second : first, i % 2 == 0 ? first : second, ny, nx);
  const long long chosen = ordered_sum(first.data, n);
  if (!quiet)
    std::printf("chosen %lld\n", chosen);
  return 0;
}
