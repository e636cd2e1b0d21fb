// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Of which kernels a process may run blocks of its neighbours, where rows are out of date (with_thread_rows: how far threads read from
// what they write, at most and at least): not of those that do with values what some values do not allow, nor of those whose threads
// work together; and which store into the same elements each time.
// RUN: %gpurmacc_cpu --gpurma-fuse-launches=none --gpurma-emit-source=%t.lowered.cu %s
// RUN: %filecheck --input-file=%t.lowered.cu %s
// RUN: grep -o 'stage_plan("[a-z_]*"\|with_thread_rows([^)]*)' %t.lowered.cu | %filecheck --check-prefix=PLAN %s
// With --gpurma-check reads are compared with what stages wait for.
// RUN: %gpurmacc_cpu --gpurma-check --gpurma-emit-source=- %s | FileCheck --check-prefix=NONE %s
// NONE-NOT: {{[.]}}with_thread_rows(
#include <cstdio>

#define POINT                                                                                                                    \
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;                                \
  if (x < 1 || x >= nx - 1 || y < 1 || y >= ny - 1)                                                                              \
    return;                                                                                                                      \
  const int i = y * nx + x

struct View {
  float *values;
  int nx;
  __device__ float &at(int y, int x) const { return values[y * nx + x]; }
};

__device__ float limited(float a, float b) {
  if (a * b < 0)
    return 0;
  return a < b ? a : b;
}
__device__ void put(float *to, int i, float value) {
  if (value > 0)
    to[i] = value;
}
__device__ int steps_for(float value) { return value > 1 ? 3 : 2; }
__device__ float down(float value) { return value > 1 ? down(value / 2) : value; }

// What data decide is a value.
__global__ void limits(float *out, const float *in, int ny, int nx) {
  POINT;
  float value = limited(in[i + nx] - in[i], in[i] - in[i - nx]);
  for (int k = 0; k < 4; ++k)
    if (value > 1)
      value /= 2;
  int sign = value < 0 ? -1 : 1;
  out[i] = sign * value;
}
__global__ void views(View out, View in, int ny, int nx) {
  POINT;
  out.at(y, x) = in.at(y - 2, x) + in.at(y, x);
  static_cast<void>(i);
}
__global__ void several(float *out, const float *in, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, first = (blockIdx.y * blockDim.y + threadIdx.y) * 2;
  if (x >= nx)
    return;
  for (int y = first; y < first + 2; ++y)
    if (y < ny && y > 0)
      out[y * nx + x] = in[(y - 1) * nx + x];
}
__global__ void reduces(float *out, const float *in, float *sum, int ny, int nx) {
  POINT;
  out[i] = in[i + nx];
  atomicAdd(sum, in[i]);
}

// They do not always store.
__global__ void sometimes(float *out, const float *in, int ny, int nx) {
  POINT;
  if (in[i - nx] > 0)
    out[i] = in[i];
}
__global__ void masked(float *out, const float *in, int ny, int nx) {
  POINT;
  if (in[i] == 0)
    return;
  out[i] = in[i - nx];
}
__global__ void parity(float *u, int colour, int ny, int nx) {
  POINT;
  if ((x + y) % 2 == colour)
    u[i] = u[i - nx] + u[i + nx];
}
__global__ void by_function(float *out, const float *in, int ny, int nx) {
  POINT;
  put(out, i, in[i - nx]);
}

