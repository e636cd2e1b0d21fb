// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device side of a persistent region: what gpurmacc's text calls in the kernel that a region
// becomes. All threads of all ranks run the region's statements with the same values; at a stage a
// rank runs the kernel's body for the logical blocks (tiles) that it owns.
//
// Tiles are numbered row of tiles by row of tiles. Rows of tiles belong to processes by the band
// of rows in which their first written row lies; the tiles of a process are dealt to its ranks in
// contiguous ranges of the same length. Which ranks own a tile can thus be computed by everybody,
// and so can the ranks that wrote what a rank is about to read (RAW), and those that read or wrote
// what it is about to overwrite (WAR, WAW). A rank waits for the epochs of exactly those, at or
// beyond the execution that touched the buffer last. No rank waits for all others.
//
// Rows that the neighbouring processes read are written into their arrays as soon as the tiles
// that hold them are done, and then the rank's epoch into their copy of it; the tiles at the
// borders of the band come first for that.
#ifndef GPURMA_DEVICE_STAGES_H
#define GPURMA_DEVICE_STAGES_H

#include <cstdio>

#include <gpurma/device/directives.h>
#include <gpurma/device/stage_plan.h>

namespace gpurma::stages {

using detail::block_state;
using detail::directive;
using detail::error_code;

// Ranks first to last of a process, none if last < first.
struct rank_range {
  std::int32_t first;
  std::int32_t last;
};

// What a rank knows of a stage once it has met it.
struct stage_state {
  dim3 grid;
  std::int32_t inner;      // tiles along the faster of the two dimensions that do not walk rows
  std::int32_t per_row;    // tiles in a row of tiles
  std::int32_t tiles;      // of the rank
  std::int32_t first_tile; // of the rank, counted over all processes
  std::int32_t leading;    // of the rank's tiles, which the process before is concerned with
  std::int32_t trailing;   // the same for the process after; not those that are leading
  bool known;
};

// What the ranks of a region keep in shared memory. Thread 0 writes, between two block barriers.
template <int S, int A, int R> struct region_state {
  plan<S, A, R> plans;
  memory words;
  detail::window_handle control;
  detail::window_handle windows[A];
  std::uint32_t epoch; // stages that the rank has begun
  std::int32_t rank;   // of the device
  bool owes_flush;     // the host may still read rows that have been put
  bool array_written[A];
  stage_state stage[S];
  // The epoch at which a stage has last read and written an array.
  std::uint32_t read_at[A][S];
  std::uint32_t written_at[A][S];
  // The ranks whose tiles of the second stage conflict with the rank's tiles of the first.
  rank_range conflicts[S][S][3];
  std::uint32_t meetings[R]; // of each reduced scalar
  std::uint64_t result;      // of the last meeting
};

// --- Where tiles belong

GPURMA_DEVICE std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
  const std::int64_t q = a / b;
  return q * b > a ? q - 1 : q;
}

GPURMA_DEVICE unsigned of_dim(const dim3& d, unsigned axis) {
  return axis == 0 ? d.x : axis == 1 ? d.y : d.z;
}

// First row of tiles of a process; of `processes`: how many there are.
GPURMA_DEVICE std::int64_t first_tile_row(const banding& bands, const stage_plan& s,
                                          const dim3& grid, int process) {
  const std::int64_t all = of_dim(grid, s.row);
  if (process <= 0)
    return 0;
  if (process >= bands.processes)
    return all;
  const std::int64_t height = of_dim(s.block, s.row);
  const std::int64_t low = s.written.some && s.written.axis[s.row].low != whole
                               ? s.written.axis[s.row].low
                               : 0;
  const std::int64_t row = -floor_divide(low - bands.begin(process), height); // rounded up
  return row < 0 ? 0 : row < all ? row : all;
}

// The k-th rank's first of `tiles` tiles.
GPURMA_DEVICE std::int64_t first_of_rank(std::int64_t tiles, int rank, int ranks) {
  return tiles * rank / ranks;
}
GPURMA_DEVICE int owner_of(std::int64_t tile, std::int64_t tiles, int ranks) {
  return static_cast<int>(((tile + 1) * ranks - 1) / tiles);
}

// --- Which ranks conflict

// Offsets, in tiles of one grid, of the tiles that conflict with a tile.
struct tile_offsets {
  std::int64_t low;
  std::int64_t high;
};

