// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Loops through the rows that keep values in registers from one iteration to the next, as fast stencils do: queues of variables and
// arrays, with shared tiles of the plane, of what is computed, under conditions, and in functions; each against the plain program.
// RUN: %gpurmacc_cpu -Werror %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=1 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=4 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t 1 | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t 1 | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=1 %mpirun -np 5 %t 1 | diff - %t.expected
// CHECK: variables: {{[1-9][0-9]*}}
// CHECK: arrays: {{[1-9][0-9]*}}
// CHECK: conditions: {{[1-9][0-9]*}}
// CHECK: computed: {{[1-9][0-9]*}}
// CHECK: functions: {{[1-9][0-9]*}}
// CHECK: sums: {{[1-9][0-9]*}} {{[1-9][0-9]*}}
#include "Inputs/region.h"

#include <cstdio>
#include <utility>
#include <vector>

#define POINT const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y
#define AT(z) ((z) * ny + y) * nx + x
#define SHIFT(a, b, c) a = b, b = c

// --- Variables.

__global__ void heat(int* out, const int* in, int nx, int ny, int nz) {
  POINT;
  if (x < 1 || x >= nx - 1 || y < 1 || y >= ny - 1)
    return;
  size_t i = (size_t)y * nx + x, plane = (size_t)nx * ny;
  int below = in[i], current = in[i + plane];
  i += plane;
  for (int z = 1; z < nz - 1; ++z) {
    int above = in[i + plane];
    out[i] = (2 * current + below + above * 3 + in[i + 1] + in[i - 1] + in[i - nx] + in[i + nx]) % 1009;
    below = current;
    current = above;
    i += plane;
  }
}
// The shift comes first, the first values are constants, the counter has no sign.
__global__ void shift_first(int* out, const int* in, unsigned nx, unsigned ny, unsigned nz, unsigned start) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny)
    return;
  int behind = 3, current = 5, front = 7;
#pragma unroll 2
  for (unsigned z = start; z <= nz - 2; z++) {
    SHIFT(behind, current, front);
    front = __ldg(&in[AT(z + 1)]);
    out[AT(z)] = (behind + 2 * current + front) % 1013;
  }
}
// Queues of two arrays, by pointers that move in the head of the loop.
__global__ void two_arrays(int* out, const int* in, const int* other, int nx, int ny, int nz) {
  POINT;
  if (x >= nx || y >= ny)
    return;
  const int *p = in + y * nx + x, *q = other + y * nx + x, plane = nx * ny;
  int last = *p, before = 0, kept = q[0];
  p += plane;
  q += plane;
  for (int z = 1; z < nz; ++z, p += plane, q += plane) {
    out[AT(z)] = (last * 2 + before + kept) % 1019;
    before = last;
    last = *p;
    kept = *q % 100;
  }
}

// --- Arrays, tiles of the plane.

template <int R> __global__ void star(int* out, const int* in, int nx, int ny, int nz) {
  __shared__ int tile[4 + 2 * R][8 + 2 * R];
  POINT;
  const int tx = threadIdx.x + R, ty = threadIdx.y + R;
  const bool valid = x < nx && y < ny, inside = x >= R && y >= R && x < nx - R && y < ny - R;
  const int plane = nx * ny, at = y * nx + x;
  int behind[R], front[R], current = 0;
  for (int k = 0; k < R; ++k)
    behind[k] = valid ? in[at + (R - 1 - k) * plane] : 0;
  if (valid)
    current = in[at + R * plane];
#pragma unroll
  for (int k = 0; k < R; ++k)
    front[k] = valid ? in[at + (R + 1 + k) * plane] : 0;
#pragma unroll 2
  for (int z = R; z < nz - R; ++z) {
    __syncthreads();
    const int i = z * plane + at;
    if (threadIdx.x < R) {
      tile[ty][threadIdx.x] = valid && x >= R ? in[i - R] : 0;
      tile[ty][tx + 8] = y < ny && x + 8 < nx ? in[i + 8] : 0;
    }
    if (threadIdx.y < R) {
      tile[threadIdx.y][tx] = valid && y >= R ? in[i - R * nx] : 0;
      tile[ty + 4][tx] = x < nx && y + 4 < ny ? in[i + 4 * nx] : 0;
    }
    tile[ty][tx] = current;
    __syncthreads();
    if (inside) {
      int sum = current;
#pragma unroll
      for (int k = 0; k < R; ++k)
        sum += (k + 1) * (behind[k] + 2 * front[k] + tile[ty - k - 1][tx] + tile[ty + k + 1][tx] + tile[ty][tx - k - 1] + tile[ty][tx + k + 1]);
      out[i] = sum % 1021;
    }
#pragma unroll
    for (int k = R - 1; k > 0; --k)
      behind[k] = behind[k - 1];
    behind[0] = current;
    current = front[0];
#pragma unroll
    for (int k = 0; k < R - 1; ++k)
      front[k] = front[k + 1];
    if (z + R + 1 < nz)
      front[R - 1] = valid ? in[i + (R + 1) * plane] : 0;
    else
      front[R - 1] = 0;
  }
}

