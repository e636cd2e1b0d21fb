// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What InferStages finds, as printed and as remarks, and that the program is right with it: no clause says a halo.
// RUN: %gpurmacc_cpu -Rgpurma --gpurma-print-after=InferStages --gpurma-emit-source=%t.lowered.cu %s > %t.printed 2> %t.remarks
// RUN: %filecheck --input-file=%t.printed --check-prefix=PRINT-CHECK %s
// RUN: %filecheck --input-file=%t.remarks --check-prefix=REMARK-CHECK --implicit-check-not=remark: %s
// RUN: %gpurmacc_cpu --gpurma-emit-source=%t.lowered.cu %s 2>&1 | %filecheck --allow-empty --check-prefix=SILENT-CHECK %s
// SILENT-CHECK-NOT: remark:
// RUN: %gpurmacc_cpu --show -Rgpurma -c %s -o %t.o | %filecheck --check-prefix=SHOW-CHECK %s
// SHOW-CHECK: -Rgpurma
// RUN: %gpurmacc_cpu %s -o %t && %t && %mpirun -n 3 %t
#include <gpurma/gpurma.h>

#include <cstdio>
#include <utility>
#include <vector>

__global__ void blur(const float* in, float* out, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || x >= nx - 1 || y < 2 || y >= ny - 1)
    return;
  const int i = y * nx + x;
  out[i] = 0.25f * (in[i - 1] + in[i + 1] + in[i - 2 * nx] + in[i + nx]);
}

template <int Radius> __global__ void average(const float* in, float* out, int n, int width) {
  int x = threadIdx.x + blockIdx.x * blockDim.x, y = threadIdx.y + blockIdx.y * blockDim.y;
  if (x >= width || y >= n)
    return;
  auto at = [=](int row) { return in[min(max(row, 0), n - 1) * width + x]; };
  float sum = 0;
  for (int k = -Radius; k <= Radius; ++k)
    sum += at(y + k);
  out[y * width + x] = sum / (2 * Radius + 1);
}

__global__ void largest(const float* in, int* most, int ny, int nx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny)
    atomicMax(most, static_cast<int>(1000 * in[y * nx + x]));
}

// PRINT-CHECK: // after InferStages
int main() {
  const int nx = 70, ny = 61;
  std::vector<float> start(nx * ny), expected, other;
  for (int i = 0; i < nx * ny; ++i)
    start[i] = static_cast<float>(i * 7919 % 101);
  float *a, *b;
  int* most;
  cudaMalloc(&a, start.size() * sizeof(float));
  cudaMalloc(&b, start.size() * sizeof(float));
  cudaMallocManaged(&most, sizeof(int));
  cudaMemcpy(a, start.data(), start.size() * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(b, start.data(), start.size() * sizeof(float), cudaMemcpyHostToDevice);
  const dim3 block(16, 4), grid((nx + 15) / 16, (ny + 3) / 4);
  *most = 0;
#pragma gpurma persistent distribute(a, b : rows(ny, nx)) reduce(max : *most)
  for (int i = 0; i < 5; ++i) {
    // PRINT-CHECK-NEXT: infer-stages.cu:[[@LINE+2]]: stage blur: rows y; reads in (x -1..1, y -2..1) along axes; writes out (own), published (y -3..3)
    // REMARK-CHECK: :[[@LINE+1]]:5: remark: stage 'blur' reads 'in' with halo 2, writes 'out' (publishes 3 rows to the process before, 3 to the one after) [gpurma-0217]
    blur<<<grid, block>>>(a, b, ny, nx);
    std::swap(a, b);
    // PRINT-CHECK-NEXT: infer-stages.cu:[[@LINE+2]]: stage average: rows y; reads in (y -3..3); writes out (own), published (y -3..3)
    // REMARK-CHECK: :[[@LINE+1]]:5: remark: stage 'average' reads 'in' with halo 3, writes 'out' (publishes 3 rows to the process before, 3 to the one after) [gpurma-0217]
    average<3><<<grid, block>>>(a, b, ny, nx);
    std::swap(a, b);
    // PRINT-CHECK-NEXT: infer-stages.cu:[[@LINE+2]]: stage largest: rows y; reads in (own); maximum in *most; *most first in each thread
    // REMARK-CHECK: :[[@LINE+1]]:5: remark: stage 'largest' reads 'in', reduces '*most' (first in each thread) [gpurma-0217]
    largest<<<grid, block>>>(a, most, ny, nx);
  }

  std::vector<float> u = start, v = start;
  int expected_most = 0;
  for (int i = 0; i < 5; ++i) {
    for (int y = 2; y < ny - 1; ++y)
      for (int x = 1; x < nx - 1; ++x) {
        const int j = y * nx + x;
        v[j] = 0.25f * (u[j - 1] + u[j + 1] + u[j - 2 * nx] + u[j + nx]);
      }
    std::swap(u, v);
    for (int y = 0; y < ny; ++y)
      for (int x = 0; x < nx; ++x) {
        float sum = 0;
        for (int k = -3; k <= 3; ++k)
          sum += u[std::min(std::max(y + k, 0), ny - 1) * nx + x];
        v[y * nx + x] = sum / 7;
      }
    std::swap(u, v);
    for (int j = 0; j < nx * ny; ++j)
      expected_most = std::max(expected_most, static_cast<int>(1000 * u[j]));
  }
  std::vector<float> result(start.size());
  cudaMemcpy(result.data(), a, result.size() * sizeof(float), cudaMemcpyDeviceToHost);
  const bool good = result == u && *most == expected_most;
  std::printf("%s: %d, expected %d\n", good ? "right" : "wrong", *most, expected_most);
  return good ? 0 : 1;
}