// The tiles of a stage with `theirs` that meet the coordinates low to high of an axis.
GPURMA_DEVICE tile_offsets tiles_at(std::int64_t low, std::int64_t high, const axis_reach& theirs,
                                    std::int64_t size) {
  return {-floor_divide(-(low - theirs.high - size + 1), size),
          floor_divide(high - theirs.low, size)};
}

// The ranks of a process that own tiles of stage b, touched as `theirs`, which meet what the rank's
// tiles [first, first + count) of stage a touch as `mine`.
template <int S, int A, int R>
GPURMA_DEVICE rank_range conflicting(const region_state<S, A, R>& r, int a, const reach& mine,
                                     int b, const reach& theirs, int process, int ranks) {
  const stage_plan& of_a = r.plans.stage[a];
  const stage_plan& of_b = r.plans.stage[b];
  const stage_state& here = r.stage[a];
  const stage_state& there = r.stage[b];
  const banding& bands = r.plans.bands;
  const std::int64_t row_begin = first_tile_row(bands, of_b, there.grid, process);
  const std::int64_t row_end = first_tile_row(bands, of_b, there.grid, process + 1);
  const std::int64_t tiles = (row_end - row_begin) * there.per_row;
  if (!mine.some || !theirs.some || here.tiles == 0 || tiles == 0)
    return {0, -1};
  const std::int64_t begin = here.first_tile;
  const std::int64_t end = begin + here.tiles - 1;
  const std::int64_t height = of_dim(of_a.block, of_a.row);
  const axis_reach& my_rows = mine.axis[of_a.row];
  const axis_reach& their_rows = theirs.axis[of_b.row];
  std::int64_t low = row_begin * there.per_row;
  std::int64_t high = row_end * there.per_row - 1;
  if (my_rows.low != whole && their_rows.low != whole) {
    const tile_offsets rows = tiles_at(begin / here.per_row * height + my_rows.low,
                                       end / here.per_row * height + height - 1 + my_rows.high,
                                       their_rows, of_dim(of_b.block, of_b.row));
    low = low > rows.low * there.per_row ? low : rows.low * there.per_row;
    high = high < (rows.high + 1) * there.per_row - 1 ? high : (rows.high + 1) * there.per_row - 1;
    // Where both stages number their tiles alike, the neighbours of a tile are at a fixed distance.
    bool alike = of_a.row == of_b.row && here.per_row == there.per_row && here.inner == there.inner;
    const std::int64_t steps[3] = {1, here.inner, here.per_row};
    std::int64_t down = 0;
    std::int64_t up = 0;
    int step = 0;
    for (unsigned axis = 0; axis < 3; ++axis) {
      const bool is_row = axis == of_a.row;
      const std::int64_t factor = steps[is_row ? 2 : step];
      step += is_row ? 0 : 1;
      if (of_dim(here.grid, axis) == 1 && of_dim(there.grid, axis) == 1)
        continue;
      alike &= mine.axis[axis].low != whole && theirs.axis[axis].low != whole;
      const std::int64_t size = of_dim(of_a.block, axis);
      const tile_offsets one = tiles_at(mine.axis[axis].low, size - 1 + mine.axis[axis].high,
                                        theirs.axis[axis], size);
      down += one.low * factor;
      up += one.high * factor;
    }
    if (alike) {
      low = low > begin + down ? low : begin + down;
      high = high < end + up ? high : end + up;
    }
  }
  if (low > high)
    return {0, -1};
  const std::int64_t base = row_begin * there.per_row;
  return {owner_of(low - base, tiles, ranks), owner_of(high - base, tiles, ranks)};
}

GPURMA_DEVICE rank_range hull(const rank_range& a, const rank_range& b) {
  if (a.last < a.first)
    return b;
  if (b.last < b.first)
    return a;
  return {a.first < b.first ? a.first : b.first, a.last > b.last ? a.last : b.last};
}

GPURMA_DEVICE int process_of(const banding& bands, int side) {
  return bands.process + (side == memory::own ? 0 : side == memory::before ? -1 : 1);
}

// --- The region