// --- Conditions: those of threads are the same in all iterations.

__global__ void around_all(int* out, const int* in, int nx, int ny, int nz) {
  __shared__ int plane[4][8];
  POINT;
  const bool inside = x < nx && y < ny;
  int below = 0, current = 0;
  if (inside) {
    below = in[AT(0)];
    current = in[AT(1)];
  }
  for (int z = 1; z < nz - 1; ++z) {
    plane[threadIdx.y][threadIdx.x] = current;
    __syncthreads();
    if (inside) {
      const int above = in[AT(z + 1)];
      out[AT(z)] = (below + above * 2 + plane[threadIdx.y][7 - threadIdx.x]) % 1031;
      below = current;
      current = above;
    }
    __syncthreads();
  }
}
__global__ void without_first(int* out, const int* in, int nx, int ny, int nz) {
  POINT;
  bool valid = true;
  if (x >= nx || y >= ny)
    valid = false;
  int behind[3], current, front[2];
  for (int k = 1; k >= 0; --k)
    if (valid)
      behind[k] = in[AT(1 - k)];
  if (valid)
    current = in[AT(2)];
  for (int k = 0; k < 2; ++k)
    if (valid)
      front[k] = in[AT(3 + k)];
  for (int z = 2; z < nz - 3; ++z) {
    const int sum = current + behind[0] * 2 + behind[1] * 3 + front[0] * 5 + front[1] * 7;
    if (valid)
      out[AT(z)] = sum % 1033;
    for (int k = 2; k > 0; --k)
      behind[k] = behind[k - 1];
    behind[0] = current;
    current = front[0];
    front[0] = front[1];
    if (valid)
      front[1] = in[AT(z + 3)];
  }
}
__global__ void continued(int* out, const int* in, int nx, int ny, int nz) {
  POINT;
  int below = x < nx && y < ny ? in[AT(0)] : 0;
  for (int z = 1; z < nz; ++z) {
    if (x >= nx || y >= ny)
      continue;
    const int old = below;
    below = in[AT(z)];
    if (below % 3 == 0)
      continue;
    out[AT(z)] = old;
  }
}

// --- What is computed from one iteration to the next.

struct Pair {
  int left, right;
};
__device__ inline int flux(int a, int b) { return (a * 3 + b * 5) % 1009; }
__global__ void fluxes(int* out, const int* in, int nx, int ny, int nz) {
  POINT;
  if (x >= nx - 1 || y >= ny)
    return;
  int low = flux(in[AT(0)], in[AT(1)]);
  Pair face = {in[AT(0)], 1}, older = {0, 0};
  for (int z = 1; z < nz - 1; ++z) {
    const int high = flux(in[AT(z)], in[AT(z + 1)]);
    const Pair next = {in[AT(z)], in[AT(z) + 1]};
    out[AT(z)] = (in[AT(z)] + high - low + older.left + face.right + 2018) % 1009;
    low = high;
    older = face;
    face = next;
  }
}

// With a structure that iterations only read, where others have something of the rows.
__global__ void without_some(int* out, const int* in, int nx, int ny, int nz) {
  POINT;
  if (x >= nx || y >= ny)
    return;
  Pair none = {3, 5}, older = none;
  int least = 7;
  for (int z = 0; z < nz; ++z) {
    const Pair own = {in[AT(z)], 1}, used = z % 4 == 0 ? none : own;
    const int &more = z % 3 == 0 ? least : own.left;
    out[AT(z)] = (used.left + 3 * older.left + older.right + more) % 1009;
    older = own;
  }
}

// What a condition reads in a function counts, too.
#define PUSH(value)                                                                                \
  do {                                                                                             \
    older = last;                                                                                  \
    last = value;                                                                                  \
  } while (0)
__device__ inline int load(const int* from, int i) { return from[i]; }
__global__ void chosen(int* out, const int* in, int nx, int ny, int nz) {
  POINT;
  if (x >= nx || y >= ny)
    return;
  int older = 1, last = 2;
  for (int z = 3; z < nz - 1; ++z) { // the first three rows have none before them
    out[AT(z)] = (older + last * 3) % 1009;
    if (load(in, AT(z - 3)) % 2)
      PUSH(load(in, AT(z + 1)));
    else
      PUSH(17);
  }
}

// --- In functions.

template <class T, int R> __device__ void window(T* to, const T* from, int plane, int first, int nz) {
  T values[2 * R + 1] = {};
  for (int k = 0; k < 2 * R; ++k)
    values[k + 1] = from[(first - R + k) * plane];
  for (int z = first; z < nz - R; ++z) {
    for (int k = 0; k < 2 * R; ++k)
      values[k] = values[k + 1];
    values[2 * R] = from[(z + R) * plane];
    T sum = 0;
    for (int k = 0; k <= 2 * R; ++k)
      sum += values[k] * (k + 1);
    to[z * plane] = sum % 1039;
  }
}
template <int R> __global__ void in_functions(int* out, const int* in, int nx, int ny, int nz) {
  POINT;
  if (x < nx && y < ny)
    window<int, R>(out + y * nx + x, in + y * nx + x, nx * ny, R, nz);
}

