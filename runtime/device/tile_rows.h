// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rows of a tile, for a kernel whose threads go through the rows in a loop: the tile has those
// iterations that are its rows.
#ifndef GPURMA_DEVICE_TILE_ROWS_H
#define GPURMA_DEVICE_TILE_ROWS_H

#include <cuda_runtime.h>

#include <cstdint>

#include <gpurma/device/block.h>
#include <gpurma/device/checks.h>

namespace gpurma::stages {

class tile_rows {
public:
  // All rows.
  tile_rows() = default;
  // The first tile has what comes before its rows as well, and the last one what comes behind them,
  // so that each iteration is some tile's.
  GPURMA_DEVICE tile_rows(unsigned tile, unsigned tiles, unsigned height)
      : first(tile == 0 ? INT64_MIN : std::int64_t{tile} * height),
        end(tile + 1 == tiles ? INT64_MAX : (std::int64_t{tile} + 1) * height) {}

  // Where a loop that starts at a row starts in the tile.
  template <class T> GPURMA_DEVICE auto from(T start) const {
    using promoted = decltype(start + 0);
    return static_cast<std::int64_t>(start) < first ? static_cast<promoted>(first) : start + 0;
  }
  // How many iterations come before that.
  template <class T> GPURMA_DEVICE std::int64_t skipped(T start) const {
    const auto row = static_cast<std::int64_t>(start);
    return row < first ? first - row : 0;
  }
  // Where a loop `row < bound` ends in the tile, and one `row <= bound`.
  template <class T> GPURMA_DEVICE auto below(T bound) const { return least(bound, end); }
  template <class T> GPURMA_DEVICE auto upto(T bound) const { return least(bound, end - 1); }

private:
  template <class T> GPURMA_DEVICE static auto least(T bound, std::int64_t most) {
    using promoted = decltype(bound + 0);
    return most < static_cast<std::int64_t>(bound) ? static_cast<promoted>(most) : bound + 0;
  }

  std::int64_t first = INT64_MIN;
  std::int64_t end = INT64_MAX;
};

// For a kernel that writes one array row after row and reads other rows of another one. The threads
// that lead.
GPURMA_DEVICE void check_apart(const volatile void* written, const volatile void* read,
                               site where) {
  if (written == read)
    detail::fail(detail::block(), error_code::same_array, directive::stage, where,
                 reinterpret_cast<std::int64_t>(written));
}

} // namespace gpurma::stages

#endif
