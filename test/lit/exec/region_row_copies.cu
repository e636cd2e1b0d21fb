// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Copies and fills of rows as programs with ghost rows have them: those of the other end, in one to three dimensions, several rows at
// once, rows of components, rows whose number changes, boundaries without a gradient, in arrays with pitches and of constant sizes, with
// bands that end within tiles.
// RUN: %gpurmacc_cpu %s -o %t --gpurma-print-after=InferStages | FileCheck --check-prefix=PLAN %s
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=1 %mpirun -np 2 %t quiet | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t quiet | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=4 %mpirun -np 3 %t quiet | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 5 %t quiet | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 GPURMA_DISTRIBUTED_ARRAYS=banded %mpirun -np 3 %t quiet | diff - %t.expected
// CHECK: field: {{[1-9]}}
// CHECK: cube: {{[1-9]}}
// CHECK: line: {{[1-9]}}
// CHECK: constant: {{[1-9]}}
// CHECK: components: {{[1-9]}}
// CHECK: pitched: {{[1-9]}}
// CHECK: called: {{[1-9]}}
#include "Inputs/region.h"

#include <utility>

typedef unsigned long long number;

__global__ void step(number *out, const number *in, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1)
    out[y * nx + x] = (in[y * nx + x] + 3 * in[(y - 1) * nx + x] + 5 * in[(y + 1) * nx + x] + 7 * in[y * nx + x - 1]) % 10007;
}
__global__ void add(const number *u, number *sum, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny)
    atomicAdd(sum, u[y * nx + x] * (1 + (x + 2 * y) % 7));
}
__global__ void cube_step(number *out, const number *in, int nz, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x >= nx || y >= ny || z < 2 || z >= nz - 2)
    return;
  const int plane = ny * nx, i = z * plane + y * nx + x;
  out[i] = (in[i] + 3 * in[i - 2 * plane] + 5 * in[i + 2 * plane] + 7 * in[i + plane]) % 10007;
}
__global__ void line_step(number *out, const number *in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= 2 && i < n - 2)
    out[i] = (in[i] + 3 * in[i - 2] + 5 * in[i + 2]) % 10007;
}
constexpr int NX = 33, NY = 64;
__global__ void constant_step(number *out, const number *in) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < NX && y > 0 && y < NY - 1)
    out[y * NX + x] = (in[(y - 1) * NX + x] + 3 * in[(y + 1) * NX + x]) % 10007;
}
__global__ void ghosts(number *u, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < nx) {
    u[x] = u[(ny - 2) * nx + x];
    u[(ny - 1) * nx + x] = u[nx + x];
  }
}
__global__ void pull(number *out, const number *in, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y < 1 || y >= ny - 1)
    return;
  for (int q = 0; q < 3; ++q)
    out[(q * ny + y) * nx + x] = (in[(q * ny + y) * nx + x] + 3 * in[(q * ny + y + q - 1) * nx + x]) % 10007;
}

static number *numbers(size_t n) {
  return device_array<number>(n, [](size_t i) { return i * 7919 / 13 % 10007; });
}
static void say(bool quiet, const char *name, long long sum) {
  if (!quiet)
    std::printf("%s: %lld\n", name, sum);
}

// PLAN: // after InferStages
static void field(bool quiet, int ny, int nx) {
  number *u = numbers(nx * ny), *next = numbers(nx * ny), *marks = numbers(nx * ny), *sum = nullptr;
  CHECK(cudaMallocManaged(&sum, sizeof(number)));
  const dim3 block(32, 4), grid((nx + 31) / 32, (ny + 3) / 4);
  size_t row = nx * sizeof(number);
  long long all = 0;
#pragma gpurma persistent distribute(u, next, marks : rows(ny, nx)) reduce(+ : *sum)
  for (int i = 0; i < 13; ++i) {
    // PLAN: stage step: rows y; writes out (own), published (y -2..2)
    step<<<grid, block>>>(next, u, ny, nx);
    // PLAN-NEXT: stage cudaMemcpy: rows y; writes dst (own), published (y -2..2); reads src (y -2..0 periodic); of 1 row
    CHECK(cudaMemcpy(next, next + (ny - 2) * nx, row, cudaMemcpyDeviceToDevice));
    // PLAN-NEXT: stage cudaMemcpyAsync: rows y; writes dst (own), published (y -2..2); reads src (y 0..2 periodic); of 1 row
    CHECK(cudaMemcpyAsync(&next[(ny - 1) * nx], &next[nx], nx * sizeof *next, cudaMemcpyDeviceToDevice));
    if (i % 3 == 2) {
      number *middle = marks + ny / 2 * nx, *last = &marks[(size_t)(ny - 1) * nx];
      // PLAN-NEXT: stage cudaMemset: rows y; writes devPtr (own), not published; of 1 row
      cudaMemset(middle, i, row);
      // PLAN-NEXT: stage cudaMemcpy: rows y; writes dst (own), not published; reads src (y -1..-1); of 1 row
      cudaMemcpy(last, next + nx * (ny - 2), row, cudaMemcpyDefault);
      for (int k = 1; k < 4; ++k)
        // PLAN-NEXT: stage cudaMemcpy: rows y; writes dst (own), not published; reads src (y 1..1); of 1 row
        cudaMemcpy(marks + (i + k) * nx, u + (i + k + 1) * nx, row, cudaMemcpyDeviceToDevice);
      // PLAN-NEXT: stage cudaMemsetAsync: rows y; writes devPtr (own), not published; of 3 rows
      cudaMemsetAsync(marks + i * nx, 1, 3 * row);
    }
    std::swap(u, next);
    *sum = 0;
    add<<<grid, block>>>(u, sum, ny, nx);
    add<<<grid, block>>>(marks, sum, ny, nx);
    cudaDeviceSynchronize();
    all = (all * 31 + *sum) % 1000000007;
  }
  say(quiet, "field", all + ordered_sum(u, nx * ny) + 2 * ordered_sum(marks, nx * ny));
}