struct Cell {
  float value;
  int kind;
};
struct Most {
  float value = 0;
  __device__ void add(float one) { value = one > value ? one : value; }
};
__global__ void cells(Cell *out, const Cell *in, int ny, int nx) {
  POINT;
  if (in[i - nx].kind == 1)
    out[i].value = in[i].value;
}
__global__ void copied(Cell *out, const Cell *in, int ny, int nx) {
  POINT;
  Cell own;
  own = in[i - nx];
  if (own.kind == 1)
    out[i] = own;
}
__global__ void member(float *out, const float *in, int ny, int nx) {
  POINT;
  Most most;
  most.add(in[i - nx]);
  if (most.value > 1)
    out[i] = most.value;
}
__global__ void other_name(float *out, const float *in, int ny, int nx) {
  POINT;
  int count = 0;
  int &same = count;
  same = in[i - nx] > 0;
  int counts[2] = {0, 0};
  int *first = counts;
  first[0] = count;
  if (counts[0] != 0)
    out[i] = count;
}
__global__ void perhaps(float *out, const float *in, int ny, int nx) {
  POINT;
  if (in)
    out[i] = in[i - nx];
}
// They always do: another element of data, or where a loop ends that counts no further than it may.
__global__ void always(float *out, const float *in, int ny, int nx) {
  POINT;
  float rest = in[i - nx];
  for (int k = 0; k < 20; ++k) {
    if (rest < 0.5f)
      break;
    rest *= 0.5f;
  }
  out[i] = rest;
}

// Not with any values.
__global__ void of_cells(float *out, const Cell *in, const float *values, int ny, int nx) {
  POINT;
  Cell before = in[i - nx];
  out[i] = values[before.kind];
}
__global__ void until(float *out, const float *in, int ny, int nx) {
  POINT;
  float rest = in[i - nx];
  while (rest > 0.5f)
    rest = rest * rest - 0.1f;
  out[i] = rest;
}
__global__ void as_often(float *out, const float *in, int ny, int nx) {
  POINT;
  float sum = 0;
  for (int k = 0; k < steps_for(in[i - nx]); ++k)
    sum += k;
  out[i] = sum;
}
__global__ void endless(float *out, const float *in, int ny, int nx) {
  POINT;
  float value = in[i - nx];
  for (;;) {
    value = value * 0.5f - 1;
    if (value < 0)
      break;
  }
  out[i] = value;
}
__global__ void flagged(float *out, const float *in, int ny, int nx) {
  POINT;
  bool done = false;
  float value = in[i - nx];
  while (!done) {
    value *= 0.5f;
    if (value < 1)
      done = true;
  }
  out[i] = value;
}
__global__ void table(float *out, const float *in, const float *values, int ny, int nx) {
  POINT;
  out[i] = values[static_cast<int>(in[i - nx])];
}
__global__ void local(float *out, const float *in, int ny, int nx) {
  POINT;
  float values[4] = {1, 2, 3, 4};
  out[i] = values[static_cast<int>(in[i - nx])];
}
__global__ void divides(int *out, const int *in, int ny, int nx) {
  POINT;
  out[i] = 100 / in[i - nx];
}
__global__ void recursive(float *out, const float *in, int ny, int nx) {
  POINT;
  out[i] = down(in[i - nx]);
}
__global__ void speaks(float *out, const float *in, int ny, int nx) {
  POINT;
  if (in[i] < 0)
    printf("negative\n");
  out[i] = in[i - nx];
}
__global__ void tile(float *out, const float *in, int ny, int nx) {
  __shared__ float shared[4][8];
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  shared[threadIdx.y][threadIdx.x] = x < nx && y < ny && y > 0 ? in[(y - 1) * nx + x] : 0;
  __syncthreads();
  if (x < nx && y < ny)
    out[y * nx + x] = shared[3 - threadIdx.y][threadIdx.x];
}


// Nor in other ways than those that are followed.
struct Loads {
  int kind;
  __device__ Loads(const float *in, int i) : kind(in[i]) {}
};
__global__ void constructed(float *out, const float *in, const float *values, int ny, int nx) {
  POINT;
  out[i] = values[Loads(in, i - nx).kind];
}
__global__ void captured(float *out, const float *in, const float *values, int ny, int nx) {
  POINT;
  int kind = 0;
  const auto find = [&] {
    if (in[i - nx] > 0)
      return;
    kind = 1;
  };
  find();
  out[i] = values[kind];
}
__global__ void behind(float *out, const float *in, const float *values, int ny, int nx) {
  POINT;
  int kinds[2] = {0, 0};
  *(kinds + 1) = in[i - nx];
  out[i] = values[kinds[1]];
}
__global__ void comma(float *out, const float *in, const float *values, int ny, int nx) {
  POINT;
  int kind = 0, other = 0;
  (other, kind) = in[i - nx];
  out[i] = values[kind];
}
struct Itself {
  int kind = 0;
  __device__ void take(int k) { (*this).kind = k; }
};
__global__ void itself(float *out, const float *in, const float *values, int ny, int nx) {
  POINT;
  Itself own;
  own.take(in[i - nx]);
  out[i] = values[own.kind];
}
__global__ void exchanged(int *out, const int *in, int ny, int nx) {
  POINT;
  if (in[i - nx] > 0)
    atomicExch(out + i, 1);
}

