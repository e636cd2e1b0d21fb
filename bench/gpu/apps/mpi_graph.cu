// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernels of regions.cu with MPI, as one writes them by hand for several GPUs. Each process has
// a band of rows and a halo around it. A step is two graphs: the edges with their copies to and
// from pinned memory, one branch for each neighbour, on a stream of high priority; and meanwhile
// the rows between them. If MPI reaches device memory, nothing is copied to the host.
//
// Horizontal diffusion exchanges a halo of two rows of its input once in a step, and computes what
// lies between its kernels for the rows around as well: to exchange these arrays, too, would be
// three exchanges in a row, to save a few rows of arithmetic.
//
//   mpirun -np 2 mpi_graph jacobi2d 4096x4096:1000
//
// It prints the time of a step, and as "alone" that of the same rows in one graph of all steps, in
// which nothing is exchanged. --staged: through the host, whatever MPI can do.

#include <memory>

#include "halo_exchange.h"
#include "region_measure.h"

struct stream_deleter {
  void operator()(cudaStream_t stream) const {
    check(cudaStreamDestroy(stream), "release of a stream");
  }
};
struct event_deleter {
  void operator()(cudaEvent_t event) const {
    check(cudaEventDestroy(event), "release of an event");
  }
};
using owned_stream = std::unique_ptr<std::remove_pointer_t<cudaStream_t>, stream_deleter>;
using owned_event = std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, event_deleter>;

owned_stream new_stream(int priority) {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, priority),
        "creation of a stream");
  return owned_stream(stream);
}

owned_event new_event() {
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "creation of an event");
  return owned_event(event);
}

/// The rows of a process, as halo_exchange sees them.
template <class App> struct band {
  static constexpr int halo = App::halo;
  int rows;
  std::size_t values;
  std::size_t row() const { return values; }
};

