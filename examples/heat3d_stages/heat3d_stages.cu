// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The heat equation in three dimensions with seven points and the Leapfrog/DuFort-Frankel scheme,
// which needs the two steps before: three buffers that change their roles in every step. The kernel
// is a template in a header. The pragma makes one persistent kernel of all steps.
//
//   mpirun -np 4 heat3d_stages --n 256 --steps 100
#include "../common/device_array.h"
#include "../common/options.h"
#include "heat.h"

int main(int argc, char** argv) {
  int n = 48, steps = 40;
  options given;
  given.number("n", n, 3);
  given.number("steps", steps, 1);
  given.parse(argc, argv);

  const int nx = n, ny = n - 1, nz = n + 3;
  const float alpha = 0.1f;
  std::vector<float> u(static_cast<std::size_t>(nx) * ny * nz);
  for (std::size_t i = 0; i < u.size(); ++i)
    u[i] = static_cast<float>(i % 31);
  float *before = to_device(u), *now = to_device(u), *after = to_device(u);

  const dim3 block(16, 4, 2);
  const dim3 grid((nx + block.x - 1) / block.x, (ny + block.y - 1) / block.y,
                  (nz + block.z - 1) / block.z);
#pragma gpurma persistent distribute(before, now, after : rows(nz, ny, nx))
  for (int step = 0; step < steps; ++step) {
    heat<<<grid, block>>>(after, now, before, alpha, nx, ny, nz);
    float* const oldest = before;
    before = now;
    now = after;
    after = oldest;
  }
  CHECK(cudaDeviceSynchronize());

  std::vector<float> v = u, w = u;
  for (int step = 0; step < steps; ++step) {
    for (int z = 1; z < nz - 1; ++z)
      for (int y = 1; y < ny - 1; ++y)
        for (int x = 1; x < nx - 1; ++x) {
          const int i = (z * ny + y) * nx + x;
          w[i] = next_value(v.data(), u.data(), i, nx, nx * ny, alpha);
        }
    u.swap(v);
    v.swap(w);
  }
  const double error = largest_error(now, v);
  for (float* allocation : {before, now, after})
    CHECK(cudaFree(allocation));
  return report("heat3d_stages", steps, error, 1e-4);
}
