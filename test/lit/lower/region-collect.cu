// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays that are collected: what is found of kernels that store into them, and what these become.
// RUN: %gpurmacc_cpu -Rgpurma --gpurma-print-after=InferStages --gpurma-emit-source=%t.lowered.cu %s 2>&1 | %filecheck --check-prefix=PRINT-CHECK %s
// RUN: %filecheck --input-file=%t.lowered.cu %s
#include <gpurma/gpurma.h>

// CHECK: template <unsigned gpurma_copy, class gpurma_type_2> {{.*}} gpurma_stage_{{[0-9]+}}_step({{.*}}, gpurma_type_2 gpurma_part_2, float *v, const float *u, float *trace, {{.*}}) { static_cast<void>(trace); { {{\[\[}}maybe_unused]] const auto trace = gpurma_part_2;
__global__ void step(float *v, const float *u, float *trace, int t, int ry, int rx, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny)
    return;
  v[y * nx + x] = u[y * nx + x];
  if (y == ry && x == rx)
    trace[t] = v[y * nx + x];
}
// CHECK: gpurma_rows.have(u[ry * nx + rx]) ? static_cast<void>(trace[t] = u[ry * nx + rx]) : static_cast<void>(0);
__global__ void point(float *trace, const float *u, int t, int ry, int rx, int nx) {
  if (threadIdx.x == 0 && blockIdx.x == 0)
    trace[t] = u[ry * nx + rx];
}
// Columns are kept in their rows.
__global__ void row(float *trace, const float *u, int depth, int nx) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < nx)
    trace[r] = u[depth * nx + r];
}
// CHECK: const float here = ::gpurma::stages::value_if(gpurma_rows.have(u[ry * nx + rx]), [&] { return u[ry * nx + rx]; });
// CHECK-NEXT: gpurma_rows.have(u[ry * nx + rx]) ? static_cast<void>(trace[t] = 0.5f * here + 0.5f * u[(ry + 1) * nx + rx]) : static_cast<void>(0);
__global__ void between(float *trace, const float *u, int t, int i, int ry, int rx, int nx) {
  const float here = u[ry * nx + rx];
  trace[t] = 0.5f * here + 0.5f * u[(ry + 1) * nx + rx];
}
// CHECK: gpurma_rows.have(v[points[r]]) ? static_cast<void>(trace[r] = v[points[r]]) : static_cast<void>(0);
__global__ void table(float *trace, const float *u, const float *v, const int *points, int n) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < n)
    trace[r] = v[points[r]];
}
__global__ void column(float *trace, const float *u, int ny, int nx) {
  int y = blockIdx.x * blockDim.x + threadIdx.x;
  if (y < ny)
    trace[y] = u[y * nx + 3];
}
// A source and a receiver.
// CHECK: gpurma_rows.have(u[source]) ? static_cast<void>(u[source] += 1) : static_cast<void>(0);
// CHECK-NEXT: gpurma_rows.have(u[ry * nx + 1]) ? static_cast<void>(trace[t] = u[ry * nx + 1]) : static_cast<void>(0);
__global__ void both(float *u, float *trace, int t, int source, int ry, int nx) {
  if (threadIdx.x == 0 && blockIdx.x == 0) {
    u[source] += 1;
    trace[t] = u[ry * nx + 1];
  }
}

// CHECK: ::gpurma::stages::collected_plan gpurma_collected[2];
// CHECK: struct gpurma_launch_{{[0-9]+}}_0 {
// CHECK: ::gpurma::stages::collected_pointer<float> gpurma_2;
// CHECK: _step<gpurma_copy>(gpurma_block, dim3{{.*}}, gpurma_2, gpurma_0, gpurma_1, gpurma_2.data, gpurma_3,
// The tiles of a row that is known, if its columns are in it.
// CHECK: struct gpurma_launch_{{[0-9]+}}_1 {
// CHECK: static constexpr int gpurma_stored_rows = 0;
// CHECK: gpurma_played.rows({gpurma_1}), gpurma_0, gpurma_0.data, gpurma_1,
// CHECK: struct gpurma_launch_{{[0-9]+}}_2 {
// CHECK: static constexpr int gpurma_stored_rows = 1;
// CHECK: struct gpurma_launch_{{[0-9]+}}_4 {
// CHECK: static constexpr int gpurma_stored_rows = 0;
// CHECK: const ::gpurma::stages::collected_pointer<float> gpurma_2 = ::gpurma::stages::collected_at(gpurma_values.gpurma_collected[0], trace);
// CHECK: threads_of_rows(gpurma_region, 1, {0}, 1u, 1,
// CHECK: ::gpurma::stages::collected_at(gpurma_values.gpurma_collected[1], lines + t * nx);
// CHECK: tile_rows_of(gpurma_region, 2, {static_cast<std::int64_t>(gpurma_2) + 0}, gpurma_grid);
// CHECK: ::gpurma::stages::collected_at(gpurma_values.gpurma_collected[0], &trace[t]);
// CHECK: gpurma_values.gpurma_collected[0] = ::gpurma::stages::collected_plan("trace", trace, steps); gpurma_values.gpurma_collected[1] = ::gpurma::stages::collected_plan("lines", lines, steps * nx);
// CHECK-SAME: check_undistributed(::gpurma::stages::memory_at("points", points), gpurma_plan, ::gpurma::site{{[^}]*}}}, gpurma_values.gpurma_collected, 2);
// CHECK-SAME: ::gpurma::stages::run({{.*}}, gpurma_values, gpurma_plan, {{.*}}, gpurma_values.gpurma_collected, 2);

// PRINT-CHECK: remark: stage 'step' reads 'v', reads 'u', writes 'v' (publishes 1 row to the process before), collects 'trace' [gpurma-0217]
// PRINT-CHECK: remark: stage 'point' reads 'u', collects 'trace' [gpurma-0217]
// PRINT-CHECK: stage step: rows y; reads v (own); writes v (own), published (y 0..1); reads u (own); collects trace
// PRINT-CHECK: stage point: rows y of stores into fixed rows; reads u (x whole); collects trace
// PRINT-CHECK: stage row: rows y of stores into fixed rows; reads u (x whole); collects trace
// PRINT-CHECK: stage between: rows y of stores into fixed rows; reads u (x whole, y 0..1); collects trace
// PRINT-CHECK: stage table: rows y of stores into fixed rows; reads v (x whole); collects trace
// PRINT-CHECK: stage column: rows x; reads u (own); in blocks of another size; collects trace
// PRINT-CHECK: stage both: rows y of stores into fixed rows; reads u (x whole); writes u (x whole), published (y 0..1); collects trace
void run(float *u, float *v, float *trace, float *lines, const int *points, int steps, int ry, int rx, int ny, int nx) {
#pragma gpurma persistent distribute(u, v : rows(ny, nx)) collect(trace : steps) collect(lines : steps * nx)
  for (int t = 0; t < steps; ++t) {
    step<<<dim3(nx / 8, ny / 8), dim3(8, 8)>>>(v, u, trace, t, ry, rx, ny, nx);
    point<<<1, 32>>>(trace, v, t, ry, rx, nx);
    row<<<nx / 64, 64>>>(lines + t * nx, v, ry, nx);
    between<<<1, 1>>>(&trace[t], v, 0, 0, ry, rx, nx);
    table<<<1, 32>>>(lines, v, u, points, 32);
    column<<<ny / 32, 32>>>(lines, v, ny, nx);
    both<<<1, 1>>>(v, trace, t, steps, ry, nx);
  }
}
