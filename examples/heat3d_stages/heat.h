// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

template <class T>
__host__ __device__ T next_value(const T* u, const T* before, int i, int row, int plane, T alpha) {
  const T sum = u[i - 1] + u[i + 1] + u[i - row] + u[i + row] + u[i - plane] + u[i + plane];
  return ((1 - 6 * alpha) * before[i] + 2 * alpha * sum) / (1 + 6 * alpha);
}

template <class T>
__global__ void heat(T* after, const T* now, const T* before, T alpha, int nx, int ny, int nz) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  const int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < 1 || x >= nx - 1 || y < 1 || y >= ny - 1 || z < 1 || z >= nz - 1)
    return;
  const int i = (z * ny + y) * nx + x;
  after[i] = next_value(now, before, i, nx, nx * ny, alpha);
}
