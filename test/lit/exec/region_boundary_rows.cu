// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Kernels for fixed rows, launched without a grid dimension for these: boundaries, planes, points, rows of parameters and of
// loops, early returns, stores under conditions and without braces, several arrays, and elements that are structures; and kernels
// that the first thread or block along a dimension does.
// RUN: %gpurmacc_cpu %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t 1 | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=4 %mpirun -np 3 %t 1 | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 5 %t 1 | diff - %t.expected
// CHECK: plane {{-?[0-9]+}}
// CHECK: points {{-?[0-9]+}}
// CHECK: pairs {{-?[0-9]+}}
// CHECK: alone {{-?[0-9]+}}
// CHECK: cube {{-?[0-9]+}}
// CHECK: adjacent {{-?[0-9]+}}
// CHECK: first {{-?[0-9]+}}
// CHECK: profile {{-?[0-9]+}}
// CHECK: line {{-?[0-9]+}}
// CHECK: space {{-?[0-9]+}}
#include "Inputs/region.h"

#include <cstdio>
#include <type_traits>
#include <utility>
#include <vector>

constexpr long long prime = 1000003;

__global__ void star(long long *out, const long long *in, int nx, int ny) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1) {
    const int i = y * nx + x;
    out[i] = (in[i - nx] + 3 * in[i + nx] + 5 * in[i - 1] + 7 * in[i + 1]) % prime;
  }
}
__global__ void neumann(long long *u, int nx, int ny) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < nx) {
    u[x] = u[nx + x];
    u[(ny - 1) * nx + x] = u[(ny - 2) * nx + x];
  }
}
// The order of stores into one row is kept.
__global__ void inflow(long long *__restrict__ u, const long long *__restrict__ profile, int nx, int ny, int it) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  long long *const last = u + (ny - 1) * nx;
  if (x >= nx)
    return;
  u[x] = __ldg(&profile[x]) + it;
  u[x] += x % 3 == 0 ? u[nx + x] : -u[x];
  if (x % 2 == 0)
    last[x] -= u[(ny - 3) * nx + x];
  else
    last[x] = blockIdx.x + 10 * threadIdx.x + 1000 * blockDim.x + 100000 * gridDim.x;
  last[x]++;
  --u[x];
}
template <int Rows> __global__ void several(long long *u, long long *w, int nx, int row) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
  for (int r = 0; r < Rows; ++r)
    if (x < nx)
      u[(r + 5) * nx + x] = (u[(r + 5) * nx + x] + r) % prime;
    else
      break;
  if (x > 2 && x < nx - 4)
    w[row * nx + x] = (w[row * nx + x - 1] / 2 + u[(row + 1) * nx + x + 1]) % prime;
}
__global__ void last_and_first(long long *u, long long *w, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < nx) {
    u[(ny - 1) * nx + x] += 3;
    w[x] += 5;
  }
}
__global__ void point(long long *u, int nx, int sx, int sy, long long amplitude) {
  u[sy * nx + sx] += amplitude;
}
__global__ void middle(long long *u, int nx, int ny, long long amplitude) {
  if (blockIdx.x * blockDim.x + threadIdx.x == 0)
    u[ny / 2 * nx + nx / 2] += amplitude;
}
struct Pair {
  int first, second;
};
__global__ void pairs(Pair *p, const Pair *q, int nx, int ny) {
  int x = threadIdx.x + blockDim.x * blockIdx.x;
  if (x < nx) {
    p[x] = q[nx + x];
    p[(ny - 1) * nx + x].second = q[(ny - 1) * nx + x].first + 1;
  }
}
__global__ void move(Pair *p, const Pair *q, int nx, int ny) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y > 0 && y < ny - 1)
    p[y * nx + x] = {q[(y - 1) * nx + x].second, q[(y + 1) * nx + x].first};
}
__global__ void star_in_space(long long *out, const long long *in, int nx, int ny, int nz) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < nx && y > 0 && y < ny - 1 && z > 0 && z < nz - 1) {
    const int i = (z * ny + y) * nx + x;
    out[i] = (in[i] + 3 * in[i - nx * ny] + 5 * in[i + nx * ny] + 7 * in[i + nx] + 11 * in[i - nx]) % prime;
  }
}
__global__ void faces(long long *u, int nx, int ny, int nz) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny)
    return;
  u[(0 * ny + y) * nx + x] = u[(1 * ny + y) * nx + x] + 1;
  u[((nz - 1) * ny + y) * nx + x] = u[((nz - 2) * ny + y) * nx + x] + blockIdx.y;
}
__global__ void edge(long long *u, int nx, int ny, int nz) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < nx)
    u[((nz - 2) * ny + 3) * nx + x] += 5;
}
__global__ void of_first_thread(long long *u, int nx, int row, long long amplitude) {
  if (blockIdx.x == 0 && threadIdx.x == 0)
    u[row * nx + 7] += amplitude + blockDim.x;
}
__global__ void of_one_block(long long *u, int nx, int row) {
  if (threadIdx.x == 0)
    u[row * nx + 8] = u[row * nx + 9] + blockIdx.x;
}
__global__ void of_first_in_plane(long long *u, int nx, int ny) {
  if (blockIdx.x == 0 && blockIdx.y == 0 && threadIdx.x == 0 && threadIdx.y == 0) {
    u[3] = u[nx + 4] + 1;
    u[(ny - 1) * nx + 5] -= gridDim.y + blockDim.y;
  }
}
__global__ void of_origin(long long *u, int nx, int row) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x == 0 && y == 0)
    u[row * nx + nx - 1] += 11;
}
// Launched over all rows, of which the first does it.
__global__ void of_first_row(long long *u, int nx, int ny) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y == 0) {
    u[x] = u[nx + x];
    u[(ny - 1) * nx + x] = u[(ny - 2) * nx + x] + threadIdx.x + threadIdx.y;
  }
}
__global__ void count(long long *profile, int row) { profile[row] += 3; }
__global__ void along(long long *out, const long long *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n - 1)
    out[i] = (in[i - 1] + 3 * in[i + 1]) % prime;
}
__global__ void ends(long long *u, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0) {
    u[0] = u[1];
    u[n - 1] = u[n - 2] + blockIdx.x;
  }
}
__global__ void one_of_line(long long *u, int at) { u[at] += 100; }
__global__ void of_first_plane(long long *u, int nx, int ny, int nz) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny || blockIdx.z != 0 || threadIdx.z != 0)
    return;
  u[y * nx + x] = u[(ny + y) * nx + x] + threadIdx.y;
  u[((nz - 1) * ny + y) * nx + x] += x;
}

