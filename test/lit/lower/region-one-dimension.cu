// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is found of launches in one dimension over arrays of two and three, and over their rows, and what their kernels become.
// RUN: %gpurmacc_cpu --gpurma-fuse-launches=none --gpurma-print-after=InferStages --gpurma-emit-source=%t.lowered.cu %s | %filecheck --check-prefix=PRINT-CHECK %s
// RUN: %filecheck --input-file=%t.lowered.cu %s
#include <gpurma/gpurma.h>

// The same kernel over an array of one dimension needs no numbers.
// CHECK: static __device__ __forceinline__ void gpurma_element_[[AXPY:[0-9]+]]_axpy({{\[\[}}maybe_unused]] const uint3 threadIdx, {{\[\[}}maybe_unused]] const uint3 blockIdx, {{\[\[}}maybe_unused]] const dim3 blockDim, {{\[\[}}maybe_unused]] const dim3 gridDim, {{\[\[}}maybe_unused]] const ::gpurma::stages::element_place gpurma_at, int n,
// CHECK: static __device__ __forceinline__ void gpurma_stage_[[AXPY]]_axpy({{\[\[}}maybe_unused]] const uint3 blockIdx,
__global__ void axpy(int n, float a, const float* p, float* u) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    u[i] += a * p[i];
}
__global__ void star(float* out, const float* in, int ny, int nx) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, x = i % nx, y = i / nx;
  if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1)
    out[i] = in[i - nx] + in[(y + 1) * nx + x] + in[i - 1];
}
__global__ void along(float* out, const float* in) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i - 1];
}
__global__ void cube(float* out, const float* in, int nz, int ny, int nx) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, x = i % nx, y = i / nx % ny, z = i / (nx * ny);
  if (x + 1 < nx && y >= 2 && z < nz - 1)
    out[i] = in[i + 1] + in[i - 2 * nx] + in[((z + 1) * ny + y) * nx + x];
}
__global__ void scale(float* u, unsigned n, float by) {
  for (unsigned i = threadIdx.x + blockDim.x * blockIdx.x; i < n; i += blockDim.x * gridDim.x)
    u[i] *= by;
}
__global__ void mirror(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[n - 1 - i];
}
__global__ void block(float* out, const float* in, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y > 0 && y < ny)
    out[y * nx + x] = in[(y - 1) * nx + x];
}
__global__ void left(float* u, int ny, int nx) {
  int y = blockIdx.x * blockDim.x + threadIdx.x;
  if (y < ny)
    u[y * nx] = 0;
}
__global__ void face(float* u, int nz, int ny, int nx) {
  int y = blockIdx.x * blockDim.x + threadIdx.x, z = blockIdx.y * blockDim.y + threadIdx.y;
  if (y < ny && z < nz)
    u[(z * ny + y) * nx] = 0;
}
__global__ void space(float* u, int nz, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < nx && y < ny && z < nz)
    u[(z * ny + y) * nx + x] += 1;
}
__global__ void pairs(float* u, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = 2 * (blockIdx.y * blockDim.y + threadIdx.y);
  for (int r = 0; r < 2; ++r)
    if (x < nx && y + r < ny)
      u[(y + r) * nx + x] += 1;
}
__global__ void through(float* u, int nz, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny)
    for (int z = 0; z < nz; ++z)
      u[(z * ny + y) * nx + x] = 1;
}