template <int S, int A, int R> class region {
  static_assert(A <= 32, "a persistent region distributes up to 32 arrays");

public:
  using state = region_state<S, A, R>;

  // All threads of all ranks. Collective over all processes.
  GPURMA_SLOW_DEVICE region(const plan<S, A, R>& plans, const memory& words) {
    state& r = shared();
    block_state& b = detail::block();
    if (platform::thread_index() == 0) {
      r.plans = plans;
      r.words = words;
      r.epoch = 0;
      r.rank = b.rank - b.first_rank;
      r.owes_flush = false;
      GPURMA_ROLLED
      for (int s = 0; s < S; ++s) {
        r.stage[s].known = false;
        for (int a = 0; a < A; ++a)
          r.read_at[a][s] = r.written_at[a][s] = 0;
      }
      for (int a = 0; a < A; ++a)
        r.array_written[a] = false;
      for (int k = 0; k < R; ++k)
        r.meetings[k] = 0;
    }
    platform::sync_block();
    if (plans.bands.processes == 1)
      return;
    GPURMA_ROLLED
    for (int a = -1; a < A; ++a) {
      const detail::window_handle w =
          a < 0 ? detail::open_window(words.words, words.words_for(R) * sizeof(std::uint64_t),
                                      comm::world, plans.where)
                : detail::open_window(plans.array[a].base, plans.array[a].bytes(), comm::world,
                                      plans.where);
      if (platform::thread_index() == 0)
        (a < 0 ? r.control : r.windows[a]) = w;
    }
    platform::sync_block();
  }

  // printf, by one thread of one rank.
  template <class... Arguments>
  GPURMA_DEVICE int print(const char* format, Arguments... arguments) const {
    if (platform::thread_index() != 0 || detail::block().rank != 0)
      return 0;
    return printf(format, arguments...);
  }

  // Ends the region: every process gets all rows of the arrays that it holds whole, and the host the
  // values.
  template <class Values> GPURMA_SLOW_DEVICE void end(const Values& values, Values* results) {
    state& r = shared();
    const banding& bands = r.plans.bands;
    if (bands.processes > 1) {
      barrier(comm::world, r.plans.where); // no stage reads any more
      const std::int64_t begin = bands.begin(bands.process);
      const std::int64_t rows = bands.begin(bands.process + 1) - begin;
      const int ranks = detail::block().device_size;
      const std::int64_t first = begin + rows * r.rank / ranks;
      const std::int64_t last = begin + rows * (r.rank + 1) / ranks;
      GPURMA_ROLLED
      for (int a = 0; a < A; ++a) {
        const array_plan& array = r.plans.array[a];
        const std::int64_t count = (last < array.rows ? last : array.rows) - first;
        if (!r.array_written[a] || array.banded || count <= 0)
          continue;
        const std::uint64_t offset = static_cast<std::uint64_t>(first) * array.row_bytes();
        for (int p = 0; p < bands.processes; ++p)
          if (p != bands.process)
            detail::put_bytes<false, matching::queue>(
                array.base + offset, static_cast<std::uint64_t>(count) * array.row_bytes(), 1, 1,
                r.words.first_ranks[p], r.windows[a], offset, 0, r.plans.where);
      }
      GPURMA_ROLLED
      for (int a = A - 1; a >= -1; --a)
        detail::close_window(a < 0 ? r.control : r.windows[a], r.plans.where);
    }
    if (r.rank == 0 && platform::thread_index() == 0)
      *results = values;
  }

  GPURMA_DEVICE static state& shared() { return platform::block_shared<state>(); }
};

// --- What ranks tell each other

// Stores a word into the control memory of another process, after all that the rank has put there
// before. Thread 0.
template <int S, int A, int R>
GPURMA_SLOW_DEVICE void send_word(region_state<S, A, R>& r, int process, std::size_t at,
                                  std::uint64_t value, bool ordered) {
  const int target = r.words.first_ranks[process];
  const std::uint64_t reached = r.control.rows[target].reached;
  if (reached != 0) {
    auto* const word = reinterpret_cast<std::uint64_t*>(reached) + at;
    if (ordered)
      platform::store_release(word, value, platform::scope::system); // M22, M24
    else
      platform::store_relaxed(word, value);
    return;
  }
  block_state& b = detail::block();
  detail::command c =
      detail::make_command(detail::command_kind::put, target, r.control.id, r.plans.where);
  c.address = reinterpret_cast<std::uint64_t>(&value);
  c.offset = at * sizeof(value);
  c.bytes = sizeof(value);
  c.flags = detail::inline_flag | detail::ordered_flag; // M22, M24
  detail::post(b, c, directive::stage);
}

// Waits, with all threads, until done() holds in each of them.
template <class Done>
GPURMA_SLOW_DEVICE void wait_at_length(Done done, platform::scope reached_from, site where,
                                       directive what, std::uint64_t wanted) {
  block_state& b = detail::block();
  detail::blocked waiting(b, what, where, any_source, any_tag, detail::no_window_id, wanted);
  for (bool mine = false;;) {
    if (!mine && done()) {
      mine = true;
      platform::fence_acquire(reached_from); // M21, M22, M24
    }
    if (!platform::sync_block_or(!mine))
      return;
    if (platform::thread_index() == 0)
      waiting.pause();
  }
}