template <class App> class banded_steps {
public:
  banded_steps(const App& app, const mpi_process& process, bool staged)
      : app_(app), own_(section_of(process.rank, process.size, app.rows())),
        arrays_(app, own_.first - App::halo, own_.first + own_.count + App::halo),
        halo_(band<App>{own_.count, app.row()}, process), staged_(staged), norms_(App::fields),
        edge_works_{new_works(), new_works()} {
    int least = 0, greatest = 0;
    check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "query of priorities");
    for (owned_stream& stream : edge_streams_)
      stream = new_stream(greatest);
    inner_stream_ = new_stream(least);
    for (owned_event* event : {&inner_done_, &fork_, &join_})
      *event = new_event();
    for (int phase = 0; phase < App::fields; ++phase) {
      edges_.emplace_back(edge_streams_[0].get(), [this, phase](cudaStream_t) { edges(phase); });
      inner_.emplace_back(inner_stream_.get(), [this, phase](cudaStream_t) { inner(phase); });
    }
  }
  banded_steps(const banded_steps&) = delete;
  banded_steps& operator=(const banded_steps&) = delete;

  void set_initial_values() {
    arrays_.set_initial_values();
    halo_.copy_halo_to_host(arrays_.values(0));
    check(cudaMemset(norms_.get(), 0, norms_.size() * sizeof(float)), "a new norm");
    check(cudaDeviceSynchronize(), "initial values");
  }

  /// The edges need the inner rows of the step before, which is what the event is for. Everything
  /// else needs the edges of the step before, and these are complete when their exchange begins.
  void run(int steps) {
    for (int step = 0; step < steps; ++step) {
      const int phase = step % App::fields;
      check(cudaStreamWaitEvent(edge_streams_[0].get(), inner_done_.get()), "order of streams");
      edges_[phase].launch(edge_streams_[0].get());
      inner_[phase].launch(inner_stream_.get());
      check(cudaEventRecord(inner_done_.get(), inner_stream_.get()), "order of streams");
      check(cudaStreamSynchronize(edge_streams_[0].get()), "the edges of a step");
      if (staged_)
        halo_.exchange();
      else
        halo_.exchange_in(arrays_.values(step + 1));
      if (is_converged(step))
        break;
    }
    check(cudaStreamSynchronize(inner_stream_.get()), "the last step");
  }

  /// All rows of the process in a graph of all steps, without an exchange.
  recording alone(int steps) {
    const int first = halo_.has(neighbour::previous) ? 0 : App::halo;
    const int end = own_.count - (halo_.has(neighbour::next) ? 0 : App::halo);
    return recording(inner_stream_.get(), [this, first, end, steps](cudaStream_t stream) {
      launch_steps(app_, arrays_, App::halo + first, end - first, steps, stream);
    });
  }
  void run(const recording& all_steps) {
    all_steps.launch(inner_stream_.get());
    check(cudaStreamSynchronize(inner_stream_.get()), "the steps");
  }

  std::uint64_t hash(int steps) const { return arrays_.hash(steps, App::halo, own_.count); }

  /// Of all processes, in a step that is complete.
  float norm(int step) {
    float own = 0, all = 0;
    check(cudaMemcpy(&own, norms_.get() + step % App::fields, sizeof(own), cudaMemcpyDeviceToHost),
          "the norm");
    MPI_Allreduce(&own, &all, 1, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    return all;
  }

private:
  using works = std::vector<device_floats>;

  /// Each edge has arrays of its own between its kernels.
  works new_works() const {
    works made;
    for (int number = 0; number < App::work_arrays; ++number)
      made.emplace_back(3 * App::halo * app_.row());
    return made;
  }

  /// What a step needs to update the process's rows from `first` on.
  step_arrays on(int phase, int first) const {
    // The halo before these rows begins at row `first` of the arrays, which begin with a halo.
    step_arrays arrays = arrays_.at(phase, first);
    arrays.norm = norms_.get() + phase;
    return arrays;
  }

  /// Into a stream that is recorded. The halo that has been received belongs to the values that the
  /// step begins with.
  void edges(int phase) {
    check(cudaEventRecord(fork_.get(), edge_streams_[0].get()), "order of streams");
    check(cudaStreamWaitEvent(edge_streams_[1].get(), fork_.get()), "order of streams");
    for (const neighbour which : neighbours) {
      if (halo_.has(which))
        edge(phase, which);
    }
    check(cudaEventRecord(join_.get(), edge_streams_[1].get()), "order of streams");
    check(cudaStreamWaitEvent(edge_streams_[0].get(), join_.get()), "order of streams");
  }

  void edge(int phase, neighbour which) {
    const bool is_previous = which == neighbour::previous;
    cudaStream_t stream = edge_streams_[is_previous ? 0 : 1].get();
    if (staged_)
      halo_.copy_halo_to_device(which, arrays_.values(phase), stream);
    step_arrays arrays = on(phase, is_previous ? 0 : own_.count - App::halo);
    for (int number = 0; number < App::work_arrays; ++number)
      arrays.work[number] = edge_works_[is_previous ? 0 : 1][number].get();
    app_.step(arrays, 3 * App::halo, stream);
    if (staged_)
      halo_.copy_edge_to_host(which, arrays_.values(phase + 1), stream);
  }

  /// Everything but the edges, or but the boundary, which is as wide. In the first place it makes a
  /// new norm for the next step, whose edges begin when this is done.
  void inner(int phase) {
    if (App::has_norm)
      check(cudaMemsetAsync(norms_.get() + (phase + 1) % App::fields, 0, sizeof(float),
                            inner_stream_.get()),
            "a new norm");
    app_.step(on(phase, App::halo), own_.count, inner_stream_.get());
  }

  bool is_converged(int step) {
    if constexpr (App::has_norm) {
      if (step % App::norm_steps == App::norm_steps - 1) {
        check(cudaStreamSynchronize(inner_stream_.get()), "a step");
        return std::sqrt(norm(step)) < App::tolerance;
      }
    }
    return false;
  }

  App app_;
  section own_;
  app_arrays<App> arrays_;
  halo_exchange<band<App>, float> halo_;
  bool staged_;
  device_floats norms_; ///< One for each phase: the next is made before the last has been read.
  works edge_works_[2];
  owned_stream edge_streams_[2], inner_stream_;
  owned_event inner_done_, fork_, join_;
  std::vector<recording> edges_, inner_;
};

/// Of the slowest process.
template <class Function> double slowest_seconds_of(Function function) {
  MPI_Barrier(MPI_COMM_WORLD);
  double seconds = seconds_of(function);
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return seconds;
}

template <class App> void measure(const request& given, const mpi_process& process) {
  const bool staged = given.staged || !mpi_reaches_device_memory();
  for (const task& t : given.tasks) {
    const App app(t, threads_of(given));
    if (app.rows() / process.size < 2 * App::halo)
      stop("too few rows for so many processes");
    banded_steps<App> band(app, process, staged);
    const auto measured = seconds_of_steps(t.steps, given.repetitions, [&](int steps) {
      band.set_initial_values();
      return slowest_seconds_of([&] { band.run(steps); });
    });
    std::uint64_t hash = band.hash(t.steps);
    MPI_Allreduce(MPI_IN_PLACE, &hash, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    std::string more = std::string(", \"exchange\": \"") + (staged ? "staged" : "device") + '"';
    if (App::has_norm)
      more += norm_field(band.norm(t.steps - 1));

    const recording all_steps = band.alone(t.steps);
    std::vector<double> alone;
    for (int repetition = 0; repetition <= given.repetitions; ++repetition) {
      band.set_initial_values();
      alone.push_back(slowest_seconds_of([&] { band.run(all_steps); }));
    }
    char text[64];
    std::snprintf(text, sizeof(text), ", \"alone\": %.5g", median(alone) * 1e6 / t.steps);
    if (process.rank == 0)
      print_result(App::name, "mpi", process.size, t, measured.seconds, hash, more + text);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    const mpi_process process;
    for_each_app(argc, argv, [&](auto* app, const request& given) {
      measure<std::remove_pointer_t<decltype(app)>>(given, process);
    });
  }
  MPI_Finalize();
}
