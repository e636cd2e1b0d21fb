// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// One kernel for all borders: first and last rows by their numbers, and columns by the number of the thread, in arrays that are higher
// than wide and the other way, of constants and of neighbours, in corners, and for the faces of a cube.
// RUN: %gpurmacc_cpu %s -o %t --gpurma-print-after=InferStages | FileCheck --check-prefix=INFER %s
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t 1 | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=4 %mpirun -np 3 %t 1 | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 5 %t 1 | diff - %t.expected
// CHECK: high {{-?[0-9]+}}
// CHECK: wide {{-?[0-9]+}}
// CHECK: periodic {{-?[0-9]+}}
// CHECK: cube {{-?[0-9]+}}
#include "Inputs/region.h"

#include <algorithm>
#include <utility>

constexpr long long prime = 1000003;

// Reads corners, too.
__global__ void box(long long *out, const long long *in, int nx, int ny) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1) {
    const int i = y * nx + x;
    out[i] = (in[i - nx] + 3 * in[i + nx] + 5 * in[i - 1] + 7 * in[i + 1] + 9 * in[i - nx - 1] + 11 * in[i - nx + 1] + 13 * in[i + nx - 1] +
              15 * in[i + nx + 1]) % prime;
  }
}
__global__ void walls(long long *u, int nx, int ny, int it) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < nx - 1) {
    u[i] = u[nx + i];
    u[(ny - 1) * nx + i] = u[(ny - 2) * nx + i] + it;
  }
  if (i > 0 && i < ny - 1) {
    u[i * nx] = u[i * nx + 1] + threadIdx.x;
    u[i * nx + nx - 1] = u[i * nx + nx - 2] + 2 * blockIdx.x;
  }
}
// Corners belong to the columns here, and above them to the thread that stores twice.
__global__ void inflow(long long *u, const long long *w, int nx, int ny, int it) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < nx - 1)
    u[i] = w[nx + i];
  if (i > 0 && i < nx - 1)
    u[(ny - 1) * nx + i] = it;
  if (i < ny) {
    u[i * nx] = w[i * nx + 2] + 5;
    u[i * nx + nx - 1] = i;
  }
}
// It does not matter whose store is the last one in a corner.
__global__ void cold(long long *u, int nx, int ny) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < nx) {
    u[i] = 3;
    u[(ny - 1) * nx + i] = 3;
  }
  if (i >= ny)
    return;
  u[i * nx] = 3;
  u[i * nx + nx - 1] = 3;
}
// The ghost columns are copies of those at the other end.
__global__ void ghosts(long long *u, int nx, int ny) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= 1 && i < ny - 1) {
    const long long left = u[i * nx + nx - 2];
    u[i * nx] = left;
    u[i * nx + nx - 1] = u[i * nx + 1];
  }
  if (i >= 1 && i < nx - 1) {
    u[i] = -u[1 * nx + i];
    u[(ny - 1) * nx + i] = -u[(ny - 2) * nx + i];
  }
}
// The last row from behind, of the one before it.
__global__ void backwards(long long *u, int nx, int ny) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < nx)
    u[ny * nx - 1 - i] += u[(ny - 1) * nx - 1 - i];
}
__global__ void star_in_space(long long *out, const long long *in, int nx, int ny, int nz) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1 && z > 0 && z < nz - 1) {
    const int i = (z * ny + y) * nx + x;
    out[i] = (in[i - 1] + 3 * in[i - nx * ny] + 5 * in[i + nx * ny] + 7 * in[i + nx] + 11 * in[i - nx] + in[i + 1]) % prime;
  }
}
__global__ void faces(long long *u, int nx, int ny, int nz) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i > 0 && i < nx - 1 && j > 0 && j < ny - 1) {
    u[j * nx + i] = u[(ny + j) * nx + i];
    u[((nz - 1) * ny + j) * nx + i] = u[((nz - 2) * ny + j) * nx + i] + 1;
  }
  if (i > 0 && i < nx - 1 && j > 0 && j < nz - 1) {
    u[j * ny * nx + i] = u[(j * ny + 1) * nx + i] + 2;
    u[(j * ny + ny - 1) * nx + i] = u[(j * ny + ny - 2) * nx + i] + 3;
  }
  if (i > 0 && i < ny - 1 && j > 0 && j < nz - 1) {
    u[(j * ny + i) * nx] = u[(j * ny + i) * nx + 1] + 4;
    u[(j * ny + i) * nx + nx - 1] = u[(j * ny + i) * nx + nx - 2] + 5;
  }
}

int main(int argc, char **argv) {
  gpurma::init(&argc, &argv);
  int nx = 45, ny = 83;
  const int n = nx * ny;
  long long *a = array_of_numbers<long long>(n), *b = array_of_numbers<long long>(n);
  const dim3 block(16, 4);

  // INFER: stage walls: rows y of stores into fixed rows; reads u (x whole, y -1..1){{.*}}; writes u (x whole), published (y -1..1)
  // INFER: stage inflow: rows y of stores into fixed rows; {{.*}}writes u (x whole), published (y -1..1)
  // INFER: stage cold: rows y of stores into fixed rows; writes u (x whole), published (y -1..1)
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  for (int it = 0; it < 9; ++it) {
    box<<<dim3((nx + 15) / 16, (ny + 3) / 4), block>>>(b, a, nx, ny);
    if (it % 3 == 0)
      walls<<<(std::max(nx, ny) + 127) / 128, 128>>>(b, nx, ny, it);
    else if (it % 3 == 1)
      inflow<<<(std::max(nx, ny) + 31) / 32, 32>>>(b, a, nx, ny, it);
    else
      cold<<<(std::max(nx, ny) + 15) / 16, 16>>>(b, nx, ny);
    std::swap(a, b);
  }
  print_sum("high", a, n);

  std::swap(nx, ny);
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  for (int it = 0; it < 9; ++it) {
    box<<<dim3((nx + 15) / 16, (ny + 3) / 4), block>>>(b, a, nx, ny);
    inflow<<<(std::max(nx, ny) + 31) / 32, 32>>>(b, a, nx, ny, it);
    walls<<<(std::max(nx, ny) + 127) / 128, 128>>>(b, nx, ny, it);
    std::swap(a, b);
  }
  print_sum("wide", a, n);

#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  for (int it = 0; it < 9; ++it) {
    ghosts<<<(std::max(nx, ny) + 63) / 64, 64>>>(a, nx, ny);
    backwards<<<(nx + 63) / 64, 64>>>(a, nx, ny);
    box<<<dim3((nx + 15) / 16, (ny + 3) / 4), block>>>(b, a, nx, ny);
    std::swap(a, b);
  }
  print_sum("periodic", a, n);

  const int mx = 13, my = 27, mz = 31, m = mx * my * mz;
  long long *c = array_of_numbers<long long>(m), *d = array_of_numbers<long long>(m);
  // INFER: stage faces: rows z of stores into fixed rows; {{.*}}writes u (x whole, y whole), published (z -1..1)
#pragma gpurma persistent distribute(c, d : rows(mz, my, mx))
  for (int it = 0; it < 7; ++it) {
    star_in_space<<<dim3(2, 7, 11), dim3(8, 4, 3)>>>(d, c, mx, my, mz);
    faces<<<dim3(2, 2), dim3(16, 16)>>>(d, mx, my, mz);
    std::swap(c, d);
  }
  print_sum("cube", c, m);
}