template <class Done>
GPURMA_DEVICE void wait_until(Done done, platform::scope reached_from, site where, directive what,
                              std::uint64_t wanted) {
  const bool mine = done();
  if (mine)
    platform::fence_acquire(reached_from); // M21, M22, M24
  if (platform::sync_block_or(!mine))      // M4
    wait_at_length(done, reached_from, where, what, wanted);
}

// --- Stages

// The rank's tiles of one execution of a stage, in their order: those that a neighbouring process
// is concerned with first.
template <int S, int A, int R> class tiles {
  using state = region_state<S, A, R>;

public:
  // All threads. `arrays`: the pointers that the stage is passed, of which bit k of `reads` and
  // `writes` says what it does with the k-th. Waits until the rank may begin.
  template <std::size_t N>
  GPURMA_DEVICE tiles(region<S, A, R>&, int stage, const dim3& grid, const dim3& block,
                      const void* const (&arrays)[N], unsigned reads, unsigned writes, site where)
      : stage_(stage), where_(where) {
    state& r = shared();
    const stage_state& s = r.stage[stage];
    if (!s.known || s.grid.x != grid.x || s.grid.y != grid.y || s.grid.z != grid.z)
      meet_stage(stage, grid, block, where);
    const bool remote = r.plans.bands.processes > 1;
    wait_until([&] { return may_begin(arrays, reads, writes); },
               remote ? platform::scope::system : platform::scope::device, where, directive::stage,
               r.epoch);
    if (platform::thread_index() == 0)
      begin(arrays, reads, writes);
    count_ = s.tiles;
    concerned_ = s.leading + s.trailing;
    if (concerned_ != 0)
      for (std::size_t k = 0; k < N; ++k)
        if (const int a = (writes >> k & 1) != 0 ? index_of(arrays[k]) : -1; a >= 0)
          written_ |= 1u << a;
    platform::sync_block();
  }

  // Goes to the next tile; false: there is none, and the stage has ended.
  GPURMA_DEVICE bool next() {
    state& r = shared();
    const stage_state& s = r.stage[stage_];
    ++at_;
    if (at_ == concerned_ && concerned_ != 0)
      publish_to_neighbours(platform::off_fast_path(r), stage_, written_, concerned_, where_);
    if (at_ == count_) {
      end();
      return false;
    }
    if (at_ == 0 || at_ == s.leading || at_ == concerned_) {
      seek(s);
    } else {
      if (r.plans.stage[stage_].has_barrier)
        platform::sync_block();
      if (++inner_ == s.inner) {
        inner_ = 0;
        if (++outer_ * s.inner == s.per_row) {
          outer_ = 0;
          ++row_;
        }
      }
      return true;
    }
    if (at_ != 0 && r.plans.stage[stage_].has_barrier)
      platform::sync_block();
    return true;
  }

  // The logical block.
  GPURMA_DEVICE uint3 block() const {
    return place(shared().plans.stage[stage_].row, inner_, outer_, row_);
  }

private:
  GPURMA_DEVICE static state& shared() { return region<S, A, R>::shared(); }

  GPURMA_DEVICE static uint3 place(unsigned row_axis, int inner, int outer, int row) {
    const auto i = static_cast<unsigned>(inner);
    const auto o = static_cast<unsigned>(outer);
    const auto w = static_cast<unsigned>(row);
    return row_axis == 2 ? uint3{i, o, w} : row_axis == 1 ? uint3{i, w, o} : uint3{w, i, o};
  }

  // The tile at at_: leading ones, trailing ones, then those between.
  GPURMA_DEVICE void seek(const stage_state& s) {
    const int tile = s.first_tile + ordered(s, at_);
    row_ = tile / s.per_row;
    const int in_row = tile - row_ * s.per_row;
    outer_ = in_row / s.inner;
    inner_ = in_row - outer_ * s.inner;
  }
  GPURMA_DEVICE static int ordered(const stage_state& s, int at) {
    if (at < s.leading)
      return at;
    if (at < s.leading + s.trailing)
      return s.tiles - s.trailing + (at - s.leading);
    return at - s.trailing;
  }

  // Which of the region's arrays begins there; -1: none.
  GPURMA_DEVICE static int index_of(const void* array) {
    const state& r = shared();
    for (int a = 0; a < A; ++a)
      if (r.plans.array[a].base == array)
        return a;
    return -1;
  }

  // Whether all ranks are as far as the rank's tiles need: those whose epochs the thread looks at.
  template <std::size_t N>
  GPURMA_DEVICE bool may_begin(const void* const (&arrays)[N], unsigned reads,
                               unsigned writes) const {
    const state& r = shared();
    const int step = static_cast<int>(platform::block_threads());
    for (int other = 0; other < S; ++other) {
      std::uint32_t needed = 0;
      for (std::size_t k = 0; k < N; ++k) {
        const int a = ((reads | writes) >> k & 1) != 0 ? index_of(arrays[k]) : -1;
        if (a < 0)
          continue;
        const std::uint32_t written = r.written_at[a][other];
        const std::uint32_t read = (writes >> k & 1) != 0 ? r.read_at[a][other] : 0;
        needed = needed > written ? needed : written;
        needed = needed > read ? needed : read;
      }
      if (needed == 0)
        continue;
      for (int side = 0; side < 3; ++side) {
        const rank_range range = r.conflicts[stage_][other][side];
        for (int k = range.first + static_cast<int>(platform::thread_index()); k <= range.last;
             k += step) {
          const std::uint64_t* const epoch = r.words.words + r.words.epoch_at(side, k);
          if (platform::load_polled(epoch) < needed && !owns_nothing(r, other, side, k)) // M21, M22
            return false;
        }
      }
    }
    return true;
  }

  // Ranks of other processes that own no tile of a stage do not say when they have ended it.
  GPURMA_DEVICE static bool owns_nothing(const state& r, int stage, int side, int rank) {
    if (side == memory::own)
      return false;
    const int process = process_of(r.plans.bands, side);
    const int ranks = r.words.first_ranks[process + 1] - r.words.first_ranks[process];
    const dim3& grid = r.stage[stage].grid;
    const std::int64_t all = (first_tile_row(r.plans.bands, r.plans.stage[stage], grid, process + 1) -
                              first_tile_row(r.plans.bands, r.plans.stage[stage], grid, process)) *
                             r.stage[stage].per_row;
    return first_of_rank(all, rank, ranks) == first_of_rank(all, rank + 1, ranks);
  }

  // Thread 0: notes what the stage does.
  template <std::size_t N>
  GPURMA_DEVICE void begin(const void* const (&arrays)[N], unsigned reads, unsigned writes) const {
    state& r = shared();
    const std::uint32_t epoch = ++r.epoch;
    for (std::size_t k = 0; k < N; ++k) {
      const bool is_written = (writes >> k & 1) != 0;
      const int a = ((reads | writes) >> k & 1) != 0 ? index_of(arrays[k]) : -1;
      if (a < 0) {
        if (is_written)
          detail::fail(platform::off_fast_path(detail::block()), error_code::not_distributed,
                       directive::stage, where_, reinterpret_cast<std::int64_t>(arrays[k]));
        continue;
      }
      if ((reads >> k & 1) != 0)
        r.read_at[a][stage_] = epoch;
      if (is_written) {
        r.written_at[a][stage_] = epoch;
        r.array_written[a] = true;
      }
    }
    if (r.owes_flush && writes != 0) { // the host reads rows that may be overwritten now
      detail::wait_for_commands(detail::block(), directive::stage, where_, detail::any_window_id);
      r.owes_flush = false;
    }
  }

  // All threads.
  GPURMA_DEVICE void end() const {
    state& r = shared();
    platform::sync_block(); // M1
    if (platform::thread_index() == 0) {
      platform::store_release(r.words.words + r.words.epoch_at(memory::own, r.rank),
                              std::uint64_t{r.epoch}, platform::scope::device); // M21
      detail::count_directive(detail::block());
    }
  }

  // Finds out which tiles the rank owns and which ranks they depend on: when a stage is met for
  // the first time, or with another grid. All threads.
  GPURMA_SLOW_DEVICE static void meet_stage(int stage, const dim3& grid, const dim3& block,
                                            site where) {
    state& r = shared();
    // The tiles that were touched under the old grid belong to other ranks now.
    if (r.stage[stage].known) {
      barrier(comm::world, where);
      if (platform::thread_index() == 0)
        for (int a = 0; a < A; ++a)
          for (int s = 0; s < S; ++s)
            r.read_at[a][s] = r.written_at[a][s] = 0;
    }
    platform::sync_block();
    if (platform::thread_index() == 0) {
      const stage_plan& plan = r.plans.stage[stage];
      if (block.x != blockDim.x || block.y != blockDim.y || block.z != blockDim.z)
        detail::fail(detail::block(), error_code::other_block_size, directive::stage, where, block.x,
                     block.y, block.z);
      set_up(r, stage, plan, grid);
      for (int other = 0; other < S; ++other) {
        if (!r.stage[other].known)
          continue;
        find_conflicts(r, stage, other);
        find_conflicts(r, other, stage);
      }
    }
    platform::sync_block();
  }

  GPURMA_DEVICE static void set_up(state& r, int stage, const stage_plan& plan, const dim3& grid) {
    const banding& bands = r.plans.bands;
    stage_state& s = r.stage[stage];
    s.known = true;
    s.grid = grid;
    s.inner = static_cast<int>(plan.row == 0 ? grid.y : grid.x);
    s.per_row = s.inner * static_cast<int>(plan.row == 2 ? grid.y : grid.z);
    const std::int64_t first_row = first_tile_row(bands, plan, grid, bands.process);
    const std::int64_t last_row = first_tile_row(bands, plan, grid, bands.process + 1);
    const std::int64_t all = (last_row - first_row) * s.per_row;
    const int ranks = detail::block().device_size;
    const std::int64_t begin = first_of_rank(all, r.rank, ranks);
    const std::int64_t end = first_of_rank(all, r.rank + 1, ranks);
    s.tiles = static_cast<int>(end - begin);
    s.first_tile = static_cast<int>(first_row * s.per_row + begin);
    // Tiles that touch rows which the neighbours touch.
    const std::int64_t height = of_dim(plan.block, plan.row);
    const axis_reach read = plan.read.some ? plan.read.axis[plan.row] : axis_reach{0, 0};
    const axis_reach written = plan.written.some ? plan.written.axis[plan.row] : axis_reach{0, 0};
    const std::int64_t low = read.low < written.low ? read.low : written.low;
    const std::int64_t high = read.high > written.high ? read.high : written.high;
    s.leading = s.trailing = 0;
    if (bands.process > 0) {
      const std::int64_t before = bands.begin(bands.process) + bands.touch_after;
      const std::int64_t rows = -floor_divide(-(before - low), height); // of tiles, below this
      s.leading = clamp_count(rows * s.per_row - s.first_tile, s.tiles);
    }
    if (bands.process + 1 < bands.processes) {
      const std::int64_t after = bands.begin(bands.process + 1) - bands.touch_before;
      const std::int64_t row = -floor_divide(high + height - 1 - after, height);
      s.trailing =
          clamp_count(s.first_tile + s.tiles - row * s.per_row, s.tiles - s.leading);
    }
  }

  GPURMA_DEVICE static int clamp_count(std::int64_t count, int most) {
    return count < 0 ? 0 : count < most ? static_cast<int>(count) : most;
  }

  GPURMA_DEVICE static void find_conflicts(state& r, int a, int b) {
    const banding& bands = r.plans.bands;
    for (int side = 0; side < 3; ++side) {
      const int process = process_of(bands, side);
      rank_range& found = r.conflicts[a][b][side];
      found = {0, -1};
      if (process < 0 || process >= bands.processes)
        continue;
      const int ranks = bands.processes == 1
                            ? detail::block().device_size
                            : r.words.first_ranks[process + 1] - r.words.first_ranks[process];
      const stage_plan& mine = r.plans.stage[a];
      const stage_plan& theirs = r.plans.stage[b];
      found = hull(hull(conflicting(r, a, mine.read, b, theirs.written, process, ranks),
                        conflicting(r, a, mine.written, b, theirs.read, process, ranks)),
                   conflicting(r, a, mine.written, b, theirs.written, process, ranks));
    }
  }

  // The tiles that neighbouring processes are concerned with are done. Writes the rows that they
  // read into their arrays, and then the epoch. All threads.
  GPURMA_SLOW_DEVICE static void publish_to_neighbours(state& r, int stage, unsigned written,
                                                       int concerned, site where) {
    platform::sync_block(); // M1
    const banding& bands = r.plans.bands;
    for (int side = memory::before; side <= memory::after; ++side) {
      const int process = process_of(bands, side);
      if (process < 0 || process >= bands.processes)
        continue;
      const std::int64_t first =
          side == memory::before ? 0 : bands.begin(process) - bands.need_before;
      const std::int64_t last =
          side == memory::before ? bands.begin(bands.process) + bands.need_after - 1
                                 : bands.rows - 1;
      for (int a = 0; a < A; ++a)
        if ((written >> a & 1) != 0)
          for (int at = 0; at < concerned; ++at)
            push_tile(r, stage, a, ordered(r.stage[stage], at), process, first, last, where);
    }
    platform::sync_block(); // M1
    if (platform::thread_index() != 0)
      return;
    for (int side = memory::before; side <= memory::after; ++side) {
      const int process = process_of(bands, side);
      if (process < 0 || process >= bands.processes)
        continue;
      const int mirror = side == memory::before ? memory::after : memory::before;
      send_word(r, process, r.words.epoch_at(mirror, r.rank), r.epoch, true);
    }
  }

  struct extent {
    std::int64_t first;
    std::int64_t last;
  };

  // What a tile writes along an axis, of `size` coordinates.
  GPURMA_DEVICE static extent written_along(const stage_plan& plan, const uint3& tile,
                                            unsigned axis, std::int64_t size) {
    const axis_reach& to = plan.written.axis[axis];
    if (to.low == whole)
      return {0, size - 1};
    const std::int64_t threads = of_dim(plan.block, axis);
    const std::int64_t at = (axis == 0 ? tile.x : axis == 1 ? tile.y : tile.z) * threads;
    const std::int64_t first = at + to.low;
    const std::int64_t last = at + threads - 1 + to.high;
    return {first > 0 ? first : 0, last < size - 1 ? last : size - 1};
  }

  // Writes what a tile has written of the rows first to last of an array into another process's.
  GPURMA_DEVICE static void push_tile(state& r, int stage, int a, int tile, int process,
                                      std::int64_t first, std::int64_t last, site where) {
    const stage_plan& plan = r.plans.stage[stage];
    const stage_state& s = r.stage[stage];
    const array_plan& array = r.plans.array[a];
    tile += s.first_tile;
    const int row = tile / s.per_row;
    const int in_row = tile - row * s.per_row;
    const uint3 index = place(plan.row, in_row % s.inner, in_row / s.inner, row);
    extent rows = written_along(plan, index, plan.row, array.rows);
    rows.first = rows.first > first ? rows.first : first;
    rows.last = rows.last < last ? rows.last : last;
    // The slowest dimension is walked by `row`, the fastest by x, and the one between by y.
    const auto n_lines = static_cast<std::int64_t>(array.lines);
    const auto n_width = static_cast<std::int64_t>(array.width);
    const extent lines = plan.row == 2 ? written_along(plan, index, 1, n_lines)
                                       : extent{0, n_lines - 1};
    const extent columns = plan.row != 0 ? written_along(plan, index, 0, n_width)
                                         : extent{0, n_width - 1};
    if (columns.last < columns.first)
      return;
    const auto bytes =
        static_cast<std::uint64_t>(columns.last - columns.first + 1) * array.element_bytes;
    const int target = r.words.first_ranks[process];
    const detail::window_row& to = r.windows[a].rows[target];
    const auto per_row = lines.last - lines.first + 1;
    for (std::int64_t k = 0; k < (rows.last - rows.first + 1) * per_row; ++k) {
      const std::int64_t line =
          (rows.first + k / per_row) * n_lines + lines.first + k % per_row;
      const std::uint64_t offset =
          static_cast<std::uint64_t>(line * n_width + columns.first) * array.element_bytes;
      if (to.reached != 0) {
        platform::copy_block(reinterpret_cast<char*>(to.reached) + offset, array.base + offset,
                             bytes);
      } else if (platform::thread_index() == 0) {
        const detail::destination d{nullptr, to.base + offset, offset, bytes, target, true};
        detail::post_transfer(detail::block(), detail::command_kind::put, directive::stage, where,
                              array.base + offset, d, r.windows[a].id, 0, 0);
        r.owes_flush = true;
      }
    }
  }

  int stage_;
  site where_;
  int count_ = 0;
  int concerned_ = 0;
  unsigned written_ = 0;
  int at_ = -1;
  int inner_ = 0;
  int outer_ = 0;
  int row_ = 0;
};

