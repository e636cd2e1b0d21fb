// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Variable templates, of the host and of the device, at namespace scope and in classes, which a region and its kernels name.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t 1 | diff - %t.expected
// CHECK: level 18, of flux 11, counted 84
#include "Inputs/region.h"

#include <cstdio>
#include <utility>

namespace physics {
enum class field { flux, density };
template <class T> constexpr T factor = T(2.5);
template <> constexpr float factor<float> = 7;
template <class T, int Level = 2> T level = T(Level);
template <field Of> int number = 5;
template <class T> struct scheme {
  template <class U> static constexpr U order = U(9);
  static int count;
};
template <class T> int scheme<T>::count = 6;
} // namespace physics
template <class T> __device__ const T offset = T(4);
template <class T> __constant__ T weight = T(6);

template <class T> __global__ void step(int *out, const int *in, int add, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny)
    out[y * nx + x] = (3 * in[y * nx + x] + add + int(offset<T> + weight<T> + physics::factor<T>)) % 1009;
}

int main(int argc, char **) {
  const int nx = 20, ny = 37, n = nx * ny;
  const dim3 block(8, 4), grid((nx + 7) / 8, (ny + 3) / 4);
  int *u = device_array<int>(n, [](size_t i) { return i * 37 % 53; }), *v = device_array<int>(n, [](size_t) { return 0; });
  using physics::field;
#pragma gpurma persistent distribute(u, v : rows(ny, nx))
  for (int it = 0; it < 6; ++it) {
    step<int><<<grid, block>>>(v, u, physics::level<int> + physics::number<field::flux>, ny, nx);
    step<float><<<grid, block>>>(u, v, int(physics::factor<float> + 2 * physics::factor<double>), ny, nx);
    physics::level<int> += it;
    physics::level<float, 3> = it;
    physics::number<field::flux>++;
    physics::scheme<float>::count += physics::scheme<int>::order<long> + it + (physics::level<float, 3> > 4 ? 9 : 0);
  }
  if (is_quiet(argc))
    return 0;
  std::printf("level %d, of flux %d, counted %d\n", physics::level<int> + 1, physics::number<field::flux>, physics::scheme<float>::count);
  std::printf("%lld %lld\n", ordered_sum(u, n), ordered_sum(v, n));
}
