// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// All steps of an application in one rank kernel.
///
/// The rows that other processes need come first in each step: their tiles have owners, who wait for
/// the rows of the step before, compute, and put. The other tiles are taken one after the other by
/// the ranks that are done with theirs, as multiprocessors take the blocks of an ordinary kernel, so
/// that all are near one another, as memory wants it. A barrier of the device ends a step: all ranks
/// of a process have the same window, its whole memory.

#include <climits>
#include <cmath>

#include "rank_measure.h"

/// How the rows of a process are cut.
template <class App> struct row_cut {
  int rows;
  bool has_above; ///< Whether there is a process before.
  bool has_below;

  __host__ __device__ static row_cut of(int process, int processes, int all_rows) {
    return {section_of(process, processes, all_rows).count, process > 0, process + 1 < processes};
  }

  /// Of the rows that a neighbour needs and that are computed first.
  __host__ __device__ int edge_rows() const { return rows < App::batch ? rows : App::batch; }
  /// Whether both neighbours need the same rows, or nearly.
  __host__ __device__ bool is_all_edge() const {
    return has_above && has_below && rows < 2 * edge_rows();
  }
  __host__ __device__ int edges() const {
    return is_all_edge() ? 1 : int{has_above} + int{has_below};
  }
  /// The number of the edge that the process behind needs.
  __host__ __device__ int edge_below() const { return edges() - 1; }
  __host__ __device__ section edge(int number) const {
    if (is_all_edge())
      return {0, rows};
    return {number == 0 && has_above ? 0 : rows - edge_rows(), edge_rows()};
  }
  __host__ __device__ section inner() const {
    if (is_all_edge())
      return {0, 0};
    return {has_above ? edge_rows() : 0, rows - edges() * edge_rows()};
  }

  static_assert(App::batch >= App::halo, "an edge has no fewer rows than a halo");
};

/// The rows of the tiles that ranks take: as few as leave no rank without one at the end for long, and
/// as many as read few rows twice.
template <class App> int rows_of_tile(const App& app, int rows, int ranks, int threads) {
  const double across = (app.columns() + threads - 1) / threads;
  int best = App::batch;
  double least = HUGE_VAL;
  for (int height = App::batch; height <= App::tile_rows; height += App::batch) {
    const double tiles = across * ((rows + height - 1) / height);
    const double rounds = tiles <= ranks ? 1 : tiles / ranks + 1;
    // Most of the rows around are in a cache.
    const double cost = rounds * (height + 1);
    if (cost < least) {
      least = cost;
      best = height;
    }
  }
  return best;
}

/// What a rank has to know of the tiles, in shared memory: in registers it would stay there while
/// the rank computes.
template <class App> struct rank_tiles {
  App app;
  section inner;
  int rows; ///< Of a tile.
  int across;
  int count; ///< Tiles of the inner rows.
  int ranks; ///< Of a process.
  int rank;  ///< Of the process's.
  int process;
  int processes;
  int all_rows;
  int edge_columns; ///< Of an owned tile.
  int edge_across;
  int edge_tiles;    ///< Of all edges.
  int free_ranks;    ///< That own no tile of an edge.
  int notifications; ///< That the neighbours' rows come with in a step.
  int taken[2];      ///< In turn: the tile that the rank has taken.

  __device__ void fill(const App& of, int tile_rows, int rows_of_all) {
    app = of;
    rows = tile_rows;
    all_rows = rows_of_all;
    ranks = gpurma::device_size();
    process = gpurma::rank() / ranks;
    processes = gpurma::size() / ranks;
    rank = gpurma::device_rank();
    const row_cut<App> cut = cut_of(process);
    inner = cut.inner();
    const int threads = blockDim.x;
    across = (app.columns() + threads - 1) / threads;
    count = across * ((inner.count + rows - 1) / rows);
    edge_columns = edge_columns_of(app, threads);
    edge_across = edge_across_of(app, threads);
    edge_tiles = cut.edges() * edge_across;
    free_ranks = max(0, ranks - edge_tiles);
    notifications = 0;
    for (int tile = rank; tile < edge_tiles; tile += ranks)
      notifications += is_needed_above(tile) + is_needed_below(tile);
  }

  /// Only one of two processes' tiles that touch at a corner would know of the other one.
  __host__ __device__ static int edge_columns_of(const App& app, int threads) {
    return App::reads_corners ? (threads + app.line() - 1) / app.line() * app.line() : threads;
  }
  __host__ __device__ static int edge_across_of(const App& app, int threads) {
    const int columns = edge_columns_of(app, threads);
    return (app.columns() + columns - 1) / columns;
  }

  __device__ row_cut<App> cut_of(int of) const {
    return row_cut<App>::of(of, processes, all_rows);
  }
  __device__ bool is_needed_above(int edge_tile) const {
    return process > 0 && edge_tile < edge_across;
  }
  __device__ bool is_needed_below(int edge_tile) const {
    return process + 1 < processes && edge_tile >= edge_tiles - edge_across;
  }
  __device__ section columns_of_edge(int edge_tile) const {
    const int first = edge_tile % edge_across * edge_columns;
    return {first, min(edge_columns, app.columns() - first)};
  }
  /// In another process, whose edge has tiles in the same columns.
  __device__ int owner(int of, int edge, int edge_tile) const {
    return of * ranks + (edge * edge_across + edge_tile % edge_across) % ranks;
  }

  /// Whether some rank takes more tiles than the first one. Who owns edges has none of these.
  __device__ bool has_more() const { return count > free_ranks; }
  /// How often ranks draw a number in a step: for each tile but the first ones, and, for each rank,
  /// once in vain.
  __device__ unsigned draws() const { return has_more() ? count - free_ranks + ranks : 0; }
};

