// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

/// The size of the field: ny rows of nz lines of nx values, one after the other.
struct extent {
  int nx;
  int ny;
  int nz;
  __host__ __device__ std::size_t row() const { return static_cast<std::size_t>(nx) * nz; }
};

/// What point (i, j, k) starts with: waves, a disc with a sharp edge, and speckles of 3 × 3 points
/// that the diffusion has to remove without touching the rest.
inline double initial_value(int i, int j, int k, extent field) {
  const double x = (i + 0.5) / field.nx;
  const double y = (j + 0.5) / field.ny;
  const double waves = std::sin(9.0 * x + 0.3 * k) * std::cos(7.0 * y - 0.2 * k);
  const double disc = std::hypot(x - 0.6, y - 0.4) < 0.2 ? 0.8 : 0.0;
  std::uint32_t hash = (i / 3) * 0x9e3779b1u ^ (j / 3) * 0x85ebca77u ^ k * 0xc2b2ae3du;
  hash = (hash ^ hash >> 15) * 0x2c1b3c6du;
  hash = (hash ^ hash >> 12) * 0x297a2d39u;
  const double speckle = (hash >> 8) / double(1 << 24) - 0.5;
  return waves + disc + 0.7 * speckle;
}

/// Rows first … first + count - 1 of the initial field.
inline std::vector<double> initial_rows(int first, int count, extent field) {
  std::vector<double> values;
  values.reserve(count * field.row());
  for (int j = first; j < first + count; ++j)
    for (int k = 0; k < field.nz; ++k)
      for (int i = 0; i < field.nx; ++i)
        values.push_back(initial_value(i, j, k, field));
  return values;
}

/// The mean square deviation from the mean. Diffusion makes it smaller.
inline double variance(const double* values, std::size_t size) {
  double sum = 0, squares = 0;
  for (std::size_t p = 0; p < size; ++p)
    sum += values[p];
  const double mean = sum / size;
  for (std::size_t p = 0; p < size; ++p)
    squares += (values[p] - mean) * (values[p] - mean);
  return squares / size;
}
