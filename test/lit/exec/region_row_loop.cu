// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Loops through the rows as they are written: each against the plain program, with all kinds of counters, bounds, moved
// subscripts, shared memory, functions and sums; and among launches that have a thread for each row.
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
// CHECK: counters: {{[1-9][0-9]*}}
// CHECK: moved: {{[1-9][0-9]*}}
// CHECK: functions: {{[1-9][0-9]*}}
// CHECK: without index: {{[1-9][0-9]*}}
// CHECK: shared: {{[1-9][0-9]*}}
// CHECK: sums: {{[1-9][0-9]*}} {{[1-9][0-9]*}} {{[1-9][0-9]*}} {{[1-9][0-9]*}}
// CHECK: mixed: {{[1-9][0-9]*}}
// CHECK: in place: {{[1-9][0-9]*}}
#include "Inputs/region.h"

#include <cstdio>
#include <utility>
#include <vector>

#define POINT const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y
#define INNER x >= 1 && y >= 1 && x < nx - 1 && y < ny - 1
#define LAST (nz - 2)

// --- Counters, bounds.

__global__ void declared_before(int* out, const int* in, int nx, int ny, int nz) {
  POINT;
  int z, i;
  int middle;
  if (INNER)
    for (z = 1; nz - 1 > z; z += 1) {
      i = (z * ny + y) * nx + x;
      middle = in[i];
      out[i] = (middle + in[i - nx * ny] + in[i + nx * ny] * 3) % 1009;
    }
}
__global__ void of_unsigned(int* out, const int* in, unsigned nx, unsigned ny, unsigned nz) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny)
    return;
#pragma unroll 2
  for (unsigned z = 2; z <= nz - 3; ++z) {
    if (x % 3 == 1)
      continue;
    out[(z * ny + y) * nx + x] = (in[((z - 2) * ny + y) * nx + x] + in[((z + 2) * ny + y) * nx + x]) % 1013;
  }
}
__global__ void of_size(int* out, const int* in, std::size_t nx, std::size_t ny, std::size_t nz, int skip) {
  POINT;
  if (x < nx && y < ny)
    for (auto z = static_cast<std::size_t>(skip); z <= LAST; z = z + 1)
      for (int k = 0; k < 1; ++k) {
        if (in[(z * ny + y) * nx + x] == k)
          break;
        out[(z * ny + y) * nx + x] += in[(z * ny + y) * nx + x] % 5;
      }
}
__global__ void none_and_one(int* out, const int* in, int nx, int ny, int nz) {
  POINT;
  const int first = x % 2 ? nz - 2 : nz + 5; // some threads have one row, others none
  if (x < nx && y < ny)
    for (int z{first}; z < nz - 1; ++z)
      out[(z * ny + y) * nx + x] = in[(z * ny + y) * nx + x] / 2;
}

// --- Subscripts that move with the rows.

__global__ void moved(int* out, const int* in, int nx, int ny, int nz) {
  POINT;
  if (x >= nx || y >= ny)
    return;
  const int plane = nx * ny;
  int i = plane + y * nx + x;
  const int* above = in + y * nx + x;
  unsigned odd = 1;
  for (int z = 1; z < nz - 1; ++z, odd += 2) {
    out[i] = (in[i] + *above * 5 + in[i + plane] + int(odd)) % 1019;
    above += plane;
    i = i + plane;
  }
}
__global__ void moved_down(int* out, int* in, int nx, int ny, int nz) {
  POINT;
  int left = nz;
  for (int z = 0; z < nz; ++z) {
    if (x < nx && y < ny)
      out[(z * ny + y) * nx + x] = in[(z * ny + y) * nx + x] + left % 7;
    left -= 1;
  }
}

// --- In functions and templates.

