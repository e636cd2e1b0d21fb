// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches that run as one stage have a class together, and their stage touches what each of them does; those that cannot run so do not.
// RUN: %gpurmacc_cpu --gpurma-print-after=FuseLaunches --gpurma-emit-source=%t.lowered.cu %s > %t.printed
// RUN: %filecheck --input-file=%t.lowered.cu %s
// RUN: %filecheck --input-file=%t.printed --check-prefix=PRINTED %s
#include <cstdio>

#define POINT                                                                                                                     \
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;                                 \
  if (x >= nx || y >= ny)                                                                                                         \
    return;                                                                                                                       \
  const int i = y * nx + x;

__global__ void up(float* a, const float* p, int ny, int nx) {
  POINT
  a[i] = p[y > 0 ? i - nx : i];
}
__global__ void down(float* b, const float* p, const float* a, int ny, int nx) {
  POINT
  b[i] = p[y + 1 < ny ? i + nx : i] + a[i];
}
__global__ void join(float* p, const float* a, const float* b, float* most, int ny, int nx) {
  POINT
  p[i] = a[i] + b[x > 0 ? i - 1 : i];
}

// CHECK: struct gpurma_launch_0_0 {
// CHECK-NEXT: unsigned gpurma_grid[3];
// CHECK-NEXT: float *gpurma_0;
// CHECK: struct gpurma_launch_0_1 {
// CHECK: struct gpurma_launches_0_0 {
// CHECK-NEXT: static constexpr int gpurma_stage = 0;
// CHECK: gpurma_between = ::gpurma::stages::between_tiles::nothing;
// CHECK: gpurma_rereads = ::gpurma::stages::rereading::by_all;
// CHECK: gpurma_reads = 26;
// CHECK: gpurma_writes = 5;
// CHECK: gpurma_reads_before = 2;
// CHECK-NEXT: static constexpr unsigned gpurma_reads_after = 8;
// CHECK: unsigned gpurma_grid[3];
// CHECK-NEXT: unsigned gpurma_runs;
// CHECK-NEXT: gpurma_launch_0_0 gpurma_launched_0;
// CHECK-NEXT: gpurma_launch_0_1 gpurma_launched_1;
// CHECK-NEXT: static constexpr unsigned gpurma_count = 2;
// CHECK: bool gpurma_are_apart() const { return ::gpurma::stages::are_apart(gpurma_launched_0.gpurma_0, gpurma_launched_1.gpurma_0) && ::gpurma::stages::are_apart(gpurma_launched_0.gpurma_0, gpurma_launched_1.gpurma_1) && ::gpurma::stages::are_apart(gpurma_launched_0.gpurma_1, gpurma_launched_1.gpurma_0); }
// CHECK: pointers<5> gpurma_arrays() const { return {{[{][{]}}gpurma_launched_0.gpurma_0, gpurma_launched_0.gpurma_1, gpurma_launched_1.gpurma_0, gpurma_launched_1.gpurma_1, gpurma_launched_1.gpurma_2{{[}][}]}}; }
// CHECK: void gpurma_run({{.*}}) { if ((gpurma_runs & 1) != 0) gpurma_launched_0.gpurma_run<gpurma_copy>(gpurma_block, gpurma_thread.gpurma_launched_0); ::gpurma::platform::forget_memory(); if ((gpurma_runs & 2) != 0) gpurma_launched_1.gpurma_run<gpurma_copy>(gpurma_block, gpurma_thread.gpurma_launched_1); }
// CHECK: struct gpurma_launch_0_2 {
// CHECK-NEXT: static constexpr int gpurma_stage = 2;
void step(float* p, float* a, float* b, float* most, int ny, int nx, int steps, dim3 grid, dim3 block) {
  // CHECK: ::gpurma::stages::later<gpurma_launch_0_0> gpurma_launched_0;
  // CHECK: gpurma_launched_0.set(gpurma_launch_0_0{
  // CHECK: gpurma_region.launch_together(gpurma_launches_0_0{{[{][{]}}gpurma_grid.x, gpurma_grid.y, gpurma_grid.z}, 0, gpurma_launched_0.get(), gpurma_launch_0_1{{[{].*[}][}]}}, block, ::gpurma::site{{[{].*}}, [[#@LINE+6]]});
  // CHECK: gpurma_region.launch(gpurma_launch_0_2{
  // CHECK: stage_plan("up"{{[^;]*}}.writes(0, 0, 0, 0, 0, 0).reads(0, 0, -1, 0, 0, 0).writes(0, 0, 0, 0, 0, 0).reads(0, 0, 0, 1, 0, 0).reads(0, 0, 0, 0, 0, 0).with_thread_rows(1, 1, 0, 0).with_walks(80u, 1, false), ::gpurma::stages::stage_plan("down"{{[^;]*}}, 0).with_walks(0u, 1, false).run_in_another(), ::gpurma::stages::stage_plan("join"
#pragma gpurma persistent distribute(p, a, b : rows(ny, nx))
  for (int k = 0; k < steps; ++k) {
    // PRINTED: region-fused.cu:[[#@LINE+1]]: one stage: up, then down; if up's a is not down's b, up's a is not down's p, up's p is not down's b{{$}}
    up<<<grid, block>>>(a, p, ny, nx);
    down<<<grid, block>>>(b, p, a, ny, nx);
    join<<<grid, block>>>(p, a, b, most, ny, nx);
  }
}

