// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Pointers to rows, as arrays of constant extents have them: a[y][x], a[z][y][x], and f[y * nx + x][q] of components. They count elements,
// also where rows are copied and filled.
// RUN: %gpurmacc_cpu -O1 -Wall -Wextra -Werror %s -o %t --gpurma-print-after=InferStages | FileCheck --check-prefix=PLAN %s
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t quiet | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 3 %t quiet | diff - %t.expected
// PLAN: stage rows: rows y; writes out (x 1..1, y 1..1), published (y -2..2); reads in (x 0..2, y 0..2)
// PLAN: stage elements: rows y; writes out (own), published (y -1..2); reads in (y -1..1)
// PLAN: stage rows: {{.*}}published (y -1..2); reads in (x 0..2, y 0..2)
// PLAN: stage elements: rows y; writes out (own), published (y -1..2); reads in (y -1..1)
// PLAN: stage planes: rows z; writes out (own), {{.*}}reads in (z -1..1 periodic)
// PLAN: stage relax: rows y; reads f (own); writes f (own), published (y -1..1); reads g (y -1..1)
// CHECK: rows {{[1-9]}}
// CHECK: elements {{[1-9]}}
// CHECK: planes {{[1-9]}}
// CHECK: components {{[1-9]}}
#include "Inputs/region.h"

#include <utility>

constexpr int nx = 24, ny = 37, nz = 29, components = 5;
typedef unsigned (*rows_of)[nx];

template <class T> T array_of(std::size_t count) { return reinterpret_cast<T>(array_of_numbers<unsigned>(count)); }

__global__ void rows(rows_of out, const unsigned (*in)[nx]) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (x < nx - 1 && y < ny - 1)
    out[y][x] = (in[y][x - 1] + 3 * in[y][x + 1] + 5 * in[y - 1][x] + 7 * in[y + 1][x]) % 100999;
}
__global__ void planes(unsigned (*out)[ny][nx], unsigned (*in)[ny][nx]) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
  if (x < nx && y < ny && z < nz)
    out[z][y][x] = (in[(z + nz - 1) % nz][y][x] + 3 * in[z][y][x] + 5 * in[(z + 1) % nz][y][x]) % 100999;
}
__global__ void relax(unsigned (*f)[components], unsigned (*g)[components]) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y < 1 || y >= ny - 1)
    return;
  for (int q = 0; q < components; ++q)
    f[y * nx + x][q] = (f[y * nx + x][q] + g[(y - 1) * nx + x][q] + 3 * g[(y + 1) * nx + x][components - 1 - q]) % 100999;
}

__global__ void elements(unsigned *out, const unsigned *in) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y > 0 && y < ny - 1)
    out[y * nx + x] = (in[(y - 1) * nx + x] + 11 * in[(y + 1) * nx + x]) % 100999;
}

static void run_rows() {
  rows_of in = array_of<rows_of>(ny * nx), out = array_of<rows_of>(ny * nx);
  const dim3 block(8, 4), grid((nx + 7) / 8, (ny + 3) / 4);
#pragma gpurma persistent distribute(in, out : rows(ny, nx))
  for (int k = 0; k < 5; ++k) {
    rows<<<grid, block>>>(out, in);
    CHECK(cudaMemcpy(out, out + ny - 2, sizeof *out, cudaMemcpyDeviceToDevice));
    CHECK(cudaMemset(out[ny - 1], k, sizeof *out));
    std::swap(in, out);
  }
  print_sum("rows", in[0], ny * nx);
}
// As pointers to their elements.
static void run_elements() {
  rows_of in = array_of<rows_of>(ny * nx), out = array_of<rows_of>(ny * nx);
  const dim3 block(8, 4), grid((nx + 7) / 8, (ny + 3) / 4);
#pragma gpurma persistent distribute(in, out : rows(ny, nx))
  for (int k = 0; k < 5; ++k) {
    elements<<<grid, block>>>(out[0], in[0]);
    rows<<<grid, block>>>(in, out);
    const unsigned *first = *in;
    elements<<<grid, block>>>(&out[0][0], first);
    std::swap(in, out);
  }
  print_sum("elements", in[0], ny * nx);
}
static void run_planes() {
  auto in = array_of<unsigned (*)[ny][nx]>(nz * ny * nx), out = array_of<unsigned (*)[ny][nx]>(nz * ny * nx);
  const dim3 block(8, 4), grid((nx + 7) / 8, (ny + 3) / 4, nz);
#pragma gpurma persistent distribute(in, out : rows(nz, ny, nx))
  for (int k = 0; k < 5; ++k) {
    planes<<<grid, block>>>(out, in);
    CHECK(cudaMemcpyAsync(in, out, nz * sizeof *in, cudaMemcpyDeviceToDevice));
  }
  print_sum("planes", in[0][0], nz * ny * nx);
}
static void run_components() {
  auto f = array_of<unsigned (*)[components]>(ny * nx * components), g = array_of<unsigned (*)[components]>(ny * nx * components);
  const dim3 block(8, 4), grid((nx + 7) / 8, (ny + 3) / 4);
#pragma gpurma persistent distribute(f, g : rows(ny, nx, components))
  for (int k = 0; k < 4; ++k) {
    relax<<<grid, block>>>(f, g);
    std::swap(f, g);
  }
  print_sum("components", f[0], ny * nx * components);
}

int main() {
  run_rows();
  run_elements();
  run_planes();
  run_components();
}
