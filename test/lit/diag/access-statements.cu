// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Statements that the analysis does not follow.
// RUN: not %gpurmacc_cpu -fsyntax-only %s 2>&1 | %filecheck %s
#include <gpurma/gpurma.h>

#include <new>

#define POINT                                                                                      \
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;        \
  if (x >= nx || y >= ny)                                                                          \
  return

__global__ void jumps(float* out, int ny, int nx) {
  POINT;
again:
  out[y * nx + x] += 1;
  if (out[y * nx + x] < 5)
    goto again;
}
__global__ void assembles(float* out, int ny, int nx) {
  POINT;
  asm volatile("" ::: "memory");
  out[y * nx + x] = 0;
}

struct Base {
  int k;
  __device__ Base(int k) : k(k) {}
  __device__ virtual int row() const { return k; }
};
struct Derived : Base {
  using Base::Base;
  __device__ int row() const override { return k + 1; }
};
struct Written : Base {
  __device__ Written(int k) : Base(k) {}
  __device__ int row() const override { return k + 2; }
};
struct Guard {
  float* last;
  __device__ ~Guard() { *last = 0; }
};
struct Quiet {
  float value;
  __device__ Quiet(float v) : value(v) {}
  __device__ ~Quiet() {}
};
__global__ void inherits(float* out, int ny, int nx) {
  POINT;
  Derived d(1);
  out[y * nx + x] = d.k;
}
__global__ void hidden(float* out, int ny, int nx) {
  POINT;
  Written w(y);
  const Base& b = w;
  out[w.Written::row() * nx + x] = w.row();
  out[b.row() * nx + x] = 0;
}
__global__ void destroyed(float* out, int ny, int nx) {
  POINT;
  Quiet quiet(1);
  Guard guard{out + y * nx + x};
  Guard{out + y * nx + x};
}

struct Coordinate { int v; };
struct Up : Coordinate {};
struct Down : Coordinate {};
struct Both : Up, Down {};
__global__ void repeated(float* out, int ny, int nx) {
  POINT;
  Both both;
  both.Up::v = y - 1;
  out[y * nx + x] = 0;
}
__global__ void placed(float* out, int ny, int nx) {
  POINT;
  int row = y;
  new (&row) int(y + 1);
  out[row * nx + x] = 0;
}
__device__ void climb(int& row, int by) {
  if (by > 0) {
    ++row;
    climb(row, by - 1);
  }
}
__device__ int power(int base, int exponent) { return exponent == 0 ? 1 : base * power(base, exponent - 1); } // numbers only
__global__ void calls_itself(float* out, int ny, int nx) {
  POINT;
  int row = y;
  climb(row, 2);
  out[y * nx + x] = power(row, 3);
}
__device__ void change(const int& row) { ++const_cast<int&>(row); }
__global__ void casts(float* out, int ny, int nx) {
  POINT;
  int row = y;
  change(row);
  out[row * nx + x] = 0;
}
__global__ void chosen(float* out, int ny, int nx) {
  POINT;
  int row = y;
  (x > 3) ?: (row = y - 1), out[row * nx + x] = 0;
}
struct Cursor {
  int row, *now;
  __device__ Cursor(int y) : row(y), now(&row) {}
};
__global__ void keeps(float* out, int ny, int nx) {
  POINT;
  Cursor cursor(y - 1);
  cursor.row = y;
  out[*cursor.now * nx + x] = 0;
}

void run(float* a, int ny, int nx) {
  dim3 grid(8, 8), block(32, 8);
#pragma gpurma persistent distribute(a : rows(ny, nx))
  {
    jumps<<<grid, block>>>(a, ny, nx);
    assembles<<<grid, block>>>(a, ny, nx);
    inherits<<<grid, block>>>(a, ny, nx);
    hidden<<<grid, block>>>(a, ny, nx);
    destroyed<<<grid, block>>>(a, ny, nx);
    repeated<<<grid, block>>>(a, ny, nx);
    placed<<<grid, block>>>(a, ny, nx);
    calls_itself<<<grid, block>>>(a, ny, nx);
    casts<<<grid, block>>>(a, ny, nx);
    chosen<<<grid, block>>>(a, ny, nx);
    keeps<<<grid, block>>>(a, ny, nx);
  }
}

// CHECK: :[[@LINE-122]]:1: error: this statement is not understood in a kernel of a persistent region; use structured control flow [gpurma-0209]
// CHECK: :[[@LINE-120]]:5: error: this statement is not understood in a kernel of a persistent region; use structured control flow [gpurma-0209]
// CHECK: :[[@LINE-117]]:3: error: this statement is not understood in a kernel of a persistent region; use structured control flow [gpurma-0209]
// CHECK: :[[@LINE-90]]:11: error: the constructor that 'Derived' inherits is not followed in a kernel of a persistent region; write one [gpurma-0209]
// CHECK: :[[@LINE-83]]:7: error: where a call of the virtual function 'row' leads is not followed in a kernel of a persistent region; call the function of the object's own class by that class's name [gpurma-0209]
// CHECK: :[[@LINE-79]]:9: error: what the destructor of 'Guard' does is not followed in a kernel of a persistent region; do it in a statement [gpurma-0209]
// CHECK: :[[@LINE-79]]:8: error: what the destructor of 'Guard' does is not followed in a kernel of a persistent region; do it in a statement [gpurma-0209]
// CHECK: error: members of 'Coordinate', of which this object has several by its bases, are not told apart in a kernel of a persistent region; make them members [gpurma-0209]
// CHECK: error: this expression is not understood in a kernel of a persistent region; write it in another way [gpurma-0209]
// CHECK: error: what 'climb', which calls itself, does with what it is passed is not followed in a kernel of a persistent region; write a loop [gpurma-0209]
// CHECK: error: this cast makes a variable that is const one that may change, which is not followed in a kernel of a persistent region; let it not be const [gpurma-0209]
// CHECK: error: this expression is not understood in a kernel of a persistent region; write it in another way [gpurma-0209]
// CHECK: :[[@LINE-35]]:10: error: an object of type 'Cursor' keeps the address of itself or of a part of it, which is not followed in a kernel of a persistent region; let its functions use the members [gpurma-0209]
