// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The text of a region whose arrays have several components: what the runtime is told of them, and that nothing is said of others.
// RUN: %gpurmacc_cpu --gpurma-fuse-launches=none --gpurma-emit-source=- %s | %filecheck %s
// RUN: %gpurmacc_cpu --gpurma-print-after=CollectDirectives -fsyntax-only %s | %filecheck --check-prefix=DIRECTIVE-CHECK %s
// DIRECTIVE-CHECK: persistent distribute(f, g : components(9), rows(ny, nx)) distribute(rho : rows(ny, nx))
// CHECK: struct gpurma_launch_[[R:[0-9]+]]_0
// CHECK: static constexpr ::gpurma::stages::written_box boxes[] = {{[{][{][{][{][}], [{]1, [{]0, 0[}][}], [{]0, [{]0, 0[}][}][}], 0, 1[}], [{][{][}], -1, -1, 1, 1[}][}];}}
// CHECK: struct gpurma_launch_[[R]]_1
// CHECK: static constexpr ::gpurma::stages::written_box boxes[] = {{[{][{][{][{]1, [{]0, 0[}][}], [{]0, [{]0, 0[}][}][}], 0, 0[}], [{][}][}];}}
// CHECK: struct gpurma_launch_[[R]]_2
// CHECK: const ::gpurma::stages::row_thread<1, 1, 64, 1, {{false|true}}, true> gpurma_played(
// CHECK: struct gpurma_launch_[[R]]_3 : ::gpurma::stages::array_copy<1, 4, 4, true> {
// CHECK: ::gpurma::stages::check_rows("g", ny, 2, "wall", {{.*}}::gpurma::stages::array_plan("f", f, ny, nx).with_components(9), ::gpurma::stages::array_plan("g", g, ny, nx).with_components(9), ::gpurma::stages::array_plan("rho", rho, ny, nx)}
#include <gpurma/gpurma.h>

__global__ void spread(float* g, const float* f, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y < 1 || y >= ny - 1)
    return;
  for (int q = 0; q < 9; ++q)
    g[(q * ny + y) * nx + x] = f[(q * ny + y - 1) * nx + x] + f[(q * ny + y + 1) * nx + x];
}
__global__ void density(float* rho, const float* f, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny)
    rho[y * nx + x] = f[y * nx + x] + f[(ny + y) * nx + x];
}
__global__ void wall(float* g, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < nx)
    g[2 * nx * ny + x] = g[4 * nx * ny + nx + x];
}
void run(float* f, float* g, float* rho, int ny, int nx) {
  const dim3 block(32, 8), grid((nx + 31) / 32, (ny + 7) / 8);
#pragma gpurma persistent distribute(f, g : components(9), rows(ny, nx)) distribute(rho : rows(ny, nx))
  for (int i = 0; i < 9; ++i) {
    spread<<<grid, block>>>(g, f, ny, nx);
    density<<<grid, block>>>(rho, g, ny, nx);
    wall<<<(nx + 63) / 64, 64>>>(g, ny, nx);
    cudaMemcpy(f, g, 9 * sizeof(float) * ny * nx, cudaMemcpyDeviceToDevice);
  }
}