template <int Radius> __device__ inline void column(int* out, const int* in, int at, int plane, int nz) {
  for (int z = Radius; z < nz - Radius; ++z) {
    int sum = 0;
    for (int r = -Radius; r <= Radius; ++r)
      sum += in[(z + r) * plane + at];
    out[z * plane + at] = sum % 1021;
  }
}
namespace detail {
__device__ void through(int* out, const int* in, int x, int y, int nx, int ny, int nz) {
  if (x < nx && y < ny)
    column<3>(out, in, y * nx + x, nx * ny, nz);
}
__device__ int own_row() { return blockIdx.y * blockDim.y + threadIdx.y; }
__device__ void whole(int* out, const int* in, int nx, int ny, int nz) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = own_row();
  if (x < nx && y < ny)
    column<2>(out, in, y * nx + x, nx * ny, nz);
}
} // namespace detail
__global__ void in_functions(int* out, const int* in, int nx, int ny, int nz) {
  POINT;
  detail::through(out, in, x, y, nx, ny, nz);
}
// It leaves its index to the functions.
__global__ void without_index(int* out, const int* in, int nx, int ny, int nz) { detail::whole(out, in, nx, ny, nz); }
template <class Index, Index Radius> __global__ void in_template(int* out, const int* in, Index nx, Index ny, Index nz) {
  const Index x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const auto at = [&](Index z) { return in[(z * ny + y) * nx + x]; };
  if (x < nx && y < ny)
    for (Index z = Radius; z < nz - Radius; ++z)
      out[(z * ny + y) * nx + x] = (at(z - Radius) + at(z + Radius) * 3) % 1031;
}

// --- Shared memory, barriers in the loop.

__global__ void shared(int* out, const int* in, int nx, int ny, int nz) {
  __shared__ int tile[6][10], factor[4];
  POINT;
  const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  if (threadIdx.y == 0 && threadIdx.x < 4)
    factor[threadIdx.x] = threadIdx.x + 1;
  __syncthreads();
  for (int z = 0; z < nz; ++z) {
    const int i = (z * ny + y) * nx + x;
    const bool inside = x < nx && y < ny;
    tile[ty][tx] = inside ? in[i] : 0;
    if (threadIdx.x == 0)
      tile[ty][0] = inside && x > 0 ? in[i - 1] : 0;
    if (threadIdx.x == blockDim.x - 1)
      tile[ty][tx + 1] = x + 1 < nx && y < ny ? in[i + 1] : 0;
    __syncthreads();
    if (inside)
      out[i] = (tile[ty][tx - 1] * factor[1] + tile[ty][tx] * factor[0] + tile[ty][tx + 1] * factor[2]) % 1033;
    __syncthreads();
  }
}

// --- Sums behind the loop.

__global__ void sums(const int* in, int* total, int* most, int* by_blocks, int* inside, int nx, int ny, int nz) {
  __shared__ int parts[32];
  POINT;
  const int t = threadIdx.y * blockDim.x + threadIdx.x;
  int sum = 0, largest = -1, weighted = 0;
  if (x < nx && y < ny) {
    for (int z = 0; z < nz; ++z) {
      const int value = in[(z * ny + y) * nx + x];
      sum += value;
      weighted = weighted + value * (z % 3);
      largest = max(largest, value);
      if (value % 11 == 0)
        atomicAdd(inside, 1);
    }
    atomicAdd(total, 2 * sum + weighted);
    atomicMax(most, largest);
  }
  parts[t] = sum;
  __syncthreads();
  for (int s = 16; s > 0; s /= 2) {
    if (t < s)
      parts[t] += parts[t + s];
    __syncthreads();
  }
  if (t == 0)
    atomicAdd(by_blocks, parts[0]);
}

// --- Together with kernels that have a thread for each row, and in place.

__global__ void one_thread_each(int* out, const int* in, int nx, int ny, int nz) {
  POINT;
  const int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (INNER && z > 0 && z < nz - 1)
    out[(z * ny + y) * nx + x] = (in[(z * ny + y) * nx + x] + in[((z - 1) * ny + y) * nx + x + 1]) % 1039;
}
__global__ void in_place(int* a, int nx, int ny, int nz) {
  POINT;
  if (x < nx && y < ny)
    for (int z = 1; z < nz; ++z) {
      a[(z * ny + y) * nx + x] += z;
      if (a[(z * ny + y) * nx + x] > 900)
        a[(z * ny + y) * nx + x] -= 800;
    }
}

