// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../examples/horizontal_diffusion/stencils.h"
#include "field.h"

/// The four stencils of examples/horizontal_diffusion in one: lap, fli and flj are computed where
/// they are needed and never stored, so that a step reads `in` up to two rows away and writes
/// `out`. A column is two points along i in one level; the field is ny rows of nz lines of nx.
struct horizontal_diffusion {
  static constexpr const char* name = "horizontal_diffusion";
  static constexpr std::size_t dimensions = 3;
  static constexpr int halo = 2;
  static constexpr bool reads_corners = true; ///< Points beside it in the rows above and below.

  int nx;
  int ny;
  int nz;
  int first; ///< Of the process's rows.
  int rows;

  static horizontal_diffusion of(const task& t, section own) {
    return {t.size[0], t.size[1], t.size[2], own.first, own.count};
  }
  static int rows_of(const task& t) { return t.size[1]; }

  __host__ __device__ std::size_t row() const { return static_cast<std::size_t>(nx) * nz; }
  __host__ __device__ int columns() const { return nx / 2 * nz; }
  /// So many columns read none of others.
  __host__ __device__ int line() const { return nx / 2; }
  /// Of a column's left point in its row.
  __host__ __device__ static std::size_t element(int column) {
    return 2 * static_cast<std::size_t>(column);
  }

  /// What element `e` of a row starts with: a wedge under speckles.
  __host__ __device__ double value(std::size_t e, int j) const {
    if (j < 0 || j >= ny)
      return 0.0;
    const int i = static_cast<int>(e % nx);
    return i / static_cast<double>(nx) + 0.5 * noise(static_cast<std::uint64_t>(j) * row() + e);
  }

  /// Computes a column of rows first ... first + count - 1. Beyond the border the field goes on as
  /// it is, and nothing flows through the border.
  __device__ void update(const double* in, double* out, int column, int first_row,
                         int count) const {
    const int half = nx / 2;
    const int i = 2 * (column % half);
    const std::size_t start = (first_row + halo) * row() + element(column);
    const int j = first + first_row;
    march m{in + start, out + start, static_cast<int>(row()), ny - 1 - j, i > 0, i + 2 < nx};
    m.begin(j);
    for (; count >= batch; count -= batch)
      m.template advance<batch>();
    for (; count > 0; --count)
      m.template advance<1>();
  }

  /// The whole field after some steps, by one thread and stencil after stencil. Its halo rows stay
  /// as they are.
  std::vector<double> reference(int steps) const {
    const std::size_t size = (ny + 2 * halo) * row();
    std::vector<double> in(size), lap(size), fli(size), flj(size), out(size);
    for (std::size_t p = 0; p < size; ++p)
      in[p] = value(p % row(), static_cast<int>(p / row()) - halo);
    out = in;
    const auto at = [this](int i, int j, int k) {
      return (std::clamp(j, 0, ny - 1) + halo) * row() + static_cast<std::size_t>(k) * nx +
             std::clamp(i, 0, nx - 1);
    };
    const auto for_each_point = [this](auto stencil) {
      for (int j = 0; j < ny; ++j)
        for (int k = 0; k < nz; ++k)
          for (int i = 0; i < nx; ++i)
            stencil(i, j, k);
    };
    for (; steps > 0; --steps) {
      for_each_point([&](int i, int j, int k) {
        lap[at(i, j, k)] = laplacian(in[at(i, j, k)], in[at(i - 1, j, k)], in[at(i + 1, j, k)],
                                     in[at(i, j - 1, k)], in[at(i, j + 1, k)]);
      });
      for_each_point([&](int i, int j, int k) {
        const std::size_t p = at(i, j, k), right = at(i + 1, j, k), below = at(i, j + 1, k);
        fli[p] = limited_flux(lap[p], lap[right], in[p], in[right]);
        flj[p] = limited_flux(lap[p], lap[below], in[p], in[below]);
      });
      for_each_point([&](int i, int j, int k) {
        const std::size_t p = at(i, j, k);
        out[p] = diffused(in[p], i > 0 ? fli[at(i - 1, j, k)] : 0.0, fli[p],
                          j > 0 ? flj[at(i, j - 1, k)] : 0.0, flj[p]);
      });
      std::swap(in, out);
    }
    return in;
  }

