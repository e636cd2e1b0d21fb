// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Objects whose calls differ in dots and underlines only are several variables of a region.
// RUN: %gpurmacc_cpu %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 2 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=1 %mpirun -np 3 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=1 %mpirun -np 5 %t | diff - %t.expected
#include "Inputs/region.h"

#include <cstdio>
#include <memory>
#include <utility>

struct release {
  void operator()(int *memory) const { cudaFree(memory); }
};
typedef std::unique_ptr<int, release> array;
struct fields {
  array b, b_c;
};

__global__ void step(int *out, const int *in, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y > 0 && y < ny - 1)
    out[y * nx + x] = (in[(y - 1) * nx + x] + 3 * in[(y + 1) * nx + x]) % 10007;
}

int main(int argc, char **argv) {
  gpurma::init(&argc, &argv);
  const int nx = 19, ny = 67;
  auto make = [&](int factor) { return array(device_array<int>(nx * ny, [=](size_t i) { return i * factor % 1009; })); };
  fields a{make(7919), make(31)}, a_b{make(17), make(101)};
  array a_b_c = make(7);
  const dim3 block(16, 4), grid((nx + 15) / 16, (ny + 3) / 4);
#pragma gpurma persistent distribute(a.b.get(), a.b_c.get(), a_b.b.get(), a_b_c.get() : rows(ny, nx))
  for (int t = 0; t < 7; ++t) {
    step<<<grid, block>>>(a.b.get(), a.b_c.get(), ny, nx);
    step<<<grid, block>>>(a_b_c.get(), a.b.get(), ny, nx);
    step<<<grid, block>>>(a_b.b.get(), a_b_c.get(), ny, nx);
    std::swap(a.b_c, a_b.b);
  }
  for (const array *of : {&a.b, &a.b_c, &a_b.b, &a_b_c}) {
    const long long sum = ordered_sum(of->get(), nx * ny);
    if (is_first_process())
      std::printf("%lld\n", sum);
  }
}
