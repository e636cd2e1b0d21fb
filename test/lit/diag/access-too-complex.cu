// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// More cases than the analysis looks at.
// RUN: not %gpurmacc_cpu --gpurma-analysis-steps=50000 -fsyntax-only %s 2>&1 | %filecheck %s
#include <gpurma/gpurma.h>

#define POINT                                                                                      \
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;        \
  if (x >= nx || y >= ny)                                                                          \
  return

__global__ void branches(float* out, const int* c, int ny, int nx) {
  POINT;
  int j = x;
  if (c[0])
    j += 2 * y;
  else
    j -= 3 * x;
  if (c[1])
    j += 3 * y;
  else
    j -= 4 * x;
  if (c[2])
    j += 4 * y;
  else
    j -= 5 * x;
  if (c[3])
    j += 5 * y;
  else
    j -= 6 * x;
  if (c[4])
    j += 6 * y;
  else
    j -= 7 * x;
  if (c[5])
    j += 7 * y;
  else
    j -= 8 * x;
  if (c[6])
    j += 8 * y;
  else
    j -= 9 * x;
  if (c[7])
    j += 9 * y;
  else
    j -= 10 * x;
  if (c[8])
    j += 10 * y;
  else
    j -= 11 * x;
  if (c[9])
    j += 11 * y;
  else
    j -= 12 * x;
  if (c[10])
    j += 12 * y;
  else
    j -= 13 * x;
  if (c[11])
    j += 13 * y;
  else
    j -= 14 * x;
  if (c[12])
    j += 14 * y;
  else
    j -= 15 * x;
  if (c[13])
    j += 15 * y;
  else
    j -= 16 * x;
  if (c[14])
    j += 16 * y;
  else
    j -= 17 * x;
  if (c[15])
    j += 17 * y;
  else
    j -= 18 * x;
  if (c[16])
    j += 18 * y;
  else
    j -= 19 * x;
  if (c[17])
    j += 19 * y;
  else
    j -= 20 * x;
  if (c[18])
    j += 20 * y;
  else
    j -= 21 * x;
  if (c[19])
    j += 21 * y;
  else
    j -= 22 * x;
  if (c[20])
    j += 22 * y;
  else
    j -= 23 * x;
  if (c[21])
    j += 23 * y;
  else
    j -= 24 * x;
  if (c[22])
    j += 24 * y;
  else
    j -= 25 * x;
  if (c[23])
    j += 25 * y;
  else
    j -= 26 * x;
  if (c[24])
    j += 26 * y;
  else
    j -= 27 * x;
  if (c[25])
    j += 27 * y;
  else
    j -= 28 * x;
  if (c[26])
    j += 28 * y;
  else
    j -= 29 * x;
  if (c[27])
    j += 29 * y;
  else
    j -= 30 * x;
  if (c[28])
    j += 30 * y;
  else
    j -= 31 * x;
  if (c[29])
    j += 31 * y;
  else
    j -= 32 * x;
  if (c[30])
    j += 32 * y;
  else
    j -= 33 * x;
  if (c[31])
    j += 33 * y;
  else
    j -= 34 * x;
  if (c[32])
    j += 34 * y;
  else
    j -= 35 * x;
  if (c[33])
    j += 35 * y;
  else
    j -= 36 * x;
  if (c[34])
    j += 36 * y;
  else
    j -= 37 * x;
  if (c[35])
    j += 37 * y;
  else
    j -= 38 * x;
  if (c[36])
    j += 38 * y;
  else
    j -= 39 * x;
  if (c[37])
    j += 39 * y;
  else
    j -= 40 * x;
  if (c[38])
    j += 40 * y;
  else
    j -= 41 * x;
  if (c[39])
    j += 41 * y;
  else
    j -= 42 * x;
  out[y * nx + j] = 0;
}

void run(float* a, const int* c, int ny, int nx) {
  dim3 grid(8, 8), block(32, 8);
#pragma gpurma persistent distribute(a : rows(ny, nx))
  {
    branches<<<grid, block>>>(a, c, ny, nx);
  }
}

// CHECK: :[[@LINE-174]]:17: error: the subscripts and conditions of kernel 'branches' are too complex to analyse; split the kernel, or allow more steps by --gpurma-analysis-steps=<n> [gpurma-0212]
