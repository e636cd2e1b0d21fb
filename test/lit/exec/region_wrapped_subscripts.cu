// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Macros that wrap each subscript around, those of the elements that a thread stores into as well: by constants and by sizes, behind conditions
// that keep it in the array, where the sum is once around and where it is not. All elements that wrap around in one row, and what is wrapped already.
// RUN: %gpurmacc_cpu %s -o %t --gpurma-print-after=InferStages | FileCheck --check-prefix=PLAN %s
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=4 %mpirun -np 3 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 5 %t | diff - %t.expected
// CHECK: gas {{[1-9]}}
// CHECK: waves {{[1-9]}}
// CHECK: ripples {{[1-9]}}
// CHECK: elements {{[1-9]}}
// CHECK: cube {{[1-9]}}
// PLAN: stage gas: rows y; writes out (own), published (y -1..1); reads in (x whole, y -1..1 periodic)
// PLAN: stage waves: rows y; writes out (own), published (y -1..1); reads in (x -1..0, y -1..1) along axes
// PLAN: stage ripples: rows y; writes out (own), published (y -3..1); reads in (x whole, y -3..1 periodic)
// PLAN: stage ripples_of_constants: rows y; writes out (own), published (y -3..1); reads in (x whole, y -2..1 periodic)
// PLAN: stage elements: rows y in one dimension; writes out (own), published (y -1..2); reads in (y -1..1 periodic)
// PLAN: stage lines: rows y; writes out (own), published (y -1..2); reads in (x whole, y -1..2 periodic)
// PLAN: stage wrapped_twice: rows y in one dimension; writes out (own), published (y -1..2); reads in (x whole, y -1..1 periodic)
// PLAN: stage elements_of_constants: rows y in one dimension; writes out (own), published (y -2..1); reads in (y -2..1 periodic)
// PLAN: stage planes: rows z in one dimension; writes out (own), published (z -1..1); reads in (z -1..1 periodic)
#include "Inputs/region.h"

#include <utility>

#define W 75
#define H 89
#define AT(a, x, y) (a)[(((y) + H) % H) * W + (((x) + W) % W)]
#define WRAP(y, n) (((y) + (n)) % (n))

// A lattice gas: particles come from the neighbours and collide.
__global__ void gas(unsigned char *out, const unsigned char *in) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= W || y >= H)
    return;
  unsigned char c = (AT(in, x - 1, y) & 1) | (AT(in, x + 1, y) & 2) | (AT(in, x, y - 1) & 4) | (AT(in, x, y + 1) & 8);
  AT(out, x, y) = c == 3 ? 12 : c == 12 ? 3 : c;
}

// Behind conditions on the inside nothing goes on at the other end.
__global__ void waves(unsigned *out, const unsigned *in, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1)
    return;
  out[WRAP(y, ny) * nx + x] = in[WRAP(y - 1, ny) * nx + x] + 3 * in[WRAP(y + 1, ny) * nx + x] + in[y % ny * nx + x - 1];
}

// Whatever the sign is.
#define MODULO(y, n) (((y) % (n) + (n)) % (n))
__global__ void ripples(unsigned *out, const unsigned *in, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny)
    out[y * nx + x] = in[MODULO(y - 3, ny) * nx + x] + 3 * in[MODULO(y + 1, ny) * nx + MODULO(x + 1, nx)] + in[y * nx + MODULO(x - 2, nx)];
}
__global__ void ripples_of_constants(unsigned *out, const unsigned *in) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < W && y < H)
    out[y * W + x] = in[MODULO(y - 2, H) * W + x] + 3 * in[MODULO(y + 1, H) * W + MODULO(x - 1, W)];
}