  static constexpr int batch = 2; ///< Rows for which a thread's loads are together.
  static constexpr int most_rows = 32; ///< Of a thread in a kernel of one step, on an H200.
  static constexpr int tile_rows = 32; ///< At most, of a tile that a rank takes, on an H200.

private:
  /// A thread's way down the rows of a column, from one row to the next. What it has loaded and
  /// computed above it keeps.
  struct march {
    const double* in; ///< The current row's left point.
    double* out;
    int row;
    int rest; ///< How many rows of the whole field come after the current one.
    bool has_left;
    bool has_right;

    two above, centre, below;
    double left_above, left, right_above, right; // of the points beside the column
    two lap;
    two flj_above;

    __device__ double left_of(const double* p) const { return p[has_left ? -1 : 0]; }
    __device__ double right_of(const double* p) const { return p[has_right ? 2 : 1]; }

    __device__ static two laplacians(two centre, double left, double right, two above, two below) {
      return {laplacian(centre.first, left, centre.second, above.first, below.first),
              laplacian(centre.second, centre.first, right, above.second, below.second)};
    }

    /// `j` is the current row in the whole field.
    __device__ void begin(int j) {
      const double* const up = j > 0 ? in - row : in;
      const double* const down = rest > 0 ? in + row : in;
      above = two_at(up);
      centre = two_at(in);
      below = two_at(down);
      left_above = left_of(up);
      right_above = right_of(up);
      left = left_of(in);
      right = right_of(in);
      lap = laplacians(centre, left, right, above, below);
      flj_above = {0.0, 0.0};
      if (j > 0) {
        const two two_above = two_at(j > 1 ? up - row : up);
        const two lap_above = laplacians(above, left_above, right_above, two_above, centre);
        flj_above = {limited_flux(lap_above.first, lap.first, above.first, centre.first),
                     limited_flux(lap_above.second, lap.second, above.second, centre.second)};
      }
    }

    /// Loads are before stores, which the compiler cannot move them across.
    template <int Rows> __device__ void advance() {
      two two_below[Rows];
      double left_below[Rows], right_below[Rows], further_left[Rows], further_right[Rows];
#pragma unroll
      for (int r = 0; r < Rows; ++r) {
        const double* const here = in + r * row;
        const double* const down = rest > r ? here + row : here;
        two_below[r] = two_at(rest > r + 1 ? down + row : down);
        left_below[r] = left_of(down);
        right_below[r] = right_of(down);
        further_left[r] = here[has_left ? -2 : 0];
        further_right[r] = here[has_right ? 3 : 1];
      }
#pragma unroll
      for (int r = 0; r < Rows; ++r) {
        const bool at_end = rest == r;
        const two lap_below =
            laplacians(below, left_below[r], right_below[r], centre, two_below[r]);
        const double lap_left =
            laplacian(left, further_left[r], centre.first, left_above, left_below[r]);
        const double lap_right =
            laplacian(right, centre.second, further_right[r], right_above, right_below[r]);
        const double fli_left =
            has_left ? limited_flux(lap_left, lap.first, left, centre.first) : 0.0;
        const double fli = limited_flux(lap.first, lap.second, centre.first, centre.second);
        const double fli_right =
            has_right ? limited_flux(lap.second, lap_right, centre.second, right) : 0.0;
        const two flj = {
            at_end ? 0.0 : limited_flux(lap.first, lap_below.first, centre.first, below.first),
            at_end ? 0.0 : limited_flux(lap.second, lap_below.second, centre.second, below.second)};
        two_at(out +
               r * row) = {diffused(centre.first, fli_left, fli, flj_above.first, flj.first),
                           diffused(centre.second, fli, fli_right, flj_above.second, flj.second)};
        above = centre;
        centre = below;
        below = two_below[r];
        left_above = left;
        left = left_below[r];
        right_above = right;
        right = right_below[r];
        lap = lap_below;
        flj_above = flj;
      }
      in += Rows * row;
      out += Rows * row;
      rest -= Rows;
    }
  };
};
