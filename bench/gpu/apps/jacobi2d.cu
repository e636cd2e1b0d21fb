// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// examples/jacobi2d for speed. What differs: a rank computes its first and its last row first and
// has them sent while it computes the others; a thread computes two points of several rows at a
// time; where a rank's rows have room in shared memory they stay there, and only the edges are in
// windows; and there is no norm.
//
//   mpirun -np 2 jacobi2d 4096x4096:500

#include "jacobi2d.h"
#include "rank_measure.h"
#include "rank_rows.h"

constexpr int from_previous = 0;
constexpr int from_next = 1;

/// What a rank has, and the ranks that have rows beside it: null_rank where there is none.
struct part {
  section rows; ///< Of the whole field.
  int previous;
  int next;
  int previous_rows;
};

/// The rows of a process are dealt to as many ranks of its device as can have some.
__device__ section rows_of(int ny, int processes, int process, int sharing, int rank) {
  const section all = section_of(process, processes, ny);
  const section own = section_of(rank, sharing, all.count);
  return {all.first + own.first, own.count};
}

__device__ part part_of(int ny) {
  const int ranks = gpurma::device_size(), rank = gpurma::device_rank();
  const int processes = gpurma::size() / ranks, process = gpurma::rank() / ranks;
  const int sharing = min(ranks, ny / processes);
  part found{{0, 0}, gpurma::null_rank, gpurma::null_rank, 0};
  if (rank >= sharing)
    return found;
  found.rows = rows_of(ny, processes, process, sharing, rank);
  if (rank > 0) {
    found.previous = gpurma::rank() - 1;
    found.previous_rows = rows_of(ny, processes, process, sharing, rank - 1).count;
  } else if (process > 0) {
    found.previous = (process - 1) * ranks + sharing - 1;
    found.previous_rows = rows_of(ny, processes, process - 1, sharing, sharing - 1).count;
  }
  if (rank + 1 < sharing)
    found.next = gpurma::rank() + 1;
  else if (process + 1 < processes)
    found.next = (process + 1) * ranks;
  return found;
}

/// `memory` has the two fields, `apart` elements apart. A rank's window begins with the halo row
/// before its rows in the first field and ends with the one behind them in the second.
template <int Threads, int Blocks>
__global__ void __launch_bounds__(Threads, Blocks)
    iterate(jacobi2d process, double* memory, std::size_t apart, int steps) {
  const part mine = part_of(process.ny);
  const section rows = mine.rows;
  const jacobi2d own{process.nx, process.ny, rows.first, rows.count};
  const section columns{0, own.columns()};
  const std::size_t row = own.row();

  const std::size_t begin = rows.count > 0 ? (rows.first - process.first) * row : 0;
  const std::size_t length = rows.count > 0 ? apart + (rows.count + 2) * row : 0;
#pragma gpurma window(both = memory[begin : length]) comm(world)

  for (int step = 0; step < (rows.count > 0 ? steps : 0); ++step) {
    const std::size_t to = step % 2 == 0 ? apart : 0;
    const double* in = both.data() + (apart - to);
    double* out = both.data() + to;
    const std::size_t halo = to + (mine.previous_rows + 1) * row;

    // Once the neighbours have the edges they may overwrite what these were computed from.
    update_edges(own, in, out, columns);
#pragma gpurma put(out[row : row]) to(mine.previous) at(both[halo]) notify(from_next)
#pragma gpurma put(out[own.rows * row : row]) to(mine.next) at(both[to]) notify(from_previous)
    update_inner_rows(own, in, out, columns);
#pragma gpurma wait tag(from_previous) if (mine.previous != gpurma::null_rank)
#pragma gpurma wait tag(from_next) if (mine.next != gpurma::null_rank)
    __syncthreads(); // the next step reads what the other threads have written
  }
}

