// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Unsigned numbers that wrap around and are computed from what many loads have read, as hashes are: nothing of them is a place in an array.
// RUN: %gpurmacc_cpu -fsyntax-only --gpurma-print-after=InferStages %s | FileCheck %s
#include <gpurma/gpurma.h>

__global__ void hash(long long *out, int *staggered, const long long *a, const long long *b, int nx, int ny, int step) {
  const int x = threadIdx.x + blockDim.x * blockIdx.x, y = threadIdx.y + blockDim.y * blockIdx.y;
  if (y >= 1 && y < ny - 2 && x >= 1 && x < nx - 1 && (x + y + step) % 2 == 0) {
    unsigned value = 50u + step;
    value = value * 7u + a[max(y - 1, 0) * nx + min(x + 2, nx - 1)];
    value = value * 31u + a[(y - 1) * nx + x - 1];
    value = value * 5u + a[y * nx + min(x + 1, nx - 1)];
    value = value * 31u + b[(y + 2) * nx + x + 1];
    value = value * 5u + (y >= 2 ? b[(y - 2) * nx + x] : 4);
    value = value * 31u + b[(y + 2) * nx + x - 1];
    value = value * 3u + (y + 1 < ny ? a[(y + 1) * nx + x] : 6);
    value = value * 7u + b[min(y + 1, ny - 1) * nx + max(x - 2, 0)];
    out[y * nx + x] = value + out[y * nx + x] * 3u;
    staggered[y * nx + x] = staggered[y * nx + x] * 5u + value;
  }
}
// Of a single value the place is known as far as that is.
__global__ void chosen(long long *out, const long long *a, const int *far, int nx, int ny) {
  const unsigned x = threadIdx.x + blockDim.x * blockIdx.x, y = threadIdx.y + blockDim.y * blockIdx.y;
  const unsigned row = y + far[0] - 1;
  if (x < nx && y < ny && row <= y + 1 && row + 1 >= y && row < ny)
    out[y * nx + x] = a[row * nx + x];
}

void run(long long *a, long long *b, long long *c, int *staggered, int *far, int nx, int ny) {
  const dim3 block(16, 2), grid((nx + 15) / 16, (ny + 1) / 2);
  // CHECK: stage hash: rows y; {{.*}}reads a (x -1..2, y -1..1); reads b (x -2..1, y -2..2)
  // CHECK: stage chosen: rows y; writes out (own), {{.*}}reads a (y -1..1)
#pragma gpurma persistent distribute(a, b, c : rows(ny, nx)) distribute(staggered : rows(ny, nx))
  for (int step = 0; step < 5; ++step) {
    hash<<<grid, block>>>(c, staggered, a, b, nx, ny, step);
    chosen<<<grid, block>>>(a, c, far, nx, ny);
  }
}
