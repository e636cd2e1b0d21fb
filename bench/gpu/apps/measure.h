// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "horizontal_diffusion.h"
#include "jacobi2d.h"
#include "mpi_process.h"
#include "plain_kernel.h"

/// What all processes can take: the rows of the largest part.
template <class App> int most_rows(const task& t, const mpi_process& process) {
  return (App::rows_of(t) + process.size - 1) / process.size;
}

template <class App, template <class> class Variant>
void measure(const task& t, const request& given, const mpi_process& process) {
  const section own = section_of(process.rank, process.size, App::rows_of(t));
  if (App::rows_of(t) / process.size < 2 * App::halo)
    stop("too few rows for so many processes");
  const App app = App::of(t, own);
  Variant<App> variant(app, process, given, t);
  std::vector<double> seconds;
  for (int repetition = 0; repetition <= given.repetitions; ++repetition) {
    MPI_Barrier(MPI_COMM_WORLD);
    double taken = -MPI_Wtime();
    variant.run(t.steps);
    taken += MPI_Wtime();
    MPI_Allreduce(MPI_IN_PLACE, &taken, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (repetition > 0)
      seconds.push_back(taken);
  }
  std::uint64_t sum = variant.hash();
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  if (given.check) {
    const App whole = App::of(t, {0, App::rows_of(t)});
    if (sum != hash_of(whole, whole.reference(t.steps * (given.repetitions + 1))))
      stop("the result differs from the serial reference");
  }
  if (process.rank == 0)
    print_result(App::name, Variant<App>::name, process.size, t, seconds, sum);
}

/// <program> <application> <what request takes>.
template <template <class> class Variant>
int measure_all(int argc, char** argv, const mpi_process& process) {
  const std::string app = argc > 1 ? argv[1] : "";
  if (app == jacobi2d::name) {
    const request given = request::from(argc, argv, 2, jacobi2d::dimensions);
    for (const task& t : given.tasks)
      measure<jacobi2d, Variant>(t, given, process);
  } else if (app == horizontal_diffusion::name) {
    const request given = request::from(argc, argv, 2, horizontal_diffusion::dimensions);
    for (const task& t : given.tasks)
      measure<horizontal_diffusion, Variant>(t, given, process);
  } else {
    stop(std::string("the first argument is ") + jacobi2d::name + " or " +
         horizontal_diffusion::name);
  }
  return EXIT_SUCCESS;
}