template <typename T> static T *device(int n) {
  std::vector<T> values(n);
  T *memory = nullptr;
  cudaMalloc(&memory, n * sizeof(T));
  auto *words = reinterpret_cast<int *>(values.data());
  for (size_t i = 0; i < n * sizeof(T) / sizeof(int); ++i)
    words[i] = sizeof(T) == sizeof(long long) && i % 2 && !std::is_same_v<T, Pair> ? 0 : static_cast<int>((i + 1) * 7919 % 100999);
  cudaMemcpy(memory, values.data(), n * sizeof(T), cudaMemcpyHostToDevice);
  return memory;
}
template <typename T> static void print(const char *name, const T *memory, int n, bool quiet) {
  std::vector<T> values(n);
  cudaMemcpy(values.data(), memory, n * sizeof(T), cudaMemcpyDeviceToHost);
  const auto *words = reinterpret_cast<const int *>(values.data());
  long long sum = 0;
  for (size_t i = 0; i < n * sizeof(T) / sizeof(int); ++i)
    sum = (sum * 31 + words[i]) % 1000000007;
  if (!quiet)
    std::printf("%s %lld\n", name, sum);
}

int main(int argc, char **argv) {
  gpurma::init(&argc, &argv);
  const bool quiet = is_quiet(argc);
  const int nx = 45, ny = 83, n = nx * ny;
  auto *a = device<long long>(n), *b = device<long long>(n), *profile = device<long long>(nx);

  const dim3 block(16, 4), grid((nx + 15) / 16, (ny + 3) / 4);
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  for (int it = 0; it < 9; ++it) {
    star<<<grid, block>>>(b, a, nx, ny);
    if (it % 2 == 0)
      neumann<<<(nx + 31) / 32, 32>>>(b, nx, ny);
    else
      inflow<<<(nx + 31) / 32, 32>>>(b, profile, nx, ny, it);
    several<3><<<1, 64>>>(b, a, nx, 40);
    std::swap(a, b);
  }
  print("plane", a, n, quiet);

  const int sx = 7, sy = 31;
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  for (int it = 0; it < 9; ++it) {
    point<<<1, 1>>>(a, nx, sx, sy, 1000 + it);
    star<<<grid, block>>>(b, a, nx, ny);
    middle<<<1, 32>>>(b, nx, ny, 77);
    star<<<grid, block>>>(a, b, nx, ny);
  }
  print("points", a, n, quiet);

  auto *p = device<Pair>(n), *q = device<Pair>(n);
#pragma gpurma persistent distribute(p, q : rows(ny, nx))
  for (int it = 0; it < 6; ++it) {
    move<<<grid, block>>>(p, q, nx, ny);
    pairs<<<(nx + 15) / 16, 16>>>(p, q, nx, ny);
    std::swap(p, q);
  }
  print("pairs", q, n, quiet);

  // Nothing but rows.
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  for (int it = 0; it < 6; ++it) {
    point<<<1, 1>>>(a, nx, sx, ny - 2, it);
    neumann<<<(nx + 31) / 32, 32>>>(a, nx, ny);
    several<2><<<(nx + 31) / 32, 32>>>(a, b, nx, ny - 2);
  }
  print("alone", a, n, quiet);

  const int mz = 37, my = 13, mx = 17;
  auto *c = device<long long>(mz * my * mx), *d = device<long long>(mz * my * mx);
  const dim3 cubes(8, 2, 4), of_cubes((mx + 7) / 8, (my + 1) / 2, (mz + 3) / 4), squares((mx + 7) / 8, (my + 7) / 8);
#pragma gpurma persistent distribute(c, d : rows(mz, my, mx))
  for (int it = 0; it < 7; ++it) {
    star_in_space<<<of_cubes, cubes>>>(d, c, mx, my, mz);
    faces<<<squares, dim3(8, 8)>>>(d, mx, my, mz);
    edge<<<1, 32>>>(d, mx, my, mz);
    point<<<1, 1>>>(d, mx * my, 5 * mx + 3, 20, it);
    std::swap(c, d);
  }
  print("cube", c, mz * my * mx, quiet);

  // The second array begins where the first one, which has a row less, ends.
  const int longer = ny + 1;
  auto *both = device<long long>(2 * n + nx), *lower = both, *higher = both + n;
#pragma gpurma persistent distribute(lower : rows(ny, nx)) distribute(higher : rows(longer, nx))
  for (int it = 0; it < 6; ++it)
    last_and_first<<<1, 64>>>(lower, higher, nx, ny);
  print("adjacent", both, 2 * n + nx, quiet);

  auto *profile_of_rows = device<long long>(ny), *other_profile = device<long long>(ny);
  int threads = 40; // it is not known that it does not change
#pragma gpurma persistent distribute(a, b : rows(ny, nx)) distribute(profile_of_rows : rows(ny))
  for (int it = 0; it < 9; ++it) {
    of_first_thread<<<(nx + 31) / 32, 32>>>(a, nx, it * 7, 1000 + it);
    of_first_thread<<<3, threads>>>(a, nx, ny - 2, 1000 + it);
    of_one_block<<<1, 32>>>(a, nx, 31);
    star<<<grid, block>>>(b, a, nx, ny);
    of_first_in_plane<<<grid, block>>>(b, nx, ny);
    of_origin<<<dim3(2, 3), dim3(threads, 2)>>>(b, nx, 52);
    count<<<1, 1>>>(profile_of_rows, 4 * it + 2);
    if (it % 2 == 0)
      of_first_row<<<grid, block>>>(b, nx, ny);
    std::swap(a, b);
  }
  print("first", a, n, quiet);
  print("profile", profile_of_rows, ny, quiet);

#pragma gpurma persistent distribute(profile_of_rows, other_profile : rows(ny))
  for (int it = 0; it < 9; ++it) {
    along<<<(ny + 7) / 8, 8>>>(other_profile, profile_of_rows, ny);
    ends<<<2, 64>>>(other_profile, ny);
    one_of_line<<<1, 1>>>(other_profile, 3 + 8 * it);
    std::swap(profile_of_rows, other_profile);
  }
  print("line", profile_of_rows, ny, quiet);

#pragma gpurma persistent distribute(c, d : rows(mz, my, mx))
  for (int it = 0; it < 5; ++it) {
    star_in_space<<<of_cubes, cubes>>>(d, c, mx, my, mz);
    of_first_plane<<<of_cubes, cubes>>>(d, mx, my, mz);
    std::swap(c, d);
  }
  print("space", c, mz * my * mx, quiet);
}
