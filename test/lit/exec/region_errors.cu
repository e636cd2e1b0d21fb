// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// What only shows when a persistent region begins, or at a launch in it.
// RUN: %gpurmacc_cpu -O1 %s -o %t
// RUN: not %t blocks 2>&1 | FileCheck --check-prefix=BLOCKS %s
// RUN: not %t undistributed 2>&1 | FileCheck --check-prefix=UNDISTRIBUTED %s
// RUN: not %t changed 2>&1 | FileCheck --check-prefix=CHANGED %s
// RUN: not %mpirun -np 3 %t rows 2>&1 | FileCheck --check-prefix=ROWS %s
// RUN: not %mpirun -np 2 %t extents 2>&1 | FileCheck --check-prefix=EXTENTS %s
#include <cstdlib>
#include <cstring>

__global__ void step(float *out, const float *in, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y > 0 && y < ny - 1)
    out[y * nx + x] = in[(y - 1) * nx + x] + in[(y + 1) * nx + x];
}

int main(int argc, char **argv) {
  gpurma::init(&argc, &argv);
  const bool rows = !std::strcmp(argv[1], "rows"), extents = !std::strcmp(argv[1], "extents");
  const bool undistributed = !std::strcmp(argv[1], "undistributed"), changed = !std::strcmp(argv[1], "changed");
  const char *rank = std::getenv("OMPI_COMM_WORLD_RANK");
  const int nx = 8, ny = rows ? 5 : extents && rank && std::atoi(rank) ? 40 : 32;
  float *a, *b, *other;
  for (float **each : {&a, &b, &other}) {
    cudaMalloc(each, 40 * nx * sizeof(float));
    cudaMemset(*each, 0, 40 * nx * sizeof(float));
  }
  dim3 block(8, 2), second(8, !std::strcmp(argv[1], "blocks") ? 4 : 2);
  const dim3 grid(1, 20);
  // BLOCKS: the persistent region at {{.*}}region_errors.cu:[[#@LINE+5]]: kernel 'step' is launched with blocks of 8 x 4 x 1 threads, and 'step' of 8 x 2 x 1; all launches of a region have blocks of the same size
  // ROWS: the persistent region at {{.*}}region_errors.cu:[[#@LINE+4]]: process 2 of 3 would have 1 of 5 rows
  // EXTENTS: the persistent region at {{.*}}region_errors.cu:[[#@LINE+3]]: the distributed arrays have {{[0-9]+}} bytes on process {{[01]}} and {{[0-9]+}} on process {{[01]}}; all processes run the region with the same extents
  // UNDISTRIBUTED: launch in a persistent region at {{.*}}region_errors.cu:[[#@LINE+5]] on rank {{[0-9]+}}: the kernel writes to an array at 0x{{[0-9a-f]+}}, which is not the beginning of an array that the region distributes; name it in 'distribute'
  // CHANGED: launch in a persistent region at {{.*}}region_errors.cu:[[#@LINE+7]] on rank {{[0-9]+}}: blocks of 8 x 1 x 1 threads, but the region began with another size
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  for (int i = 0; i < 2; ++i) {
    float *to = undistributed ? other : b;
    step<<<grid, block>>>(to, a, ny, nx);
    if (changed)
      second.y = 1;
    step<<<grid, second>>>(a, b, ny, nx);
  }
  return 0;
}
