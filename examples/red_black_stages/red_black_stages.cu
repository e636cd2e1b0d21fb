// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Red-black Gauss-Seidel for the Laplace equation: two launches of one kernel for each sweep, in
// place, and an end when the largest change is small. The kernel goes through an accessor. The
// pragma makes one persistent kernel of all sweeps.
//
//   mpirun -np 4 red_black_stages --nx 1000 --ny 1000 --steps 100
#include "../common/device_array.h"
#include "../common/options.h"

/// Updates the points of one colour. Changes are not negative, so that their bits are ordered as
/// they are.
__global__ void sweep(float* u, unsigned* largest, int colour, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || x >= nx - 1 || y < 1 || y >= ny - 1 || (x + y) % 2 != colour)
    return;
  const auto at = [=](int dy, int dx) -> float& { return u[(y + dy) * nx + x + dx]; };
  const float value = 0.25f * (at(0, -1) + at(0, 1) + at(-1, 0) + at(1, 0));
  atomicMax(largest, __float_as_uint(fabsf(value - at(0, 0))));
  at(0, 0) = value;
}

/// The bits of 1e-3f.
constexpr unsigned small_change = 0x3a83126f;

int main(int argc, char** argv) {
  int nx = 60, ny = 50, steps = 200;
  options given;
  given.number("nx", nx, 3);
  given.number("ny", ny, 3);
  given.number("steps", steps, 1);
  given.parse(argc, argv);

  std::vector<float> field(static_cast<std::size_t>(nx) * ny, 0.f);
  for (int x = 0; x < nx; ++x)
    field[x] = 1;
  float* u = to_device(field);
  unsigned* largest = nullptr;
  CHECK(cudaMallocManaged(&largest, sizeof(unsigned)));

  const dim3 block(16, 4);
  const dim3 grid((nx + block.x - 1) / block.x, (ny + block.y - 1) / block.y);
  int step = 0;
#pragma gpurma persistent distribute(u : rows(ny, nx)) reduce(max : *largest)
  do {
    *largest = 0;
    for (int colour = 0; colour < 2; ++colour)
      sweep<<<grid, block>>>(u, largest, colour, ny, nx);
    CHECK(cudaDeviceSynchronize());
    ++step;
  } while (step < steps && *largest > small_change);

  float change = 1;
  int expected_step = 0;
  for (; expected_step == 0 || (expected_step < steps && change > 1e-3f); ++expected_step) {
    change = 0;
    for (int colour = 0; colour < 2; ++colour)
      for (int y = 1; y < ny - 1; ++y)
        for (int x = 1; x < nx - 1; ++x) {
          const int i = y * nx + x;
          if ((x + y) % 2 != colour)
            continue;
          const float value = 0.25f * (field[i - 1] + field[i + 1] + field[i - nx] + field[i + nx]);
          change = std::fmax(change, std::fabs(value - field[i]));
          field[i] = value;
        }
  }
  const double error = step == expected_step ? largest_error(u, field) : HUGE_VAL;
  CHECK(cudaFree(u));
  CHECK(cudaFree(largest));
  return report("red_black_stages", step, error, 1e-5);
}
