// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mpi
// Threads that have several columns each: by vectors, as float4, of arrays of numbers, through pointers to vectors that kernels make or
// are passed, by their members and by __ldg; and one by one. Next to kernels of which each thread has one column, in two and in three dimensions.
// RUN: %gpurmacc_cpu -O1 -Werror %s -o %t --gpurma-print-after=InferStages | FileCheck --check-prefix=PLAN %s
// RUN: grep -v '#pragma gpurma' %s > %t.elided.cu
// RUN: %gpurmacc_cpu -I%S %t.elided.cu -o %t.elided
// RUN: %t.elided > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: env GPURMA_CPU_RANKS=5 %t | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=3 %mpirun -np 2 %t quiet | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=4 %mpirun -np 3 %t quiet | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 %mpirun -np 5 %t quiet | diff - %t.expected
// RUN: env GPURMA_CPU_RANKS=2 GPURMA_DISTRIBUTED_ARRAYS=banded %mpirun -np 3 %t quiet | diff - %t.expected
// RUN: %gpurmacc_cpu --gpurma-emit-source=- %s | FileCheck --check-prefix=TEXT %s
// Rows that are no multiple of a vector.
// RUN: not %t narrow 2>&1 | FileCheck --check-prefix=NARROW %s
// CHECK: plane: {{[1-9]}}
// CHECK: pairs: {{[1-9]}}
// CHECK: vectors: {{-?[1-9]}}
// CHECK: field: {{[1-9]}}
#include "Inputs/region.h"

#include <cstring>
#include <utility>

// Four columns and one row for each thread.
__global__ void diffuse(unsigned *out, const unsigned *in, int ny, int nx) {
  const int x = 4 * (blockIdx.x * blockDim.x + threadIdx.x), y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y < 1 || y >= ny - 1)
    return;
  const int i = y * nx + x;
  const uint4 here = *reinterpret_cast<const uint4 *>(&in[i]);
  const uint4 up = *(const uint4 *)(in + i - nx), down = __ldg(reinterpret_cast<const uint4 *>(in + i + nx));
  const unsigned left = x > 0 ? in[i - 1] : 7, right = x + 4 < nx ? in[i + 4] : 9;
  uint4 next;
  next.x = here.x + 3 * up.x + 5 * down.x + left - here.y;
  next.y = here.y + 3 * up.y + 5 * down.y + here.x - here.z;
  next.z = here.z + 3 * up.z + 5 * down.z + here.y - here.w;
  next.w = here.w + 3 * up.w + 5 * down.w + here.z - right;
  reinterpret_cast<uint4 *>(out)[i / 4] = next;
}
// The same array by one column each.
__global__ void mix(unsigned *out, const unsigned *in, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny)
    out[y * nx + x] = in[y * nx + x] * 31 + (x > 0 ? in[y * nx + x - 1] : 1) + (y > 0 ? in[(y - 1) * nx + x] : 2);
}
// Rows as pointers, members of vectors.
__global__ void halve(unsigned short *out, const unsigned short *in, int ny, int nx) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (2 * column >= nx || y >= ny)
    return;
  const ushort2 *row = reinterpret_cast<const ushort2 *>(in + y * nx), *last = (const ushort2 *)(in + (y > 0 ? y - 1 : y) * nx);
  ushort2 *to = reinterpret_cast<ushort2 *>(out + y * nx) + column;
  to->x = row[column].x / 2 + last[column].y;
  to->y = row[column].y / 2 + last[column].x;
}
// Several columns without vectors, a block's width apart, through the planes.
__global__ void step(unsigned *out, const unsigned *in, int nz, int ny, int nx) {
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  for (int z = 1; z < nz - 1; ++z)
    for (int k = 0; k < 2; ++k) {
      const int x = (2 * blockIdx.x + k) * blockDim.x + threadIdx.x;
      if (x >= nx || y >= ny)
        continue;
      const int i = (z * ny + y) * nx + x;
      out[i] = in[i] * 3 + in[i - nx * ny] + in[i + nx * ny] + (y > 0 ? in[i - nx] : 1) + (x + 1 < nx ? in[i + 1] : 2);
    }
}

// An array of float as one of vectors, whose rows have so many of these.
__global__ void smooth(float4 *out, const float4 *in, int ny, int vectors) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= vectors || y >= ny)
    return;
  const float4 &here = in[y * vectors + x], below = y > 0 ? in[(y - 1) * vectors + x] : here;
  out[y * vectors + x] = make_float4(here.x + below.y, here.y - below.z, here.z + 2 * below.w, here.w - 2 * below.x);
}

// In one dimension: a vector for each thread, or in loops by whole grids; whole rows away, and by the rest of the number.
__global__ void line(float *out, const float *in, int nx, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, vectors = nx / 4;
  if (i >= n / 4)
    return;
  const float4 here = reinterpret_cast<const float4 *>(in)[i];
  const float4 above = i >= vectors ? ((const float4 *)in)[i - vectors] : here;
  float4 next = make_float4(here.x - above.w, here.y + above.z, here.z + above.y, here.w - above.x);
  if (i % vectors == 0)
    next.x = static_cast<float>(i / vectors);
  reinterpret_cast<float4 *>(out)[i] = next;
}
__global__ void scale(float2 *v, const float2 *u, int pairs) {
  for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < pairs; i += blockDim.x * gridDim.x) {
    v[i].x = v[i].x - u[i].y;
    v[i].y = 2 * u[i].x - v[i].y;
  }
}