// CHECK: struct gpurma_launch_0_0 {
// CHECK: gpurma_rereads = ::gpurma::stages::rereading::{{by_leading}};
// CHECK: ::gpurma::stages::thread_numbers gpurma_threads;
// CHECK: const ::gpurma::stages::numbered_thread<2, 256> gpurma_played(gpurma_threads, gpurma_block); if (gpurma_played.exists()) ::gpurma_element_[[AXPY]]_axpy<gpurma_copy>(gpurma_played.thread(), gpurma_played.block(), gpurma_played.block_size(), gpurma_played.grid(), gpurma_played.place(), gpurma_0, gpurma_1, gpurma_2, gpurma_3);
// CHECK: struct gpurma_launch_0_3 {
// CHECK: ::gpurma::stages::numbered_thread<3, 0> gpurma_played(
// CHECK: thread_numbers gpurma_threads = ::gpurma::stages::number_threads(gpurma_region, {0}, 2, false, dim3((nx * ny + 255) / 256), dim3(256),
// CHECK-NEXT: const dim3 gpurma_grid = ::gpurma::stages::tiles_of(gpurma_region, 0, 2, gpurma_threads);
// CHECK: gpurma_region.launch(gpurma_launch_0_0{{.*}}, dim3(::blockDim),
// CHECK: number_threads(gpurma_region, {2}, 3, false,
// CHECK: number_threads(gpurma_region, {0}, 2, true, dim3(64), dim3(128),
// A loop through the rows: each thread of the tile has some.
// CHECK: if (gpurma_played.exists()) ::gpurma_thread_[[THROUGH:[0-9]+]]_through<gpurma_copy>(gpurma_played.thread(), gpurma_played.block(), gpurma_played.block_size(), gpurma_played.grid(), gpurma_played.rows<2>(4), gpurma_0,
// CHECK: place_threads(gpurma_region, 1, true, dim3(grid), dim3({{.*}}16, 8
// CHECK: ::gpurma::stages::stage_plan("axpy", {{.*}}, 1, ::gpurma::stages::tile_of(dim3(blocks), 2), 0){{.*}}.with_renumbered_threads({{.*}}), ::gpurma::stages::stage_plan("star",
// CHECK-SAME: ::gpurma::stages::stage_plan("cube", {{.*}}, 2, ::gpurma::stages::tile_of(dim3(blocks), 3), 0)
// CHECK-SAME: ::gpurma::stages::stage_plan("block", {{[^.]*}}, 1, dim3(blocks), 0)
// CHECK: ::gpurma::stages::stage_plan("axpy", {{.*}}, 1, ::gpurma::stages::tile_of(::gpurma::stages::block_of_line(dim3(128)), 2), 0)
// CHECK: ::gpurma::stages::stage_plan("axpy", {{[^.]*}}, 0, dim3(128), 0)
// Tiles with as many rows as those of the blocks: of a face, with all threads. A face in a region without more dimensions stays in its blocks.
// CHECK: ::gpurma::stages::stage_plan("left", {{.*}}, 0, ::gpurma::stages::tile_of_rows(dim3(blocks), 1, 2, 1, 1), 0){{.*}}.with_renumbered_threads({{.*}}), ::gpurma::stages::stage_plan("pairs",
// CHECK: ::gpurma::stages::stage_plan("left", {{.*}}, 0, ::gpurma::stages::tile_of_rows(::gpurma::stages::block_of_line(dim3(64)), 1, 1, 1, 1), 0)
// CHECK: ::gpurma::stages::stage_plan("face", {{.*}}, 1, ::gpurma::stages::tile_of_rows(dim3(blocks), 2, 1, 2, 1), 0){{.*}}.with_renumbered_threads({{.*}}), ::gpurma::stages::stage_plan("space",
// CHECK: ::gpurma::stages::stage_plan("face", {{[^.]*}}, 1, dim3(dim3(16, 16)), 0)
// CHECK: ::gpurma::stages::stage_plan("through", {{.*}}, 2, ::gpurma::stages::tile_of_rows(dim3(dim3(8, 4, 2)), 2, 1, 3, 4), 0){{.*}}, 4, false).with_renumbered_threads({{.*}})
// PRINT-CHECK: // after InferStages
void run(float* a, float* b, float* c, float* d, float* line, float* other, int nz, int ny, int nx, int threads, dim3 blocks, dim3 grid) {
  int n = nx * ny;
#pragma gpurma persistent distribute(a, b : rows(ny, nx)) distribute(c, d : rows(nz, ny, nx))
  {
    // PRINT-CHECK-NEXT: :[[@LINE+1]]: stage axpy: rows y in one dimension; reads p (own); reads u (own); writes u (own), published (y -1..0)
    axpy<<<(nx * ny + 255) / 256, 256>>>(nx * ny, 2.0f, a, b);
    // PRINT-CHECK-NEXT: :[[@LINE+1]]: stage star: rows y in one dimension; writes out (own), published (y -1..0); reads in (x -1..0, y -1..1) along axes
    star<<<(nx * ny + 255) / 256, 256>>>(b, a, ny, nx);
    // PRINT-CHECK-NEXT: :[[@LINE+1]]: stage along: rows y in one dimension; writes out (own), published (y -1..1); reads in (x whole, y -1..0)
    along<<<nx * ny / 256, 256>>>(a, b);
    // PRINT-CHECK-NEXT: :[[@LINE+1]]: stage cube: rows z in one dimension; writes out (own), not published; reads in (x 0..1, y -2..0, z 0..1) along axes
    cube<<<nx * ny * nz / threads + 1, threads>>>(d, c, nz, ny, nx);
    // PRINT-CHECK-NEXT: :[[@LINE+1]]: stage scale: rows y in one dimension; reads u (own); writes u (own), published (y -1..1)
    scale<<<64, 128>>>(a, n, 0.5f);
    // PRINT-CHECK-NEXT: :[[@LINE+1]]: stage block: rows y; writes out (own), published (y -1..1); reads in (y -1..-1)
    block<<<grid, blocks>>>(a, b, ny, nx);
  }
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  {
    // PRINT-CHECK-NEXT: :[[@LINE+1]]: stage axpy: rows y in one dimension;
    axpy<<<(n + 127) / 128, 128>>>(n, 2.0f, a, b);
    // PRINT-CHECK-NEXT: :[[@LINE+1]]: stage mirror: rows y in one dimension; writes out (own), not published; reads in (x whole, y whole)
    mirror<<<(n + 127) / 128, 128>>>(b, a, n);
  }
#pragma gpurma persistent distribute(line, other : rows(n))
  {
    // PRINT-CHECK-NEXT: :[[@LINE+1]]: stage axpy: rows x; reads p (own); reads u (own); writes u (own), not published
    axpy<<<(n + 127) / 128, 128>>>(n, 2.0f, line, other);
  }
#pragma gpurma persistent distribute(a, b : rows(ny, nx)) distribute(line, other : rows(n))
  {
    // PRINT-CHECK-NEXT: :[[@LINE+1]]: stage left: rows x; writes u (own), not published; in blocks of another size
    left<<<(ny + threads - 1) / threads, threads>>>(a, ny, nx);
    // PRINT-CHECK-NEXT: :[[@LINE+1]]: stage pairs: rows y (2 per thread); reads u (own); writes u (own), not published
    pairs<<<grid, blocks>>>(a, ny, nx);
    // Its rows are others, and perhaps many.
    // PRINT-CHECK-NEXT: :[[@LINE+1]]: stage axpy: rows x; reads p (own); reads u (own); writes u (own), not published{{$}}
    axpy<<<(n + 63) / 64, 64>>>(n, 2.0f, line, other);
  }
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  {
    // PRINT-CHECK-NEXT: :[[@LINE+1]]: stage left: rows x; writes u (own), not published; in blocks of another size
    left<<<(ny + 63) / 64, 64>>>(a, ny, nx);
    // PRINT-CHECK-NEXT: :[[@LINE+1]]: stage scale: rows y in one dimension;
    scale<<<64, 128>>>(a, n, 0.5f);
  }
#pragma gpurma persistent distribute(c, d : rows(nz, ny, nx))
  {
    // PRINT-CHECK-NEXT: :[[@LINE+1]]: stage face: rows y; writes u (own), not published; in blocks of another size
    face<<<grid, dim3(16, 16)>>>(c, nz, ny, nx);
    // PRINT-CHECK-NEXT: :[[@LINE+1]]: stage space: rows z; reads u (own); writes u (own), not published
    space<<<grid, blocks>>>(c, nz, ny, nx);
  }
#pragma gpurma persistent distribute(c, d : rows(nz, ny, nx))
  {
    // PRINT-CHECK-NEXT: :[[@LINE+1]]: stage face: rows y; writes u (own), not published
    face<<<grid, dim3(16, 16)>>>(c, nz, ny, nx);
    // PRINT-CHECK-NEXT: :[[@LINE+1]]: stage left: rows x; writes u (own), not published; in blocks of another size
    left<<<(nz + 63) / 64, 64>>>(c, nz, ny * nx);
  }
#pragma gpurma persistent distribute(c, d : rows(nz, ny, nx))
  {
    // PRINT-CHECK-NEXT: :[[@LINE+1]]: stage space: rows z; reads u (own); writes u (own), not published
    space<<<grid, dim3(8, 4, 2)>>>(c, nz, ny, nx);
    // PRINT-CHECK-NEXT: :[[@LINE+1]]: stage through: rows z (4 per thread, in a loop); writes u (own), not published; in blocks of another size
    through<<<grid, dim3(16, 8)>>>(c, nz, ny, nx);
    // Two threads do the same.
    // PRINT-CHECK-NEXT: :[[@LINE+1]]: stage through: rows z (4 per thread, in a loop); writes u (own), not published{{$}}
    through<<<grid, dim3(16, 8, 2)>>>(c, nz, ny, nx);
  }
}
int main() {}
