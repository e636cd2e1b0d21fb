// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "field.h"

/// The five-point Jacobi iteration of examples/jacobi2d, without a norm, on nx × ny points inside a
/// frame of fixed values. A column is two points wide.
struct jacobi2d {
  static constexpr const char* name = "jacobi2d";
  static constexpr std::size_t dimensions = 2;
  static constexpr int halo = 1;
  static constexpr bool reads_corners = false; ///< Points beside it in the rows above and below.

  int nx;
  int ny;
  int first; ///< Of the process's rows.
  int rows;

  static jacobi2d of(const task& t, section own) {
    return {t.size[0], t.size[1], own.first, own.count};
  }
  static int rows_of(const task& t) { return t.size[1]; }

  /// The points begin at a full line of memory; the frame and some padding are beside them.
  static constexpr int before = 16;
  __host__ __device__ std::size_t row() const {
    return (before + static_cast<std::size_t>(nx) + 1 + 15) / 16 * 16;
  }
  __host__ __device__ int columns() const { return nx / 2; }
  /// So many columns read none of others.
  __host__ __device__ int line() const { return columns(); }
  /// Of a column's left point in its row.
  __host__ __device__ static std::size_t element(int column) {
    return before + 2 * static_cast<std::size_t>(column);
  }

  __host__ __device__ static double mean(double left, double right, double above, double below) {
    return 0.25 * (left + right + above + below);
  }

  /// What element `e` of a row starts with.
  __host__ __device__ double value(std::size_t e, int y) const {
    const int x = static_cast<int>(e) - before;
    const bool in_frame = x >= -1 && x <= nx && y >= -1 && y <= ny;
    return in_frame ? noise(static_cast<std::uint64_t>(y + 1) * (nx + 2) + (x + 1)) : 0.0;
  }

  /// Computes a column of rows first ... first + count - 1. Loads are far ahead of stores, which
  /// the compiler cannot move them across.
  __device__ void update(const double* in, double* out, int column, int first_row,
                         int count) const {
    const std::size_t pitch = row();
    const std::size_t start = (first_row + halo) * pitch + element(column);
    const double* u = in + start;
    double* v = out + start;
    two above = two_at(u - pitch), centre = two_at(u);
    for (; count >= batch; count -= batch)
      advance<batch>(u, v, pitch, above, centre);
    for (; count > 0; --count)
      advance<1>(u, v, pitch, above, centre);
  }

  /// The whole field after some steps, by one thread.
  std::vector<double> reference(int steps) const {
    std::vector<double> u((ny + 2) * row());
    for (std::size_t i = 0; i < u.size(); ++i)
      u[i] = value(i % row(), static_cast<int>(i / row()) - halo);
    std::vector<double> v = u;
    for (; steps > 0; --steps) {
      for (int y = 0; y < ny; ++y) {
        for (int x = 0; x < nx; ++x) {
          const std::size_t i = (y + halo) * row() + before + x;
          v[i] = mean(u[i - 1], u[i + 1], u[i - row()], u[i + row()]);
        }
      }
      std::swap(u, v);
    }
    return u;
  }

  static constexpr int batch = 4; ///< Rows for which a thread's loads are together.
  static constexpr int most_rows = 4; ///< Of a thread in a kernel of one step, on an H200.
  static constexpr int tile_rows = 8; ///< At most, of a tile that a rank takes, on an H200.

private:
  template <int Rows>
  __device__ static void advance(const double*& u, double*& v, std::size_t pitch, two& above,
                                 two& centre) {
    two below[Rows];
    double left[Rows], right[Rows];
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      below[r] = two_at(u + pitch);
      left[r] = u[-1];
      right[r] = u[2];
      u += pitch;
    }
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      two_at(v) = {mean(left[r], centre.second, above.first, below[r].first),
                   mean(centre.first, right[r], above.second, below[r].second)};
      above = centre;
      centre = below[r];
      v += pitch;
    }
  }
};
