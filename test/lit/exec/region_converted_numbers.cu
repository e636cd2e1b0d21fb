// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Numbers that are others in the type of what they are kept in or passed as: what a kernel reads depends on what it gets.
// RUN: %gpurmacc_cpu %s -o %t --gpurma-print-after=InferStages | FileCheck --check-prefix=PLAN %s
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t | diff - %t.expected
// PLAN-COUNT-11: stage far{{.*}}: rows y; {{.*}} reads from (y 0..3)
// PLAN: stage far{{.*}}: rows y; {{.*}} reads from (own)
// CHECK: converted {{[1-9][0-9]*}}
#include "Inputs/region.h"

#include <utility>

// One number of all makes it read three rows away.
template <class T, long long Away> __global__ void far(int *to, const int *from, int ny, int nx, T how) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny)
    return;
  const int i = y * nx + x;
  if (how == Away)
    to[i] = (from[i] + (y + 3 < ny ? from[i + 3 * nx] : 3)) % 1009;
  else
    to[i] = from[i] + 1;
}

struct Options {
  bool periodic;
  unsigned char kind;
  unsigned bits : 4;
  explicit Options(int mode) : periodic(mode), kind(mode), bits(mode) {}
};
struct Initial {
  signed char kind = 200;
};
template <class T> struct Passed {
  T kind;
  __host__ __device__ explicit Passed(int mode) : kind(mode) {}
  __host__ __device__ bool operator==(long long other) const { return kind == other; }
};

int main() {
  const int nx = 20, ny = 96;
  const dim3 block(8, 8), grid((nx + 7) / 8, (ny + 7) / 8);
  int *a = array_of_numbers<int>(nx * ny), *b = array_of_numbers<int>(nx * ny);
  int order = 4, wide = 254;
  bool periodic = order;
  unsigned offset = -3;
  const Options options(514);
  const Initial initial;
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  for (int i = 0; i < 3; ++i) {
    far<unsigned char, 255><<<grid, block>>>(b, a, ny, nx, -1);
    far<int, 1><<<grid, block>>>(a, b, ny, nx, periodic);
    far<int, 1><<<grid, block>>>(b, a, ny, nx, options.periodic);
    far<int, 2><<<grid, block>>>(a, b, ny, nx, options.kind);
    far<int, 2><<<grid, block>>>(b, a, ny, nx, options.bits);
    far<int, -2><<<grid, block>>>(a, b, ny, nx, (signed char)wide);
    far<int, -1><<<grid, block>>>(b, a, ny, nx, 0xffffffffu);
    far<long long, 4294967293><<<grid, block>>>(a, b, ny, nx, offset);
    far<Passed<unsigned char>, 255><<<grid, block>>>(b, a, ny, nx, Passed<unsigned char>(-1));
    far<int, -56><<<grid, block>>>(a, b, ny, nx, initial.kind);
    far<short, 4464><<<grid, block>>>(b, a, ny, nx, 70000);
    far<short, 5><<<grid, block>>>(a, b, ny, nx, 4);
  }
  print_sum("converted", a, nx * ny);
  for (int *each : {a, b})
    CHECK(cudaFree(each));
}
