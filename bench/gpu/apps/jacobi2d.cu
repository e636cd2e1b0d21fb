// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// examples/jacobi2d for speed. What differs: a rank computes its first and its last row first and
// has them sent while it computes the others; a thread computes two points of several rows at a
// time; and there is no norm.
//
//   mpirun -np 2 jacobi2d 4096x4096:500

#include "jacobi2d.h"
#include "rank_measure.h"
#include "rank_rows.h"

constexpr int from_previous = 0;
constexpr int from_next = 1;

/// Ranks that have rows beside this one's; null_rank where there is none.
struct neighbours {
  int previous;
  int next;
  int previous_rows;
};

__device__ neighbours neighbours_of(int rank, int ranks, int rows) {
  neighbours found{gpurma::null_rank, gpurma::null_rank, 0};
  if (section_of(rank, ranks, rows).count == 0)
    return found;
  if (rank > 0 && section_of(rank - 1, ranks, rows).count > 0) {
    found.previous = rank - 1;
    found.previous_rows = section_of(rank - 1, ranks, rows).count;
  }
  if (rank + 1 < ranks && section_of(rank + 1, ranks, rows).count > 0)
    found.next = rank + 1;
  return found;
}

/// `memory` has the two fields, `apart` elements apart. A rank's window begins with the halo row
/// before its rows in the first field and ends with the one behind them in the second.
template <int Threads, int Blocks>
__global__ void __launch_bounds__(Threads, Blocks)
    iterate(jacobi2d process, double* memory, std::size_t apart, int steps) {
  const section rows = section_of(gpurma::rank(), gpurma::size(), process.ny);
  const neighbours beside = neighbours_of(gpurma::rank(), gpurma::size(), process.ny);
  const jacobi2d own{process.nx, process.ny, rows.first, rows.count};
  const section columns{0, own.columns()};
  const std::size_t row = own.row();

  const std::size_t begin = (rows.first - process.first) * row;
  const std::size_t length = rows.count > 0 ? apart + (rows.count + 2) * row : 0;
#pragma gpurma window(both = memory[begin : length]) comm(world)

  for (int step = 0; step < (rows.count > 0 ? steps : 0); ++step) {
    const std::size_t to = step % 2 == 0 ? apart : 0;
    const double* in = both.data() + (apart - to);
    double* out = both.data() + to;
    const std::size_t halo = to + (beside.previous_rows + 1) * row;

    // Once the neighbours have the edges they may overwrite what these were computed from.
    update_edges(own, in, out, columns);
#pragma gpurma put(out[row : row]) to(beside.previous) at(both[halo]) notify(from_next)
#pragma gpurma put(out[own.rows * row : row]) to(beside.next) at(both[to]) notify(from_previous)
    update_inner_rows(own, in, out, columns);
#pragma gpurma wait tag(from_previous) if (beside.previous != gpurma::null_rank)
#pragma gpurma wait tag(from_next) if (beside.next != gpurma::null_rank)
    __syncthreads(); // the next step reads what the other threads have written
  }
}

template <class Shape> void measure_with(const task& t, const request& given) {
  const gpurma::layout ranks =
      gpurma::query(iterate<Shape::threads, Shape::blocks>, Shape::threads);
  const auto rows_before = [&](int process) {
    const int rank = process * ranks.device_ranks;
    return rank < ranks.world_ranks ? section_of(rank, ranks.world_ranks, t.size[1]).first
                                    : t.size[1];
  };
  int most_rows = 0;
  for (int p = 0; p < ranks.processes; ++p)
    most_rows = std::max(most_rows, rows_before(p + 1) - rows_before(p));
  const int first = rows_before(ranks.process);
  const jacobi2d app = jacobi2d::of(t, {first, rows_before(ranks.process + 1) - first});
  const auto launch = [&](double* memory, std::size_t apart) {
    iterate<Shape::threads, Shape::blocks>
        <<<ranks.device_ranks, Shape::threads>>>(app, memory, apart, t.steps);
  };
  measure(app, t, given, ranks, Shape::threads, most_rows, launch);
}

int main(int argc, char** argv) {
  gpurma::init(&argc, &argv);
  const request given = request::from(argc, argv, 1, jacobi2d::dimensions);
  measure_all<shape<512, 2>>(given,
                             [&](auto as, const task& t) { measure_with<decltype(as)>(t, given); });
  gpurma::finalize();
  return EXIT_SUCCESS;
}