// The number of all elements is what goes around, and whole rows.
__global__ void elements(unsigned *out, const unsigned *in, int nx, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[(i + n - nx) % n] + 3 * in[(i + nx) % n] + in[i];
}
__global__ void lines(unsigned *out, const unsigned *in, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, row = (blockIdx.y * blockDim.y + threadIdx.y) * nx;
  if (x >= nx || row >= nx * ny)
    return;
  const int up = (row + nx * ny - nx) % (nx * ny), down = (row + 2 * nx) % (nx * ny), left = (x + nx - 1) % nx, right = (left + 2) % nx;
  out[row + x] = in[up + x] + 3 * in[down + left] + 5 * in[down + right] + in[up + (left + 1) % nx];
}
__global__ void wrapped_twice(unsigned *out, const unsigned *in, unsigned ny, unsigned nx) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= nx * ny)
    return;
  const unsigned row = i / nx * nx, up = (i / nx + ny - 1) % ny * nx, down = (i / nx + 1) % ny * nx;
  unsigned x = (i + nx - 1) % nx;
  unsigned sum = in[up + x] + 3 * in[down + x];
  x = (x + 1) % nx;
  sum += in[up + x] - in[row + x];
  x = (x + 1) % nx;
  sum += 5 * in[down + x];
  x = (x + nx - 1) % nx;
  out[row + x] = sum;
}
__global__ void elements_of_constants(unsigned *out, const unsigned *in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < W * H)
    out[i] = in[(i + W * H - 2 * W) % (W * H)] + 3 * in[(i + W) % (W * H)];
}
__global__ void planes(unsigned *out, const unsigned *in, int nz, int ny, int nx) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = nx * ny * nz, plane = nx * ny;
  if (i < n)
    out[i] = in[(i + n - plane) % n] + 3 * in[(i + plane) % n] + in[i];
}

int main() {
  const dim3 block(16, 8);
  unsigned char *now = device_array<unsigned char>(W * H, [](size_t i) { return (i * 2654435761u >> 23) & 15; });
  unsigned char *next = device_array<unsigned char>(W * H, [](size_t) { return 0; });
#pragma gpurma persistent distribute(now, next : rows(H, W))
  for (int t = 0; t < 11; ++t) {
    gas<<<dim3((W + 15) / 16, (H + 7) / 8), block>>>(next, now);
    std::swap(now, next);
  }
  const int ny = 93, nx = 41;
  unsigned *u = device_array<unsigned>(ny * nx, [](size_t i) { return i % 17; });
  unsigned *v = device_array<unsigned>(ny * nx, [](size_t i) { return i % 17; });
#pragma gpurma persistent distribute(u, v : rows(ny, nx))
  for (int t = 0; t < 11; ++t) {
    waves<<<dim3((nx + 15) / 16, (ny + 7) / 8), block>>>(v, u, ny, nx);
    std::swap(u, v);
  }
  unsigned *now_moving = device_array<unsigned>(W * H, [](size_t i) { return i % 19; });
  unsigned *next_moving = device_array<unsigned>(W * H, [](size_t) { return 0; });
#pragma gpurma persistent distribute(now_moving, next_moving : rows(H, W))
  for (int t = 0; t < 11; ++t) {
    ripples<<<dim3((W + 15) / 16, (H + 7) / 8), block>>>(next_moving, now_moving, H, W);
    std::swap(now_moving, next_moving);
    ripples_of_constants<<<dim3((W + 15) / 16, (H + 7) / 8), block>>>(next_moving, now_moving);
    std::swap(now_moving, next_moving);
  }
  unsigned *a = device_array<unsigned>(ny * nx, [](size_t i) { return i * i % 17; });
  unsigned *b = device_array<unsigned>(ny * nx, [](size_t) { return 0; });
  const int n = nx * ny;
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  for (int t = 0; t < 4; ++t) {
    elements<<<(n + 127) / 128, 128>>>(b, a, nx, n);
    std::swap(a, b);
    lines<<<dim3((nx + 15) / 16, (ny + 7) / 8), block>>>(b, a, ny, nx);
    std::swap(a, b);
    wrapped_twice<<<(n + 127) / 128, 128>>>(b, a, ny, nx);
    std::swap(a, b);
  }
#pragma gpurma persistent distribute(now_moving, next_moving : rows(H, W))
  for (int t = 0; t < 3; ++t) {
    elements_of_constants<<<(W * H + 127) / 128, 128>>>(next_moving, now_moving);
    std::swap(now_moving, next_moving);
  }
  const int nz = 71, my = 9, mx = 13;
  unsigned *c = device_array<unsigned>(nz * my * mx, [](size_t i) { return i * i % 17; });
  unsigned *d = device_array<unsigned>(nz * my * mx, [](size_t) { return 0; });
#pragma gpurma persistent distribute(c, d : rows(nz, my, mx))
  for (int t = 0; t < 4; ++t) {
    planes<<<(nz * my * mx + 127) / 128, 128>>>(d, c, nz, my, mx);
    std::swap(c, d);
  }
  const long long cube = ordered_sum(c, nz * my * mx), all = ordered_sum(a, n);
  const long long moving = ordered_sum(now_moving, W * H);
  const long long gases = ordered_sum(now, W * H), sum = ordered_sum(u, ny * nx);
  if (is_first_process())
    std::printf("gas %lld\nwaves %lld\nripples %lld\nelements %lld\ncube %lld\n", gases, sum, moving, all, cube);
}
