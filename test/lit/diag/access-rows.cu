// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows that cannot be dealt out by logical blocks.
// RUN: not %gpurmacc_cpu -fsyntax-only %s 2>&1 | %filecheck %s
#include <gpurma/gpurma.h>

#define POINT                                                                                      \
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;        \
  if (x >= nx || y >= ny)                                                                          \
  return

__global__ void one_row(float* out, int ny, int nx) {
  POINT;
  if (x > 2)
    if (y > 2)
      out[3 * nx + x] = 0;
}
__global__ void two_shapes(float* out, float* line, int ny, int nx) {
  POINT;
  out[y * nx + x] = 0;
  if (y == 0)
    line[x] = 0;
}
__global__ void periodic(float* out, int ny, int nx) {
  POINT;
  out[y * nx + x] = 0;
  if (y == 1)
    out[(ny - 1) * nx + x] = 0;
}
__global__ void grid_stride(float* out, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < ny; y += gridDim.y * blockDim.y)
    if (x < nx)
      out[y * nx + x] = gridDim.y;
}
__global__ void some_rows(float* out, int rows, int ny, int nx) {
  POINT;
  for (int j = rows * y; j < rows * y + rows; ++j)
    if (j < ny)
      out[j * nx + x] = 0;
}
__global__ void mirrors(float* out, int wall, int ny, int nx) {
  POINT;
  if (y >= 1)
    out[(y - 1) * nx + x] = 0;
  if (y == wall)
    out[(y - 2) * nx + x] = 0;
}
__global__ void tile_of_eight(float* out, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x < nx && y < ny)
    out[y * nx + x] = 0;
}

void run(float* a, float* line, dim3 any, int ny, int nx) {
  dim3 grid(8, 8), block(32, 8);
#pragma gpurma persistent distribute(a : rows(ny, nx)) distribute(line : rows(nx))
  {
    one_row<<<grid, block>>>(a, ny, nx);
    two_shapes<<<grid, block>>>(a, line, ny, nx);
    periodic<<<grid, block>>>(a, ny, nx);
    grid_stride<<<grid, block>>>(a, ny, nx);
    some_rows<<<grid, block>>>(a, nx, ny, nx);
    mirrors<<<grid, block>>>(a, nx, ny, nx);
    tile_of_eight<<<grid, any>>>(a, ny, nx);
  }
}

// CHECK: :[[@LINE-53]]:7: error: no grid dimension walks the rows of 'out': the first index should be blockIdx.d * blockDim.d + threadIdx.d, plus a constant [gpurma-0203]
// CHECK: :[[@LINE-54]]:7: note: this is a row that is not the thread's: let threads store into their own one, behind a condition, 'if (y == 3)', or the first one along the rows alone, 'if (y == 0)'
// CHECK: :[[@LINE-49]]:5: error: grid dimension x walks the rows of 'line', but y walks those of 'out'; one launch needs one for all [gpurma-0204]
// CHECK: :[[@LINE-44]]:5: error: each logical block must write rows of its own, but this may be any row of 'out' [gpurma-0210]
// CHECK: :[[@LINE-45]]:5: note: it is at the other end of 'out', in another process mostly: let a kernel of its own copy it, along the row, as 'if (x < nx) u[x] = u[(ny - 2) * nx + x];' does, or read the row at the other end instead
// CHECK: :[[@LINE-40]]:25: error: the launch gets a grid with a thread for each row of 'out', so nothing but the steps of its loops may depend on gridDim, and no function that it calls on blockIdx [gpurma-0210]
// CHECK: :[[@LINE-35]]:7: error: successive logical blocks in y are not blockDim.y rows of 'out' apart [gpurma-0211]
// CHECK: :[[@LINE-29]]:5: error: logical blocks may write rows of 'out' that lie among those of the next block; write them in a kernel of their own [gpurma-0210]
// CHECK: :[[@LINE-25]]:5: error: successive logical blocks in y are not blockDim.y rows of 'out' apart [gpurma-0211]
// CHECK: :[[@LINE-26]]:5: note: the launch does not give blockDim.y as a constant

