// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is found of copies and fills of distributed arrays, and what they become: stages without a kernel, whose value is cudaSuccess.
// RUN: %gpurmacc_cpu --gpurma-print-after=InferStages --gpurma-emit-source=%t.lowered.cu %s | %filecheck --check-prefix=PRINT-CHECK %s
// RUN: %filecheck --input-file=%t.lowered.cu %s
// RUN: %gpurmacc_cpu -Rgpurma -fsyntax-only %s 2>&1 | %filecheck --check-prefix=REMARK-CHECK %s
#include <gpurma/gpurma.h>

#define CHECK(call) check((call), __LINE__)
void check(cudaError_t error, int line);

__global__ void step(float* out, const float* in, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y > 0 && y < ny)
    out[y * nx + x] = in[(y - 1) * nx + x];
}

// CHECK: struct gpurma_launch_0_1 : ::gpurma::stages::array_copy<1, 4, 4> {
// CHECK-NEXT: static constexpr int gpurma_stage = 1;
// CHECK-NEXT: static constexpr unsigned gpurma_overwrites = 1;
// CHECK-NEXT: static constexpr unsigned gpurma_reads_before = 0;
// CHECK-NEXT: static constexpr unsigned gpurma_reads_after = 0;
// CHECK-NEXT: static constexpr unsigned gpurma_puts_before = 0;
// CHECK-NEXT: static constexpr unsigned gpurma_puts_after = 1;
// CHECK-NEXT: ::gpurma::stages::written_box boxes[] = {{.*}}{1, {0, 0}}, {0, {0, 0}}}, 1, 0}, {}}; return boxes; }
// CHECK-NEXT: };
// CHECK: struct gpurma_launch_0_2 : ::gpurma::stages::array_fill<1, 4, 4> {
// CHECK: static_cast<void>((::gpurma::stages::copy_array<gpurma_launch_0_1>(gpurma_region, 2, a, b, nx * ny * sizeof(float),
// CHECK: cudaError status = ::gpurma::stages::fill_array<gpurma_launch_0_2>(gpurma_region, 2, flip ? b : flux, 0, bytes,
// CHECK: ::gpurma::stages::stage_plan("step", {{[^.]*}}, 1, dim3(block), 0)
// CHECK-SAME: ::gpurma::stages::plan_of_copy("cudaMemcpyAsync", dim3(block), 1, 80u).writes(0, 0, 0, 0, 0, 0).reads(0, 0, 0, 0, 0, 0).with_thread_rows(0, 0, 0, 0)
// CHECK-SAME: ::gpurma::stages::plan_of_copy("cudaMemset", dim3(block), 1, 80u).writes(0, 0, 0, 0, 0, 0).with_thread_rows(0, 0, 0, 0)}, {
// CHECK: ::gpurma::stages::plan_of_copy("cudaMemcpy", ::gpurma::stages::block_of_line(dim3(256)), 2, 558628864u)
// CHECK-SAME: ::gpurma::stages::plan_of_copy("cudaMemset", ::gpurma::stages::block_of_line(dim3(256)), 2, 88u)
// PRINT-CHECK: // after InferStages
void run(float* a, float* b, float* flux, double* cells, double* old, float4* faces, int nz, int ny, int nx, bool flip, cudaStream_t stream, dim3 grid, dim3 block) {
  const size_t bytes = ny * nx * sizeof(float);
#pragma gpurma persistent distribute(a, b, flux : rows(ny, nx))
  for (int i = 0; i < 10; ++i) {
    // Copies do not make rows of 'b' be read as far as those of 'a'.
    // PRINT-CHECK-NEXT: :[[@LINE+1]]: stage step: rows y; writes out (own), not published; reads in (y -1..-1)
    step<<<grid, block>>>(b, a, ny, nx);
    // PRINT-CHECK-NEXT: :[[@LINE+2]]: stage cudaMemcpyAsync: rows y; writes dst (own), published (y -1..0); reads src (own)
    // REMARK-CHECK: :[[@LINE+1]]:11: remark: stage 'cudaMemcpyAsync' reads 'src', writes 'dst' (publishes 1 row to the process after) [gpurma-0217]
    CHECK(cudaMemcpyAsync(a, b, nx * ny * sizeof(float), cudaMemcpyDeviceToDevice, stream));
    // PRINT-CHECK-NEXT: :[[@LINE+2]]: stage cudaMemset: rows y; writes devPtr (own), not published
    // REMARK-CHECK: :[[@LINE+1]]:26: remark: stage 'cudaMemset' writes 'devPtr' (publishes nothing) [gpurma-0217]
    cudaError_t status = cudaMemset(flip ? b : flux, 0, bytes);
    if (status != cudaSuccess)
      return;
  }
#pragma gpurma persistent distribute(cells, old : rows(nz, ny, nx, 3)) distribute(faces : rows(nz, nx))
  {
    // PRINT-CHECK-NEXT: :[[@LINE+1]]: stage cudaMemcpy: rows z; writes dst (own), not published; reads src (own)
    cudaMemcpy(old, cells, 3 * nz * ny * nx * sizeof(double), cudaMemcpyDefault);
    // PRINT-CHECK-NEXT: :[[@LINE+1]]: stage cudaMemset: rows z; writes devPtr (own), not published
    cudaMemset(faces, 0, nz * nx * sizeof *faces);
  }
}

