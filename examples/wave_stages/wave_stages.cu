// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The acoustic wave equation in three dimensions, eighth order in space (radius 4, 25 points) and
// second in time. The new field takes the place of the one before the last. The pragma makes one
// persistent kernel of all steps.
//
//   mpirun -np 4 wave_stages --n 256 --steps 100
#include "../common/device_array.h"
#include "../common/options.h"

#include <utility>

constexpr int radius = 4;
struct coefficients {
  float c[radius + 1] = {-205.f / 72, 8.f / 5, -1.f / 5, 8.f / 315, -1.f / 560};
};

__host__ __device__ inline float laplacian(const float* u, int i, int row, int plane,
                                           const coefficients& k) {
  float sum = 3 * k.c[0] * u[i];
  for (int r = 1; r <= radius; ++r)
    sum += k.c[r] * (u[i - r] + u[i + r] + u[i - r * row] + u[i + r * row] + u[i - r * plane] +
                     u[i + r * plane]);
  return sum;
}

__global__ void wave(float* u_old, const float* u, coefficients k, float courant, int nx, int ny,
                     int nz) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  const int z = blockIdx.z * blockDim.z + threadIdx.z;
  const auto inside = [](int i, int n) { return i >= radius && i < n - radius; };
  if (!inside(x, nx) || !inside(y, ny) || !inside(z, nz))
    return;
  const int i = (z * ny + y) * nx + x;
  u_old[i] = 2 * u[i] - u_old[i] + courant * laplacian(u, i, nx, nx * ny, k);
}

int main(int argc, char** argv) {
  int n = 40, steps = 20;
  options given;
  given.number("n", n, 2 * radius + 1);
  given.number("steps", steps, 1);
  given.parse(argc, argv);

  const int nx = n, ny = n - 2, nz = n + 5;
  const float courant = 0.1f;
  const coefficients k;
  std::vector<float> field(static_cast<std::size_t>(nx) * ny * nz, 0.f);
  field[(nz / 2 * ny + ny / 2) * nx + nx / 2] = 1;
  float *u = to_device(field), *u_old = to_device(field);

  const dim3 block(8, 8, 2);
  const dim3 grid((nx + block.x - 1) / block.x, (ny + block.y - 1) / block.y,
                  (nz + block.z - 1) / block.z);
#pragma gpurma persistent distribute(u, u_old : rows(nz, ny, nx))
  for (int step = 0; step < steps; ++step) {
    wave<<<grid, block>>>(u_old, u, k, courant, nx, ny, nz);
    std::swap(u, u_old);
  }
  CHECK(cudaDeviceSynchronize());

  std::vector<float> v = field, v_old = field;
  for (int step = 0; step < steps; ++step) {
    for (int z = radius; z < nz - radius; ++z)
      for (int y = radius; y < ny - radius; ++y)
        for (int x = radius; x < nx - radius; ++x) {
          const int i = (z * ny + y) * nx + x;
          v_old[i] = 2 * v[i] - v_old[i] + courant * laplacian(v.data(), i, nx, nx * ny, k);
        }
    v.swap(v_old);
  }
  const double error = largest_error(u, v);
  CHECK(cudaFree(u));
  CHECK(cudaFree(u_old));
  return report("wave_stages", steps, error, 1e-4);
}
