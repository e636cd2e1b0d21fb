// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is found of kernels for fixed rows, and what they become.
// RUN: %gpurmacc_cpu --gpurma-print-after=InferStages --gpurma-emit-source=%t.lowered.cu %s | %filecheck --check-prefix=PRINT-CHECK %s
// RUN: %filecheck --input-file=%t.lowered.cu %s
#include <gpurma/gpurma.h>

// CHECK: template <unsigned gpurma_copy, class gpurma_rows_type> {{.*}}void gpurma_rows_[[WALLS:[0-9]+]]_walls({{.*}}const dim3 gridDim, const gpurma_rows_type& gpurma_rows, float* u,
// CHECK: gpurma_rows.have(u[x]) ? static_cast<void>(u[x] = u[nx + x]) : static_cast<void>(0);
// CHECK: gpurma_rows.have(u[(ny - 1) * nx + x]) ? static_cast<void>(u[(ny - 1) * nx + x] = u[(ny - 2) * nx + x]) : static_cast<void>(0);
__global__ void walls(float* u, int nx, int ny) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < nx) {
    u[x] = u[nx + x];
    u[(ny - 1) * nx + x] = u[(ny - 2) * nx + x];
  }
}
__global__ void from_other(float* u, const float* w, int nx, int row) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= nx)
    return;
  u[nx + x] = w[3 * nx + x];
  u[3 * nx + x] *= w[2 * nx + x];
}
__global__ void point(float* u, int nx, int sx, int sy) {
  u[sy * nx + sx] += 1;
}
__global__ void faces(float* u, int nx, int ny, int nz) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny)
    u[((nz - 1) * ny + y) * nx + x] = u[((nz - 3) * ny + y) * nx + x];
}
__global__ void of_first_row(float* u, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y == 0)
    u[3 * nx + x] = 0;
}
__global__ void of_first_thread(float* u, int nx, int row) {
  if (blockIdx.x == 0 && threadIdx.x == 0)
    u[row * nx + 1] = 0;
}
__global__ void point_of_line(float* u) {
  if (blockIdx.x == 0 && threadIdx.x == 0)
    u[5] += 1;
}

// CHECK: gpurma_rows.have(u[points[id]]) ? static_cast<void>(u[points[id]] += 1) : static_cast<void>(0);
// CHECK: gpurma_rows.have(*(u + points[id])) ? static_cast<void>(atomicAdd(u + points[id], 2.0f)) : static_cast<void>(0);
__global__ void listed(float* u, const int* points, int count) {
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id < count) {
    u[points[id]] += 1;
    atomicAdd(u + points[id], 2.0f);
  }
}

