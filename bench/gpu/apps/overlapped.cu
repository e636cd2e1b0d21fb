// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUDA kernels and MPI with everything that overlaps them: the edges are computed first, in a graph
// with their copies to and from pinned memory, on a stream of high priority; the rows between them
// are computed meanwhile. One process has nothing to exchange: its steps are one graph.
//
//   mpirun -np 2 overlapped jacobi2d 4096x4096:500

#include "halo_exchange.h"
#include "measure.h"

template <class App> class overlapped {
public:
  static constexpr const char* name = "overlapped";

  overlapped(const App& app, const mpi_process& process, const request& given, const task& t)
      : app_(app), launch_(given), field_(app, most_rows<App>(t, process)), halo_(app, process) {
    int least = 0, greatest = 0;
    check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "query of priorities");
    check(cudaStreamCreateWithPriority(&edge_stream_, cudaStreamNonBlocking, greatest),
          "creation of a stream");
    check(cudaStreamCreateWithPriority(&inner_stream_, cudaStreamNonBlocking, least),
          "creation of a stream");
    check(cudaEventCreateWithFlags(&inner_done_, cudaEventDisableTiming), "creation of an event");
    if (halo_.is_needed()) {
      halo_.copy_halo_to_host(field_[0]);
      for (int parity = 0; parity < 2; ++parity)
        graph_[parity] = captured([&] { exchange_edges(field_[parity], field_[1 - parity]); });
    } else {
      graph_steps_ = std::min(t.steps, 100);
      graph_steps_ -= graph_steps_ % 2;
      graph_[0] = captured([&] { whole_steps(graph_steps_); });
    }
  }
  overlapped(const overlapped&) = delete;
  overlapped& operator=(const overlapped&) = delete;
  ~overlapped() {
    for (cudaGraphExec_t graph : graph_) {
      if (graph)
        check(cudaGraphExecDestroy(graph), "release of a graph");
    }
    check(cudaEventDestroy(inner_done_), "release of an event");
    check(cudaStreamDestroy(edge_stream_), "release of a stream");
    check(cudaStreamDestroy(inner_stream_), "release of a stream");
  }

  void run(int steps) {
    if (halo_.is_needed()) {
      for (int step = 0; step < steps; ++step)
        overlapped_step(step % 2);
      check(cudaStreamSynchronize(inner_stream_), "the last step");
    } else {
      for (int step = 0; step + graph_steps_ <= steps; step += graph_steps_)
        check(cudaGraphLaunch(graph_[0], edge_stream_), "launch of steps");
      whole_steps(steps % graph_steps_);
      check(cudaStreamSynchronize(edge_stream_), "the last step");
    }
  }

  std::uint64_t hash() const { return field_.hash(); }

private:
  /// The edges need the inner rows of the step before, which is what the event is for. Everything
  /// else needs the edges of the step before, and these are complete when their exchange begins.
  void overlapped_step(int parity) {
    check(cudaStreamWaitEvent(edge_stream_, inner_done_), "order of streams");
    check(cudaGraphLaunch(graph_[parity], edge_stream_), "launch of the edges");
    launch_.rows(app_, field_[parity], field_[1 - parity], App::halo, app_.rows - 2 * App::halo,
                 inner_stream_);
    check(cudaEventRecord(inner_done_, inner_stream_), "order of streams");
    check(cudaStreamSynchronize(edge_stream_), "the edges of a step");
    halo_.exchange();
  }

  /// The halo that has been received belongs to `in`.
  void exchange_edges(double* in, double* out) {
    halo_.copy_halo_to_device(in, edge_stream_);
    launch_.edges(app_, in, out, edge_stream_);
    halo_.copy_edges_to_host(out, edge_stream_);
  }

  void whole_steps(int steps) {
    for (int step = 0; step < steps; ++step)
      launch_.rows(app_, field_[step % 2], field_[(step + 1) % 2], 0, app_.rows, edge_stream_);
  }

  /// What a function does on the edges' stream, as a graph.
  template <class Function> cudaGraphExec_t captured(Function function) {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t made = nullptr;
    check(cudaStreamBeginCapture(edge_stream_, cudaStreamCaptureModeThreadLocal), "capture");
    function();
    check(cudaStreamEndCapture(edge_stream_, &graph), "capture");
    check(cudaGraphInstantiate(&made, graph, 0), "creation of a graph");
    check(cudaGraphDestroy(graph), "release of a graph");
    return made;
  }

  App app_;
  plain_launch launch_;
  fields<App> field_;
  halo_exchange<App> halo_;
  cudaStream_t edge_stream_ = nullptr;
  cudaStream_t inner_stream_ = nullptr;
  cudaEvent_t inner_done_ = nullptr;
  cudaGraphExec_t graph_[2] = {};
  int graph_steps_ = 0;
};

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int status = measure_all<overlapped>(argc, argv, mpi_process());
  MPI_Finalize();
  return status;
}
