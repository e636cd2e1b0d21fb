// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// All steps of an application in one rank kernel.
///
/// The rows of a process are cut into tiles, which are dealt to its ranks like cards. All ranks
/// together so move through the field as the blocks of an ordinary kernel do, near one another, as
/// memory wants it. All ranks of a process have the same window, its whole memory, so that
/// ranks beside one another on a device only notify; what other processes need is computed first
/// and put.

#include <climits>

#include "rank_measure.h"

/// Tiles are numbered along the columns first, and tile t is rank t % ranks's.
struct tiling {
  int columns; ///< Of a tile.
  int across;  ///< Tiles beside one another.
  int rows;    ///< Of a tile, at least.

  __host__ __device__ int down(int process_rows) const {
    return process_rows > rows ? process_rows / rows : 1;
  }

  /// The tiling in which the rank with most has least to do.
  template <class App>
  static tiling of(const App& app, int most_rows, int ranks, int threads, int rows) {
    // Only one of two processes' tiles that touch at a corner would know of the other one.
    const int columns = App::reads_corners ? (std::max(threads, app.line()) + app.line() - 1) /
                                                 app.line() * app.line()
                                           : std::min(threads, app.columns());
    tiling best{columns, (app.columns() + columns - 1) / columns, rows};
    long long least = LLONG_MAX;
    for (int batches = 1; batches <= 16 && rows == 0; ++batches) {
      const tiling tried{best.columns, best.across, batches * App::batch};
      const int down = tried.down(most_rows);
      const long long tiles = (1ll * down * tried.across + ranks - 1) / ranks;
      // The halo is read, too.
      const long long cost = tiles * ((most_rows + down - 1) / down + 2 * App::halo);
      if (tried.rows >= App::halo && cost < least) {
        least = cost;
        best.rows = tried.rows;
      }
    }
    return best;
  }
};

/// Where a tile is among the tiles.
struct place {
  int across;
  int down;
};

/// What a rank has to know of the tiles, in shared memory: in registers it would stay there while
/// the rank computes. Nothing is divided from step to step, which takes as long as memory does.
template <class App> struct rank_tiles {
  App app;
  tiling cut;
  int down;
  int fewest_rows; ///< Of a tile.
  int longer;      ///< How many tiles, going down, have one row more.
  int ranks;       ///< Of a process.
  int process;
  int process_above; ///< The rows of tiles of the process before; 0 if there is none.
  int rows_above;    ///< The rows of the process before.
  bool has_below;    ///< Whether there is a process behind.
  bool has_edges;    ///< Whether other processes need rows of this rank.
  place first;       ///< Of this rank.
  place next;        ///< From one tile to the next one of this rank.
  int neighbours[4]; ///< Of the same process; null_rank for fewer.
  int notifications; ///< That a step brings.

  __device__ void fill(const App& of, const tiling& cut_so, int all_rows) {
    app = of;
    cut = cut_so;
    ranks = gpurma::device_size();
    process = gpurma::rank() / ranks;
    const int processes = gpurma::size() / ranks, rank = gpurma::device_rank();
    has_below = process + 1 < processes;
    rows_above = process > 0 ? section_of(process - 1, processes, all_rows).count : 0;
    process_above = process > 0 ? cut.down(rows_above) : 0;
    down = cut.down(app.rows);
    fewest_rows = app.rows / down;
    longer = app.rows % down;
    first = {rank % cut.across, rank / cut.across};
    next = {ranks % cut.across, ranks / cut.across};
    notifications = 0;
    for (place tile = first; tile.down < down; tile = after(tile))
      notifications += is_needed_above(tile) + is_needed_below(tile);
    has_edges = notifications > 0;

    const int beside = cut.across > 1 && !App::reads_corners ? 1 : 0;
    const int distances[4] = {-cut.across, cut.across, -beside, beside};
    for (int n = 0; n < 4; ++n) {
      const int other = process * ranks + ((rank + distances[n]) % ranks + ranks) % ranks;
      bool is_new = other != gpurma::rank() && has_tile_at(rank, distances[n]);
      for (int m = 0; m < n; ++m)
        is_new = is_new && neighbours[m] != other;
      neighbours[n] = is_new ? other : gpurma::null_rank;
      notifications += is_new;
    }
  }

  __device__ bool is_needed_above(place tile) const { return tile.down == 0 && rows_above > 0; }
  __device__ bool is_needed_below(place tile) const { return tile.down == down - 1 && has_below; }
  __device__ place after(place tile) const {
    const int across = tile.across + next.across;
    const bool wraps = across >= cut.across;
    return {wraps ? across - cut.across : across, tile.down + next.down + wraps};
  }
  __device__ section columns_of(place tile) const {
    const int begin = tile.across * cut.columns;
    return {begin, min(cut.columns, app.columns() - begin)};
  }
  __device__ section rows_of(place tile) const {
    const int longer_before = min(tile.down, longer);
    return {tile.down * fewest_rows + longer_before, fewest_rows + (tile.down < longer)};
  }

private:
  /// Whether some tile of the rank has another one `distance` behind it.
  __device__ bool has_tile_at(int rank, int distance) const {
    const int count = cut.across * down;
    const int last = count - 1 - (count - 1 - rank) % ranks;
    return rank < count && (distance < 0 ? last + distance >= 0 : rank + distance < count);
  }
};

