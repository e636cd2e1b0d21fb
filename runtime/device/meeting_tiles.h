// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which tiles of a stage touch elements that tiles of another stage touch, where the two do not
// number their tiles alike: their blocks have other sizes, or other dimensions of the arrays are
// walked by their grids.
#ifndef GPURMA_DEVICE_MEETING_TILES_H
#define GPURMA_DEVICE_MEETING_TILES_H

#include <cuda_runtime.h>

#include <cstdint>

#include <gpurma/device/block.h>
#include <gpurma/device/stage_plan.h>

namespace gpurma::stages {

GPURMA_DEVICE std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
  const std::int64_t q = a / b;
  return q * b > a ? q - 1 : q;
}

// CUDA runs nothing of a launch without blocks.
GPURMA_DEVICE bool has_blocks(const dim3& grid) {
  return grid.x != 0 && grid.y != 0 && grid.z != 0;
}

GPURMA_DEVICE unsigned of_dim(const dim3& d, unsigned axis) {
  return axis == 0 ? d.x : axis == 1 ? d.y : d.z;
}

// Tiles along a dimension of their grid, or their offsets from a tile.
struct tile_offsets {
  std::int64_t low;
  std::int64_t high;
};

// The tiles of a stage with `theirs` that meet the coordinates low to high of an axis.
GPURMA_SLOW_DEVICE tile_offsets tiles_at(std::int64_t low, std::int64_t high,
                                         const axis_reach& theirs, std::int64_t size) {
  return {-floor_divide(-(low - theirs.high - size + 1), size),
          floor_divide(high - theirs.low, size)};
}

// Tiles of a grid, by its dimensions.
struct grid_tiles {
  tile_offsets axis[3];
};

// Of the extents of a region's arrays behind their rows, the least and the most.
struct inner_extents {
  std::int64_t least[3];
  std::int64_t most[3];
};

// Instead of a grid dimension: none walks a dimension; the stage has no arrays with so many.
inline constexpr int not_walked = -1;
inline constexpr int no_array = -2;

// The grid dimension that walks a dimension (0: the rows) of arrays with so many, or one of these.
GPURMA_DEVICE int walking_dimension(const stage_plan& plan, int dimensions, int dimension) {
  const int code =
      static_cast<int>(plan.walks >> 3 * (dimensions * (dimensions - 1) / 2 + dimension) & 7);
  return code == 4 ? not_walked : code == 0 ? no_array : code - 1;
}

// Whether the tiles touch only the ends of a dimension of such arrays.
GPURMA_DEVICE bool is_touched_at_ends(const stage_plan& plan, int dimensions, int dimension) {
  return walking_dimension(plan, dimensions, dimension) == not_walked &&
         plan.ends[dimension - 1].first >= 0;
}

// Sets `found` to the tiles of stage b, touched as `theirs`, that may touch elements of arrays with
// so many dimensions which the tiles `at` of stage a touch as `mine`, where the rows of a are
// `turn` rows further on; with one dimension, rows of any arrays. Where a touches the ends of a
// dimension only, bit j of `last` says that it is the last coordinates of dimension j + 1, instead
// of the first. Elements that a tile touches are in a box, so these tiles are in one. false: none.
GPURMA_SLOW_DEVICE bool find_meeting_tiles(const stage_plan& a, const reach& mine,
                                           const grid_tiles& at, std::int64_t turn,
                                           const stage_plan& b, const reach& theirs,
                                           const dim3& grid_of_b, const inner_extents& extents,
                                           int dimensions, unsigned last, grid_tiles& found) {
  for (unsigned axis = 0; axis < 3; ++axis)
    found.axis[axis] = {0, std::int64_t{of_dim(grid_of_b, axis)} - 1};
  const auto meet = [&](unsigned axis, std::int64_t low, std::int64_t high, std::int64_t size) {
    if (theirs.axis[axis].low == whole)
      return;
    const tile_offsets some = tiles_at(low, high, theirs.axis[axis], size);
    tile_offsets& all = found.axis[axis];
    all = {all.low > some.low ? all.low : some.low, all.high < some.high ? all.high : some.high};
  };
  if (const axis_reach& rows = mine.axis[a.row]; rows.low != whole)
    meet(b.row, at.axis[a.row].low * a.height() + rows.low + turn,
         (at.axis[a.row].high + 1) * a.height() - 1 + rows.high + turn, b.height());
  for (int j = 1; j < dimensions; ++j) {
    const int in_a = walking_dimension(a, dimensions, j);
    const int in_b = walking_dimension(b, dimensions, j);
    std::int64_t low = 0;
    std::int64_t high = extents.most[j - 1] - 1;
    if (in_a >= 0) {
      const auto axis = static_cast<unsigned>(in_a);
      if (mine.axis[axis].low == whole || axis == a.row)
        continue;
      const std::int64_t size = a.extent(axis);
      low = at.axis[axis].low * size + mine.axis[axis].low;
      high = (at.axis[axis].high + 1) * size - 1 + mine.axis[axis].high;
    } else if (!is_touched_at_ends(a, dimensions, j)) {
      continue;
    } else if ((last >> (j - 1) & 1) != 0) {
      low = extents.least[j - 1] - a.ends[j - 1].last;
    } else {
      high = a.ends[j - 1].first - 1;
    }
    if (low > high)
      return false;
    if (in_b >= 0 && static_cast<unsigned>(in_b) != b.row) {
      const auto axis = static_cast<unsigned>(in_b);
      meet(axis, low, high, b.extent(axis));
    } else if (is_touched_at_ends(b, dimensions, j)) {
      const ends_of_dimension& ends = b.ends[j - 1];
      if (low >= ends.first && high < extents.least[j - 1] - ends.last)
        return false;
    }
  }
  for (const tile_offsets& axis : found.axis)
    if (axis.low > axis.high)
      return false;
  return true;
}

} // namespace gpurma::stages

#endif
