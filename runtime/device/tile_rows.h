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
  // so that each iteration is some tile's. As many iterations before fill queues.
  GPURMA_DEVICE tile_rows(unsigned tile, unsigned tiles, unsigned height, unsigned filling = 0)
      : first(tile == 0 ? INT64_MIN : std::int64_t{tile} * height),
        end(tile + 1 == tiles ? INT64_MAX : (std::int64_t{tile} + 1) * height),
        filled(tile == 0 ? INT64_MIN : first - filling) {}

  // Where a loop that starts at a row starts in the tile.
  template <class T> GPURMA_DEVICE auto from(T start) const { return most(start, first); }
  // Where a loop that fills queues starts, and whether a row is one of its.
  template <class T> GPURMA_DEVICE auto filled_from(T start) const { return most(start, filled); }
  template <class T> GPURMA_DEVICE bool fills(T row) const {
    return static_cast<std::int64_t>(row) < first;
  }
  // Whether what is found before a loop that starts at a row is of use in the tile.
  template <class T> GPURMA_DEVICE bool starts(T start) const {
    const auto row = static_cast<std::int64_t>(start);
    return filled <= row && row < end;
  }
  // How many iterations come before all of these.
  template <class T> GPURMA_DEVICE std::int64_t skipped(T start) const {
    const auto row = static_cast<std::int64_t>(start);
    return row < filled ? filled - row : 0;
  }
  // Where a loop `row < bound` ends in the tile, and one `row <= bound`.
  template <class T> GPURMA_DEVICE auto below(T bound) const { return least(bound, end); }
  template <class T> GPURMA_DEVICE auto upto(T bound) const { return least(bound, end - 1); }

private:
  template <class T> GPURMA_DEVICE static auto most(T start, std::int64_t least) {
    using promoted = decltype(start + 0);
    return static_cast<std::int64_t>(start) < least ? static_cast<promoted>(least) : start + 0;
  }
  template <class T> GPURMA_DEVICE static auto least(T bound, std::int64_t most) {
    using promoted = decltype(bound + 0);
    return most < static_cast<std::int64_t>(bound) ? static_cast<promoted>(most) : bound + 0;
  }

  std::int64_t first = INT64_MIN;
  std::int64_t end = INT64_MAX;
  std::int64_t filled = INT64_MIN;
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