// --- Together with sums.

__global__ void sums(const int* in, int* total, int* most, int nx, int ny, int nz) {
  POINT;
  int sum = 0, jump = 0;
  if (x < nx && y < ny) {
    int below = in[AT(0)];
    for (int z = 1; z < nz; ++z) {
      const int current = in[AT(z)];
      sum += current > below;
      jump = max(jump, current - below);
      below = current;
    }
    atomicAdd(total, sum);
    atomicMax(most, jump);
  }
}
__global__ void one_thread_each(int* out, const int* in, int nx, int ny, int nz) {
  POINT;
  const int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x > 0 && y > 0 && x < nx && y < ny && z > 0 && z < nz)
    out[AT(z)] = (in[AT(z)] + in[AT(z - 1) - 1]) % 1039;
}

static const int nx = 13, ny = 9, nz = 213, n = nx * ny * nz;
static const dim3 grid((nx + 7) / 8, (ny + 3) / 4), cube((nx + 7) / 8, (ny + 3) / 4, nz), wide((nx + 15) / 16, (ny + 1) / 2);

static int* field() {
  std::vector<int> values(n);
  for (int i = 0; i < n; ++i)
    values[i] = i * 7919LL % 1009;
  int* memory = nullptr;
  cudaMalloc(&memory, n * sizeof(int));
  cudaMemcpy(memory, values.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  return memory;
}
static long long hash(const int* memory) { return ordered_sum(memory, n); }

int main(int argc, char** argv) {
  gpurma::init(&argc, &argv);
  const dim3 block(8, 4), other(16, 2);
  const bool quiet = is_quiet(argc);
  const auto print = [&](const char* name, const int* a, const int* b) {
    const long long sum = (hash(a) + hash(b)) % 1000000007;
    if (!quiet)
      std::printf("%s: %lld\n", name, sum);
  };
  int *a = field(), *b = field();

#pragma gpurma persistent distribute(a, b : rows(nz, ny, nx))
  for (int i = 0; i < 3; ++i) {
    heat<<<grid, block>>>(b, a, nx, ny, nz);
    shift_first<<<wide, other>>>(a, b, nx, ny, nz, 3);
    two_arrays<<<grid, block>>>(b, a, a, nx, ny, nz);
    std::swap(a, b);
  }
  print("variables", a, b);
#pragma gpurma persistent distribute(a, b : rows(nz, ny, nx))
  for (int i = 0; i < 2; ++i) {
    star<1><<<grid, block>>>(b, a, nx, ny, nz);
    star<4><<<grid, block>>>(a, b, nx, ny, nz);
  }
  print("arrays", a, b);
#pragma gpurma persistent distribute(a, b : rows(nz, ny, nx))
  for (int i = 0; i < 2; ++i) {
    around_all<<<grid, block>>>(b, a, nx, ny, nz);
    without_first<<<grid, block>>>(a, b, nx, ny, nz);
    continued<<<grid, block>>>(b, a, nx, ny, nz);
    std::swap(a, b);
  }
  print("conditions", a, b);
#pragma gpurma persistent distribute(a, b : rows(nz, ny, nx))
  for (int i = 0; i < 3; ++i) {
    fluxes<<<grid, block>>>(b, a, nx, ny, nz);
    one_thread_each<<<cube, block>>>(a, b, nx, ny, nz);
    chosen<<<grid, block>>>(b, a, nx, ny, nz);
    without_some<<<grid, block>>>(a, b, nx, ny, nz);
  }
  print("computed", a, b);
#pragma gpurma persistent distribute(a, b : rows(nz, ny, nx))
  for (int i = 0; i < 2; ++i) {
    in_functions<1><<<grid, block>>>(b, a, nx, ny, nz);
    in_functions<3><<<grid, block>>>(a, b, nx, ny, nz);
  }
  print("functions", a, b);

  int *total = nullptr, *most = nullptr;
  for (int** scalar : {&total, &most}) {
    cudaMallocManaged(scalar, sizeof(int));
    **scalar = 0;
  }
#pragma gpurma persistent distribute(a, b : rows(nz, ny, nx)) reduce(+ : *total) reduce(max : *most)
  for (int i = 0; i < 2; ++i) {
    sums<<<grid, block>>>(a, total, most, nx, ny, nz);
    heat<<<grid, block>>>(b, a, nx, ny, nz);
    std::swap(a, b);
  }
  cudaDeviceSynchronize();
  if (!quiet)
    std::printf("sums: %d %d\n", *total, *most);
  return 0;
}