static unsigned some(std::size_t i) { return static_cast<unsigned>(i * i % 1013 + i); }

int main(int argc, char **argv) {
  gpurma::init(&argc, &argv);
  const bool narrow = argc > 1 && std::strcmp(argv[1], "narrow") == 0;
  const dim3 block(8, 4);
  {
    const int ny = 61, nx = narrow ? 69 : 68;
    const std::size_t n = std::size_t(ny) * nx;
    unsigned *u = device_array<unsigned>(n, some), *v = device_array<unsigned>(n, some);
    const dim3 of_vectors((nx / 4 + 7) / 8, (ny + 3) / 4), of_columns((nx + 7) / 8, (ny + 3) / 4);
    // PLAN: stage diffuse: rows y; writes out (own), published (y -1..0); reads in (x -1..1, y -1..1) along axes; 4 per thread in x
    // PLAN: stage mix: rows y; writes out (own), published (y -1..1); reads in (x -1..0, y -1..0) along axes{{$}}
    // TEXT: check_row_length("out", nx, 4, "diffuse",
    // TEXT: .with_columns_per_thread(4, 1, 1)
    // NARROW: 'diffuse' loads or stores 4 elements of 'out' at a time, and its rows have 69, so that some would be of two rows; let rows have a multiple of 4 elements
#pragma gpurma persistent distribute(u, v : rows(ny, nx))
    for (int t = 0; t < 7; ++t) {
      diffuse<<<of_vectors, block>>>(v, u, ny, nx);
      mix<<<of_columns, block>>>(u, v, ny, nx);
    }
    print_sum("plane:", u, n);
    CHECK(cudaFree(u));
    CHECK(cudaFree(v));
  }
  {
    const int ny = 45, nx = 38;
    const std::size_t n = std::size_t(ny) * nx;
    unsigned short *u = device_array<unsigned short>(n, some), *v = device_array<unsigned short>(n, some);
    // PLAN: stage halve: rows y; writes out (own), published (y -1..0); reads in (y -1..0); 2 per thread in x
#pragma gpurma persistent distribute(u, v : rows(ny, nx))
    for (int t = 0; t < 5; ++t) {
      halve<<<dim3(3, 12), block>>>(v, u, ny, nx);
      std::swap(u, v);
    }
    print_sum("pairs:", u, n);
    CHECK(cudaFree(u));
    CHECK(cudaFree(v));
  }
  {
    int ny = 50, nx = 40;
    const std::size_t n = std::size_t(ny) * nx;
    float *u = device_array<float>(n, some), *v = device_array<float>(n, some);
    // PLAN: stage smooth: rows y; writes out (own), published (y -1..0); reads in (y -1..0); 4 per thread in x
#pragma gpurma persistent distribute(u, v : rows(ny, nx))
    for (int t = 0; t < 5; ++t) {
      smooth<<<dim3(2, 13), block>>>(reinterpret_cast<float4 *>(v), (const float4 *)u, ny, nx / 4);
      std::swap(u, v);
    }
    const int length = nx * ny;
    // PLAN: stage line: rows y in one dimension; writes out (own), published (y -1..0); reads in (y -1..0); 4 per thread in x
    // PLAN: stage scale: rows y in one dimension; reads v (own); writes v (own), published (y -1..0); reads u (own); 2 per thread in x
#pragma gpurma persistent distribute(u, v : rows(ny, nx))
    for (int t = 0; t < 5; ++t) {
      line<<<(length / 4 + 63) / 64, 64>>>(v, u, nx, length);
      scale<<<3, 64>>>(reinterpret_cast<float2 *>(u), (float2 *)v, nx * ny / 2);
      smooth<<<dim3(2, 13), block>>>(reinterpret_cast<float4 *>(v), (const float4 *)u, ny, nx / 4);
    }
    print_sum("vectors:", u, n);
    CHECK(cudaFree(u));
    CHECK(cudaFree(v));
  }
  {
    const int nz = 40, ny = 9, nx = 29;
    const std::size_t n = std::size_t(nz) * ny * nx;
    unsigned *u = device_array<unsigned>(n, some), *v = device_array<unsigned>(n, some);
    // PLAN: stage step: rows z (4 per thread, in a loop); writes out (own), published (z -1..1); reads in (x 0..1, y -1..0, z -1..1) along axes; 2 per thread in x
#pragma gpurma persistent distribute(u, v : rows(nz, ny, nx))
    for (int t = 0; t < 5; ++t) {
      step<<<dim3((nx + 15) / 16, (ny + 3) / 4), block>>>(v, u, nz, ny, nx);
      std::swap(u, v);
    }
    print_sum("field:", u, n);
    CHECK(cudaFree(u));
    CHECK(cudaFree(v));
  }
}
