// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lattice Boltzmann method with nine populations (D2Q9, BGK): Taylor-Green vortices, which
// viscosity slows down, in a box that goes on periodically. The populations lie one behind the
// other, `f[q * nx * ny + y * nx + x]`, so that threads next to each other read what is next to
// each other. `components(9)` says so; the pragma makes one persistent kernel of all steps.
//
//   mpirun -np 4 lattice_boltzmann_stages --nx 1024 --ny 1024 --steps 100
#include "../common/device_array.h"
#include "../common/options.h"

#include <utility>

constexpr int populations = 9;
// Where populations go in a step, and how much of a fluid at rest they have.
__host__ __device__ constexpr int direction_x(int q) {
  constexpr int table[populations] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
  return table[q];
}
__host__ __device__ constexpr int direction_y(int q) {
  constexpr int table[populations] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
  return table[q];
}
__host__ __device__ constexpr double weight(int q) {
  return q == 0 ? 4. / 9 : q < 5 ? 1. / 9 : 1. / 36;
}

struct box {
  int nx, ny;
  double relaxation; // rate at which populations come to their equilibrium
};

__host__ __device__ inline double equilibrium(int q, double density, double ux, double uy) {
  const double along = 3 * (direction_x(q) * ux + direction_y(q) * uy);
  return weight(q) * density * (1 + along + along * along / 2 - 1.5 * (ux * ux + uy * uy));
}

// What of the velocity's energy is at a point.
__host__ __device__ inline double energy_of(const double* f, std::size_t i, std::size_t points) {
  double density = 0, mx = 0, my = 0;
  for (int q = 0; q < populations; ++q) {
    density += f[q * points + i];
    mx += direction_x(q) * f[q * points + i];
    my += direction_y(q) * f[q * points + i];
  }
  return (mx * mx + my * my) / density / 2;
}

// A point gets populations from those around it, and lets them collide.
__host__ __device__ inline void stream_and_collide(double* next, const double* f, int x, int y,
                                                   const box& b) {
  double here[populations];
  double density = 0, mx = 0, my = 0;
  for (int q = 0; q < populations; ++q) {
    const int from_x = (x - direction_x(q) + b.nx) % b.nx;
    const int from_y = (y - direction_y(q) + b.ny) % b.ny;
    here[q] = f[(q * b.ny + from_y) * b.nx + from_x];
    density += here[q];
    mx += direction_x(q) * here[q];
    my += direction_y(q) * here[q];
  }
  for (int q = 0; q < populations; ++q)
    next[(q * b.ny + y) * b.nx + x] =
        here[q] + b.relaxation * (equilibrium(q, density, mx / density, my / density) - here[q]);
}

__global__ void step(double* next, const double* f, box b) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < b.nx && y < b.ny)
    stream_and_collide(next, f, x, y, b);
}

__global__ void totals(const double* f, double* mass, double* energy, int points) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= points)
    return;
  for (int q = 0; q < populations; ++q)
    atomicAdd(mass, f[q * points + i]);
  atomicAdd(energy, energy_of(f, i, points));
}

int main(int argc, char** argv) {
  int nx = 64, ny = 60, steps = 40;
  options given;
  given.number("nx", nx, 8);
  given.number("ny", ny, 8);
  given.number("steps", steps, 1);
  given.parse(argc, argv);

  const box b{nx, ny, 1.25};
  const int points = b.nx * b.ny;
  const double kx = 2 * M_PI / nx, ky = 2 * M_PI / ny, speed = 0.02;
  std::vector<double> start(static_cast<std::size_t>(populations) * points);
  for (int y = 0; y < ny; ++y)
    for (int x = 0; x < nx; ++x) {
      const double ux = -speed * std::sqrt(ky / kx) * std::cos(kx * x) * std::sin(ky * y);
      const double uy = speed * std::sqrt(kx / ky) * std::sin(kx * x) * std::cos(ky * y);
      for (int q = 0; q < populations; ++q)
        start[(q * ny + y) * nx + x] = equilibrium(q, 1, ux, uy);
    }
  double *f = to_device(start), *next = to_device(start);
  double *mass = nullptr, *energy = nullptr;
  CHECK(cudaMallocManaged(&mass, sizeof(double)));
  CHECK(cudaMallocManaged(&energy, sizeof(double)));

  const dim3 block(32, 4);
  const dim3 grid((nx + block.x - 1) / block.x, (ny + block.y - 1) / block.y);
#pragma gpurma persistent distribute(f, next : components(populations), rows(b.ny, b.nx))          \
    reduce(+ : *mass, *energy)
  for (int n = 0; n < steps; ++n) {
    step<<<grid, block>>>(next, f, b);
    std::swap(f, next);
    if (n % 20 == 0 || n + 1 == steps) {
      *mass = *energy = 0;
      totals<<<(points + 127) / 128, 128>>>(f, mass, energy, points);
      CHECK(cudaDeviceSynchronize());
      if (n % 20 == 0)
        printf("step %d, mass %.6f, energy %.6e\n", n, *mass, *energy);
    }
  }
  CHECK(cudaDeviceSynchronize());

  std::vector<double> expected = start, other = start;
  double first_energy = 0;
  for (int i = 0; i < points; ++i)
    first_energy += energy_of(start.data(), i, points);
  for (int n = 0; n < steps; ++n) {
    for (int y = 0; y < ny; ++y)
      for (int x = 0; x < nx; ++x)
        stream_and_collide(other.data(), expected.data(), x, y, b);
    other.swap(expected);
  }
  const double error = largest_error(f, expected);
  // Mass stays, and viscosity takes of the energy what the Navier-Stokes equations say.
  const double viscosity = (1 / b.relaxation - 0.5) / 3;
  const double left = std::exp(-2 * viscosity * (kx * kx + ky * ky) * steps);
  const bool decays = std::fabs(*energy / first_energy / left - 1) < 0.02;
  const bool keeps_mass = std::fabs(*mass / points - 1) < 1e-9;
  if (!decays || !keeps_mass)
    std::fprintf(stderr, "mass per point %.12f, energy left %.6f, expected %.6f\n", *mass / points,
                 *energy / first_energy, left);
  CHECK(cudaFree(f));
  CHECK(cudaFree(next));
  CHECK(cudaFree(mass));
  CHECK(cudaFree(energy));
  const int result = report("lattice_boltzmann_stages", steps, error, 1e-12);
  return decays && keeps_mass ? result : EXIT_FAILURE;
}
