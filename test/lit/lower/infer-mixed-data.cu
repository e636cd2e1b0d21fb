// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers that are computed from what many loads have read, as hashes are, their remainders, and conditions between them: nothing of these
// is a place in an array.
// RUN: %gpurmacc_cpu -fsyntax-only --gpurma-print-after=InferStages %s | FileCheck %s
#include <gpurma/gpurma.h>

#include <utility>

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
// Each condition would be in what is asked of all loads behind it.
__global__ void march(int4 *out, const int *a, int nx, int ny, int nz, int vectors, int step) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= vectors || y >= ny)
    return;
  for (int z = 0; z < nz; ++z) {
    unsigned value = 1u + step;
    if (value % 2u)
      value -= unsigned(a[((z > 0 ? z - 1 : z) * ny + y) * nx + 4 * x]);
    if (value % 2u)
      value += unsigned(reinterpret_cast<const int4 *>(a)[((z > 0 ? z - 1 : z) * ny + y) * vectors + x].y);
    out[(z * ny + y) * vectors + x] = make_int4(value, value * 2u + 1u, value * 3u + 2u, value * 4u + 3u);
  }
}
__global__ void counts(const short *a, unsigned *total, unsigned *greatest, int nx, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned larger = 0, most = 0;
  if (i < n) {
    if (unsigned(a[i]) % 2)
      larger -= unsigned(a[i]) > unsigned(a[i - (i >= nx ? nx : 0)]);
    if (unsigned(a[i]) % 2)
      most = most >= max(unsigned(a[i]), unsigned(a[i])) - min(unsigned(a[i]), unsigned(a[i])) ? most : max(unsigned(a[i]), unsigned(a[i])) - min(unsigned(a[i]), unsigned(a[i]));
  }
  atomicAdd(total, larger);
  atomicMax(greatest, most);
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
void run_in_space(int *a, int *b, short *s, unsigned *total, unsigned *greatest, int nx, int ny, int nz) {
  // CHECK: stage march: rows z ({{.*}}, in a loop); writes out (own), {{.*}}reads a (x 0..-2, z -1..-1) along axes; 4 per thread in x
#pragma gpurma persistent distribute(a, b : rows(nz, ny, nx))
  for (int step = 0; step < 5; ++step) {
    march<<<dim3((nx / 4 + 7) / 8, (ny + 1) / 2), dim3(8, 2)>>>(reinterpret_cast<int4 *>(b), a, nx, ny, nz, nx / 4, step);
    std::swap(a, b);
  }
  // CHECK: stage counts: rows y in one dimension; reads a (y -1..0); adds to *total; maximum in *greatest
#pragma gpurma persistent distribute(s : rows(ny, nx)) reduce(+ : *total) reduce(max : *greatest)
  {
    counts<<<(nx * ny + 127) / 128, 128>>>(s, total, greatest, nx, nx * ny);
  }
}
