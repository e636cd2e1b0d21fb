// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// examples/horizontal_diffusion for speed. What differs: the four stencils are one, so that a step
// has one exchange of two rows instead of three of one; a rank has only some of the levels, so that
// it has more rows; it computes the rows that its neighbours need first and has them sent while it
// computes the others; and where its part has room in shared memory it stays there, and only the
// edges are in windows.
//
//   mpirun -np 2 horizontal_diffusion 512x512x32:200

#include "horizontal_diffusion.h"
#include "rank_measure.h"
#include "rank_rows.h"

constexpr int from_previous = 0;
constexpr int from_next = 1;
constexpr int halo = horizontal_diffusion::halo;

/// How the ranks of a device share its rows and levels: `bands` of rows for each of `groups` of
/// levels. Ranks of a group are numbered along its bands. Any ranks left have nothing to do.
struct grid {
  int processes;
  int process_rows; ///< The fewest of any process.
  int groups;
  int bands;

  /// The grid in which the rank with most has least; the edges count twice.
  static grid of(const task& t, const gpurma::layout& ranks) {
    const int rows = t.size[1] / ranks.processes, levels = t.size[2];
    grid best{ranks.processes, rows, 0, 0};
    long long least = 0;
    for (int groups = 1; groups <= std::min(levels, ranks.device_ranks); ++groups) {
      const int bands = std::min(ranks.device_ranks / groups, rows / halo);
      if (bands == 0)
        stop("too few rows for so many processes");
      const long long work = 1ll * ((levels + groups - 1) / groups) *
                             ((rows + bands - 1) / bands + (bands > 1 ? 2 * halo : 0));
      if (least == 0 || work < least) {
        least = work;
        best.groups = groups;
        best.bands = bands;
      }
    }
    return best;
  }
};

/// What a rank has, and the ranks beside it with the same levels: null_rank where there is none.
struct part {
  section rows; ///< Of the whole field.
  section levels;
  int previous;
  int next;
  int previous_rows;
};

__device__ section rows_of(const grid& g, int ny, int process, int band) {
  const section rows = section_of(process, g.processes, ny);
  const section own = section_of(band, g.bands, rows.count);
  return {rows.first + own.first, own.count};
}

__device__ part part_of(const grid& g, const horizontal_diffusion& app) {
  const int ranks = gpurma::device_size(), rank = gpurma::device_rank();
  const int process = gpurma::rank() / ranks;
  const int band = rank % g.bands;
  part found{{0, 0}, {0, 0}, gpurma::null_rank, gpurma::null_rank, 0};
  if (rank >= g.groups * g.bands)
    return found;
  found.rows = rows_of(g, app.ny, process, band);
  found.levels = section_of(rank / g.bands, g.groups, app.nz);
  if (band > 0) {
    found.previous = gpurma::rank() - 1;
    found.previous_rows = rows_of(g, app.ny, process, band - 1).count;
  } else if (process > 0) {
    found.previous = gpurma::rank() - ranks + g.bands - 1;
    found.previous_rows = rows_of(g, app.ny, process - 1, g.bands - 1).count;
  }
  if (band + 1 < g.bands)
    found.next = gpurma::rank() + 1;
  else if (process + 1 < g.processes)
    found.next = gpurma::rank() + ranks - band;
  return found;
}

/// `memory` has the two fields, `apart` elements apart. A rank's window begins with the halo rows
/// before its rows in the first field and ends with those behind them in the second, all levels
/// included.
template <int Threads, int Blocks>
__global__ void __launch_bounds__(Threads, Blocks)
    iterate(horizontal_diffusion process, grid g, double* memory, std::size_t apart, int steps) {
  const part mine = part_of(g, process);
  const int rows = mine.rows.count;
  const horizontal_diffusion own{process.nx, process.ny, process.nz, mine.rows.first, rows};
  const section columns{mine.levels.first * (own.nx / 2), mine.levels.count * (own.nx / 2)};
  const std::size_t row = own.row();
  const std::size_t at = static_cast<std::size_t>(mine.levels.first) * own.nx; // in a row
  const std::size_t count = static_cast<std::size_t>(mine.levels.count) * own.nx;

  const std::size_t begin = rows > 0 ? (mine.rows.first - process.first) * row : 0;
  const std::size_t length = rows > 0 ? apart + (rows + 2 * halo) * row : 0;
#pragma gpurma window(both = memory[begin : length]) comm(world)

  for (int step = 0; step < (rows > 0 ? steps : 0); ++step) {
    const std::size_t to = step % 2 == 0 ? apart : 0;
    const double* in = both.data() + (apart - to);
    double* out = both.data() + to;
    const double* first = out + halo * row + at;
    const double* last = first + (rows - halo) * row;
    const std::size_t above = to + at;
    const std::size_t below = to + (mine.previous_rows + halo) * row + at;

    // Once the neighbours have the edges they may overwrite what these were computed from.
    update_edges(own, in, out, columns);
#pragma gpurma put(first[0 : count]) to(mine.previous) at(both[below])
#pragma gpurma put(last[0 : count]) to(mine.next) at(both[above])
#pragma gpurma put(first[row : count]) to(mine.previous) at(both[below + row]) notify(from_next)
#pragma gpurma put(last[row : count]) to(mine.next) at(both[above + row]) notify(from_previous)
    update_inner_rows(own, in, out, columns);
#pragma gpurma wait tag(from_previous) if (mine.previous != gpurma::null_rank)
#pragma gpurma wait tag(from_next) if (mine.next != gpurma::null_rank)
    __syncthreads(); // the next step reads what the other threads have written
  }
}