// Of rows, so many tiles, and what is read where behind the last row the first one comes again.
// CHECK: struct gpurma_launch_3_0 : ::gpurma::stages::array_copy<1, 4, 4, false, 1> {
// CHECK-NEXT: static constexpr int gpurma_stage = 0;
// CHECK-NEXT: static constexpr unsigned gpurma_overwrites = 0;
// CHECK-NEXT: static constexpr unsigned gpurma_reads_before = 2;
// CHECK-NEXT: static constexpr unsigned gpurma_reads_after = 0;
// CHECK: struct gpurma_launch_3_3 : ::gpurma::stages::array_fill<1, 4, 4, false, 3> {
// CHECK: ::gpurma::stages::copy_rows<gpurma_launch_3_0>(gpurma_region, 2, u, u + (ny - 2) * nx, nx * sizeof(float), {::gpurma::stages::row_distance::periodic, -2}, {{.*}});
// CHECK: ::gpurma::stages::copy_rows<gpurma_launch_3_1>(gpurma_region, 2, &u[(ny - 1) * nx], v + (ny - 2) * nx, row, {::gpurma::stages::row_distance::exact, -1}, {{.*}});
// CHECK: ::gpurma::stages::copy_rows<gpurma_launch_3_2>(gpurma_region, 2, v, v + k * nx, row, {::gpurma::stages::row_distance::any, 0}, {{.*}});
// CHECK: ::gpurma::stages::fill_rows<gpurma_launch_3_3>(gpurma_region, 2, v + k * nx, 0, 3 * row, {{.*}});
// CHECK: ::gpurma::stages::plan_of_copy("cudaMemcpy", ::gpurma::stages::block_of_line(dim3(256)), 1, 80u).writes(0, 0, 0, 0, 0, 0).reads(0, 0, -2, 0, 0, 0).with_periodic_rows().with_few_rows()
// CHECK-SAME: .reads(0, 0, -1, -1, 0, 0).with_few_rows()
// CHECK-SAME: .reads(0, 0, ::gpurma::stages::whole, ::gpurma::stages::whole, 0, 0).with_few_rows()
// CHECK-SAME: ::gpurma::stages::plan_of_copy("cudaMemset", ::gpurma::stages::block_of_line(dim3(256)), 1, 80u).writes(0, 0, 0, 0, 0, 0).with_few_rows()}
// PRINT-CHECK-NEXT: stage cudaMemcpy: rows y; writes dst (own), published (y -2..0); reads src (y -2..0 periodic); of 1 row
void copy_rows(float* u, float* v, int ny, int nx, int k) {
  size_t row = nx * sizeof(float);
#pragma gpurma persistent distribute(u, v : rows(ny, nx))
  {
    // REMARK-CHECK: :[[@LINE+1]]:5: remark: stage 'cudaMemcpy' reads 'src' with halo 2, periodically, writes 'dst' (publishes 2 rows to the process after) [gpurma-0217]
    cudaMemcpy(u, u + (ny - 2) * nx, nx * sizeof(float), cudaMemcpyDeviceToDevice);
    cudaMemcpy(&u[(ny - 1) * nx], v + (ny - 2) * nx, row, cudaMemcpyDeviceToDevice);
    cudaMemcpy(v, v + k * nx, row, cudaMemcpyDeviceToDevice);
    cudaMemset(v + k * nx, 0, 3 * row);
  }
}
int main() {}