// --- Reduced scalars

// A scalar that kernels of the region update by atomics, and that the region reads and assigns.
template <class T, class Operation, int S, int A, int R> class reduced {
public:
  GPURMA_DEVICE reduced(region<S, A, R>&, int index, T value) : value_(value), index_(index) {}
  reduced(const reduced&) = delete;

  // Where kernels of the device add up; all ranks of the device share it until the next meeting.
  GPURMA_DEVICE T* partial() {
    updated_ = true;
    return slot(index_);
  }

  // The scalar over all processes, the same in all threads of all ranks: waits until all ranks have
  // come here, if kernels may have updated it.
  GPURMA_DEVICE T value() {
    if (updated_)
      value_ = meet(index_, value_);
    updated_ = false;
    return value_;
  }

  GPURMA_DEVICE reduced& operator=(T value) {
    // What has been added up so far belongs to the value before.
    if (updated_)
      meet(index_, value_);
    updated_ = false;
    value_ = value;
    return *this;
  }
  GPURMA_DEVICE reduced& operator+=(T more) { return *this = value() + more; }
  GPURMA_DEVICE reduced& operator-=(T less) { return *this = value() - less; }
  GPURMA_DEVICE reduced& operator*=(T factor) { return *this = value() * factor; }
  GPURMA_DEVICE reduced& operator/=(T divisor) { return *this = value() / divisor; }

private:
  GPURMA_SLOW_DEVICE static T* slot(int index) {
    const region_state<S, A, R>& r = region<S, A, R>::shared();
    const unsigned next = (r.meetings[index] + 1) % 2;
    return reinterpret_cast<T*>(r.words.words + r.words.partial_at(index, next));
  }

  GPURMA_SLOW_DEVICE static T meet(int index, T value) {
    region_state<S, A, R>& r = region<S, A, R>::shared();
    const banding& bands = r.plans.bands;
    std::uint64_t* const words = r.words.words;
    const std::uint64_t meeting = r.meetings[index] + 1;
    const unsigned slot = meeting % 2;
    const auto ranks = static_cast<std::uint64_t>(detail::block().device_size);
    platform::sync_block(); // M1
    if (platform::thread_index() == 0) {
      const std::uint64_t before =
          platform::fetch_add(words + r.words.arrived_at(index), std::uint64_t{1},
                              platform::scope::device); // M23
      if (before + 1 == meeting * ranks) {
        const std::uint64_t mine =
            platform::load_relaxed(words + r.words.partial_at(index, slot));
        platform::store_relaxed(words + r.words.partial_at(index, 1 - slot),
                                r.plans.identity[index]);
        const std::size_t at = r.words.total_at(index, slot, bands.process);
        for (int p = 0; p < bands.processes; ++p) {
          if (p == bands.process)
            continue;
          send_word(r, p, at, mine, false);
          send_word(r, p, at + 1, meeting, true);
        }
        platform::store_relaxed(words + at, mine);
        platform::store_release(words + at + 1, meeting, platform::scope::device); // M24
      }
    }
    const auto all_known = [&] {
      for (int p = static_cast<int>(platform::thread_index()); p < bands.processes;
           p += static_cast<int>(platform::block_threads()))
        if (platform::load_polled(words + r.words.total_at(index, slot, p) + 1) < meeting) // M24
          return false;
      return true;
    };
    wait_until(all_known,
               bands.processes > 1 ? platform::scope::system : platform::scope::device,
               r.plans.where, directive::reduce, meeting);
    if (platform::thread_index() == 0) {
      // In the same order everywhere: the region's conditions depend on it.
      for (int p = 0; p < bands.processes; ++p)
        value = Operation::combine(
            value, from_bits<T>(platform::load_relaxed(words + r.words.total_at(index, slot, p))));
      r.meetings[index] = static_cast<std::uint32_t>(meeting);
      r.result = bits_of(value);
    }
    platform::sync_block(); // M4
    value = from_bits<T>(r.result);
    platform::sync_block(); // all have read it before the next meeting
    return value;
  }

  T value_;
  int index_;
  bool updated_ = false;
};

// --- Twins of what the standard library has for the host

template <class T> GPURMA_DEVICE void swap(T& a, T& b) {
  const T c = a;
  a = b;
  b = c;
}
template <class T> GPURMA_DEVICE const T& max(const T& a, const T& b) {
  return a < b ? b : a;
}
template <class T> GPURMA_DEVICE const T& min(const T& a, const T& b) {
  return b < a ? b : a;
}
template <class T> GPURMA_DEVICE const T& clamp(const T& v, const T& low, const T& high) {
  return v < low ? low : high < v ? high : v;
}
// __ldg, of memory that changes while the kernel runs.
template <class T> GPURMA_DEVICE T load(const T* address) {
  return *address;
}
template <class T> GPURMA_DEVICE T& move(T& value) {
  return value;
}
template <class T, class U> GPURMA_DEVICE T exchange(T& object, U&& value) {
  const T old = object;
  object = value;
  return old;
}

} // namespace gpurma::stages

#endif