/// The same for rows that have room in shared memory. Only the edges are in the window from step to
/// step, where the neighbours get them from.
template <int Threads>
__global__ void __launch_bounds__(Threads, 1)
    iterate_in_shared_memory(jacobi2d process, double* memory, std::size_t apart, int steps) {
  extern __shared__ two shared[];
  const part mine = part_of(process.ny);
  const section rows = mine.rows;
  const jacobi2d own{process.nx, process.ny, rows.first, rows.count};
  const section columns{0, own.columns()};
  const std::size_t row = own.row();

  const std::size_t begin = rows.count > 0 ? (rows.first - process.first) * row : 0;
  const std::size_t size = rows.count > 0 ? (rows.count + 2) * row : 0;
#pragma gpurma window(both = memory[begin : size > 0 ? apart + size : 0]) comm(world)
  double* const fields = &shared[0].first;
  if (rows.count > 0) {
    copy_rows(fields, row, both.data(), row, row, rows.count + 2);
    copy_rows(fields + size, row, both.data() + apart, row, row, rows.count + 2);
  }

  for (int step = 0; step < (rows.count > 0 ? steps : 0); ++step) {
    const std::size_t to = step % 2 == 0 ? apart : 0;
    double* in = fields + (step % 2 == 0 ? 0 : size);
    double* out = fields + (step % 2 == 0 ? size : 0);
    const double* got = both.data() + (apart - to);
    double* edges = both.data() + to;
    const std::size_t halo = to + (mine.previous_rows + 1) * row;

    const std::size_t behind = (rows.count + 1) * row;
    copy_rows(in, behind, got, behind, row, 2); // the halo
    __syncthreads();
    update_edges(own, in, out, columns);
    __syncthreads();
    copy_rows(edges + row, behind - 2 * row, out + row, behind - 2 * row, row, 2);
#pragma gpurma put(edges[row : row]) to(mine.previous) at(both[halo]) notify(from_next)
#pragma gpurma put(edges[own.rows * row : row]) to(mine.next) at(both[to]) notify(from_previous)
    update_inner_rows(own, in, out, columns);
#pragma gpurma wait tag(from_previous) if (mine.previous != gpurma::null_rank)
#pragma gpurma wait tag(from_next) if (mine.next != gpurma::null_rank)
  }
  __syncthreads(); // also where there was nothing to wait for
  if (rows.count > 0)
    copy_rows(both.data() + row, row, fields + row, row, row, rows.count);
}

/// Launches `kernel` on `ranks`.
template <class Kernel>
void measure_kernel(const task& t, const request& given, const gpurma::layout& ranks, int threads,
                    Kernel kernel) {
  if (t.size[1] < ranks.processes)
    stop("too few rows for so many processes");
  const section rows = section_of(ranks.process, ranks.processes, t.size[1]);
  const int most_rows = (t.size[1] + ranks.processes - 1) / ranks.processes;
  const jacobi2d app = jacobi2d::of(t, rows);
  measure(app, t, given, ranks, threads, most_rows,
          [&](double* memory, std::size_t apart) { kernel(app, memory, apart); });
}

/// Whether the rows of every rank have room in shared memory; measures if they have.
template <class Shape> bool measure_in_shared_memory(const task& t, const request& given) {
  constexpr int threads = Shape::threads;
  const std::size_t shared = shared_memory();
  check(cudaFuncSetAttribute(iterate_in_shared_memory<threads>,
                             cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared)),
        "room in shared memory");
  const gpurma::layout ranks = gpurma::query(iterate_in_shared_memory<threads>, threads, shared);
  const int process_rows = (t.size[1] + ranks.processes - 1) / ranks.processes;
  const int sharing = std::max(1, std::min(ranks.device_ranks, t.size[1] / ranks.processes));
  const int most_rows = (process_rows + sharing - 1) / sharing;
  if (2 * (most_rows + 2) * jacobi2d::of(t, {}).row() * sizeof(double) > shared)
    return false;
  measure_kernel(t, given, ranks, threads,
                 [&](const jacobi2d& app, double* memory, std::size_t apart) {
                   iterate_in_shared_memory<threads>
                       <<<ranks.device_ranks, threads, shared>>>(app, memory, apart, t.steps);
                 });
  return true;
}

template <class Shape> void measure_streaming(const task& t, const request& given) {
  constexpr int threads = Shape::threads;
  const gpurma::layout ranks = gpurma::query(iterate<threads, Shape::blocks>, threads);
  measure_kernel(t, given, ranks, threads,
                 [&](const jacobi2d& app, double* memory, std::size_t apart) {
                   iterate<threads, Shape::blocks>
                       <<<ranks.device_ranks, threads>>>(app, memory, apart, t.steps);
                 });
}

template <class Shape> void measure_with(const task& t, const request& given) {
  if (given.stream || !measure_in_shared_memory<shape<512, 1>>(t, given))
    measure_streaming<Shape>(t, given);
}

int main(int argc, char** argv) {
  gpurma::init(&argc, &argv);
  const request given = request::from(argc, argv, 1, jacobi2d::dimensions);
  measure_all<shape<512, 2>>(given,
                             [&](auto as, const task& t) { measure_with<decltype(as)>(t, given); });
  gpurma::finalize();
  return EXIT_SUCCESS;
}
