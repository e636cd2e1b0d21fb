// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Copies and fills of rows of which only the running program knows where they are.
// RUN: %gpurmacc_cpu %s -o %t
// RUN: %t right 7 3 | FileCheck --check-prefix=RIGHT %s
// RUN: env GPURMA_CPU_RANKS=5 %t right 7 3 | FileCheck --check-prefix=RIGHT %s
// RUN: not %mpirun -np 2 %t right 7 3 2>&1 | FileCheck --check-prefix=ANY %s
// RUN: not %t right 7 7 2>&1 | FileCheck --check-prefix=OVERLAP %s
// RUN: not %t right 30 3 2>&1 | FileCheck --check-prefix=BEHIND %s
// RUN: not %t width 7 3 2>&1 | FileCheck --check-prefix=WIDTH %s
// RUN: not %mpirun -np 2 %t moved 7 3 2>&1 | FileCheck --check-prefix=MOVED %s
// RUN: not %t filled 7 3 2>&1 | FileCheck --check-prefix=FILLED %s
#include <cstdio>
#include <cstdlib>
#include <cstring>

static void any(float *a, int ny, int nx, int from, int to, int width) {
  // ANY: the persistent region at {{.*}}region_row_copy_errors.cu:[[#@LINE+1]]: 'cudaMemcpy' may copy from any row, and other processes have most of them; run one process, or copy from a row that is a constant number of rows before or after the other, where behind the last row of arrays that all have the same number of rows the first one comes again
#pragma gpurma persistent distribute(a : rows(ny, nx))
  {
    float *place = a + to * nx;
    if (width != nx)
      place += nx - width;
    // OVERLAP: launch in a persistent region at {{.*}}region_row_copy_errors.cu:[[#@LINE+3]] on rank {{[0-9]+}}: cudaMemcpy copies 2 rows from row 7 into row 7 of the same array, which overlap
    // BEHIND: launch in a persistent region at {{.*}}region_row_copy_errors.cu:[[#@LINE+2]] on rank {{[0-9]+}}: cudaMemcpy is given 0x{{[0-9a-f]+}} and 160 bytes, which is not where 2 rows of an array that the region distributes are; it copies and fills whole rows, so write a kernel for a part of one
    // WIDTH: launch in a persistent region at {{.*}}region_row_copy_errors.cu:[[#@LINE+1]] on rank {{[0-9]+}}: cudaMemcpy is given 0x{{[0-9a-f]+}} and 160 bytes, which is not where
    cudaMemcpy(place, a + from * nx, 2 * nx * sizeof(float), cudaMemcpyDeviceToDevice);
  }
}
static void moved(float *a, float *b, int ny, int nx) {
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  {
    float *c = a;
    c += 2 * nx;
    // MOVED: launch in a persistent region at {{.*}}region_row_copy_errors.cu:[[#@LINE+1]] on rank {{[0-9]+}}: cudaMemcpy copies row 5 into row 2, which are not as far apart as its arguments say, since a pointer leads elsewhere than to the beginning of an array; name the array in the call, and add all that is to be added there
    cudaMemcpy(b + 2 * nx, c + 3 * nx, nx * sizeof(float), cudaMemcpyDeviceToDevice);
  }
}
static void filled(float *a, int ny, int nx, int more) {
#pragma gpurma persistent distribute(a : rows(ny, nx))
  {
    // FILLED: launch in a persistent region at {{.*}}region_row_copy_errors.cu:[[#@LINE+1]] on rank {{[0-9]+}}: cudaMemset is given 0x{{[0-9a-f]+}} and 80 bytes, which is not where 1 row of an array
    cudaMemset(a + (ny + more) * nx, 1, nx * sizeof(float));
  }
}

int main(int argc, char **argv) {
  gpurma::init(&argc, &argv);
  const auto is = [&](const char *name) { return !std::strcmp(argv[1], name); };
  const int nx = 20, ny = 30, from = std::atoi(argv[2]), to = std::atoi(argv[3]);
  float host[nx * ny], *a, *b;
  for (int i = 0; i < nx * ny; ++i)
    host[i] = i;
  cudaMalloc(&a, sizeof host);
  cudaMalloc(&b, sizeof host);
  cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice);
  if (is("moved"))
    moved(a, b, ny, nx);
  else if (is("filled"))
    filled(a, ny, nx, 1);
  else
    any(a, ny, nx, from, to, is("width") ? nx - 1 : nx);
  cudaMemcpy(host, a, sizeof host, cudaMemcpyDeviceToHost);
  // RIGHT: 59 140 179 100
  std::printf("%g %g %g %g\n", host[to * nx - 1], host[to * nx], host[(to + 2) * nx - 1], host[(to + 2) * nx]);
}
