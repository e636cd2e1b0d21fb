// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which rank of which process owns a tile of a stage, and which ranks own tiles that touch the same
// elements: everybody computes that, from the plans alone.
#ifndef GPURMA_DEVICE_TILE_OWNERS_H
#define GPURMA_DEVICE_TILE_OWNERS_H

#include <gpurma/device/meeting_tiles.h>
#include <gpurma/device/region_state.h>

namespace gpurma::stages {

// --- Where tiles belong

// First row of tiles of a process, moved on by some; of `processes`: how many there are.
GPURMA_SLOW_DEVICE std::int64_t first_tile_row(const banding& bands, const stage_plan& s,
                                               const dim3& grid, int process, int moved = 0) {
  const std::int64_t all = has_blocks(grid) ? of_dim(grid, s.row) : 0;
  if (process <= 0)
    return 0;
  if (process >= bands.processes)
    return all;
  const std::int64_t height = s.height();
  const std::int64_t low =
      s.written.some && s.written.axis[s.row].low != whole ? s.written.axis[s.row].low : 0;
  const std::int64_t row = moved - floor_divide(low - bands.begin(process), height); // rounded up
  return row < 0 ? 0 : row < all ? row : all;
}

// Rows of tiles that a process runs: those of its own, and ghost tiles (ghost_rows.h) before and
// after them.
struct tile_rows_of_process {
  std::int64_t begin;
  std::int64_t own_begin;
  std::int64_t own_end;
  std::int64_t end;
};
GPURMA_DEVICE tile_rows_of_process tile_rows_of(const banding& bands, const stage_plan& s,
                                                const dim3& grid, int process) {
  const bool has_ghosts = bands.ghost_rows != 0 && s.written.some;
  const int before = has_ghosts ? s.tile_rows_before(bands.ghost_rows - s.threads.least.low) : 0;
  const int after = has_ghosts ? s.tile_rows_after(bands.ghost_rows - s.threads.least.high) : 0;
  return {first_tile_row(bands, s, grid, process, -before), first_tile_row(bands, s, grid, process),
          first_tile_row(bands, s, grid, process + 1),
          first_tile_row(bands, s, grid, process + 1, after)};
}

GPURMA_DEVICE int process_of(const banding& bands, int side) {
  const int process = bands.process + (side == memory::own ? 0 : side == memory::before ? -1 : 1);
  return !bands.periodic ? process : process < 0 ? bands.processes - 1 : process % bands.processes;
}

// Whether there is a process on a side.
GPURMA_DEVICE bool has_process(const banding& bands, int side) {
  const int process = process_of(bands, side);
  return process >= 0 && process < bands.processes;
}

// Where rows are periodic, those of the process on a side are so many rows further on, for it to be
// on that side.
GPURMA_DEVICE std::int64_t turned_by(const banding& bands, int side) {
  return !bands.periodic || side == memory::own ? 0
         : side == memory::before               ? (bands.process == 0 ? bands.rows : 0)
         : bands.process == bands.processes - 1 ? -bands.rows
                                                : 0;
}

template <int Stages, int Arrays, int Scalars>
GPURMA_DEVICE int ranks_of(const region_state<Stages, Arrays, Scalars>& r, int process) {
  return process == r.plans.bands.process
             ? detail::block().device_size
             : r.words.first_ranks[process + 1] - r.words.first_ranks[process];
}

// How a process deals the tiles of a stage: in columns if that leaves few ranks without tiles. A
// rank then finds rows beyond its tile in the multiprocessor's cache, and computes less for each.
template <int Stages, int Arrays, int Scalars>
GPURMA_SLOW_DEVICE dealing dealing_of(const region_state<Stages, Arrays, Scalars>& r, int stage,
                                      int process) {
  const banding& bands = r.plans.bands;
  const stage_state& s = r.stage[stage];
  const tile_rows_of_process rows = tile_rows_of(bands, r.plans.stage[stage], s.grid, process);
  const std::int64_t first = rows.begin;
  const std::int64_t last = rows.end;
  const bool together = r.plans.stage[stage].rows_together && bands.processes > 1;
  dealing d{first * s.per_row,
            (last - first) * s.per_row,
            ranks_of(r, process),
            s.per_row,
            together ? s.per_row : 1,
            1,
            dealing::cyclic,
            (rows.own_begin - first) * s.per_row,
            (rows.own_end - first) * s.per_row};
  const int columns = d.ranks / s.per_row; // of tiles one below the other, for each of a row
  if (bands.contiguous || together) {
    d.how = dealing::contiguous;
  } else if (columns > 0) {
    d.length = static_cast<int>((last - first + columns - 1) / columns);
    const std::int64_t most = (d.all + d.ranks - 1) / d.ranks; // of a rank, if dealt one by one
    if (d.length > 1 && d.length <= most + most / 16)
      d.how = dealing::columns;
  }
  return d;
}

// Of the tiles of a process, numbers [first, last) touch rows that the process on a side touches.
template <int Stages, int Arrays, int Scalars>
GPURMA_SLOW_DEVICE rank_range concerned_tiles(const region_state<Stages, Arrays, Scalars>& r,
                                              int stage, const dealing& tiles, int process,
                                              int side) {
  const banding& bands = r.plans.bands;
  const stage_plan& plan = r.plans.stage[stage];
  const std::int64_t per_row = r.stage[stage].per_row;
  const std::int64_t height = plan.height();
  const axis_reach read = plan.read.some ? plan.read.axis[plan.row] : axis_reach{0, 0};
  const axis_reach written = plan.written.some ? plan.written.axis[plan.row] : axis_reach{0, 0};
  const std::int64_t low = read.low < written.low ? read.low : written.low;
  const std::int64_t high = read.high > written.high ? read.high : written.high;
  std::int64_t first = 0;
  std::int64_t last = tiles.all;
  if (side == memory::before) {
    const std::int64_t before = bands.begin(process) + bands.held_after;
    last =
        -floor_divide(-(before - low), height) * per_row - tiles.base; // rows of tiles below this
    last = last < tiles.all ? last : tiles.all;
  } else {
    const std::int64_t after = bands.begin(process + 1) - bands.held_before;
    first = -floor_divide(high + height - 1 - after, height) * per_row - tiles.base;
    first = first > 0 ? first : 0;
  }
  return {static_cast<std::int32_t>(first), static_cast<std::int32_t>(last)};
}

// The number of a rank's k-th tile, among those of all processes.
GPURMA_DEVICE std::int64_t tile_number(const stage_state& s, int rank, int k) {
  return s.dealt.base + s.dealt.first(rank) + k * s.dealt.distance();
}

GPURMA_SLOW_DEVICE tile_position position(const stage_state& s, std::int64_t tile) {
  const auto row = static_cast<int>(tile / s.per_row);
  const auto in_row = static_cast<int>(tile - std::int64_t{row} * s.per_row);
  return {row, in_row / s.inner, in_row % s.inner};
}

// From a rank's tile to its next.
GPURMA_DEVICE void go_to_next(const stage_state& s, tile_position& at) {
  at.inner += s.step.inner;
  at.outer += s.step.outer;
  at.row += s.step.row;
  if (at.inner >= s.inner) {
    at.inner -= s.inner;
    ++at.outer;
  }
  if (at.outer >= s.outer) {
    at.outer -= s.outer;
    ++at.row;
  }
}

// What follows from which sides a rank tells of a stage.
template <int Stages, int Arrays, int Scalars>
GPURMA_DEVICE void complete_side_work(region_state<Stages, Arrays, Scalars>& r, int stage) {
  const stage_state& s = r.stage[stage];
  side_work& work = r.sides[stage];
  work.tells_any = work.tells[memory::before] || work.tells[memory::after];
  work.by_hosts = false;
  GPURMA_UNROLLED
  for (int side = memory::before; side <= memory::after; ++side)
    work.by_hosts |= work.tells[side] && r.control_of[side] == nullptr;
  work.puts_last =
      !work.by_hosts && s.own_end - s.own_begin <= tiles_before_puts && s.most_pieces == 0;
}

GPURMA_DEVICE std::uint32_t larger(std::uint32_t a, std::uint32_t b) {
  return a > b ? a : b;
}

// --- Pieces, in which ranks stay together

GPURMA_DEVICE int pieces_of(const stage_state& s, int tiles) {
  return (tiles + s.tiles_of_piece - 1) / s.tiles_of_piece;
}

// Of what the rank has of the stage. No rank has more of them than most_pieces.
GPURMA_DEVICE void divide_into_pieces(stage_state& s, const stage_plan& plan) {
  s.tiles_of_piece = least_tiles_of_piece;
  const int elements = plan.per_thread[0] * plan.per_thread[1] * plan.per_thread[2];
  while (s.tiles_of_piece * 2 * elements <= rows_of_piece)
    s.tiles_of_piece *= 2;
  const int most = plan.few_rows ? 0 : s.dealt.most_in_step();
  const bool is_one = most < s.tiles_of_piece;
  s.active = s.dealt.active();
  s.left_behind = is_one ? s.active : 0;
  const bool few = s.dealt.how == dealing::columns ? most * 2 < s.tiles_of_piece : is_one;
  s.most_pieces = few ? 0 : pieces_of(s, most);
  s.pieces_of_all = pieces_of(s, s.part[3].count);
  s.pieces_between = pieces_of(s, s.part[2].count);
}

// --- Which ranks conflict

// Calls visit(tiles) for the tiles of stage b, touched as `theirs`, that may meet what the tiles
// `at` of stage a touch as `mine`, `turn` rows further on.
template <int Stages, int Arrays, int Scalars, class Visit>
GPURMA_DEVICE void visit_meeting_tiles(const region_state<Stages, Arrays, Scalars>& r, int a,
                                       const reach& mine, const grid_tiles& at, std::int64_t turn,
                                       int b, const reach& theirs, const Visit& visit) {
  const stage_plan& of_a = r.plans.stage[a];
  const stage_plan& of_b = r.plans.stage[b];
  inner_extents extents{{INT64_MAX, INT64_MAX, INT64_MAX}, {1, 1, 1}};
  for (const array_plan& array : r.plans.array)
    for (int j = 0; j < 3; ++j) {
      const std::int64_t extent = array.inner[j];
      extents.least[j] = extent < extents.least[j] ? extent : extents.least[j];
      extents.most[j] = extent > extents.most[j] ? extent : extents.most[j];
    }
  const auto find = [&](int dimensions, unsigned last) {
    grid_tiles found;
    if (find_meeting_tiles(of_a, mine, at, turn, of_b, theirs, r.stage[b].grid, extents, dimensions,
                           last, found))
      visit(found);
  };
  // Arrays that share memory may have elements in different places of it.
  if (r.plans.bands.aliased || r.puts_lines) {
    find(1, 0);
    return;
  }
  for (int dimensions = 1; dimensions <= 4; ++dimensions) {
    if (walking_dimension(of_a, dimensions, 0) == no_array ||
        walking_dimension(of_b, dimensions, 0) == no_array)
      continue;
    for (unsigned last = 0; last < 1u << (dimensions - 1); ++last) {
      bool exists = true;
      for (int j = 1; j < dimensions; ++j)
        exists &= (last >> (j - 1) & 1) == 0 || is_touched_at_ends(of_a, dimensions, j);
      if (exists)
        find(dimensions, last);
    }
  }
}

// The grid dimensions that do not walk the rows, the one along which tiles are numbered faster
// first.
GPURMA_DEVICE unsigned inner_axis(const stage_plan& plan) {
  return plan.row == 0 ? 1 : 0;
}
GPURMA_DEVICE unsigned outer_axis(const stage_plan& plan) {
  return plan.row == 2 ? 1 : 2;
}

// Calls visit_tiles(low, high), by the numbers of a process's tiles, for some of a grid; for more,
// where these are many.
template <class VisitTiles>
GPURMA_DEVICE void visit_tiles_of_grid(const dealing& tiles, const stage_plan& plan,
                                       const stage_state& s, const grid_tiles& some,
                                       const VisitTiles& visit_tiles) {
  constexpr std::int64_t most_lines = 1024;
  const tile_offsets& rows = some.axis[plan.row];
  const tile_offsets& inner = some.axis[inner_axis(plan)];
  const tile_offsets& outer = some.axis[outer_axis(plan)];
  const std::int64_t first_row = tiles.base / s.per_row;
  const std::int64_t last_row = first_row + tiles.all / s.per_row - 1;
  const std::int64_t low = rows.low > first_row ? rows.low : first_row;
  const std::int64_t high = rows.high < last_row ? rows.high : last_row;
  if (low > high)
    return;
  const bool whole_rows =
      inner.low == 0 && inner.high == s.inner - 1 && outer.low == 0 && outer.high == s.outer - 1;
  // Of rows that a rank has one below the other, one is enough.
  const std::int64_t step = tiles.how == dealing::columns ? tiles.length : 1;
  if (whole_rows || tiles.how == dealing::contiguous ||
      ((high - low) / step + 2) * (outer.high - outer.low + 1) > most_lines) {
    visit_tiles(low * s.per_row - tiles.base, (high + 1) * s.per_row - 1 - tiles.base);
    return;
  }
  for (std::int64_t o = outer.low; o <= outer.high; ++o)
    for (std::int64_t row = low;;) {
      const std::int64_t line = row * s.per_row + o * s.inner - tiles.base;
      visit_tiles(line + inner.low, line + inner.high);
      if (row == high)
        break;
      row = row + step < high ? row + step : high;
    }
}

// Calls visit(ranks) for the ranks of the process on a side that own tiles of stage b, touched as
// `theirs`, which meet what the rank's tiles of stage a touch as `mine`, `turn` rows further on;
// for some more, perhaps, and some twice. Of another process, only those that own tiles which the
// rank's process is concerned with.
template <int Stages, int Arrays, int Scalars, class Visit>
GPURMA_DEVICE void visit_conflicts(const region_state<Stages, Arrays, Scalars>& r, int a,
                                   const reach& mine, int b, const reach& theirs, int side,
                                   std::int64_t turn, const Visit& visit) {
  const stage_plan& of_a = r.plans.stage[a];
  const stage_plan& of_b = r.plans.stage[b];
  const stage_state& here = r.stage[a];
  const stage_state& there = r.stage[b];
  if (!mine.some || !theirs.some || here.tiles == 0)
    return;
  const int process = process_of(r.plans.bands, side);
  const dealing tiles = dealing_of(r, b, process);
  // Ranks that have none of these do not say how far they are. A grid may go on behind the last
  // row, by more than a tile; where rows are periodic, such tiles seem to meet others than these.
  rank_range told{0, static_cast<std::int32_t>(tiles.all)};
  if (side != memory::own)
    told = concerned_tiles(r, b, tiles, process,
                           side == memory::before ? memory::after : memory::before);
  const auto visit_tiles = [&](std::int64_t low, std::int64_t high) {
    low = low > told.first ? low : told.first;
    high = high < told.last - 1 ? high : told.last - 1;
    if (low > high)
      return;
    const int first = tiles.owner(low);
    const int last = tiles.owner(high);
    if (tiles.how == dealing::columns && low / tiles.per_row != high / tiles.per_row) {
      visit(rank_range{first - first % tiles.per_row,
                       last - last % tiles.per_row + tiles.per_row - 1});
    } else if (tiles.how == dealing::cyclic && high - low >= tiles.ranks - 1) {
      visit(rank_range{0, tiles.ranks - 1});
    } else if (first <= last) {
      visit(rank_range{first, last});
    } else {
      visit(rank_range{first, tiles.ranks - 1});
      visit(rank_range{0, last});
    }
  };
  // Where both stages number their tiles alike, the neighbours of a tile are at fixed distances:
  // from[0] to to[0] along the rows of tiles, then along the slower and the faster other dimension.
  bool alike = of_a.row == of_b.row && here.per_row == there.per_row && here.inner == there.inner &&
               of_a.walks_like(of_b) && here.dealt.how == tiles.how && turn == 0;
  // Those of a star-shaped stencil are in line with it.
  const bool in_line = (mine.along_axes && theirs.dimensions_beyond() == 0) ||
                       (theirs.along_axes && mine.dimensions_beyond() == 0);
  std::int64_t from[3] = {0, 0, 0};
  std::int64_t to[3] = {0, 0, 0};
  int place = 2;
  for (unsigned axis = 0; axis < 3; ++axis) {
    const int at = axis == of_a.row ? 0 : place--;
    if (of_dim(here.grid, axis) == 1 && of_dim(there.grid, axis) == 1)
      continue;
    alike &= of_a.extent(axis) == of_b.extent(axis) && mine.axis[axis].low != whole &&
             theirs.axis[axis].low != whole;
    const std::int64_t size = of_a.extent(axis);
    const tile_offsets one =
        tiles_at(mine.axis[axis].low, size - 1 + mine.axis[axis].high, theirs.axis[axis], size);
    from[at] = one.low;
    to[at] = one.high;
  }
  // The rank's tiles that matter: all of them as a range, or each of those near the other process.
  const std::int64_t offset = here.dealt.base - tiles.base;
  const std::int64_t begin = here.dealt.first(r.rank);
  const int count = side == memory::own ? here.tiles : here.concerned[side];
  const int first = side == memory::after ? here.tiles - count : 0;
  if (count == 0)
    return;
  const std::int64_t distance = here.dealt.distance();
  const std::int64_t low_tile = offset + begin + first * distance;
  const std::int64_t high_tile = low_tile + (count - 1) * distance;
  const auto row_of = [&](std::int64_t tile) { return (tile + tiles.base) / here.per_row; };
  if (!alike) {
    grid_tiles at;
    at.axis[of_a.row] = {row_of(low_tile), row_of(high_tile)};
    tile_offsets& inner = at.axis[inner_axis(of_a)];
    tile_offsets& outer = at.axis[outer_axis(of_a)];
    inner = {0, here.inner - 1};
    outer = {0, here.outer - 1};
    if (here.dealt.how == dealing::columns || count == 1) {
      const std::int64_t in_row = (low_tile + tiles.base) % here.per_row;
      inner = {in_row % here.inner, in_row % here.inner};
      outer = {in_row / here.inner, in_row / here.inner};
    }
    visit_meeting_tiles(r, a, mine, at, turn, b, theirs, [&](const grid_tiles& found) {
      visit_tiles_of_grid(tiles, of_b, there, found, visit_tiles);
    });
    return;
  }
  // Tiles low to high, and what is at a distance from them but not beyond the rows of tiles there:
  // ranks farther away do not inform other processes.
  const auto visit_around = [&](std::int64_t low, std::int64_t high) {
    for (std::int64_t row = from[0]; row <= to[0]; ++row)
      for (std::int64_t outer = from[1]; outer <= to[1]; ++outer) {
        if (in_line && row != 0 && outer != 0)
          continue;
        const bool fixed = in_line && (row != 0 || outer != 0);
        const std::int64_t away = row * here.per_row + outer * here.inner;
        const std::int64_t least = (row_of(low) + row) * here.per_row - tiles.base;
        const std::int64_t most = (row_of(high) + row + 1) * here.per_row - 1 - tiles.base;
        const std::int64_t left = low + away + (fixed ? 0 : from[2]);
        const std::int64_t right = high + away + (fixed ? 0 : to[2]);
        visit_tiles(left > least ? left : least, right < most ? right : most);
      }
  };
  if (tiles.how == dealing::contiguous) {
    visit_around(low_tile, high_tile);
  } else if (side != memory::own) {
    for (std::int64_t tile = low_tile; tile <= high_tile; tile += distance)
      visit_around(tile, tile);
  } else {
    for (std::int64_t row = from[0]; row <= to[0]; ++row)
      for (std::int64_t outer = from[1]; outer <= to[1]; ++outer)
        for (std::int64_t inner = from[2]; inner <= to[2]; ++inner) {
          if (in_line && (row != 0) + (outer != 0) + (inner != 0) > 1)
            continue;
          const std::int64_t away = row * here.per_row + outer * here.inner + inner;
          if (tiles.how == dealing::columns) {
            // Tiles one below the other: of no more than two ranks.
            const std::int64_t beyond =
                -floor_divide(tiles.all - 1 - high_tile - away, here.per_row);
            const std::int64_t before = -floor_divide(low_tile + away, here.per_row);
            const std::int64_t low = low_tile + away + (before > 0 ? before : 0) * here.per_row;
            const std::int64_t high = high_tile + away - (beyond > 0 ? beyond : 0) * here.per_row;
            if (low <= high) {
              visit_tiles(low, low);
              visit_tiles(high, high);
            }
            continue;
          }
          // All ranks have as many tiles, but for one, and each of them the same neighbours.
          const std::int64_t number = low_tile + away;
          const auto owner =
              static_cast<int>(number - floor_divide(number, tiles.ranks) * tiles.ranks);
          if (owner < tiles.all)
            visit(rank_range{owner, owner});
        }
  }
}

// --- Pointers that lead to none of the region's arrays

// In bytes; of pointers before it, more than any array has.
GPURMA_DEVICE std::uint64_t offset_from(const char* base, const volatile void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer) - reinterpret_cast<std::uintptr_t>(base);
}
template <int Stages, int Arrays, int Scalars>
GPURMA_DEVICE bool leads_into_array(const region_state<Stages, Arrays, Scalars>& r,
                                    const volatile void* pointer) {
  bool leads = false;
  GPURMA_ROLLED
  for (int a = 0; a < Arrays; ++a)
    leads |= offset_from(r.plans.array[a].base, pointer) < r.bytes_of[a];
  return leads;
}
GPURMA_DEVICE void fail_inside_array(const volatile void* pointer, site where) {
  detail::fail(platform::off_fast_path(detail::block()), error_code::inside_array, directive::stage,
               where, reinterpret_cast<std::int64_t>(pointer));
}

} // namespace gpurma::stages

#endif
