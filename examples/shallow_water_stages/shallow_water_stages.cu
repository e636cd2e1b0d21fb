// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shallow-water equations on a staggered grid with forward-backward time steps: velocities from
// the heights around them, then heights from the velocities around them; the total mass is printed
// now and then by one process. Five arrays, two kernels. The pragma makes one persistent kernel of
// all steps.
//
//   mpirun -np 4 shallow_water_stages --nx 1000 --ny 1000 --steps 100
#include "../common/device_array.h"
#include "../common/options.h"

struct water {
  int nx, ny;
  double gravity, step;
};

__global__ void momentum(double* u, double* v, const double* h, const double* depth, water w) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w.nx || y >= w.ny)
    return;
  const int i = y * w.nx + x;
  // Velocities stand at the left and the lower edge of a cell; those at the coast are zero.
  if (x > 0 && depth[i] > 0)
    u[i] -= w.step * w.gravity * (h[i] - h[i - 1]);
  if (y > 0 && depth[i] > 0)
    v[i] -= w.step * w.gravity * (h[i] - h[i - w.nx]);
}

__global__ void continuity(double* h, const double* u, const double* v, const double* depth,
                           double* mass, water w) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w.nx || y >= w.ny)
    return;
  const int i = y * w.nx + x;
  const double right = x + 1 < w.nx ? u[i + 1] : 0;
  const double above = y + 1 < w.ny ? v[i + w.nx] : 0;
  h[i] -= w.step * depth[i] * (right - u[i] + above - v[i]);
  atomicAdd(mass, h[i]);
}

void reference(std::vector<double>& h, const std::vector<double>& depth, int steps, water w) {
  std::vector<double> u(h.size(), 0.0), v(h.size(), 0.0);
  for (int step = 0; step < steps; ++step) {
    for (int y = 0; y < w.ny; ++y)
      for (int x = 0; x < w.nx; ++x) {
        const int i = y * w.nx + x;
        if (x > 0 && depth[i] > 0)
          u[i] -= w.step * w.gravity * (h[i] - h[i - 1]);
        if (y > 0 && depth[i] > 0)
          v[i] -= w.step * w.gravity * (h[i] - h[i - w.nx]);
      }
    for (int y = 0; y < w.ny; ++y)
      for (int x = 0; x < w.nx; ++x) {
        const int i = y * w.nx + x;
        const double right = x + 1 < w.nx ? u[i + 1] : 0;
        const double above = y + 1 < w.ny ? v[i + w.nx] : 0;
        h[i] -= w.step * depth[i] * (right - u[i] + above - v[i]);
      }
  }
}

int main(int argc, char** argv) {
  int nx = 70, ny = 60, steps = 40;
  options given;
  given.number("nx", nx, 2);
  given.number("ny", ny, 2);
  given.number("steps", steps, 1);
  given.parse(argc, argv);

  const water w{nx, ny, 9.81, 0.01};
  std::vector<double> height(static_cast<std::size_t>(nx) * ny), deep(height.size(), 10.0);
  for (int y = 0; y < ny; ++y)
    for (int x = 0; x < nx; ++x)
      height[y * nx + x] = std::exp(-0.01 * ((x - nx / 3) * (x - nx / 3) + (y - ny / 2) * (y - ny / 2)));
  const std::vector<double> still(height.size(), 0.0);
  double *h = to_device(height), *depth = to_device(deep), *u = to_device(still), *v = to_device(still);
  double* mass = nullptr;
  CHECK(cudaMalloc(&mass, sizeof(double)));
  double total = 0;

  const dim3 block(16, 4);
  const dim3 grid((nx + block.x - 1) / block.x, (ny + block.y - 1) / block.y);
#pragma gpurma persistent distribute(h, u, v, depth : rows(w.ny, w.nx)) reduce(+ : *mass)
  {
    for (int step = 0; step < steps; ++step) {
      momentum<<<grid, block>>>(u, v, h, depth, w);
      CHECK(cudaMemset(mass, 0, sizeof(double)));
      continuity<<<grid, block>>>(h, u, v, depth, mass, w);
      if (step % 20 == 0) {
        CHECK(cudaMemcpy(&total, mass, sizeof(double), cudaMemcpyDeviceToHost));
        printf("step %d, total height %.6f\n", step, total);
      }
    }
  }
  CHECK(cudaDeviceSynchronize());

  double before = 0;
  for (double each : height)
    before += each;
  reference(height, deep, steps, w);
  // Water does not get lost.
  const double error = std::fabs(total - before) < 1e-9 ? largest_error(h, height) : HUGE_VAL;
  for (double* allocation : {h, u, v, depth, mass})
    CHECK(cudaFree(allocation));
  return report("shallow_water_stages", steps, error, 1e-12);
}