// Two planes at each end; in tiles with two planes.
static void cube(bool quiet, int nz, int ny, int nx) {
  number *u = numbers(nx * ny * nz), *next = numbers(nx * ny * nz);
  const dim3 block(8, 4, 2), grid((nx + 7) / 8, (ny + 3) / 4, (nz + 1) / 2);
  const size_t plane = ny * nx, bytes = 2 * plane * sizeof(number);
#pragma gpurma persistent distribute(u, next : rows(nz, ny, nx))
  for (int i = 0; i < 7; ++i) {
    cube_step<<<grid, block>>>(next, u, nz, ny, nx);
    // PLAN: stage cudaMemcpy: rows z; writes dst (own), published (z -4..4); reads src (z -4..0 periodic); of 2 rows
    cudaMemcpy(next, next + (nz - 4) * plane, bytes, cudaMemcpyDeviceToDevice);
    // PLAN-NEXT: stage cudaMemcpy: rows z; writes dst (own), published (z -4..4); reads src (z 0..4 periodic); of 2 rows
    cudaMemcpy(next + (nz - 2) * plane, next + 2 * plane, bytes, cudaMemcpyDeviceToDevice);
    number *const before = u;
    u = next;
    next = before;
    // Of another array, which the pointer was before.
    cudaMemcpy(u + 9 * plane, before + 9 * plane, plane * sizeof(number), cudaMemcpyDeviceToDevice);
  }
  say(quiet, "cube", ordered_sum(u, nx * ny * nz));
}

static void line(bool quiet, int n) {
  number *u = numbers(n), *next = numbers(n);
#pragma gpurma persistent distribute(u, next : rows(n))
  for (int i = 0; i < 7; ++i) {
    line_step<<<(n + 15) / 16, 16>>>(next, u, n);
    // PLAN: stage cudaMemcpy: rows x; writes dst (own), published (x -4..4); reads src (x -4..0 periodic); of 2 rows
    cudaMemcpy(next, next + n - 4, 2 * sizeof(number), cudaMemcpyDeviceToDevice);
    cudaMemcpy(next + n - 2, next + 2, 2 * sizeof(number), cudaMemcpyDeviceToDevice);
    std::swap(u, next);
  }
  say(quiet, "line", ordered_sum(u, n));
}

static void constant(bool quiet) {
  number *u = numbers(NX * NY), *next = numbers(NX * NY);
#pragma gpurma persistent distribute(u, next : rows(NY, NX))
  for (int i = 0; i < 7; ++i) {
    constant_step<<<dim3((NX + 15) / 16, (NY + 7) / 8), dim3(16, 8)>>>(next, u);
    // PLAN: stage cudaMemcpy: rows y; writes dst (own), published (y -2..2); reads src (y -2..0 periodic); of 1 row
    cudaMemcpy(next, next + (NY - 2) * NX, NX * sizeof(number), cudaMemcpyDeviceToDevice);
    cudaMemcpy(next + (NY - 1) * NX, next + NX, NX * sizeof(number), cudaMemcpyDeviceToDevice);
    std::swap(u, next);
  }
  say(quiet, "constant", ordered_sum(u, NX * NY));
}