static const int nx = 21, ny = 14, nz = 53, n = nx * ny * nz;
static const dim3 block(8, 4), grid((nx + 7) / 8, (ny + 3) / 4), cube((nx + 7) / 8, (ny + 3) / 4, nz);

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
  const bool quiet = is_quiet(argc);
  const auto print = [&](const char* name, const int* a, const int* b) {
    const long long sum = (hash(a) + hash(b)) % 1000000007;
    if (!quiet)
      std::printf("%s: %lld\n", name, sum);
  };
  int *a = field(), *b = field();

#pragma gpurma persistent distribute(a, b : rows(nz, ny, nx))
  for (int i = 0; i < 3; ++i) {
    declared_before<<<grid, block>>>(b, a, nx, ny, nz);
    of_unsigned<<<grid, block>>>(a, b, nx, ny, nz);
    of_size<<<grid, block>>>(b, a, nx, ny, nz, 3);
    none_and_one<<<grid, block>>>(a, b, nx, ny, nz);
  }
  print("counters", a, b);
#pragma gpurma persistent distribute(a, b : rows(nz, ny, nx))
  for (int i = 0; i < 3; ++i) {
    moved<<<grid, block>>>(b, a, nx, ny, nz);
    moved_down<<<grid, block>>>(a, b, nx, ny, nz);
  }
  print("moved", a, b);
#pragma gpurma persistent distribute(a, b : rows(nz, ny, nx))
  for (int i = 0; i < 3; ++i) {
    in_functions<<<grid, block>>>(b, a, nx, ny, nz);
    in_template<int, 2><<<grid, block>>>(a, b, nx, ny, nz);
    in_template<long, 1><<<grid, block>>>(b, a, nx, ny, nz);
    std::swap(a, b);
  }
  print("functions", a, b);
  const dim3 wide(8, 4), narrow(5, 3);
#pragma gpurma persistent distribute(a, b : rows(nz, ny, nx))
  for (int i = 0; i < 3; ++i) {
    without_index<<<grid, wide>>>(b, a, nx, ny, nz);
    without_index<<<dim3((nx + 4) / 5, (ny + 2) / 3), narrow>>>(a, b, nx, ny, nz);
  }
  print("without index", a, b);
#pragma gpurma persistent distribute(a, b : rows(nz, ny, nx))
  for (int i = 0; i < 3; ++i) {
    shared<<<grid, block>>>(b, a, nx, ny, nz);
    std::swap(a, b);
  }
  print("shared", a, b);

  int *total = nullptr, *most = nullptr, *by_blocks = nullptr, *inside = nullptr;
  for (int** scalar : {&total, &most, &by_blocks, &inside}) {
    cudaMallocManaged(scalar, sizeof(int));
    **scalar = 0;
  }
#pragma gpurma persistent distribute(a, b : rows(nz, ny, nx)) reduce(+ : *total) reduce(max : *most) reduce(+ : *by_blocks) reduce(+ : *inside)
  for (int i = 0; i < 2; ++i) {
    sums<<<grid, block>>>(a, total, most, by_blocks, inside, nx, ny, nz);
    in_template<int, 1><<<grid, block>>>(b, a, nx, ny, nz);
    std::swap(a, b);
  }
  cudaDeviceSynchronize();
  if (!quiet)
    std::printf("sums: %d %d %d %d\n", *total, *most, *by_blocks, *inside);
#pragma gpurma persistent distribute(a, b : rows(nz, ny, nx))
  for (int i = 0; i < 3; ++i) {
    one_thread_each<<<cube, block>>>(b, a, nx, ny, nz);
    declared_before<<<grid, block>>>(a, b, nx, ny, nz);
    moved<<<grid, block>>>(b, a, nx, ny, nz);
    std::swap(a, b);
  }
  print("mixed", a, b);
#pragma gpurma persistent distribute(a, b : rows(nz, ny, nx))
  for (int i = 0; i < 3; ++i) {
    in_place<<<grid, block>>>(a, nx, ny, nz);
    one_thread_each<<<cube, block>>>(b, a, nx, ny, nz);
    std::swap(a, b);
  }
  print("in place", a, b);
  return 0;
}
