// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "field.h"

// These are functions of their own also in the compiled program, because the directives around them
// need so many registers that loops inlined there would keep theirs in memory.

/// Computes some rows of some columns, by all threads of a block. Where there are fewer columns
/// than threads, several threads share one, each with a part of the rows.
template <class App>
__device__ __noinline__ void update_rows(const App& app, const double* in, double* out,
                                         section columns, section rows) {
  const int threads = blockDim.x;
  const int parts = max(1, min(rows.count, threads / columns.count));
  for (int t = threadIdx.x; t < columns.count * parts; t += threads) {
    const int part = t / columns.count;
    const section own = section_of(part, parts, rows.count);
    if (own.count > 0)
      app.update(in, out, columns.first + t - part * columns.count, rows.first + own.first,
                 own.count);
  }
}

/// The first App::halo rows and the last: those that the neighbours need.
template <class App>
__device__ __noinline__ void update_edges(const App& app, const double* in, double* out,
                                          section columns) {
  if (app.rows <= 2 * App::halo) {
    update_rows(app, in, out, columns, {0, app.rows});
    return;
  }
  const int threads = blockDim.x;
  const int parts = max(1, min(App::halo, threads / (2 * columns.count)));
  const int length = App::halo / parts;
  for (int t = threadIdx.x; t < 2 * parts * columns.count; t += threads) {
    const int part = t / columns.count;
    const int row = part < parts ? part * length : app.rows - (2 * parts - part) * length;
    app.update(in, out, columns.first + t - part * columns.count, row, length);
  }
}

/// The rows between the edges.
template <class App>
__device__ void update_inner_rows(const App& app, const double* in, double* out, section columns) {
  if (app.rows > 2 * App::halo)
    update_rows(app, in, out, columns, {App::halo, app.rows - 2 * App::halo});
}

/// Copies the first `width` elements of some rows, by all threads of a block. Rows of `to` and
/// `from` are to_row and from_row elements apart.
__device__ inline void copy_rows(double* to, std::size_t to_row, const double* from,
                                 std::size_t from_row, std::size_t width, int rows) {
  const int pairs = static_cast<int>(width / 2);
  for (int t = threadIdx.x; t < rows * pairs; t += blockDim.x) {
    const int row = t / pairs;
    const std::size_t e = 2 * static_cast<std::size_t>(t - row * pairs);
    two_at(to + row * to_row + e) = two_at(from + row * from_row + e);
  }
}
