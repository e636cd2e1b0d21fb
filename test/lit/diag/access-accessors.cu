// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stores into fixed rows through an accessor that changes its object, and loops with functions that do, or hand out what may.
// RUN: not %gpurmacc_cpu -fsyntax-only %s 2>&1 | %filecheck %s
#include <gpurma/gpurma.h>

struct view {
  float* p;
  int nx;
  int calls;
  __device__ float& operator()(int i, int j) {
    ++calls;
    return p[j * nx + i];
  }
};
__global__ void walls(view u, int nx, int ny) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < nx) {
    // CHECK: :[[@LINE+2]]:{{[0-9]+}}: error: no grid dimension of 'walls' walks rows, {{.*}} here the store is not a statement
    // CHECK: :[[@LINE+1]]:5: note: 'operator()' is not declared const, so that it may change the object that it is called for: 'T& operator()(...) const'
    u(x, ny - 1) = u(x, ny - 2);
  }
}
struct counting {
  float* p;
  int nx, ny, shift;
  __device__ int& offset() { return shift; }
  __device__ counting& self() { return *this; }
  __device__ void move(int by) { self().offset() += by; }
  __device__ float& operator()(int i, int j) { return p[j * nx + i + shift]; }
};
__global__ void moved(counting u) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < u.nx)
    for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < u.ny; y += blockDim.y * gridDim.y) {
      u.move(1);
      // CHECK: :[[@LINE+1]]:7: error: cannot tell which array is written here
      u(x, y) = 1;
    }
}
void run(float* a, int nx, int ny) {
#pragma gpurma persistent distribute(a : rows(ny, nx))
  {
    walls<<<(nx + 255) / 256, 256>>>(view{a, nx, 0}, nx, ny);
    moved<<<dim3((nx + 31) / 32, 2), dim3(32, 8)>>>(counting{a, nx, ny, 0});
  }
}