/// The same for parts that have room in shared memory, where they are fields of their own with
/// fewer levels. Only the edges are in the window from step to step, where the neighbours get them
/// from.
template <int Threads>
__global__ void __launch_bounds__(Threads, 1)
    iterate_in_shared_memory(horizontal_diffusion process, grid g, double* memory,
                             std::size_t apart, int steps) {
  extern __shared__ two shared[];
  const part mine = part_of(g, process);
  const int rows = mine.rows.count;
  const horizontal_diffusion own{process.nx, process.ny, mine.levels.count, mine.rows.first, rows};
  const section columns{0, own.columns()};
  const std::size_t row = process.row();
  const std::size_t at = static_cast<std::size_t>(mine.levels.first) * own.nx; // in a row
  const std::size_t count = own.row();

  const std::size_t begin = rows > 0 ? (mine.rows.first - process.first) * row : 0;
  const std::size_t length = rows > 0 ? apart + (rows + 2 * halo) * row : 0;
#pragma gpurma window(both = memory[begin : length]) comm(world)
  double* const fields = &shared[0].first;
  const std::size_t size = (rows + 2 * halo) * count;
  if (rows > 0)
    copy_rows(fields, count, both.data() + at, row, count, rows + 2 * halo);

  for (int step = 0; step < (rows > 0 ? steps : 0); ++step) {
    const std::size_t to = step % 2 == 0 ? apart : 0;
    double* in = fields + (step % 2 == 0 ? 0 : size);
    double* out = fields + (step % 2 == 0 ? size : 0);
    const double* got = both.data() + (apart - to) + at;
    double* first = both.data() + to + at + halo * row;
    double* last = first + (rows - halo) * row;
    const std::size_t above = to + at;
    const std::size_t below = to + (mine.previous_rows + halo) * row + at;

    copy_rows(in, count, got, row, count, halo);
    copy_rows(in + (rows + halo) * count, count, got + (rows + halo) * row, row, count, halo);
    __syncthreads();
    update_edges(own, in, out, columns);
    __syncthreads();
    copy_rows(first, row, out + halo * count, count, count, halo);
    copy_rows(last, row, out + rows * count, count, count, halo);
#pragma gpurma put(first[0 : count]) to(mine.previous) at(both[below])
#pragma gpurma put(last[0 : count]) to(mine.next) at(both[above])
#pragma gpurma put(first[row : count]) to(mine.previous) at(both[below + row]) notify(from_next)
#pragma gpurma put(last[row : count]) to(mine.next) at(both[above + row]) notify(from_previous)
    update_inner_rows(own, in, out, columns);
#pragma gpurma wait tag(from_previous) if (mine.previous != gpurma::null_rank)
#pragma gpurma wait tag(from_next) if (mine.next != gpurma::null_rank)
  }
  __syncthreads(); // also where there was nothing to wait for
  if (rows > 0)
    copy_rows(both.data() + halo * row + at, row, fields + halo * count, count, count, rows);
}

/// Launches `kernel` on `ranks`.
template <class Kernel>
void measure_kernel(const task& t, const request& given, const gpurma::layout& ranks, int threads,
                    Kernel kernel) {
  const section rows = section_of(ranks.process, ranks.processes, t.size[1]);
  const int most_rows = (t.size[1] + ranks.processes - 1) / ranks.processes;
  const horizontal_diffusion app = horizontal_diffusion::of(t, rows);
  measure(app, t, given, ranks, threads, most_rows,
          [&](double* memory, std::size_t apart) { kernel(app, memory, apart); });
}

/// Whether every rank's part has room in shared memory; measures if it has.
template <class Shape> bool measure_in_shared_memory(const task& t, const request& given) {
  constexpr int threads = Shape::threads;
  const std::size_t shared = shared_memory();
  check(cudaFuncSetAttribute(iterate_in_shared_memory<threads>,
                             cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared)),
        "room in shared memory");
  const gpurma::layout ranks = gpurma::query(iterate_in_shared_memory<threads>, threads, shared);
  const grid g = grid::of(t, ranks);
  const int process_rows = (t.size[1] + ranks.processes - 1) / ranks.processes;
  const std::size_t most_rows = (process_rows + g.bands - 1) / g.bands;
  const std::size_t levels = (t.size[2] + g.groups - 1) / g.groups;
  if (2 * (most_rows + 2 * halo) * levels * t.size[0] * sizeof(double) > shared)
    return false;
  measure_kernel(t, given, ranks, threads,
                 [&](const horizontal_diffusion& app, double* memory, std::size_t apart) {
                   iterate_in_shared_memory<threads>
                       <<<ranks.device_ranks, threads, shared>>>(app, g, memory, apart, t.steps);
                 });
  return true;
}

template <class Shape> void measure_streaming(const task& t, const request& given) {
  constexpr int threads = Shape::threads;
  const gpurma::layout ranks = gpurma::query(iterate<threads, Shape::blocks>, threads);
  const grid g = grid::of(t, ranks);
  measure_kernel(t, given, ranks, threads,
                 [&](const horizontal_diffusion& app, double* memory, std::size_t apart) {
                   iterate<threads, Shape::blocks>
                       <<<ranks.device_ranks, threads>>>(app, g, memory, apart, t.steps);
                 });
}

template <class Shape> void measure_with(const task& t, const request& given) {
  if (given.stream || !measure_in_shared_memory<shape<512, 1>>(t, given))
    measure_streaming<Shape>(t, given);
}

int main(int argc, char** argv) {
  gpurma::init(&argc, &argv);
  const request given = request::from(argc, argv, 1, horizontal_diffusion::dimensions);
  measure_all<shape<384, 2>>(given,
                             [&](auto as, const task& t) { measure_with<decltype(as)>(t, given); });
  gpurma::finalize();
  return EXIT_SUCCESS;
}