// The tiles of other rows are not run.
// CHECK: struct gpurma_launch_{{[0-9]+}}_0 {
// CHECK: static constexpr int gpurma_stored_rows = 2;
// CHECK: ::gpurma::stages::row_threads<1> gpurma_threads;
// CHECK: ::gpurma::stages::stored_tile_rows<2> gpurma_tile_rows;
// CHECK: const ::gpurma::stages::row_thread<1, 1, 256, 1> gpurma_played(gpurma_threads, gpurma_block); if (gpurma_played.exists()) ::gpurma_rows_[[WALLS]]_walls<gpurma_copy>(gpurma_played.thread(), gpurma_played.block(), gpurma_played.block_size(), gpurma_played.grid(), gpurma_played.rows({gpurma_0}), gpurma_0, gpurma_1, gpurma_2);
// CHECK: for (::gpurma::stages::searching_thread<1, 1> gpurma_played(gpurma_threads, gpurma_block); gpurma_played.exists(); gpurma_played.go_on()) ::gpurma_rows_{{[0-9]+}}_listed<gpurma_copy>(gpurma_played.thread(), gpurma_played.block(), gpurma_played.block_size(), gpurma_played.grid(), gpurma_played.rows({gpurma_0}), gpurma_0, gpurma_1, gpurma_2);
// CHECK: threads_of_rows(gpurma_region, 0, {0}, 1u, 3, {{[{][{]}}nullptr, nullptr{{[}][}]}}, dim3((nx + 255) / 256), dim3(256),
// CHECK-NEXT: const dim3 gpurma_grid = ::gpurma::stages::tiles_of(gpurma_region, 0, gpurma_threads);
// CHECK-NEXT: const ::gpurma::stages::stored_tile_rows<2> gpurma_tile_rows = ::gpurma::stages::tile_rows_of(gpurma_region, 0, {0, gpurma_region.rows_of(0) + -1}, gpurma_grid);
// CHECK-NEXT: gpurma_region.launch(gpurma_launch_{{[0-9]+}}_0{{.*}}, gpurma_2, gpurma_tile_rows},
// CHECK: threads_of_rows(gpurma_region, 1, {0}, 1u, 1, {{[{][{]}}gpurma_1, gpurma_0{{[}][}]}}, dim3(
// CHECK: tile_rows_of(gpurma_region, 1, {1, 3}, gpurma_grid);
// CHECK: tile_rows_of(gpurma_region, 2, {static_cast<std::int64_t>(gpurma_3) + 0}, gpurma_grid);
// CHECK: threads_of_rows(gpurma_region, 3, {2}, 3u, 1, {{[{][{]}}nullptr, nullptr{{[}][}]}}, dim3(grid), dim3(square),
// Of the first thread along y, of one along y and z, and of the rows of a line.
// CHECK: threads_of_rows(gpurma_region, 4, {0}, 3u, 1, {{[{][{]}}nullptr, nullptr{{[}][}]}}, dim3(grid), dim3(square),
// CHECK: threads_of_rows(gpurma_region, 5, {0}, 1u, 1,
// CHECK: threads_of_rows(gpurma_region, 6, {3}, 1u, 1,
// Each tile has rows only, and runs all threads.
// CHECK: const ::gpurma::stages::row_threads<1> gpurma_threads = ::gpurma::stages::threads_of_rows(gpurma_region, 7, {0}, 6u, 1,
// CHECK: ::gpurma::stages::stage_plan("point_of_line", {{[^.]*}}, 0, ::gpurma::stages::tile_of_rows(
// PRINT-CHECK: // after InferStages
void run(float* a, float* b, float* c, float* line, int nz, int ny, int nx, int sx, int sy, const int* points, dim3 grid, dim3 square) {
#pragma gpurma persistent distribute(a, b : rows(ny, nx)) distribute(c : rows(nz, ny, nx)) distribute(line : rows(ny))
  {
    // PRINT-CHECK-NEXT: :[[@LINE+1]]: stage walls: rows y of stores into fixed rows; reads u (y -1..1); writes u (own), published (y -1..1)
    walls<<<(nx + 255) / 256, 256>>>(a, nx, ny);
    // PRINT-CHECK-NEXT: :[[@LINE+1]]: stage from_other: rows y of stores into fixed rows; reads u (own); writes u (own), published (y -1..1); reads w (y -1..2)
    from_other<<<(nx + 255) / 256, 256>>>(a, b, nx, 2);
    // PRINT-CHECK-NEXT: :[[@LINE+1]]: stage point: rows y of stores into fixed rows; reads u (own); writes u (own), published (y -1..1)
    point<<<1, 1>>>(a, nx, sx, sy);
    // PRINT-CHECK-NEXT: :[[@LINE+1]]: stage faces: rows z of stores into fixed rows; reads u (z -2..-2); writes u (own), published (z -2..0)
    faces<<<grid, square>>>(c, nx, ny, nz);
    // PRINT-CHECK-NEXT: :[[@LINE+1]]: stage of_first_row: rows y of stores into fixed rows; writes u (own), published (y -1..1)
    of_first_row<<<grid, square>>>(a, nx);
    // PRINT-CHECK-NEXT: :[[@LINE+1]]: stage of_first_thread: rows y of stores into fixed rows; writes u (x whole), published (y -1..1)
    of_first_thread<<<8, 256>>>(a, nx, sy);
    // PRINT-CHECK-NEXT: :[[@LINE+1]]: stage point_of_line: rows x of stores into fixed rows; reads u (own); writes u (own), not published
    point_of_line<<<8, 256>>>(line);
    // PRINT-CHECK-NEXT: :[[@LINE+1]]: stage listed: rows y of stores that are searched for; reads u (x whole); writes u (x whole), published (y -1..1)
    listed<<<2, 32>>>(a, points, 50);
  }
}
int main() {}
