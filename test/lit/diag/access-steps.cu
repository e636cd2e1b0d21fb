// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variables that iterations move by what changes under another name, or does not.
// RUN: not %gpurmacc_cpu -fsyntax-only -ferror-limit=0 %s 2>&1 | grep error: | %filecheck %s
#define POINT                                                                                                                    \
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;                                      \
  if (x >= nx || y >= ny)                                                                                                        \
  return;                                                                                                                        \
  int sum = 0, k = y

struct Walk {
  int by;
  __device__ int sum(const int* u, int k, int x, int ny, int nx) {
    int sum = 0;
    for (int j = 0; j < 3; ++j) {
      if (k < ny)
        sum += u[k * nx + x];
      k += by;
      by = 4;
    }
    return sum;
  }
};
__global__ void by_member(int* v, const int* u, int ny, int nx) {
  POINT;
  Walk walk{1};
  sum = walk.sum(u, k, x, ny, nx);
  v[y * nx + x] = sum;
}
__global__ void by_element(int* v, const int* u, int ny, int nx) {
  POINT;
  int by[1] = {1};
  for (int j = 0; j < 3; ++j) {
    if (k < ny)
      sum += u[k * nx + x];
    k += by[0];
    by[0] = 4;
  }
  v[y * nx + x] = sum;
}
__global__ void by_reference(int* v, const int* u, int ny, int nx) {
  POINT;
  int step = 1;
  const int& by = step;
  for (int j = 0; j < 3; ++j) {
    if (k < ny)
      sum += u[k * nx + x];
    k += by;
    step = 4;
  }
  v[y * nx + x] = sum;
}
__global__ void by_pointer(int* v, const int* u, int ny, int nx) {
  POINT;
  int by = 1, *other = &by;
  for (int j = 0; j < 3; ++j) {
    if (k < ny)
      sum += u[k * nx + x];
    k += by;
    *other = 4;
  }
  v[y * nx + x] = sum;
}
struct Step {
  int by;
};
__global__ void fixed(int* v, const int* u, int ny, int nx, Step step) {
  POINT;
  const Step& named = step;
  const int table[2] = {1, 2};
  for (int j = 0; j < 3; ++j) {
    if (k < ny && y < k + 9)
      sum += u[k * nx + x];
    k += named.by * 0 + table[0];
  }
  v[y * nx + x] = sum;
}

void run(int* a, int* b, int ny, int nx) {
  dim3 grid(8, 8), block(32, 8);
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  {
    by_member<<<grid, block>>>(b, a, ny, nx);
    by_element<<<grid, block>>>(a, b, ny, nx);
    by_reference<<<grid, block>>>(b, a, ny, nx);
    by_pointer<<<grid, block>>>(a, b, ny, nx);
    fixed<<<grid, block>>>(b, a, ny, nx, Step{1});
  }
}
// CHECK: :16:16: error: cannot tell which elements of 'u' are read here: the subscript depends on what earlier iterations of a loop did [gpurma-0200]
// CHECK: :34:14: error: cannot tell which elements of 'u' are read here: the subscript depends on what earlier iterations of a loop did [gpurma-0200]
// CHECK: :46:14: error: cannot tell which elements of 'u' are read here: the subscript depends on what earlier iterations of a loop did [gpurma-0200]
// CHECK: :57:14: error: cannot tell which elements of 'u' are read here: the subscript depends on what earlier iterations of a loop did [gpurma-0200]
