// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Rows at the ends of arrays which threads of other rows write, where so many processes have so few rows that these would be another's.
// RUN: %gpurmacc_cpu %s -o %t
// RUN: %t | FileCheck --check-prefix=RIGHT %s
// RUN: %mpirun -np 4 %t | FileCheck --check-prefix=RIGHT %s
// RUN: not %mpirun -np 5 %t 2>&1 | FileCheck --check-prefix=LAST %s
// RUN: %t rows | FileCheck --check-prefix=RIGHT %s
// RUN: not %mpirun -np 17 %t rows 2>&1 | FileCheck --check-prefix=FIRST %s
// RUN: %t ring | FileCheck --check-prefix=RIGHT %s
// RUN: not %mpirun -np 2 %t ring 2>&1 | FileCheck --check-prefix=RING %s
#include <cstdio>
#include <cstring>

__global__ void below(int *v, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h - 1)
    return;
  v[y * w + x] += 1;
  if (y == h - 2)
    v[(h - 1) * w + x] = v[y * w + x];
}
__global__ void above(int *v, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y < 1 || y >= h)
    return;
  v[y * w + x] += 1;
  if (y == 1)
    v[x] = v[y * w + x];
}
__global__ void around(int *u, const int *v, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h)
    u[y * w + x] = v[y * w + x] + 0 * v[(y + 1) % h * w + x];
}

int main(int argc, char **argv) {
  gpurma::init(&argc, &argv);
  const int w = 8;
  int h = 17;
  const bool rows = argc > 1 && !std::strcmp(argv[1], "rows"), ring = argc > 1 && !std::strcmp(argv[1], "ring");
  const dim3 block(8, rows ? 1 : 4), grid(1, rows ? 17 : 5);
  int *v, *u, host[w * 17] = {};
  cudaMalloc(&v, sizeof host);
  cudaMalloc(&u, sizeof host);
  cudaMemcpy(v, host, sizeof host, cudaMemcpyHostToDevice);
  // LAST: [[#@LINE+2]]: kernel 'below' writes the last row of an array in threads of other rows, and process 4 of 5, which has 1 of 17 rows, would have so few that other processes have these threads or read what they write; use fewer processes, blocks of fewer rows or a larger array
  // FIRST: [[#@LINE+1]]: kernel 'above' writes the first row of an array in threads of other rows, and process 0 of 17, which has 1 of 17 rows, would
#pragma gpurma persistent distribute(v : rows(h, w))
  for (int it = 0; it < 5; ++it)
    if (rows)
      above<<<grid, block>>>(v, w, h);
    else
      below<<<grid, block>>>(v, w, h);
  if (ring)
    // RING: [[#@LINE+1]]: kernel 'below' writes rows at the ends of an array beyond those of its threads, and where rows are periodic the processes at the other end read these; run one process, or write them in a kernel of their own
#pragma gpurma persistent distribute(u, v : rows(h, w))
    for (int it = 0; it < 5; ++it) {
      below<<<grid, block>>>(v, w, h);
      around<<<grid, block>>>(u, v, w, h);
    }
  cudaMemcpy(host, ring ? u : v, sizeof host, cudaMemcpyDeviceToHost);
  int sum = 0;
  for (int i : host)
    sum += i;
  // RIGHT: sum [[#]]
  std::printf("sum %d, expected %d\n", sum, (ring ? 10 : 5) * w * h);
  gpurma::finalize();
  return sum != (ring ? 10 : 5) * w * h;
}
