// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// What the statements and launches of a persistent region may be. The program prints the same with the pragmas and without.
// RUN: %gpurmacc_cpu -O1 -Wall -Wextra -Werror -Wno-unused-parameter %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu %t.elided.cu -o %t.elided
// RUN: env GPURMA_CPU_RANKS=3 %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=1 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 3 %t 1 | diff - %t.expected
// CHECK: step 3
// CHECK: checksums
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>

#define CHECK(call)                                                                                                               \
  do {                                                                                                                            \
    if (cudaError_t e = (call); e != cudaSuccess)                                                                                 \
      std::exit(std::fprintf(stderr, "%s\n", cudaGetErrorString(e)));                                                             \
  } while (0)
static void check(cudaError_t error, const char *file, int line) {
  if (error)
    std::fprintf(stderr, "%s:%d\n", file, line);
}

enum mode { smooth, sharpen };
struct settings {
  int nx, ny;
  mode kind;
};
static int scale = 1;
__host__ __device__ inline int weight(int step) { return step % 3 + 1; }

template <class T, int Radius> __global__ void average(T *out, const T *in, int nx, int ny, settings s, int factor = 1) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < Radius || x >= nx - Radius || y < Radius || y >= ny - Radius)
    return;
  T sum = 0;
  for (int d = -Radius; d <= Radius; ++d)
    sum += in[(y + d) * nx + x] + in[y * nx + x + d];
  out[y * nx + x] = s.kind == smooth ? sum / (4 * Radius + 2) : in[y * nx + x] * 2 - sum / (4 * Radius + 2) + factor;
}
namespace ns {
__global__ void sums(const double *a, double *sum, int *count, int nx, int ny) {
  extern __shared__ double part[];
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  int thread = threadIdx.y * blockDim.x + threadIdx.x;
  part[thread] = x < nx && y < ny ? std::floor(a[y * nx + x] * 1024) : 0;
  __syncthreads();
  if (thread == 0) {
    double all = 0;
    for (unsigned i = 0; i < blockDim.x * blockDim.y; ++i)
      all += part[i];
    atomicAdd(sum, all);
    atomicAdd(count, 1);
  }
}
} // namespace ns
__global__ void set(double *a, double value, int nx, int ny) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny)
    a[y * nx + x] += value;
}

class setter {
public:
  setter(int rows, int columns) : ny(rows), nx(columns) {}
  void run(double *a, dim3 block);
  int run_inside(double *a, dim3 block) const {
    const int width = nx, height = ny;
    int step = 0;
    constexpr int last = steps + 1;
#pragma gpurma persistent distribute(a : rows(height, width))
    for (; step < last; ++step)
      set<<<dim3(width / 8 + 1, height / 4 + 1), block>>>(a, step, width, height);
    return step;
  }

private:
  static constexpr int steps = 2;
  int ny, nx;
};
void setter::run(double *a, dim3 block) {
  const int width = nx, height = ny;
#pragma gpurma persistent distribute(a : rows(height, width))
  for (int step = 0; step < steps; ++step)
    set<<<dim3(width / 8 + 1, height / 4 + 1), block>>>(a, 0.125, width, height);
}

int main(int argc, char **argv) {
  gpurma::init();
  const bool quiet = argc > 1 && std::getenv("OMPI_COMM_WORLD_RANK") && std::atoi(std::getenv("OMPI_COMM_WORLD_RANK"));
  settings s{37, 53, smooth};
  const int n = s.nx * s.ny, nx = s.nx, ny = s.ny;
  double *buffer[3], *sum;
  int *count;
  for (double *&b : buffer) {
    CHECK(cudaMallocManaged(&b, n * sizeof(double)));
    for (int i = 0; i < n; ++i)
      b[i] = i * 7 % 23 + 1;
  }
  CHECK(cudaMalloc(&sum, sizeof(double)));
  CHECK(cudaMallocManaged(&count, sizeof(int)));
  *count = 5;
  CHECK(cudaMemset(sum, 0, sizeof(double)));
  double *a = buffer[0], *b = buffer[1], *c = buffer[2];
  constexpr int radius = 2;
  const dim3 block(8, 4);
  dim3 grid((nx + 7) / 8, (ny + 3) / 4);
  double total = 0, before = -1;
  int launches = 0;
  long long blocks = 0;
#pragma gpurma persistent distribute(a, b, c : rows(ny, nx)) reduce(+ : *sum, *count)
  for (int step = 0; step < 12; ++step) {
    if (step == 9)
      break;
    if (step % 4 == 2) {
      set<<<grid, block>>>(a, 0.5, nx, ny);
      ++launches;
      continue;
    }
    settings now = s;
    now.kind = step % 2 ? sharpen : smooth;
    for (int inner = 0; inner < weight(step); inner++) {
      if (inner & 1)
        average<double, 1><<<grid, block>>>(b, a, nx, ny, now);
      else
        average<double, radius><<<grid, block>>>(b, a, nx, ny, now, scale + inner);
      check(cudaPeekAtLastError(), __FILE__, __LINE__);
      double *const oldest = c;
      c = a;
      a = b;
      b = oldest;
      launches += 1;
    }
    cudaMemsetAsync(sum, 0, sizeof(double));
    ns::sums<<<grid, block, 32 * sizeof(double)>>>(a, sum, count, nx, ny);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&total, sum, sizeof(double), cudaMemcpyDeviceToHost));
    blocks += *count;
    before = std::max(before, std::sqrt(std::fabs(total)));
    if (step == 3 && grid.x > 2)
      printf("step %d\n", step);
  }
  CHECK(cudaGetLastError()); // what the region asks CUDA leaves no error behind
  // Another region, with another grid for the same kernel.
  int round = 0;
#pragma gpurma persistent distribute(a : rows(ny, nx))
  {
    do {
      dim3 other(grid.x + round, grid.y + 1);
      set<<<other, block>>>(a, round * 0.25, nx, ny);
      ++round;
    } while (round < 3);
    scale = round;
  }
  setter other_rows(ny, nx);
  other_rows.run(a, block);
  launches += other_rows.run_inside(a, block);
  CHECK(cudaDeviceSynchronize());
  double checksum = 0, weighted = 0;
  for (int i = 0; i < n; ++i) {
    checksum += std::floor(a[i] * 4096);
    weighted += i * std::floor(c[i] * 64) + std::floor(b[i] * 16);
  }
  if (!quiet)
    std::printf("checksums %.17g %.17g total %.17g %.17g, %d launches, %lld blocks, count %d, scale %d\n", checksum, weighted, total,
                before, launches, blocks, *count, scale);
  for (double *each : buffer)
    CHECK(cudaFree(each));
}
