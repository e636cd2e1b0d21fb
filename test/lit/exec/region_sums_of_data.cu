// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Elastic waves in integers: quotients and remainders of sums of what is loaded are data, which no subscript has anything to do with. To follow what each
// says of the next took more steps than the analysis is given.
// RUN: %gpurmacc_cpu -Wall -Wextra -Werror %s -o %t
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 2 %t | diff - %t.expected
// CHECK: velocities {{[1-9][0-9]*}}
// CHECK: stresses {{[1-9][0-9]*}}
#include "Inputs/region.h"

struct Fields {
  int *vx, *vy, *vz, *xx, *yy, *zz, *xy, *xz, *yz;
};

__device__ inline int ahead(const int *f, int i, int step) { return 9 * (f[i + step] - f[i]) / 8 - (f[i + 2 * step] - f[i - step]) / 24; }
__device__ inline int behind(const int *f, int i, int step) { return 9 * (f[i] - f[i - step]) / 8 - (f[i + step] - f[i - 2 * step]) / 24; }

#define INTERIOR                                                                                                                 \
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;                                \
  const int z = blockIdx.z * blockDim.z + threadIdx.z;                                                                           \
  if (x < 2 || y < 2 || z < 2 || x >= nx - 2 || y >= ny - 2 || z >= nz - 2)                                                      \
    return;                                                                                                                      \
  const int i = (z * ny + y) * nx + x, row = nx, plane = nx * ny

__global__ void velocities(Fields f, int nx, int ny, int nz) {
  INTERIOR;
  f.vx[i] = (f.vx[i] + ahead(f.xx, i, 1) + behind(f.xy, i, row) + behind(f.xz, i, plane)) % 10007;
  f.vy[i] = (f.vy[i] + behind(f.xy, i, 1) + ahead(f.yy, i, row) + behind(f.yz, i, plane)) % 10007;
  f.vz[i] = (f.vz[i] + behind(f.xz, i, 1) + behind(f.yz, i, row) + ahead(f.zz, i, plane)) % 10007;
}
__global__ void stresses(Fields f, int lambda, int mu, int nx, int ny, int nz) {
  INTERIOR;
  const int along_x = behind(f.vx, i, 1), along_y = behind(f.vy, i, row), along_z = behind(f.vz, i, plane);
  const int trace = lambda * (along_x + along_y + along_z);
  f.xx[i] = (f.xx[i] + trace + 2 * mu * along_x) % 10007;
  f.yy[i] = (f.yy[i] + trace + 2 * mu * along_y) % 10007;
  f.zz[i] = (f.zz[i] + trace + 2 * mu * along_z) % 10007;
  f.xy[i] = (f.xy[i] + mu * (ahead(f.vx, i, row) + ahead(f.vy, i, 1))) % 10007;
  f.xz[i] = (f.xz[i] + mu * (ahead(f.vx, i, plane) + ahead(f.vz, i, 1))) % 10007;
  f.yz[i] = (f.yz[i] + mu * (ahead(f.vy, i, plane) + ahead(f.vz, i, row))) % 10007;
}

int main() {
  const int nx = 12, ny = 10, nz = 40, n = nx * ny * nz;
  Fields f;
  for (int **each : {&f.vx, &f.vy, &f.vz, &f.xx, &f.yy, &f.zz, &f.xy, &f.xz, &f.yz})
    *each = array_of_numbers<int>(n);
  const dim3 block(8, 4, 2), grid((nx + 7) / 8, (ny + 3) / 4, (nz + 1) / 2);
#pragma gpurma persistent distribute(f.vx, f.vy, f.vz, f.xx, f.yy, f.zz, f.xy, f.xz, f.yz : rows(nz, ny, nx))
  for (int i = 0; i < 4; ++i) {
    velocities<<<grid, block>>>(f, nx, ny, nz);
    stresses<<<grid, block>>>(f, 2, 1, nx, ny, nz);
  }
  print_sum("velocities", f.vz, n);
  print_sum("stresses", f.xy, n);
  for (int *each : {f.vx, f.vy, f.vz, f.xx, f.yy, f.zz, f.xy, f.xz, f.yz})
    CHECK(cudaFree(each));
}
