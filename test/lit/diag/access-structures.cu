// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Structures whose pointers do not say which arrays a kernel is passed.
// RUN: not %gpurmacc_cpu -std=c++17 -fsyntax-only %s 2>&1 | %filecheck %s
#include <gpurma/gpurma.h>

#define POINT                                                                                                  \
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;                    \
  if (x >= nx || y >= ny)                                                                                      \
    return

struct view {
  float* data;
  const float* weights;
  float* sum;
};
__global__ void scale(view out, int ny, int nx) {
  POINT;
  out.data[y * nx + x] *= 2;
}
__global__ void weigh(view out, int ny, int nx) {
  POINT;
  out.data[y * nx + x] *= out.weights[x];
}
__global__ void add(view in, int ny, int nx) {
  POINT;
  atomicAdd(in.sum, in.data[y * nx + x]);
}
__global__ void unnamed(view out) { out.data[threadIdx.x] = 0; }

struct several { float* all[2]; };
union either { float* data; int* other; };
struct choice { either one; };
struct left : view {}; struct right : view {}; struct derived : left, right {};
class hidden {
  float* data;
public:
  explicit hidden(float* data) : data(data) {}
  __device__ float& at(int i) { return data[i]; }
};
__global__ void of_several(several of, int ny, int nx) { POINT; of.all[0][y * nx + x] = 0; }
__global__ void of_choice(choice of, int ny, int nx) { POINT; of.one.data[y * nx + x] = 0; }
__global__ void of_derived(derived of, int ny, int nx) { POINT; of.left::data[y * nx + x] = 0; }
__global__ void of_hidden(hidden of, int ny, int nx) { POINT; of.at(y * nx + x) = 0; }
template <class F> __global__ void of_function(F of, int ny, int nx) { POINT; of(y * nx + x); }

__global__ void fill(float* out, int ny, int nx) {
  POINT;
  out[y * nx + x] = 0;
}

void offset(float* a, int ny, int nx) {
  view v{a, nullptr, nullptr};
#pragma gpurma persistent distribute(v.data : rows(ny, nx))
  {
    fill<<<dim3(8, 8), dim3(32, 8)>>>(v.data + nx, ny, nx);
  }
}
// What a parameter has in it is not known.
void undistributed(view v, float* a, float* s, int ny, int nx) {
  dim3 grid(8, 8), block(32, 8);
#pragma gpurma persistent distribute(a : rows(ny, nx))
  {
    scale<<<grid, block>>>(v, ny, nx);
  }
#pragma gpurma persistent distribute(v.data : rows(ny, nx))
  {
    weigh<<<grid, block>>>(v, ny, nx);
  }
#pragma gpurma persistent distribute(v.data : rows(ny, nx)) reduce(+ : *s)
  {
    add<<<grid, block>>>(v, ny, nx);
  }
#pragma gpurma persistent distribute(a : rows(ny, nx))
  {
    unnamed<<<1, 32>>>(v);
  }
}
void forms(float* a, int ny, int nx) {
  dim3 grid(8, 8), block(32, 8);
#pragma gpurma persistent distribute(a : rows(ny, nx))
  {
    of_several<<<grid, block>>>(several{{a, a}}, ny, nx);
    of_choice<<<grid, block>>>(choice{{a}}, ny, nx);
    of_derived<<<grid, block>>>(derived{{{a, a, a}}, {{a, a, a}}}, ny, nx);
    of_hidden<<<grid, block>>>(hidden(a), ny, nx);
    of_function<<<grid, block>>>([=] __device__(auto i) { a[i] = 0; }, ny, nx);
  }
}

// CHECK: :55:46: error: 'v.data' must be passed to 'fill' as it is, or chosen by '?:'; an offset belongs into the kernel [gpurma-0215]
// CHECK: :18:3: error: 'out.data' is read here, and this region does not distribute it; name it in 'distribute', or pass it to the kernel as a parameter of its own [gpurma-0218]
// CHECK: :18:3: error: 'out.data' is written here, and this region does not distribute it; name it in 'distribute' [gpurma-0218]
// CHECK: :22:27: error: 'out.weights' is read here, and this region does not distribute it; name it in 'distribute', or pass it to the kernel as a parameter of its own [gpurma-0218]
// CHECK: :26:13: error: 'in.sum' is combined over blocks here, and this region does not distribute it; pass the reduced scalar to the kernel as a parameter of its own [gpurma-0218]
// CHECK: :28:37: error: 'out.data' is written here, and this region does not distribute it; name it in 'distribute' [gpurma-0218]
// CHECK: :82:33: error: cannot tell which arrays 'of_several' is passed: 'several', a structure, holds pointers in an array [gpurma-0219]
// CHECK: :83:32: error: cannot tell which arrays 'of_choice' is passed: 'either', a structure, holds pointers in a union [gpurma-0219]
// CHECK: :84:33: error: cannot tell which arrays 'of_derived' is passed: 'derived', a structure, holds pointers in a virtual base class, or one that it has several times [gpurma-0219]
// CHECK: :86:34: error: cannot tell which arrays 'of_function' is passed: 'lambda', a structure, holds pointers that are not public [gpurma-0219]