void run(float *u, float *v, int *m, int *n, Cell *c, Cell *d, float *sum, const float *values, int ny, int nx, int steps) {
  const dim3 block(8, 4), grid((nx + 7) / 8, (ny + 3) / 4), half((nx + 7) / 8, (ny + 7) / 8);
#pragma gpurma persistent distribute(u, v, m, n, c, d : rows(ny, nx)) reduce(+ : *sum)
  for (int s = 0; s < steps; ++s) {
    // PLAN: stage_plan("limits"
    // PLAN-NEXT: with_thread_rows(1, 1, 1, 1)
    // CHECK: gpurma_launch_0_0 {
    // CHECK: gpurma_overwrites = 1;
    // CHECK: written_box boxes[] = {{.*}}, {{[{][{][}]}}, -1, -1, 1, 1}};
    limits<<<grid, block>>>(v, u, ny, nx);
    // PLAN-NEXT: stage_plan("views"
    // PLAN-NEXT: with_thread_rows(2, 0, 2, 0)
    // CHECK: gpurma_launch_0_1 {
    // CHECK: gpurma_overwrites = 1;
    views<<<grid, block>>>(View{v, nx}, View{u, nx}, ny, nx);
    // A row that a thread writes may be made of what it has read for its other one.
    // PLAN-NEXT: stage_plan("several"
    // PLAN-NEXT: with_thread_rows(3, 1, 3, 1)
    several<<<half, block>>>(v, u, ny, nx);
    // PLAN-NEXT: stage_plan("reduces"
    // PLAN-NEXT: with_thread_rows(0, 1, 0, 1)
    reduces<<<grid, block>>>(v, u, sum, ny, nx);
    // PLAN-NEXT: stage_plan("sometimes"
    // PLAN-NEXT: with_thread_rows(1, 0, 1, 0)
    // CHECK: gpurma_launch_0_4 {
    // CHECK: gpurma_overwrites = 0;
    sometimes<<<grid, block>>>(v, u, ny, nx);
    // PLAN-NEXT: stage_plan("masked"
    // PLAN-NEXT: with_thread_rows(1, 0, 1, 0)
    // CHECK: gpurma_launch_0_5 {
    // CHECK: gpurma_overwrites = 0;
    masked<<<grid, block>>>(v, u, ny, nx);
    // PLAN-NEXT: stage_plan("parity"
    // PLAN-NEXT: with_thread_rows(1, 1, 1, 1)
    // CHECK: gpurma_launch_0_6 {
    // CHECK: gpurma_overwrites = 0;
    parity<<<grid, block>>>(u, s % 2, ny, nx);
    // PLAN-NEXT: stage_plan("by_function"
    // PLAN-NEXT: with_thread_rows(1, 0, 1, 0)
    // CHECK: gpurma_launch_0_7 {
    // CHECK: gpurma_overwrites = 0;
    by_function<<<grid, block>>>(v, u, ny, nx);
    // PLAN-NEXT: stage_plan("cells"
    // PLAN-NEXT: with_thread_rows(1, 0, 1, 0)
    // PLAN-NEXT: stage_plan("copied"
    // PLAN-NEXT: with_thread_rows(1, 0, 1, 0)
    // PLAN-NEXT: stage_plan("member"
    // PLAN-NEXT: stage_plan("other_name"
    // PLAN-NEXT: stage_plan("perhaps"
    // PLAN-NEXT: with_thread_rows(1, 0, 1, 0)
    // PLAN-NEXT: stage_plan("always"
    // PLAN-NEXT: with_thread_rows(1, 0, 1, 0)
    // CHECK: gpurma_launch_0_8 {
    // CHECK: gpurma_overwrites = 0;
    cells<<<grid, block>>>(d, c, ny, nx);
    // CHECK: gpurma_launch_0_9 {
    // CHECK: gpurma_overwrites = 0;
    copied<<<grid, block>>>(d, c, ny, nx);
    // CHECK: gpurma_launch_0_10 {
    // CHECK: gpurma_overwrites = 0;
    member<<<grid, block>>>(v, u, ny, nx);
    // CHECK: gpurma_launch_0_11 {
    // CHECK: gpurma_overwrites = 0;
    other_name<<<grid, block>>>(v, u, ny, nx);
    // CHECK: gpurma_launch_0_12 {
    // CHECK: gpurma_overwrites = 0;
    perhaps<<<grid, block>>>(v, u, ny, nx);
    // CHECK: gpurma_launch_0_13 {
    // CHECK: gpurma_overwrites = 1;
    always<<<grid, block>>>(v, u, ny, nx);
    // PLAN-NEXT: stage_plan("of_cells"
    of_cells<<<grid, block>>>(v, c, values, ny, nx);
    // PLAN-NEXT: stage_plan("until"
    // PLAN-NEXT: stage_plan("as_often"
    // PLAN-NEXT: stage_plan("endless"
    // PLAN-NEXT: stage_plan("flagged"
    // PLAN-NEXT: stage_plan("table"
    // PLAN-NEXT: stage_plan("local"
    // PLAN-NEXT: stage_plan("divides"
    // PLAN-NEXT: stage_plan("recursive"
    // PLAN-NEXT: stage_plan("speaks"
    // PLAN-NEXT: stage_plan("tile"
    // PLAN-NEXT: stage_plan("constructed"
    // PLAN-NEXT: stage_plan("captured"
    // PLAN-NEXT: stage_plan("behind"
    // PLAN-NEXT: stage_plan("comma"
    // PLAN-NEXT: stage_plan("itself"
    // PLAN-NEXT: stage_plan("exchanged"
    // PLAN-NEXT: with_thread_rows(1, 0, 0, 0)
    // Of a grid that may change.
    // PLAN-NEXT: stage_plan("limits"
    // PLAN-NEXT: stage_plan("limits"
    // PLAN-NEXT: with_thread_rows(1, 1, 1, 1)
    // PLAN-NOT: {{.}}
    until<<<grid, block>>>(v, u, ny, nx);
    as_often<<<grid, block>>>(v, u, ny, nx);
    endless<<<grid, block>>>(v, u, ny, nx);
    flagged<<<grid, block>>>(v, u, ny, nx);
    table<<<grid, block>>>(v, u, values, ny, nx);
    local<<<grid, block>>>(v, u, ny, nx);
    divides<<<grid, block>>>(m, n, ny, nx);
    recursive<<<grid, block>>>(v, u, ny, nx);
    speaks<<<grid, block>>>(v, u, ny, nx);
    tile<<<grid, block>>>(v, u, ny, nx);
    constructed<<<grid, block>>>(v, u, values, ny, nx);
    captured<<<grid, block>>>(v, u, values, ny, nx);
    behind<<<grid, block>>>(v, u, values, ny, nx);
    comma<<<grid, block>>>(v, u, values, ny, nx);
    itself<<<grid, block>>>(v, u, values, ny, nx);
    // CHECK: gpurma_launch_0_30 {
    // CHECK: gpurma_overwrites = 0;
    exchanged<<<grid, block>>>(m, n, ny, nx);
    const dim3 upper(grid.x, s % 2 + 1), lower(grid.x, grid.y);
    limits<<<upper, block>>>(v, u, ny, nx);
    limits<<<lower, block>>>(v, u, ny, nx);
  }
}
