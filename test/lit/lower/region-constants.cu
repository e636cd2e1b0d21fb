// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The region compares what its kernels are taken to have in constant memory: the variables that they use in integers, once each.
// RUN: %lower_cpu %s | %filecheck %s

struct sizes {
  float factor;
  int nx, ny, unused;
};
namespace problem {
__constant__ sizes size;
}
__constant__ int away[2];
__constant__ int twice = 2; // known without a check
__constant__ int elements, other;

__global__ void k(float* g, const float* f) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < problem::size.nx && y > 0 && y < problem::size.ny - twice)
    g[y * problem::size.nx + x] = problem::size.factor * f[(y + away[1]) * problem::size.nx + x];
}
__global__ void in_line(float* g, const float* f) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < elements)
    g[i] += f[i];
}

void run(float* f, float* g, int nx, int rows, int steps) {
  sizes s = {0.5f, nx, rows + 1, nx};
  const int table[] = {0, 1}, n = nx * (rows + 1);
  cudaMemcpyToSymbol(problem::size, &s, sizeof s);
  cudaMemcpyToSymbol(away, table, sizeof table);
  cudaMemcpyToSymbol(elements, &n, sizeof n);
  cudaMemcpyToSymbol(other, &n, sizeof n);
#pragma gpurma persistent distribute(f, g : rows(rows + 1, nx))
  for (int t = 0; t < steps; ++t) {
    k<<<dim3(nx / 16, rows / 16), dim3(16, 16)>>>(g, f);
    in_line<<<n / 256, 256>>>(f, g);
    k<<<dim3(nx / 16, rows / 16), dim3(16, 16)>>>(f, g);
  }
}
// CHECK-NOT: check_constant<
// CHECK: ::gpurma::stages::check_constant<int>("size.nx", ::problem::size, 4, {static_cast<long long>(nx)}, ::gpurma::site{{[{]}}
// CHECK-SAME: ::gpurma::stages::check_constant<int>("size.ny", ::problem::size, 8, {static_cast<long long>(rows + 1)}, ::gpurma::site{{[{]}}
// CHECK-SAME: ::gpurma::stages::check_constant<int>("away", ::away, 0, {0, 1}, ::gpurma::site{{[{]}}
// CHECK-SAME: ::gpurma::stages::check_constant<int>("elements", ::elements, 0, {static_cast<long long>(rows + 1) * static_cast<long long>(nx)}, ::gpurma::site{{[{]}}
// CHECK-NOT: check_constant<
