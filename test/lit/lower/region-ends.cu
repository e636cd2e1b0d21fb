// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plan says which columns a boundary's launch touches, so that ranks without any of them do not wait for it.
// RUN: %gpurmacc_cpu --gpurma-emit-source=%t.lowered.cu %s
// RUN: %filecheck --input-file=%t.lowered.cu %s

__global__ void stencil(float *out, const float *in, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= 1 && x < nx - 1 && y >= 1 && y < ny - 1)
    out[y * nx + x] = in[y * nx + x - 1] + in[y * nx + x + 1] + in[(y - 1) * nx + x] + in[(y + 1) * nx + x];
}

__global__ void left_and_right(float *u, int nx, int ny) {
  const int y = blockIdx.x * blockDim.x + threadIdx.x;
  if (y < ny) {
    u[y * nx] = u[y * nx + 1];
    u[y * nx + nx - 1] = u[y * nx + nx - 3];
  }
}

__global__ void right(float *u, int nx, int ny) {
  const int y = blockIdx.x * blockDim.x + threadIdx.x;
  if (y < ny)
    u[y * nx + nx - 1] = u[y * nx + nx - 2];
}

__global__ void at(float *u, int column, int nx, int ny) {
  const int y = blockIdx.x * blockDim.x + threadIdx.x;
  if (y < ny)
    u[y * nx + column] = 1;
}

// Of a space: faces along x, which the grid walks in y and z, and along y, which it walks in x and z.
__global__ void x_faces(float *u, int nx, int ny, int nz) {
  const int y = blockIdx.x * blockDim.x + threadIdx.x, z = blockIdx.y * blockDim.y + threadIdx.y;
  if (y < ny && z < nz) {
    u[(z * ny + y) * nx] = u[(z * ny + y) * nx + 1];
    u[(z * ny + y) * nx + nx - 1] = u[(z * ny + y) * nx + nx - 2];
  }
}

__global__ void y_faces(float *u, int nx, int ny, int nz) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, z = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && z < nz) {
    u[z * ny * nx + x] = u[(z * ny + 1) * nx + x];
    u[(z * ny + ny - 1) * nx + x] = u[(z * ny + ny - 2) * nx + x];
  }
}

// Neighbouring processes get the columns that are written, not those that are only read.
// CHECK: struct gpurma_launch_{{[0-9]+}}_1
// CHECK: written_box boxes[] = {{[{][{][{][{]}}0, {0, 0}}, {-1, {}, {1, 1}}}, {{.*}}}; return boxes; }
// CHECK: struct gpurma_launch_{{[0-9]+}}_2
// CHECK: written_box boxes[] = {{[{][{][{][{]}}0, {0, 0}}, {-1, {}, {0, 1}}}, {{.*}}}; return boxes; }
// CHECK: struct gpurma_launch_{{[0-9]+}}_3
// CHECK: written_box boxes[] = {{[{][{][{][{]}}0, {0, 0}}, {}}, {{.*}}}; return boxes; }
// CHECK: stage_plan({{"left_and_right".*}}.touches_ends({{1}}, 2, 3), ::gpurma::stages::stage_plan("right",
// CHECK-SAME: .touches_ends({{1}}, 0, 2), ::gpurma::stages::stage_plan("at",
// CHECK-SAME: .with_renumbered_threads(dim3(block))}, {::gpurma::stages::array_plan("a",
void plane(float *a, float *b, int nx, int ny, int steps) {
  const dim3 block(32, 8), grid((nx + 31) / 32, (ny + 7) / 8);
#pragma gpurma persistent distribute(a, b : rows(ny, nx))
  for (int k = 0; k < steps; ++k) {
    stencil<<<grid, block>>>(b, a, nx, ny);
    left_and_right<<<(ny + 255) / 256, 256>>>(b, nx, ny);
    right<<<(ny + 255) / 256, 256>>>(b, nx, ny);
    at<<<(ny + 255) / 256, 256>>>(b, k, nx, ny);
  }
}

// CHECK: stage_plan({{"x_faces".*}}.touches_ends({{2}}, 2, 2), ::gpurma::stages::stage_plan("y_faces",
// CHECK-SAME: .touches_ends({{1}}, 2, 2)}, {::gpurma::stages::array_plan("u",
void space(float *u, int nx, int ny, int nz, int steps) {
  const dim3 block(32, 8);
#pragma gpurma persistent distribute(u : rows(nz, ny, nx))
  for (int k = 0; k < steps; ++k) {
    x_faces<<<dim3((ny + 31) / 32, (nz + 7) / 8), block>>>(u, nx, ny, nz);
    y_faces<<<dim3((nx + 31) / 32, (nz + 7) / 8), block>>>(u, nx, ny, nz);
  }
}
