// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ghost rows: rows of its neighbours that a process computes itself, too, so that it waits for them
// in some stages only (ghost zone expansion: Ding and He, "A Ghost Cell Expansion Method for
// Reducing Communications in Solving PDE Problems", SC 2001; overlapped tiling: Krishnamoorthy et
// al., PLDI 2007).
//
// A process has the rows of each array up to some number beyond its band as recent as those of the
// band: they are valid. A stage whose threads read rows up to d away from those that they write
// leaves d rows less of what it writes valid than there were of what it reads, and for that the
// process runs, besides its own tiles, those of its neighbours that write valid rows (ghost tiles).
// What these compute from rows that are not valid is written to rows that are not valid. Where too
// few would be left for stages that come later, processes run their own tiles only and give each
// other as many rows as at the beginning.
//
// All processes run the same stages, and so know of all how many rows are valid. An array has rows
// of several stages, some of which one may leave as they are; so each number is for an array and
// the stage that has written the elements.
#ifndef GPURMA_DEVICE_GHOST_ROWS_H
#define GPURMA_DEVICE_GHOST_ROWS_H

#include <gpurma/device/tile_owners.h>

namespace gpurma::stages {

// Of a stage that is about to run: which of the arrays that its kernel is passed (a bit for each)
// have rows on a side which it reads, and which are put there; and, where there are ghost rows, how
// many of them will be missing of what it writes, and whether processes give each other rows.
struct crossing {
  std::uint32_t reads[3];
  std::uint32_t puts[3];
  missing_rows missing;
  bool exchanges;
};

template <int Stages, int Arrays, int Scalars> class ghost_rows {
  using state = region_state<Stages, Arrays, Scalars>;

public:
  GPURMA_DEVICE static bool exist(const state& r) { return r.plans.bands.ghost_rows != 0; }

  // When a region begins: all rows are valid. Thread 0.
  GPURMA_SLOW_DEVICE static void begin(state& r) {
    GPURMA_ROLLED
    for (int a = 0; a < Arrays; ++a) {
      r.ghosts.missing[a] = {0, 0};
      for (int s = 0; s < Stages; ++s)
        r.ghosts.missing_of[a][s] = {0, 0};
    }
    GPURMA_ROLLED
    for (int s = 0; s < Stages; ++s) {
      r.ghosts.stage[s].tells_at[0] = r.ghosts.stage[s].tells_at[1] = ghost_stage::never;
      r.ghosts.stage[s].waited_for = 0;
    }
    r.ghosts.exchanged_at = 0;
  }

  // When it meets a stage, whose traits and tiles are known. Thread 0.
  GPURMA_SLOW_DEVICE static void set_up(state& r, int stage) {
    const banding& bands = r.plans.bands;
    const stage_plan& plan = r.plans.stage[stage];
    const launch_traits& traits = r.traits[stage];
    const stage_state& s = r.stage[stage];
    ghost_stage& g = r.ghosts.stage[stage];
    const int all = bands.ghost_rows;
    const bool writes = plan.written.some;
    g.most = {narrow(all - (writes ? plan.own_rows_before() : 0)),
              narrow(all - (writes ? plan.own_rows_after() : 0))};
    g.least = {narrow(plan.threads.least.low), narrow(plan.threads.least.high)};
    g.allowed = {narrow(INT_MAX), narrow(INT_MAX)};
    GPURMA_ROLLED
    for (int k = 0; k < traits.count; ++k) {
      const written_box& box = traits.boxes[k];
      g.distance[k] = {narrow(box.thread_before), narrow(box.thread_after)};
      if (launch_traits::has(traits.writes[memory::own], k))
        g.allowed = least(g.allowed, {narrow(all - bands.put_at_end(box.read_before)),
                                      narrow(all - bands.put_at_begin(box.read_after))});
    }
    g.first = position(s, tile_number(s, r.rank, 0));
    g.behind = position(s, tile_number(s, r.rank, s.own_end));
    GPURMA_ROLLED
    for (int missing = 0; missing <= all; ++missing) {
      const std::int64_t before = writes ? plan.tile_rows_before(all - missing) : 0;
      const std::int64_t after = writes ? plan.tile_rows_after(all - missing) : 0;
      const int skipped = s.dealt.count(r.rank, s.dealt.own_begin - before * s.per_row);
      const int last = s.dealt.count(r.rank, s.dealt.own_end + after * s.per_row);
      g.tiles[0][missing] = static_cast<std::uint16_t>(s.own_begin - skipped);
      g.tiles[1][missing] = static_cast<std::uint16_t>(last - s.own_end);
    }
  }

  // How many rows will be missing of what the stage writes, if processes exchange none. The threads
  // that lead, each for some of the arrays.
  GPURMA_DEVICE static missing_rows find_missing(const state& r, int stage, unsigned width) {
    const ghost_stage& g = r.ghosts.stage[stage];
    const std::uint32_t read = r.traits[stage].reads[memory::own];
    unsigned before = g.least.before;
    unsigned after = g.least.after;
    GPURMA_ROLLED
    for (unsigned a = platform::thread_index(); a < Arrays; a += width) {
      const missing_rows missing = r.ghosts.missing[a];
      std::uint32_t passed_as = r.passed_as[a] & read;
      GPURMA_ROLLED
      for (int k = 0; passed_as != 0; ++k, passed_as >>= 1)
        if ((passed_as & 1) != 0) {
          const missing_rows distance = g.distance[k];
          before = larger(before, unsigned{missing.before} + distance.before);
          after = larger(after, unsigned{missing.after} + distance.after);
        }
    }
    return least(
        {narrow(platform::largest(before, width)), narrow(platform::largest(after, width))},
        g.most);
  }

  GPURMA_DEVICE static bool exchanges(const ghost_stage& g, const missing_rows& missing) {
    return missing.before > g.allowed.before || missing.after > g.allowed.after;
  }

  // Whether a stage has nothing to do with other processes: it puts no rows, has been run behind
  // those that were put last, and is not one after which others wait.
  GPURMA_DEVICE static bool is_apart(const state& r, int stage, const missing_rows& missing) {
    const ghost_stage& g = r.ghosts.stage[stage];
    return !exchanges(g, missing) && g.waited_for == r.ghosts.exchanged_at &&
           missing.before != g.tells_at[0] && missing.after != g.tells_at[1] &&
           r.watched_count[stage] >= 0;
  }

  GPURMA_DEVICE static crossing find_crossing(const state& r, int stage,
                                              const missing_rows& missing) {
    const launch_traits& traits = r.traits[stage];
    const ghost_stage& g = r.ghosts.stage[stage];
    const std::uint32_t read = traits.reads[memory::own];
    const std::uint32_t written = traits.writes[memory::own];
    crossing c{{read, traits.reads[memory::before], traits.reads[memory::after]},
               {written, 0, 0},
               missing,
               exchanges(g, missing)};
    if (c.exchanges) {
      c.puts[memory::before] = c.puts[memory::after] = written;
    } else if (written != 0) { // ghost tiles
      if (missing.before < g.most.before)
        c.reads[memory::before] = read | written;
      if (missing.after < g.most.after)
        c.reads[memory::after] = read | written;
    }
    return c;
  }

  // An array is written as some of those that the kernel is passed.
  GPURMA_DEVICE static void note_written(state& r, int stage, unsigned a, std::uint32_t as,
                                         const crossing& c) {
    // What it has left as it was is no more valid than before.
    const bool writes_all = (r.traits[stage].overwrites & as) == as;
    const missing_rows before = r.ghosts.missing_of[a][stage];
    const missing_rows now = c.exchanges  ? missing_rows{0, 0}
                             : writes_all ? c.missing
                                          : most(c.missing, before);
    r.ghosts.missing_of[a][stage] = now;
    missing_rows all = now;
    GPURMA_ROLLED
    for (int s = 0; s < Stages; ++s)
      all = most(all, r.ghosts.missing_of[a][s]);
    r.ghosts.missing[a] = all;
  }

  // Thread 0: the tiles that the rank runs, and what else it does for other processes.
  GPURMA_DEVICE static void begin_apart(state& r, int stage, const missing_rows& missing,
                                        bool tells = false) {
    const stage_state& s = r.stage[stage];
    const ghost_stage& g = r.ghosts.stage[stage];
    r.ghosts.untold_at[0] = missing.before;
    r.ghosts.untold_at[1] = missing.after;
    r.untold_stage[memory::before] = r.untold_stage[memory::after] = stage;
    const int before = ghost_tiles(r, g, 0, missing.before);
    const int after = ghost_tiles(r, g, 1, missing.after);
    const int own = s.part[3].count;
    const bool adds_parts = r.traits[stage].adds_parts;
    r.way = way_of_stage::own_tiles;
    r.now = s.part[3];
    r.ghosts.own_tiles = 0;
    if (before + after == 0 && !tells && (own != 0 || s.most_pieces == 0))
      return;
    tile_position first = g.first;
    GPURMA_ROLLED
    for (int k = before; k < s.own_begin; ++k)
      go_to_next(s, first);
    // All in a row; where parts are added up, the ghost tiles first.
    const bool in_a_row = !tells && s.most_pieces == 0;
    if (in_a_row && !adds_parts) {
      r.now = {first, before + own + after};
      return;
    }
    r.way = way_of_stage::with_ghosts;
    if (in_a_row && own != 0 && (before == 0 || after == 0)) {
      r.now = {before == 0 ? g.behind : first, before + own + after};
      r.ghosts.own_tiles = own;
      return;
    }
    r.ghosts.behind = {g.behind, after};
    r.discards_parts = true;
    r.now = {first, before};
  }
  GPURMA_DEVICE static void find_work(state& r, int stage, const crossing& c) {
    const stage_state& s = r.stage[stage];
    const ghost_stage& g = r.ghosts.stage[stage];
    const unsigned missing[2] = {c.missing.before, c.missing.after};
    side_work& work = r.sides[stage];
    GPURMA_UNROLLED
    for (int side = memory::before; side <= memory::after; ++side) {
      const bool is_late = g.tells_at[side - 1] == missing[side - 1];
      work.puts[side] = c.puts[side];
      work.tells[side] = r.informs[side] && (c.puts[side] != 0 || (!c.exchanges && is_late));
      work.leaves_untold[side] = false;
    }
    r.ghosts.stage[stage].waited_for = r.ghosts.exchanged_at; // before its own
    complete_side_work(r, stage);
    if (c.exchanges) {
      r.way = work.tells_any ? way_of_stage::telling : way_of_stage::own_tiles;
      r.now = s.part[work.tells_any && !work.puts_last ? 0 : 3];
      r.ghosts.exchanged_at = r.epoch;
      r.ghosts.own_tiles = 0;
    } else {
      begin_apart(r, stage, c.missing, work.tells_any);
    }
  }

private:
  GPURMA_DEVICE static int ghost_tiles(const state& r, const ghost_stage& g, int side,
                                       unsigned missing) {
    return missing <= static_cast<unsigned>(r.plans.bands.ghost_rows) ? g.tiles[side][missing] : 0;
  }
  template <class Integer> GPURMA_DEVICE static std::uint16_t narrow(Integer rows) {
    return static_cast<std::uint16_t>(rows < 0 ? 0 : rows < most_missing ? rows : most_missing);
  }
  static constexpr int most_missing = 1 << 14;
  GPURMA_DEVICE static missing_rows least(const missing_rows& a, const missing_rows& b) {
    return {a.before < b.before ? a.before : b.before, a.after < b.after ? a.after : b.after};
  }
  GPURMA_DEVICE static missing_rows most(const missing_rows& a, const missing_rows& b) {
    return {a.before > b.before ? a.before : b.before, a.after > b.after ? a.after : b.after};
  }
};

} // namespace gpurma::stages

#endif
