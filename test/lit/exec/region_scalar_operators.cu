// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// All assignments that a number has, of reduced scalars, in the type of both operands as of variables; one of several that is read; and
// references that functions have. A kernel may have a parameter that it does not use.
// RUN: %gpurmacc_cpu %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=1 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t 1 | diff - %t.expected
// CHECK: step 5: {{[1-9]}}
#include "Inputs/region.h"

#include <cstdio>
#include <utility>

__global__ void step(int *out, const int *in, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny)
    out[y * nx + x] = (3 * in[y * nx + x] + (y > 0 ? in[(y - 1) * nx + x] : 0)) % 1009;
}

__global__ void add(const int *in, const int *, int *sum, unsigned *count, float *mean, double *most, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny)
    return;
  atomicAdd(sum, in[y * nx + x]);
  atomicAdd(count, 1u);
  atomicAdd(mean, float(in[y * nx + x] % 2));
  atomicAdd(most, in[y * nx + x] % 3);
}

int half_of(const int &number) { return number / 2; }
void halve(int &number, double factor = 0.5) { number *= factor; }
int added(const int &sum, int *to, const int *in, int *scalar, unsigned *count, float *mean, double *most, int ny, int nx, dim3 grid, dim3 block) {
  const int before = sum;
  add<<<grid, block>>>(in, to, scalar, count, mean, most, ny, nx);
  CHECK(cudaDeviceSynchronize());
  return sum - before;
}

int main(int argc, char **) {
  const int nx = 20, ny = 37, n = nx * ny, steps = 6;
  const dim3 block(8, 4), grid((nx + 7) / 8, (ny + 3) / 4);
  int *u = device_array<int>(n, [](size_t i) { return i * 37 % 53; }), *v = device_array<int>(n, [](size_t) { return 0; });
  int *sum = device_array<int>(1, [](size_t) { return 3; });
  unsigned *count = device_array<unsigned>(1, [](size_t) { return 5; });
  float *mean = device_array<float>(1, [](size_t) { return 0; });
  double *most = device_array<double>(1, [](size_t) { return 0; });
  unsigned long long keys[steps] = {};
#pragma gpurma persistent distribute(u, v : rows(ny, nx)) reduce(+ : *sum, *count, *mean, *most)
  for (int it = 0; it < steps; ++it) {
    unsigned long long key = it;
    step<<<grid, block>>>(v, u, ny, nx);
    add<<<grid, block>>>(v, u, sum, count, mean, most, ny, nx);
    CHECK(cudaDeviceSynchronize());
    *sum *= 0.5;
    *mean *= 0.1;
    *mean /= 3.0;
    *most -= 0.25f;
    *count += -2;
    *count -= 0.5f;
    key = key * 31 + (*sum)++;
    key = key * 31 + ++*count;
    key = key * 31 + --sum[0];
    (*count)--;
    *sum %= 100007;
    *sum <<= 2;
    *sum >>= 1;
    *sum ^= 5;
    *sum |= 64;
    *count &= 0xffff;
    key = key * 31 + (it % 2 ? *sum : half_of(*sum));
    const double chosen = it % 3 ? *mean : *most, same = it % 2 ? (key += 1, *sum) : *sum;
    halve(*sum);
    key = key * 31 + added(*sum, u, v, sum, count, mean, most, ny, nx, grid, block);
    halve(sum[0], 0.25);
    keys[it] = key * 31 + static_cast<unsigned long long>(1000 * chosen + same);
    std::swap(u, v);
  }
  if (is_quiet(argc))
    return 0;
  for (int it = 0; it < steps; ++it)
    std::printf("step %d: %llu\n", it, keys[it]);
  std::printf("%d %u %.9g %.17g\n", host_copy(sum, 1)[0], host_copy(count, 1)[0], host_copy(mean, 1)[0], host_copy(most, 1)[0]);
}