__global__ void say(float* b, const float* p, int ny, int nx) {
  POINT
  b[i] = p[i];
  if (i == 0)
    printf("%g\n", b[i]);
}
__global__ void columns(float* b, const float* p, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < nx)
    for (int y = 0; y < ny; ++y)
      b[y * nx + x] = p[y * nx + x];
}
__global__ void strided(float* b, const float* p, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < ny; y += gridDim.y * blockDim.y)
    if (x < nx)
      b[y * nx + x] = p[y * nx + x];
}
extern __shared__ float bytes[];
__global__ void staged(float* b, const float* p, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  bytes[threadIdx.x] = x < nx && y < ny ? p[y * nx + x] : 0;
  __syncthreads();
  if (x < nx && y < ny)
    b[y * nx + x] = bytes[threadIdx.x];
}
__global__ void around(float* b, const float* p, int ny, int nx) {
  POINT
  b[i] = p[(y + 1) % ny * nx + x];
}

// What it prints, its loops, what it shares, how it goes around, what is put before it, and what stands in between.
// PRINTED-NOT: one stage
void other(float* p, float* a, float* b, float* c, int ny, int nx, int steps, dim3 grid, dim3 block) {
#pragma gpurma persistent distribute(p, a, b, c : rows(ny, nx))
  for (int k = 0; k < steps; ++k) {
    up<<<grid, block>>>(a, p, ny, nx);
    say<<<grid, block>>>(b, p, ny, nx);
    up<<<grid, block>>>(a, p, ny, nx);
    columns<<<grid, block>>>(b, p, ny, nx);
    up<<<grid, block>>>(a, p, ny, nx);
    strided<<<grid, block>>>(b, p, ny, nx);
    staged<<<grid, block, 64>>>(a, p, ny, nx);
    staged<<<grid, block, 64>>>(b, p, ny, nx);
    around<<<grid, block>>>(c, p, ny, nx);
    up<<<grid, block>>>(a, p, ny, nx);
#pragma gpurma put(b : halo(1)) notify
    up<<<grid, block>>>(b, p, ny, nx);
    if (k % 2)
      up<<<grid, block>>>(a, p, ny, nx);
    up<<<grid, block>>>(b, p, ny, nx);
    for (int j = 0; j < 2; ++j)
      up<<<grid, block>>>(a, p, ny, nx);
    up<<<grid, block>>>(b, p, ny, nx);
    down<<<grid, block>>>(p, a, b, ny, nx);
  }
}

// Grids that look the same and are not: what they are made of changes between them, or is added up.
void grids(float* p, float* a, float* b, float* most, int ny, int nx, int steps, dim3 block) {
  int n = nx;
#pragma gpurma persistent distribute(p, a, b : rows(ny, nx)) reduce(+ : *most)
  for (int k = 0; k < steps; ++k) {
    const dim3 early((n + 31) / 32, ny);
    n += 32;
    const dim3 late((n + 31) / 32, ny);
    up<<<early, block>>>(a, p, ny, nx);
    up<<<late, block>>>(b, p, ny, nx);
    p == a ? ++n : --n;
    up<<<dim3((n + 31) / 32, ny), block>>>(a, p, ny, nx);
    ++n;
    up<<<dim3((n + 31) / 32, ny), block>>>(b, p, ny, nx);
    up<<<dim3(int(*most), ny), block>>>(a, p, ny, nx);
    up<<<dim3(int(*most), ny), block>>>(b, p, ny, nx);
  }
}