/// The tiles whose rows other processes need, or the others. Where a tile has fewer columns than
/// the block has threads, several threads share one, each with a part of the rows.
///
/// This and the next are functions of their own also in the compiled program, so that the registers
/// of one are not taken from the others'.
template <class App>
__device__ __noinline__ void update_tiles(const rank_tiles<App>& tiles, bool edges,
                                          const double* in, double* out) {
  const int threads = blockDim.x;
  for (place tile = tiles.first; tile.down < tiles.down; tile = tiles.after(tile)) {
    if ((tiles.is_needed_above(tile) || tiles.is_needed_below(tile)) != edges)
      continue;
    const section columns = tiles.columns_of(tile), rows = tiles.rows_of(tile);
    if (2 * columns.count > threads) {
      for (int t = threadIdx.x; t < columns.count; t += threads)
        tiles.app.update(in, out, columns.first + t, rows.first, rows.count);
      continue;
    }
    const int parts = min(rows.count, threads / columns.count);
    const int part = threadIdx.x / columns.count;
    const section own = section_of(part, parts, rows.count);
    if (part < parts) {
      tiles.app.update(in, out, columns.first + threadIdx.x - part * columns.count,
                       rows.first + own.first, own.count);
    }
  }
}

/// Puts the rows that begin at element `from` of this process to where they begin at element `at`
/// of the target's memory.
template <class App>
__device__ __noinline__ void put_edge(const rank_tiles<App>& tiles,
                                      const gpurma::window<double>& both, place tile,
                                      std::size_t from, int target, std::size_t at, int tag) {
  const section columns = tiles.columns_of(tile);
  const std::size_t row = tiles.app.row(), count = 2 * columns.count;
  const std::size_t first = App::element(columns.first);
  const double* edge = both.data() + from + first;
  at += first;
  for (int r = 0; r + 1 < App::halo; ++r) {
#pragma gpurma put(edge[r * row : count]) to(target) at(both[at + r * row])
  }
  constexpr std::size_t last = App::halo - 1;
#pragma gpurma put(edge[last * row : count]) to(target) at(both[at + last * row]) notify(tag)
}

/// Those of the field that begins at element `to`.
template <class App>
__device__ __noinline__ void put_edges(const rank_tiles<App>& tiles,
                                       const gpurma::window<double>& both, std::size_t to,
                                       int tag) {
  const std::size_t row = tiles.app.row();
  for (place tile = tiles.first; tile.down < tiles.down; tile = tiles.after(tile)) {
    if (tiles.is_needed_above(tile)) {
      const int target = (tiles.process_above - 1) * tiles.cut.across + tile.across;
      put_edge(tiles, both, tile, to + App::halo * row,
               (tiles.process - 1) * tiles.ranks + target % tiles.ranks,
               to + (tiles.rows_above + App::halo) * row, tag);
    }
    if (tiles.is_needed_below(tile)) {
      put_edge(tiles, both, tile, to + tiles.app.rows * row,
               (tiles.process + 1) * tiles.ranks + tile.across % tiles.ranks, to, tag);
    }
  }
}

/// Tells the ranks of this process that a step is done, and waits for the same of all.
template <class App>
__device__ __noinline__ void meet_neighbours(const rank_tiles<App>& tiles, int tag) {
  for (int n = 0; n < 4; ++n) {
#pragma gpurma notify(tiles.neighbours[n]) tag(tag)
  }
#pragma gpurma wait tag(tag) count(tiles.notifications)
}

/// `memory` has the two fields, `apart` elements apart, `all_rows` are those of all processes.
template <class App, int Threads, int Blocks>
__global__ void __launch_bounds__(Threads, Blocks)
    iterate(App app, tiling cut, int all_rows, double* memory, std::size_t apart, int steps) {
  __shared__ rank_tiles<App> tiles;
  if (threadIdx.x == 0)
    tiles.fill(app, cut, all_rows);
  __syncthreads();
  const std::size_t length = apart + (app.rows + 2 * App::halo) * app.row();
#pragma gpurma window(both = memory[0 : length]) comm(world)

  for (int step = 0; step < steps; ++step) {
    const std::size_t to = step % 2 == 0 ? apart : 0;
    const int tag = step % 2; // nobody is two steps ahead of a neighbour
    if (tiles.has_edges) {
      update_tiles(tiles, true, both.data() + (apart - to), both.data() + to);
      put_edges(tiles, both, to, tag);
    }
    update_tiles(tiles, false, both.data() + (apart - to), both.data() + to);
    meet_neighbours(tiles, tag);
    __syncthreads(); // the next step reads what other threads have written
  }
}

template <class App, class Shape> void measure_tiles(const task& t, const request& given) {
  constexpr int threads = Shape::threads;
  const gpurma::layout ranks = gpurma::query(iterate<App, threads, Shape::blocks>, threads);
  const int all_rows = App::rows_of(t);
  if (all_rows / ranks.processes < App::halo)
    stop("too few rows for so many processes");
  if (given.rows > 0 && given.rows < App::halo)
    stop("--rows: a tile has no fewer rows than a halo");
  const section rows = section_of(ranks.process, ranks.processes, all_rows);
  const int most_rows = (all_rows + ranks.processes - 1) / ranks.processes;
  const App app = App::of(t, rows);
  const tiling cut = tiling::of(app, most_rows, ranks.device_ranks, threads, given.rows);
  measure(app, t, given, ranks, threads, most_rows, [&](double* memory, std::size_t apart) {
    iterate<App, threads, Shape::blocks>
        <<<ranks.device_ranks, threads>>>(app, cut, all_rows, memory, apart, t.steps);
  });
}

/// The main function of an application.
template <class App, class Shape> int measure_app(int argc, char** argv) {
  gpurma::init(&argc, &argv);
  const request given = request::from(argc, argv, 1, App::dimensions);
  measure_all<Shape>(given,
                     [&](auto as, const task& t) { measure_tiles<App, decltype(as)>(t, given); });
  gpurma::finalize();
  return EXIT_SUCCESS;
}
