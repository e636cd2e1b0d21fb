// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Waves in space by the leapfrog scheme as users write it: accelerations in blocks of three dimensions, and updates of all points in
// one, with blocks of another size, structures of pointers, a template, and a kernel that another region launches over one dimension.
// RUN: %gpurmacc_cpu %s -o %t
// RUN: grep -v "#pragma gpurma" %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 5 %t | diff - %t.expected
// CHECK: energy {{[0-9]+}}
// CHECK: pressure {{-?[0-9]+}} velocity {{-?[0-9]+}}
// CHECK: trace {{-?[0-9]+}}
#include "Inputs/region.h"

#include <cstdio>
#include <vector>

struct Wave {
  long long *p, *v;
  int nx, ny, nz;
};

__global__ void accelerate(Wave w) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < 1 || x >= w.nx - 1 || y < 1 || y >= w.ny - 1 || z < 1 || z >= w.nz - 1)
    return;
  size_t plane = static_cast<size_t>(w.nx) * w.ny;
  size_t i = z * plane + y * w.nx + x;
  w.v[i] += (w.p[i - 1] + w.p[i + 1] + w.p[i - w.nx] + w.p[i + w.nx] + w.p[i - plane] + w.p[i + plane] - 6 * w.p[i]) / 16;
}
template <typename T, int Shift> __global__ void drift(T *p, const T *v, size_t n) {
  size_t i = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x;
  if (i < n)
    p[i] += v[i] >> Shift;
}
__global__ void damp(Wave w, int sponge) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= w.nx * w.ny * w.nz)
    return;
  const int z = i / (w.nx * w.ny), y = i % (w.nx * w.ny) / w.nx, x = i - (z * w.ny + y) * w.nx;
  if (x < sponge || y < sponge || z < sponge)
    w.v[i] = w.v[i] * 7 / 8;
}
__global__ void energy(Wave w, unsigned long long *sum, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(sum, static_cast<unsigned long long>(w.v[i] * w.v[i]));
}

static long long *field(int n, int seed) {
  std::vector<long long> values(n);
  for (int i = 0; i < n; ++i)
    values[i] = (i * 7919LL + seed) % 2003 - 1000;
  long long *memory;
  cudaMalloc(&memory, n * sizeof(long long));
  cudaMemcpy(memory, values.data(), n * sizeof(long long), cudaMemcpyHostToDevice);
  return memory;
}

int main() {
  const int nx = 21, ny = 18, nz = 43, n = nx * ny * nz;
  Wave w{field(n, 1), field(n, 5), nx, ny, nz};
  unsigned long long *sum;
  cudaMallocManaged(&sum, sizeof *sum);
  *sum = 0;
  const dim3 block(8, 4, 2), grid((nx + 7) / 8, (ny + 3) / 4, (nz + 1) / 2);
#pragma gpurma persistent distribute(w.p, w.v : rows(nz, ny, nx)) reduce(+ : *sum)
  for (int step = 0; step < 12; ++step) {
    accelerate<<<grid, block>>>(w);
    drift<long long, 2><<<(n + 255) / 256, 256>>>(w.p, w.v, n);
    if (step % 3 == 2) {
      damp<<<(n + 127) / 128, 128>>>(w, 2);
      energy<<<16, 96>>>(w, sum, n);
    }
  }
  long long *trace = field(n, 3), *rate = field(n, 9);
#pragma gpurma persistent distribute(trace, rate : rows(n))
  for (int step = 0; step < 5; ++step)
    drift<long long, 2><<<(n + 63) / 64, 64>>>(trace, rate, n);
  long long digests[] = {ordered_sum(w.p, n), ordered_sum(w.v, n), ordered_sum(trace, n)};
  if (is_first_process())
    std::printf("energy %llu\npressure %lld velocity %lld\ntrace %lld\n", *sum, digests[0], digests[1], digests[2]);
}