/// These are functions of their own also in the compiled program, so that the registers of one are
/// not taken from the others'.
template <class App>
__device__ __noinline__ void update_edges(const rank_tiles<App>& tiles, const double* in,
                                          double* out) {
  const row_cut<App> cut = tiles.cut_of(tiles.process);
  for (int tile = tiles.rank; tile < tiles.edge_tiles; tile += tiles.ranks) {
    const section columns = tiles.columns_of_edge(tile);
    const section rows = cut.edge(tile / tiles.edge_across);
    for (int t = threadIdx.x; t < columns.count; t += blockDim.x)
      tiles.app.update(in, out, columns.first + t, rows.first, rows.count);
  }
}

/// The rank takes tiles until there are none. All ranks draw their numbers from `drawn`, which was
/// `before` when the step began. A number is drawn while the tile before is computed.
template <class App>
__device__ __noinline__ void update_inner(rank_tiles<App>& tiles, const double* in, double* out,
                                          unsigned* drawn, unsigned before) {
  const auto draw = [&] {
    return tiles.has_more() ? tiles.free_ranks + static_cast<int>(atomicAdd(drawn, 1u) - before)
                            : INT_MAX;
  };
  int next = 0;
  if (threadIdx.x == 0)
    next = tiles.rank >= tiles.edge_tiles ? tiles.rank - tiles.edge_tiles : draw();
  for (int turn = 0;; turn ^= 1) {
    if (threadIdx.x == 0) {
      tiles.taken[turn] = next;
      if (next < tiles.count)
        next = draw();
    }
    __syncthreads();
    const int tile = tiles.taken[turn];
    if (tile >= tiles.count)
      break;
    const int first = tile / tiles.across * tiles.rows;
    const int column = tile % tiles.across * blockDim.x + threadIdx.x;
    if (column < tiles.app.columns())
      tiles.app.update(in, out, column, tiles.inner.first + first,
                       min(tiles.rows, tiles.inner.count - first));
  }
}

/// Puts the rows that begin at element `from` of this process to where they begin at element `at`
/// of the target's memory.
template <class App>
__device__ __noinline__ void put_edge(const rank_tiles<App>& tiles,
                                      const gpurma::window<double>& both, int tile,
                                      std::size_t from, int target, std::size_t at, int tag) {
  const section columns = tiles.columns_of_edge(tile);
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
  for (int tile = tiles.rank; tile < tiles.edge_tiles; tile += tiles.ranks) {
    if (tiles.is_needed_above(tile)) {
      const int target = tiles.process - 1;
      const row_cut<App> cut = tiles.cut_of(target);
      put_edge(tiles, both, tile, to + App::halo * row, tiles.owner(target, cut.edge_below(), tile),
               to + (cut.rows + App::halo) * row, tag);
    }
    if (tiles.is_needed_below(tile)) {
      put_edge(tiles, both, tile, to + tiles.app.rows * row,
               tiles.owner(tiles.process + 1, 0, tile), to, tag);
    }
  }
}