// Blocks that overlap, by a number of rows that is no constant, and all of whose threads store.
__global__ void by_parameter(float* out, int border, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = (8 - 2 * border) * blockIdx.y + threadIdx.y - border;
  // CHECK: :[[@LINE+3]]:5: error: successive logical blocks in y are not blockDim.y rows of 'out' apart [gpurma-0211]
  // CHECK: :[[@LINE+2]]:5: note: blocks that overlap begin a constant number of rows apart, by one product of it and blockIdx.y, as (16 - 2 * border) * blockIdx.y with a constant border
  if (x < nx && y >= 0 && y < ny && threadIdx.y >= border && threadIdx.y < 8 - border)
    out[y * nx + x] = 0;
}
__global__ void by_all(float* out, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = 6 * blockIdx.y + threadIdx.y;
  // CHECK: :[[@LINE+3]]:5: error: logical blocks may write rows of 'out' that lie among those of the next block; write them in a kernel of their own [gpurma-0210]
  // CHECK: :[[@LINE+2]]:5: note: blocks that overlap begin a constant number of rows apart, by one product of it and blockIdx.y, as (16 - 2 * border) * blockIdx.y with a constant border; these begin 6 apart, so that the store stands behind a condition on threadIdx.y for as many threads, and not on what a loop has found
  if (x < nx && y < ny)
    out[y * nx + x] = 0;
}
void overlapping(float* a, int ny, int nx, int border) {
  dim3 grid(8, 8), block(32, 8);
#pragma gpurma persistent distribute(a : rows(ny, nx))
  {
    by_parameter<<<grid, block>>>(a, border, ny, nx);
    by_all<<<grid, block>>>(a, ny, nx);
  }
}

__global__ void reads_one_row(const float* in, float* sum, int ny, int nx) {
  POINT;
  if (x < nx && y < ny)
    // CHECK: :[[@LINE+2]]:20: error: no grid dimension walks the rows of 'in': {{.*}} [gpurma-0203]
    // CHECK: :[[@LINE+1]]:20: note: if one does, say which with the clause 'map(reads_one_row : rows = y)'
    atomicAdd(sum, in[3 * nx + x]);
}
void sum(float* a, float* s, int ny, int nx) {
#pragma gpurma persistent distribute(a : rows(ny, nx)) reduce(+ : *s)
  {
    reads_one_row<<<dim3(nx / 8, ny / 8), dim3(8, 8)>>>(a, s, ny, nx);
  }
}

// The threads' own rows are one after their number; that is nearer than the first row.
__global__ void with_first_row(float* out, const float* in) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (x > 64 || y > 64)
    return;
  if (y == 64) {
    // CHECK: :[[@LINE+1]]:5: error: logical blocks may write rows of 'out' that lie among those of the next block; write them in a kernel of their own [gpurma-0210]
    out[x] = in[x];
    out[64 * 66 + x] = in[64 * 66 + x];
  } else {
    out[y * 66 + x] = in[(y + 1) * 66 + x];
  }
}
void first_row(float* a, float* b) {
#pragma gpurma persistent distribute(a, b : rows(66, 66))
  {
    with_first_row<<<dim3(4, 64), dim3(16, 1)>>>(a, b);
  }
}

__global__ void moved(float* out, const float* in, int y0, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y - 2 * y0;
  if (x < nx && y < ny)
    // CHECK: :[[@LINE+4]]:5: error: each logical block must write rows of its own, but this may be any row of 'out' [gpurma-0210]
    // CHECK: :[[@LINE+3]]:5: note: how far this row is from the thread's depends on 'offset', of which only the running program knows the value: write a constant or a template parameter, let all that the file passes for it be one number, or launch threads for all rows and let those before it return, 'if (y < offset) return;'
    // CHECK: :[[@LINE+2]]:23: error: cannot bound how far from a logical block's own rows 'in' is read here: the distance is no constant [gpurma-0201]
    // CHECK: :[[@LINE+1]]:23: note: how far this row is from the thread's depends on 'offset', of which only
    out[y * nx + x] = in[y * nx + x];
}
void run_moved(float* a, float* b, int offset, int ny, int nx) {
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  for (int k = 0; k < 2; ++k)
    moved<<<dim3(8, 8), dim3(32, 8)>>>(a, b, offset, ny, nx);
}
void run_two(float* a, float* b, int ny, int nx) {
  run_moved(a, b, 1, ny, nx);
  run_moved(a, b, 2, ny, nx);
}

// Rows that are padded to what the grid does not say.
__global__ void padded(float* out, int pad) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  int columns = gridDim.x * blockDim.x + 2, length = columns + pad - columns % pad;
  // CHECK: :[[@LINE+2]]:3: error: cannot tell which elements of 'out' are written here: {{.*}} [gpurma-0200]
  // CHECK: :[[@LINE+1]]:3: note: the subscript is computed from gridDim, of which is known at most that rows of 'out' are as long as the grid has threads; if it is to say otherwise how long they are, pass the kernel their length, as 'rows' names it
  out[y * length + x] = 0;
}
void run_padded(float* a, int ny, int nx) {
#pragma gpurma persistent distribute(a : rows(ny, nx))
  for (int i = 0; i < 10; ++i)
    padded<<<dim3(nx / 32, ny / 8), dim3(32, 8)>>>(a, 16);
}
