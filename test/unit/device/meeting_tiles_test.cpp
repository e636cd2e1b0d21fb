// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which tiles of a persistent region's stages meet, against all elements that they touch; and
// which ranks have these tiles.
#include <gpurma/stages.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <vector>

namespace {

using namespace gpurma::stages;
using position = std::array<std::int64_t, 3>; // of a tile, by grid dimension
using element = std::array<std::int64_t, 3>;  // the rows first

constexpr int none = -1;

struct random_numbers {
  std::mt19937 engine;
  int operator()(int low, int high) { return std::uniform_int_distribution(low, high)(engine); }
};

struct random_stage {
  stage_plan plan;
  reach touched{};
  dim3 grid;
  std::array<int, 3> walked_by{none, none, none}; // of each dimension of the arrays

  bool touches(const position& tile, const element& at, const element& extents,
               int dimensions) const {
    for (int j = 0; j < dimensions; ++j) {
      const auto d = static_cast<std::size_t>(j);
      if (walked_by[d] == none) {
        const auto& ends = plan.ends[d - 1];
        if (ends.first >= 0 && at[d] >= ends.first && at[d] < extents[d] - ends.last)
          return false;
        continue;
      }
      const auto axis = static_cast<unsigned>(walked_by[d]);
      const axis_reach& beyond = touched.axis[axis];
      const std::int64_t size = plan.extent(axis);
      if (beyond.low != whole && (at[d] < tile[axis] * size + beyond.low ||
                                  at[d] >= (tile[axis] + 1) * size + beyond.high))
        return false;
    }
    return true;
  }
};

random_stage make_stage(random_numbers& any, int dimensions, const element& extents) {
  random_stage s;
  std::array<int, 3> axes{0, 1, 2};
  std::shuffle(axes.begin(), axes.end(), any.engine);
  const auto row = static_cast<unsigned>(axes[0]);
  s.plan = stage_plan("kernel", nullptr, row, dim3(any(1, 4), any(1, 4), any(1, 4)), 0)
               .with_columns_per_thread(any(1, 2), any(1, 2), any(1, 2));
  s.plan.per_thread[row] = any(1, 3);
  std::uint32_t walks = 0;
  std::array<unsigned, 3> grid{1, 1, 1};
  for (int j = 0; j < dimensions; ++j) {
    const auto d = static_cast<std::size_t>(j);
    const bool walked = j == 0 || any(0, 2) != 0;
    s.walked_by[d] = walked ? axes[d] : none;
    walks |= static_cast<std::uint32_t>(walked ? axes[d] + 1 : 4)
             << 3 * (dimensions * (dimensions - 1) / 2 + j);
    if (walked) {
      const auto axis = static_cast<unsigned>(axes[d]);
      const std::int64_t size = s.plan.extent(axis);
      grid[axis] = static_cast<unsigned>((extents[d] + size - 1) / size);
      const int low = any(-3, 2);
      s.touched.axis[axis] =
          any(0, 5) == 0 ? axis_reach{whole, whole} : axis_reach{low, any(std::max(low, 0), 3)};
    } else if (any(0, 3) != 0) {
      s.plan = s.plan.touches_ends(j, any(0, 2), any(0, 2));
    }
  }
  s.plan = s.plan.with_walks(walks, s.plan.per_thread[row], false);
  s.touched.some = true;
  s.grid = dim3(grid[0], grid[1], grid[2]);
  return s;
}

template <class Visit> void for_tiles(const grid_tiles& tiles, const Visit& visit) {
  for (std::int64_t x = tiles.axis[0].low; x <= tiles.axis[0].high; ++x)
    for (std::int64_t y = tiles.axis[1].low; y <= tiles.axis[1].high; ++y)
      for (std::int64_t z = tiles.axis[2].low; z <= tiles.axis[2].high; ++z)
        visit(position{x, y, z});
}

grid_tiles all_of(const dim3& grid) {
  return {{{0, std::int64_t{grid.x} - 1},
           {0, std::int64_t{grid.y} - 1},
           {0, std::int64_t{grid.z} - 1}}};
}

template <class Visit>
void for_elements(const element& extents, int dimensions, const Visit& visit) {
  for (std::int64_t i = 0; i < extents[0]; ++i)
    for (std::int64_t j = 0; j < (dimensions > 1 ? extents[1] : 1); ++j)
      for (std::int64_t k = 0; k < (dimensions > 2 ? extents[2] : 1); ++k)
        visit(element{i, j, k});
}

std::set<position> found_meeting(const random_stage& a, const grid_tiles& at, const random_stage& b,
                                 const element& extents, int dimensions) {
  const inner_extents inner{{extents[1], extents[2], 1}, {extents[1], extents[2], 1}};
  std::set<position> found;
  for (unsigned last = 0; last < 1u << (dimensions - 1); ++last) {
    bool exists = true;
    for (int j = 1; j < dimensions; ++j)
      exists &= (last >> (j - 1) & 1) == 0 || is_touched_at_ends(a.plan, dimensions, j);
    grid_tiles some;
    if (exists && find_meeting_tiles(a.plan, a.touched, at, 0, b.plan, b.touched, b.grid, inner,
                                     dimensions, last, some))
      for_tiles(some, [&](const position& tile) { found.insert(tile); });
  }
  return found;
}

TEST(MeetingTiles, AreAllThatTouchTheSameElements) {
  random_numbers any{std::mt19937(20261123)};
  std::size_t met = 0, found = 0, all = 0;
  for (int round = 0; round < 4000; ++round) {
    const int dimensions = any(1, 3);
    const element extents{any(1, 14), any(1, 14), any(1, 14)};
    const random_stage a = make_stage(any, dimensions, extents);
    const random_stage b = make_stage(any, dimensions, extents);
    grid_tiles at = all_of(a.grid);
    for (tile_offsets& axis : at.axis) {
      axis.low = any(static_cast<int>(axis.low), static_cast<int>(axis.high));
      axis.high = any(static_cast<int>(axis.low), static_cast<int>(axis.high));
    }
    std::vector<element> touched;
    for_elements(extents, dimensions, [&](const element& each) {
      bool is_touched = false;
      for_tiles(at, [&](const position& tile) {
        is_touched |= a.touches(tile, each, extents, dimensions);
      });
      if (is_touched)
        touched.push_back(each);
    });
    const std::set<position> some = found_meeting(a, at, b, extents, dimensions);
    for_tiles(all_of(b.grid), [&](const position& tile) {
      const bool meets = std::any_of(touched.begin(), touched.end(), [&](const element& each) {
        return b.touches(tile, each, extents, dimensions);
      });
      ASSERT_TRUE(!meets || some.count(tile) != 0) << "round " << round;
      met += meets;
      ++all;
    });
    found += some.size();
  }
  // As exact as boxes are: what is beyond the array's ends, they do not know.
  EXPECT_LT(found, met + met / 3);
  EXPECT_LT(found, all - all / 3);
}

// Columns of a boundary, as `u[y * nx] = u[y * nx + 1]` and the same on the right.
TEST(MeetingTiles, OfBoundaryColumnsAreTheOutermost) {
  const auto stencil =
      stage_plan("stencil", nullptr, 1, dim3(32, 8, 1), 0).with_walks(2u << 3 | 1u << 6, 1, false);
  const auto border = stage_plan("border", nullptr, 0, dim3(64, 1, 1), 0)
                          .with_walks(1u << 3 | 4u << 6, 1, false)
                          .touches_ends(1, 2, 2);
  const reach around{{{-1, 1}, {-1, 1}, {0, 0}}, true, true};
  const reach own{{{0, 0}, {0, 0}, {0, 0}}, true, true};
  const inner_extents inner{{256, 1, 1}, {256, 1, 1}};
  grid_tiles found;
  const grid_tiles second{{{1, 1}, {0, 0}, {0, 0}}}; // of the border's tiles: rows 64 to 127
  ASSERT_TRUE(find_meeting_tiles(border, own, second, 0, stencil, around, dim3(8, 16, 1), inner, 2,
                                 0, found));
  EXPECT_EQ(found.axis[0].low, 0);
  EXPECT_EQ(found.axis[0].high, 0);
  EXPECT_EQ(found.axis[1].low, 7); // one row above is read, and one below
  EXPECT_EQ(found.axis[1].high, 15);
  ASSERT_TRUE(find_meeting_tiles(border, own, second, 0, stencil, around, dim3(8, 16, 1), inner, 2,
                                 1, found));
  EXPECT_EQ(found.axis[0].low, 7);
  EXPECT_EQ(found.axis[0].high, 7);
  const grid_tiles inside{{{3, 3}, {9, 9}, {0, 0}}}; // a stencil's tile between the borders
  EXPECT_FALSE(find_meeting_tiles(stencil, around, inside, 0, border, own, dim3(4, 1, 1), inner, 2,
                                  0, found));
}

// The ranks that have some tiles of a grid, as each tile's owner says.
TEST(MeetingTiles, AreThoseOfTheirOwners) {
  random_numbers any{std::mt19937(20261124)};
  for (int round = 0; round < 4000; ++round) {
    stage_state s{};
    s.inner = any(1, 5);
    s.outer = any(1, 4);
    s.per_row = s.inner * s.outer;
    const int rows = any(1, 12), first_row = any(0, 3);
    dealing tiles{std::int64_t{first_row} * s.per_row,
                  std::int64_t{rows} * s.per_row,
                  any(1, 60),
                  s.per_row,
                  1,
                  1,
                  dealing::cyclic};
    if (tiles.ranks >= s.per_row && any(0, 2) != 0) {
      tiles.how = dealing::columns;
      const int columns = tiles.ranks / s.per_row;
      tiles.length = (rows + columns - 1) / columns;
    } else if (any(0, 1) != 0) {
      tiles.how = dealing::contiguous;
    }
    const unsigned row = static_cast<unsigned>(any(0, 2));
    const stage_plan plan("kernel", nullptr, row, dim3(1, 1, 1), 0);
    grid_tiles some;
    const auto part_of = [&](int low, int high) {
      const int from = any(low, high);
      return tile_offsets{from, any(from, high)};
    };
    some.axis[row] = part_of(0, first_row + rows + 2);
    some.axis[inner_axis(plan)] = part_of(0, s.inner - 1);
    some.axis[outer_axis(plan)] = part_of(0, s.outer - 1);
    std::set<int> owners;
    for_tiles(some, [&](const position& tile) {
      const std::int64_t number = tile[row] * s.per_row + tile[outer_axis(plan)] * s.inner +
                                  tile[inner_axis(plan)] - tiles.base;
      if (number >= 0 && number < tiles.all)
        owners.insert(tiles.owner(number));
    });
    std::set<int> found;
    visit_tiles_of_grid(tiles, plan, s, some, [&](std::int64_t low, std::int64_t high) {
      ASSERT_GE(low, 0);
      ASSERT_LT(high, tiles.all);
      for (std::int64_t number = low; number <= high; ++number)
        found.insert(tiles.owner(number));
    });
    for (const int owner : owners)
      ASSERT_TRUE(found.count(owner) != 0) << "round " << round;
    if (tiles.how != dealing::contiguous) {
      ASSERT_EQ(found, owners) << "round " << round;
    }
  }
}

} // namespace