/// For the neighbours' rows of the step with this tag.
template <class App>
__device__ __noinline__ void wait_for_edges(const rank_tiles<App>& tiles, int tag) {
#pragma gpurma wait tag(tag) count(tiles.notifications)
}

/// `memory` has the two fields, `apart` elements apart, `all_rows` are those of all processes, and
/// `drawn` is a counter of this process.
template <class App, int Threads, int Blocks>
__global__ void __launch_bounds__(Threads, Blocks)
    iterate(App app, int tile_rows, int all_rows, double* memory, std::size_t apart, int steps,
            unsigned* drawn) {
  __shared__ rank_tiles<App> tiles;
  if (threadIdx.x == 0)
    tiles.fill(app, tile_rows, all_rows);
  __syncthreads();
  const std::size_t length = apart + (app.rows + 2 * App::halo) * app.row();
#pragma gpurma window(both = memory[0 : length]) comm(world)

  unsigned before = 0;
  for (int step = 0; step < steps; ++step) {
    const std::size_t to = step % 2 == 0 ? apart : 0;
    const int tag = step % 2; // nobody is two steps ahead of a neighbour
    if (tiles.notifications > 0) {
      if (step > 0)
        wait_for_edges(tiles, 1 - tag);
      update_edges(tiles, both.data() + (apart - to), both.data() + to);
      put_edges(tiles, both, to, tag);
    }
    update_inner(tiles, both.data() + (apart - to), both.data() + to, drawn, before);
    before += tiles.draws();
#pragma gpurma barrier comm(device)
  }
  if (tiles.notifications > 0 && steps > 0)
    wait_for_edges(tiles, (steps - 1) % 2);
}

template <class App, class Shape> void measure_tiles(const task& t, const request& given) {
  constexpr int threads = Shape::threads;
  const gpurma::layout ranks = gpurma::query(iterate<App, threads, Shape::blocks>, threads);
  const int all_rows = App::rows_of(t);
  if (all_rows / ranks.processes < App::halo)
    stop("too few rows for so many processes");
  const section rows = section_of(ranks.process, ranks.processes, all_rows);
  const int most_rows = (all_rows + ranks.processes - 1) / ranks.processes;
  const App app = App::of(t, rows);
  const int edges = row_cut<App>::of(ranks.process, ranks.processes, all_rows).edges();
  const int owners = edges * rank_tiles<App>::edge_across_of(app, threads);
  const int tile_rows =
      given.rows > 0
          ? given.rows
          : rows_of_tile(app, most_rows, std::max(1, ranks.device_ranks - owners), threads);
  unsigned* drawn;
  check(cudaMalloc(&drawn, sizeof(*drawn)), "allocation of a counter");
  measure(app, t, given, ranks, threads, most_rows, [&](double* memory, std::size_t apart) {
    check(cudaMemset(drawn, 0, sizeof(*drawn)), "clearing of a counter");
    iterate<App, threads, Shape::blocks><<<ranks.device_ranks, threads>>>(
        app, tile_rows, all_rows, memory, apart, t.steps, drawn);
  });
  check(cudaFree(drawn), "release of a counter");
}

/// The main function of an application. Where the ranks of `Small` have no more than two batches of
/// rows each, they compute them: fewer and larger ranks meet sooner.
template <class App, class Shape, class Small> int measure_app(int argc, char** argv) {
  gpurma::init(&argc, &argv);
  const request given = request::from(argc, argv, 1, App::dimensions);
  const gpurma::layout ranks =
      gpurma::query(iterate<App, Small::threads, Small::blocks>, Small::threads);
  const auto is_small = [&](const task& t) {
    const int rows = (App::rows_of(t) + ranks.processes - 1) / ranks.processes;
    const long long across =
        (App::of(t, {0, rows}).columns() + Small::threads - 1) / Small::threads;
    return across * ((rows + 2 * App::batch - 1) / (2 * App::batch)) <= ranks.device_ranks;
  };
  measure_all<Shape, Small>(given, is_small, [&](auto as, const task& t) {
    measure_tiles<App, decltype(as)>(t, given);
  });
  gpurma::finalize();
  return EXIT_SUCCESS;
}
