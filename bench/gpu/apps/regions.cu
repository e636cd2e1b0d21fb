// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ordinary programs for one GPU (region_apps.h) as persistent regions, and, with one process, the
// same kernels in a graph. Every process has whole arrays.
//
//   mpirun -np 2 regions jacobi2d 4096x4096:1000
//   regions heat3d --threads 512 256x256x256:100 horizontal_diffusion 512x512x32:500
//
// --threads: of a block, which is 32 threads wide.
#include <gpurma/gpurma.h>
#include <mpi.h>

#include "region_measure.h"

void jacobi_region(float* a, float* a_new, float* norm, int ny, int nx, dim3 grid, dim3 block,
                   int steps) {
  constexpr int norm_steps = jacobi2d::norm_steps;
  constexpr float tolerance = jacobi2d::tolerance;
  float change = 1;
#pragma gpurma persistent distribute(a, a_new : rows(ny, nx)) reduce(+ : *norm)
  for (int step = 0; step < steps; ++step) {
    *norm = 0;
    jacobi<<<grid, block>>>(a_new, a, norm, ny, nx);
    if (step % norm_steps == norm_steps - 1)
      change = std::sqrt(*norm);
    if (change < tolerance)
      break;
    std::swap(a, a_new);
  }
}

void jacobi_atomic_region(float* a, float* a_new, float* norm, int ny, int nx, dim3 grid,
                          dim3 block, int steps) {
  constexpr int norm_steps = jacobi2d::norm_steps;
  constexpr float tolerance = jacobi2d::tolerance;
  float change = 1;
#pragma gpurma persistent distribute(a, a_new : rows(ny, nx)) reduce(+ : *norm)
  for (int step = 0; step < steps; ++step) {
    *norm = 0;
    jacobi_atomic<<<grid, block>>>(a_new, a, norm, ny, nx);
    if (step % norm_steps == norm_steps - 1)
      change = std::sqrt(*norm);
    if (change < tolerance)
      break;
    std::swap(a, a_new);
  }
}

void heat_region(float* before, float* now, float* after, int nx, int ny, int nz, dim3 grid,
                 dim3 block, int steps) {
#pragma gpurma persistent distribute(before, now, after : rows(nz, ny, nx))
  for (int step = 0; step < steps; ++step) {
    heat<<<grid, block>>>(after, now, before, nx, ny, nz);
    float* const oldest = before;
    before = now;
    now = after;
    after = oldest;
  }
}

void diffusion_region(float* in, float* out, float* lap, float* flx, float* fly, extents e,
                      dim3 grid, dim3 block, int steps) {
  constexpr float coefficient = horizontal_diffusion::coefficient;
#pragma gpurma persistent distribute(in, out, lap, flx, fly : rows(e.ny, e.nz, e.nx))
  for (int step = 0; step < steps; ++step) {
    diffuse_lap<<<grid, block>>>(lap, in, e);
    diffuse_flx<<<grid, block>>>(flx, lap, in, e);
    diffuse_fly<<<grid, block>>>(fly, lap, in, e);
    diffuse_out<<<grid, block>>>(out, flx, fly, in, coefficient, e);
    std::swap(in, out);
  }
}

void run_region(const jacobi2d& app, const step_arrays& on, int steps) {
  jacobi_region(on.fields[0], on.fields[1], on.norm, app.ny, app.nx, app.grid(app.ny), app.block,
                steps);
}

void run_region(const jacobi2d_atomic& app, const step_arrays& on, int steps) {
  jacobi_atomic_region(on.fields[0], on.fields[1], on.norm, app.ny, app.nx, app.grid(app.ny),
                       app.block, steps);
}

void run_region(const heat3d& app, const step_arrays& on, int steps) {
  heat_region(on.fields[0], on.fields[1], on.fields[2], app.nx, app.ny, app.nz, app.grid(app.nz),
              app.block, steps);
}

void run_region(const horizontal_diffusion& app, const step_arrays& on, int steps) {
  diffusion_region(on.fields[0], on.fields[1], on.work[0], on.work[1], on.work[2], app.e,
                   app.grid(app.e.ny), app.block, steps);
}

template <class App>
measured_steps region_seconds(const App& app, app_arrays<App>& arrays, const task& t,
                              int repetitions) {
  return seconds_of_steps(t.steps, repetitions, [&](int steps) {
    arrays.set_initial_values();
    MPI_Barrier(MPI_COMM_WORLD);
    const double seconds = seconds_of([&] { run_region(app, arrays.at(0), steps); });
    check(cudaDeviceSynchronize(), "the steps");
    return seconds;
  });
}

#if !GPURMA_TARGET_CPU
/// Of a graph of all steps.
template <class App>
measured_steps graph_seconds(const App& app, app_arrays<App>& arrays, const task& t,
                             int repetitions) {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "creation of a stream");
  const recording steps(stream, [&](cudaStream_t on) {
    launch_steps(app, arrays, App::halo, app.rows() - 2 * App::halo, t.steps, on);
  });
  measured_steps measured;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    arrays.set_initial_values();
    measured.seconds.push_back(seconds_of([&] {
      steps.launch(stream);
      check(cudaStreamSynchronize(stream), "the steps");
    }));
  }
  check(cudaStreamDestroy(stream), "release of a stream");
  return measured;
}
#endif

/// `seconds(application, its arrays, task)` measures a task.
template <class App, class Seconds>
void measure(const char* by, const request& given, Seconds seconds) {
  int process = 0, processes = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &process);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  for (const task& t : given.tasks) {
    const App app(t, threads_of(given));
    app_arrays<App> arrays(app, 0, app.rows());
    const measured_steps taken = seconds(app, arrays, t);
    const std::uint64_t hash = arrays.hash(t.steps, 0, app.rows());
    const std::string more = App::has_norm ? norm_field(arrays.norm()) : "";
    if (process == 0)
      print_result(App::name, by, processes, t, taken.seconds, hash, more + set_up_field(taken));
  }
}

/// The graphs first: should a region fail, they have been measured.
template <class App> void measure(const request& given) {
#if !GPURMA_TARGET_CPU
  int processes = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  if (processes == 1 && !std::is_same_v<App, jacobi2d_atomic>)
    measure<App>("graph", given, [&](const App& app, app_arrays<App>& arrays, const task& t) {
      return graph_seconds(app, arrays, t, given.repetitions);
    });
#endif
  measure<App>("region", given, [&](const App& app, app_arrays<App>& arrays, const task& t) {
    return region_seconds(app, arrays, t, given.repetitions);
  });
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  gpurma::init(&argc, &argv);
  for_each_app(argc, argv, [](auto* app, const request& given) {
    measure<std::remove_pointer_t<decltype(app)>>(given);
  });
  gpurma::finalize();
  MPI_Finalize();
}
