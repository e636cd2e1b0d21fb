// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// A launch with several blocks along a dimension that its kernel does not name, which would all do the same: an error when it runs. With
// constants for the grid nothing is compared.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t
// RUN: %gpurmacc_cpu --gpurma-emit-source=- %s | FileCheck --check-prefix=LOWERED %s
// RUN: %t 1 | FileCheck --check-prefix=ONE %s
// RUN: not %t 2 2>&1 | FileCheck --check-prefix=TWO %s
// RUN: not %mpirun -np 2 %t 3 2>&1 | FileCheck --check-prefix=THREE %s
// LOWERED-COUNT-1: check_unnamed(gpurma_region, 4u,
// LOWERED-NOT: check_unnamed
// ONE: sum 4608
// TWO: launch in a persistent region at {{.*}}region_unnamed_dimensions.cu:39 {{.*}}: along z, the launch has 2 threads that the kernel does not tell from each other
// THREE: along z, the launch has 3 threads that the kernel does not tell from each other
#include "Inputs/region.h"

#include <utility>

constexpr int ny = 32, nx = 32;

__global__ void step(int *out, const int *in) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny)
    out[y * nx + x] = in[y * nx + x] + 1;
}

static dim3 tiles(int height, int width) { return dim3((width + 7) / 8, (height + 3) / 4); }

int main(int, char **argv) {
  int *a = device_array<int>(ny * nx, [](std::size_t i) { return i % 2; });
  int *b = device_array<int>(ny * nx, [](std::size_t) { return 0; });
  const dim3 block(8, 4), grid = tiles(ny, nx);
  dim3 layers = grid;
  layers.z = static_cast<unsigned>(std::atoi(argv[1]));
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  for (int i = 0; i < 2; ++i) {
    step<<<grid, block>>>(b, a);
    std::swap(a, b);
    step<<<layers, block>>>(b, a);
    std::swap(a, b);
  }
  long sum = 0;
  for (int value : host_copy(a, ny * nx))
    sum += value;
  if (is_first_process())
    std::printf("sum %ld\n", sum);
  CHECK(cudaFree(a));
  CHECK(cudaFree(b));
}
