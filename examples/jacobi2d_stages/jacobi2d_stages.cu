// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Jacobi iteration for the Laplace equation in two dimensions, with the norm of the change in every
// step and an end when it is small: an ordinary program for one GPU, which one pragma makes a
// program for many. Without the pragma it computes the same.
//
//   mpirun -np 4 jacobi2d_stages --nx 1024 --ny 1024 --steps 1000
#include "../common/device_array.h"
#include "../common/options.h"

#include <cmath>
#include <utility>
#include <vector>

constexpr int block_width = 16;
constexpr int block_height = 4;

/// Writes the mean of the four neighbours, and adds the squares of the changes up in *norm.
__global__ void jacobi(double* a_new, const double* a, double* norm, int ny, int nx) {
  __shared__ double sums[block_width * block_height];
  const int ix = blockIdx.x * blockDim.x + threadIdx.x;
  const int iy = blockIdx.y * blockDim.y + threadIdx.y;
  const int thread = threadIdx.y * block_width + threadIdx.x;
  double change = 0;
  if (ix > 0 && ix < nx - 1 && iy > 0 && iy < ny - 1) {
    const int i = iy * nx + ix;
    a_new[i] = 0.25 * (a[i - 1] + a[i + 1] + a[i - nx] + a[i + nx]);
    change = a_new[i] - a[i];
  }
  sums[thread] = change * change;
  for (int half = block_width * block_height / 2; half > 0; half /= 2) {
    __syncthreads();
    if (thread < half)
      sums[thread] += sums[thread + half];
  }
  if (thread == 0)
    atomicAdd(norm, sums[0]);
}

/// A warm upper edge.
std::vector<double> initial_field(int nx, int ny) {
  constexpr double pi = 3.14159265358979323846;
  std::vector<double> field(static_cast<std::size_t>(nx) * ny, 0.0);
  for (int x = 0; x < nx; ++x)
    field[x] = std::sin(pi * x / (nx - 1));
  return field;
}

/// The same on one thread of the host; says how many steps it took.
int reference(std::vector<double>& a, int nx, int ny, int steps, double tolerance) {
  std::vector<double> a_new = a;
  double norm = 1;
  int step = 0;
  for (; step < steps && norm > tolerance; ++step) {
    double sum = 0;
    for (int y = 1; y < ny - 1; ++y)
      for (int x = 1; x < nx - 1; ++x) {
        const std::size_t i = static_cast<std::size_t>(y) * nx + x;
        a_new[i] = 0.25 * (a[i - 1] + a[i + 1] + a[i - nx] + a[i + nx]);
        sum += (a_new[i] - a[i]) * (a_new[i] - a[i]);
      }
    norm = std::sqrt(sum);
    std::swap(a, a_new);
  }
  return step;
}

int main(int argc, char** argv) {
  int nx = 256, ny = 256, steps = 500, digits = 12;
  options given;
  given.number("nx", nx, 3);
  given.number("ny", ny, 3);
  given.number("steps", steps, 1);
  given.number("digits", digits, 1); // the norm that ends the iteration: 10^-digits
  given.parse(argc, argv);
  const double tolerance = std::pow(10.0, -digits);

  std::vector<double> field = initial_field(nx, ny);
  double* a = to_device(field);
  double* a_new = to_device(field);
  double* norm = nullptr;
  CHECK(cudaMallocManaged(&norm, sizeof(double)));

  const dim3 block(block_width, block_height);
  const dim3 grid((nx + block.x - 1) / block.x, (ny + block.y - 1) / block.y);
  double change = 1;
  int step = 0;
#pragma gpurma persistent distribute(a, a_new : rows(ny, nx)) reduce(+ : *norm)
  for (; step < steps && change > tolerance; ++step) {
    *norm = 0;
    jacobi<<<grid, block>>>(a_new, a, norm, ny, nx);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    change = std::sqrt(*norm);
    std::swap(a, a_new);
  }

  const int expected_steps = reference(field, nx, ny, steps, tolerance);
  const double error = step == expected_steps ? largest_error(a, field) : HUGE_VAL;
  for (double* allocation : {a, a_new, norm})
    CHECK(cudaFree(allocation));
  return report("jacobi2d_stages", step, error, 1e-12);
}
