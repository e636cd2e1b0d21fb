// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Horizontal diffusion with a flux limiter, as weather models have it: four kernels for each step,
// each of which reads what others have written, on a field with its rows (y) slowest. The pragma
// makes one persistent kernel of all steps. With two fields, the fluxes of the second one are
// limited by the gradient of the first.
//
//   mpirun -np 4 horizontal_diffusion_stages --nx 128 --ny 128 --nz 80 --steps 100 --fields 2
#include "../common/device_array.h"
#include "../common/options.h"
#include "diffusion.h"

#include <utility>

std::vector<double> initial_field(extents e, int step) {
  std::vector<double> field(static_cast<std::size_t>(e.nx) * e.ny * e.nz);
  for (int y = 0; y < e.ny; ++y)
    for (int z = 0; z < e.nz; ++z)
      for (int x = 0; x < e.nx; ++x)
        field[e.at(x, y, z)] = (x * 7 + y * 13 + z * 5) % 17 + (x > e.nx / step ? 10 : 0);
  return field;
}

/// One step by one thread of the host.
void reference_step(std::vector<double>& out, const std::vector<double>& in,
                    const std::vector<double>& slope, double coefficient, extents e) {
  std::vector<double> lap(in.size(), 0.0), flx(in.size(), 0.0), fly(in.size(), 0.0);
  for (int y = 1; y < e.ny - 1; ++y)
    for (int z = 0; z < e.nz; ++z)
      for (int x = 1; x < e.nx - 1; ++x)
        lap[e.at(x, y, z)] = laplacian(in.data(), e, x, y, z);
  for (int y = 1; y < e.ny - 1; ++y)
    for (int z = 0; z < e.nz; ++z)
      for (int x = 1; x < e.nx - 1; ++x) {
        const int i = e.at(x, y, z), right = e.at(x + 1, y, z), below = e.at(x, y + 1, z);
        flx[i] = x < e.nx - 2 ? limited(lap[right] - lap[i], slope[right] - slope[i]) : 0;
        fly[i] = y < e.ny - 2 ? limited(lap[below] - lap[i], slope[below] - slope[i]) : 0;
      }
  for (int y = 2; y < e.ny - 2; ++y)
    for (int z = 0; z < e.nz; ++z)
      for (int x = 2; x < e.nx - 2; ++x) {
        const int i = e.at(x, y, z);
        out[i] = in[i] -
                 coefficient * (flx[i] - flx[e.at(x - 1, y, z)] + fly[i] - fly[e.at(x, y - 1, z)]);
      }
}

int main(int argc, char** argv) {
  extents e{64, 64, 10};
  int steps = 50, fields = 1;
  options given;
  given.number("nx", e.nx, 5);
  given.number("ny", e.ny, 5);
  given.number("nz", e.nz, 1);
  given.number("steps", steps, 1);
  given.number("fields", fields, 1);
  given.parse(argc, argv);

  const double coefficient = 0.03;
  std::vector<double> field = initial_field(e, 2), second = initial_field(e, 3);
  const std::vector<double> nothing(field.size(), 0.0);
  double *in = to_device(field), *out = to_device(field);
  double *in2 = to_device(second), *out2 = to_device(second);
  double *lap = to_device(nothing), *flx = to_device(nothing), *fly = to_device(nothing);
  const int nx = e.nx, ny = e.ny, nz = e.nz;

  const dim3 block(16, 2, 2);
  const dim3 grid((nx + block.x - 1) / block.x, (nz + block.y - 1) / block.y,
                  (ny + block.z - 1) / block.z);
#pragma gpurma persistent distribute(in, out, in2, out2, lap, flx, fly : rows(e.ny, e.nz, e.nx))
  for (int step = 0; step < steps; ++step) {
    if (fields > 1) {
      diffuse_lap<<<grid, block>>>(lap, in2, e);
      diffuse_flx<<<grid, block>>>(flx, lap, in, e);
      diffuse_fly<<<grid, block>>>(fly, lap, in, e);
      diffuse_out<<<grid, block>>>(out2, flx, fly, in2, coefficient, e);
      std::swap(in2, out2);
    }
    diffuse_lap<<<grid, block>>>(lap, in, e);
    diffuse_flx<<<grid, block>>>(flx, lap, in, e);
    diffuse_fly<<<grid, block>>>(fly, lap, in, e);
    diffuse_out<<<grid, block>>>(out, flx, fly, in, coefficient, e);
    CHECK(cudaGetLastError());
    std::swap(in, out);
  }
  CHECK(cudaDeviceSynchronize());

  std::vector<double> next = field, second_next = second;
  for (int step = 0; step < steps; ++step) {
    if (fields > 1) {
      reference_step(second_next, second, field, coefficient, e);
      std::swap(second, second_next);
    }
    reference_step(next, field, field, coefficient, e);
    std::swap(field, next);
  }
  const double error = std::fmax(largest_error(in, field), largest_error(in2, second));
  for (double* allocation : {in, out, in2, out2, lap, flx, fly})
    CHECK(cudaFree(allocation));
  return report("horizontal_diffusion_stages", steps, error, 1e-9);
}
