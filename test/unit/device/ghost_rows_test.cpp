// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many rows of tiles write rows beyond a band, against a count of all tiles.
#include <gpurma/device/stage_plan.h>

#include <gtest/gtest.h>

namespace {

using gpurma::stages::stage_plan;

constexpr int band_begin = 480; // a multiple of all heights
constexpr int band_end = 960;

stage_plan plan_of(int height, int low, int high) {
  return stage_plan("k", nullptr, 1, dim3(8, static_cast<unsigned>(height)), 0)
      .writes(0, 0, low, high, 0, 0);
}

// The rows that the tile of a number writes.
struct written {
  int first;
  int last;
};
written rows_of(const stage_plan& plan, int tile) {
  const auto height = static_cast<int>(plan.height());
  return {tile * height + plan.written.axis[1].low,
          tile * height + height - 1 + plan.written.axis[1].high};
}

// The first tile whose first written row is at or behind a row.
int first_tile(const stage_plan& plan, int row) {
  int tile = row / static_cast<int>(plan.height()) - 8;
  while (rows_of(plan, tile).first < row)
    ++tile;
  return tile;
}

void check(int height, int low, int high) {
  SCOPED_TRACE(testing::Message() << "height " << height << ", rows " << low << " to " << high);
  const stage_plan plan = plan_of(height, low, high);
  const int first = first_tile(plan, band_begin);
  const int behind = first_tile(plan, band_end);
  EXPECT_EQ(plan.own_rows_before(), band_begin - rows_of(plan, first).first);
  EXPECT_EQ(plan.own_rows_after(), rows_of(plan, behind - 1).last + 1 - band_end);
  for (int rows = 0; rows <= 40; ++rows) {
    int before = 0;
    while (rows_of(plan, first - before - 1).last >= band_begin - rows)
      ++before;
    int after = 0;
    while (rows_of(plan, behind + after).first < band_end + rows)
      ++after;
    EXPECT_EQ(plan.tile_rows_before(rows), before) << rows << " rows before";
    EXPECT_EQ(plan.tile_rows_after(rows), after) << rows << " rows after";
  }
}

TEST(GhostRows, AreInAsManyTiles) {
  for (const int height : {1, 2, 3, 4, 8, 16, 32})
    for (int low = -3; low <= 3; ++low)
      for (int high = low - (height > 2 ? 2 : 0); high <= low + 2; ++high)
        check(height, low, high);
}

} // namespace