static void components(bool quiet, int ny, int nx) {
  number *f = numbers(3 * nx * ny), *g = numbers(3 * nx * ny);
  const dim3 block(16, 4), grid((nx + 15) / 16, (ny + 3) / 4);
#pragma gpurma persistent distribute(f, g : components(3), rows(ny, nx))
  for (int i = 0; i < 7; ++i) {
    pull<<<grid, block>>>(g, f, ny, nx);
    for (int q = 0; q < 3; ++q) {
      // PLAN: stage cudaMemcpy: rows y; writes dst (own), published (y -2..2); reads src (y -2..0 periodic); of 1 row
      cudaMemcpy(g + q * ny * nx, g + (q * ny + ny - 2) * nx, nx * sizeof(number), cudaMemcpyDeviceToDevice);
      cudaMemcpy(g + q * ny * nx + (ny - 1) * nx, g + q * ny * nx + nx, nx * sizeof(number), cudaMemcpyDeviceToDevice);
    }
    // From one component to another.
    // PLAN: stage cudaMemcpy: rows y; writes dst (own), published (y -2..2); reads src (y 1..1); of 1 row
    cudaMemcpy(g + ny * nx + 3 * nx, g + 2 * ny * nx + 4 * nx, nx * sizeof(number), cudaMemcpyDeviceToDevice);
    cudaMemset(g + 2 * ny * nx + (ny - 3) * nx, 0, nx * sizeof(number));
    std::swap(f, g);
  }
  say(quiet, "components", ordered_sum(f, 3 * nx * ny));
}

static void pitched(bool quiet, int ny, int nx) {
  number *u = nullptr, *next = nullptr;
  size_t pitch = 0;
  for (number **each : {&u, &next})
    CHECK(cudaMallocPitch(each, &pitch, nx * sizeof(number), ny));
  const size_t count = pitch / sizeof(number) * ny;
  const std::vector<number> first = host_copy(numbers(count), count);
  for (number *each : {u, next})
    CHECK(cudaMemcpy(each, first.data(), count * sizeof(number), cudaMemcpyHostToDevice));
  const int stride = pitch / sizeof(number);
  const dim3 block(16, 4), grid((stride + 15) / 16, (ny + 3) / 4);
#pragma gpurma persistent distribute(u, next : rows(ny, stride))
  for (int i = 0; i < 7; ++i) {
    step<<<grid, block>>>(next, u, ny, stride);
    // PLAN: stage cudaMemcpy: rows y; writes dst (own), published (y -2..2); reads src (y -2..0 periodic); of 1 row
    cudaMemcpy(next, next + (ny - 2) * stride, stride * sizeof(number), cudaMemcpyDeviceToDevice);
    cudaMemcpy((char *)next + (ny - 1) * stride * sizeof(number), next + stride, stride * sizeof(number), cudaMemcpyDeviceToDevice);
    std::swap(u, next);
  }
  // In bytes.
#pragma gpurma persistent distribute(u, next : rows(ny, pitch / sizeof(number)))
  for (int i = 0; i < 7; ++i) {
    step<<<grid, block>>>(next, u, ny, pitch / sizeof(number));
    // PLAN: stage cudaMemcpy: rows y; writes dst (own), published (y -2..1); reads src (y -2..0 periodic); of 1 row
    cudaMemcpy(next, (char *)next + (ny - 2) * pitch, pitch, cudaMemcpyDeviceToDevice);
    // PLAN-NEXT: stage cudaMemset: rows y; writes devPtr (own), published (y -2..1); of 1 row
    cudaMemset((char *)next + (ny - 1) * pitch, i, pitch);
    // PLAN-NEXT: stage cudaMemset: rows y; writes devPtr (own), published (y -2..1); of 1 row
    cudaMemset(u, i, pitch);
    std::swap(u, next);
  }
  say(quiet, "pitched", ordered_sum(u, count));
}

// In functions of the host, and by a kernel.
static void exchange(number *field, int n, int stride) {
  const size_t row = stride * sizeof(number);
  CHECK(cudaMemcpy(field, field + (n - 2) * stride, row, cudaMemcpyDeviceToDevice));
  CHECK(cudaMemcpy(field + (n - 1) * stride, field + stride, row, cudaMemcpyDeviceToDevice));
}
static void called(bool quiet, int ny, int nx) {
  number *u = numbers(nx * ny), *next = numbers(nx * ny);
  const dim3 block(16, 4), grid((nx + 15) / 16, (ny + 3) / 4);
#pragma gpurma persistent distribute(u, next : rows(ny, nx))
  for (int i = 0; i < 5; ++i) {
    step<<<grid, block>>>(next, u, ny, nx);
    // PLAN: stage cudaMemcpy: rows y; writes dst (own), published (y -2..2); reads src (y -2..0 periodic); of 1 row
    // PLAN-NEXT: stage cudaMemcpy: rows y; writes dst (own), published (y -2..2); reads src (y 0..2 periodic); of 1 row
    exchange(next, ny, nx);
    step<<<grid, block>>>(u, next, ny, nx);
    // PLAN: stage ghosts: rows y of stores into fixed rows; reads u (y -2..2 periodic); writes u (own), published (y -2..2)
    ghosts<<<(nx + 127) / 128, 128>>>(u, ny, nx);
  }
  say(quiet, "called", ordered_sum(u, nx * ny));
}

int main(int argc, char **) {
  const bool quiet = is_quiet(argc);
  field(quiet, 101, 75);
  cube(quiet, 41, 9, 20);
  line(quiet, 163);
  constant(quiet);
  components(quiet, 61, 37);
  pitched(quiet, 77, 60);
  called(quiet, 79, 45);
}
