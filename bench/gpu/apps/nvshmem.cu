// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NVSHMEM 3: one kernel per step, in a graph of many steps. Its first blocks wait for the halo,
// compute the edges and put them with a signal; the others compute the rows between them meanwhile.
// The host takes no part. gpu_apps.py compiles and runs it.
//
//   mpirun -np 2 nvshmem jacobi2d 4096x4096:500

#include <mpi.h>
#include <nvshmem.h>
#include <nvshmemx.h>

#include "measure.h"

/// What the blocks of an edge know of their neighbour.
struct edge {
  int first;             ///< Row of the edge.
  int neighbour;         ///< The process, or -1.
  std::size_t halo;      ///< Where the neighbour's halo begins, in its fields.
  std::uint64_t* signal; ///< Counts the blocks whose edges have come from the neighbour.
  std::uint64_t* answer; ///< The neighbour's counter of ours.
};

/// Blocks 0 ... 2 * segments - 1 compute the two edges, each a segment of the columns of one of
/// them. `made` counts each of these blocks' steps.
template <class App>
__global__ void update_and_put(App app, const double* in, double* out, edge upper, edge lower,
                               int segments, std::uint64_t* made, int thread_rows) {
  const int edge_blocks = 2 * segments;
  if (blockIdx.x >= edge_blocks) {
    const int block = blockIdx.x - edge_blocks;
    const int column = block % segments * blockDim.x + threadIdx.x;
    const int begin = App::halo + block / segments * thread_rows;
    const int count = min(thread_rows, app.rows - App::halo - begin);
    if (column < app.columns())
      app.update(in, out, column, begin, count);
    return;
  }

  const edge mine = blockIdx.x % 2 == 0 ? upper : lower;
  const int first_column = blockIdx.x / 2 * blockDim.x;
  const int column = first_column + threadIdx.x;
  // After a signal of each of the neighbour's blocks the halo is there, and the neighbour no longer
  // reads the one that is written next.
  if (mine.neighbour >= 0 && threadIdx.x == 0)
    nvshmem_signal_wait_until(mine.signal, NVSHMEM_CMP_GE, made[blockIdx.x] * segments);
  __syncthreads();
  if (column < app.columns())
    app.update(in, out, column, mine.first, App::halo);
  if (mine.neighbour < 0)
    return;
  __syncthreads();
  const std::size_t begin = App::element(first_column);
  const int columns = min(static_cast<int>(blockDim.x), app.columns() - first_column);
  const std::size_t bytes = (App::element(columns) - App::element(0)) * sizeof(double);
  const double* source = out + (mine.first + App::halo) * app.row() + begin;
  double* target = out + mine.halo + begin;
  for (int r = 0; r + 1 < App::halo; ++r, source += app.row(), target += app.row())
    nvshmemx_putmem_nbi_block(target, source, bytes, mine.neighbour);
  nvshmemx_putmem_signal_nbi_block(target, source, bytes, mine.answer, 1, NVSHMEM_SIGNAL_ADD,
                                   mine.neighbour);
  if (threadIdx.x == 0)
    ++made[blockIdx.x];
}

template <class App> class nvshmem {
public:
  static constexpr const char* name = "nvshmem";

  nvshmem(const App& app, const mpi_process& process, const request& given, const task& t)
      : app_(app), launch_(given), most_rows_(most_rows<App>(t, process)),
        memory_(nvshmem_malloc(fields<App>::bytes(app, most_rows_))),
        signals_(static_cast<std::uint64_t*>(nvshmem_calloc(2, apart * sizeof(std::uint64_t)))),
        field_(app, most_rows_, memory_),
        segments_((app.columns() + launch_.block - 1) / launch_.block) {
    if (memory_ == nullptr || signals_ == nullptr)
      stop("nvshmem_malloc: no memory");
    check(cudaMalloc(&made_, 2 * segments_ * sizeof(*made_)), "allocation of counters");
    check(cudaMemset(made_, 0, 2 * segments_ * sizeof(*made_)), "clearing of counters");
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "creation of a stream");

    // Our upper edge is the halo behind the rows of the process before us, and so on.
    const int above = process.rank - 1;
    const int below = process.rank + 1 < process.size ? process.rank + 1 : -1;
    const section rows = section_of(above, process.size, App::rows_of(t));
    upper_ = {0, above, (rows.count + App::halo) * app.row(), signals_, signals_ + apart};
    lower_ = {app.rows - App::halo, below, 0, signals_ + apart, signals_};

    graph_steps_ = std::min(t.steps, 100);
    graph_steps_ -= graph_steps_ % 2;
    cudaGraph_t graph = nullptr;
    check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "capture");
    start(graph_steps_);
    check(cudaStreamEndCapture(stream_, &graph), "capture");
    check(cudaGraphInstantiate(&graph_, graph, 0), "creation of a graph");
    check(cudaGraphDestroy(graph), "release of a graph");
    check(cudaDeviceSynchronize(), "clearing of counters");
    nvshmem_barrier_all();
  }
  nvshmem(const nvshmem&) = delete;
  nvshmem& operator=(const nvshmem&) = delete;
  ~nvshmem() {
    check(cudaGraphExecDestroy(graph_), "release of a graph");
    check(cudaStreamDestroy(stream_), "release of a stream");
    check(cudaFree(made_), "release of counters");
    nvshmem_barrier_all();
    nvshmem_free(signals_);
    nvshmem_free(memory_);
  }

  void run(int steps) {
    for (int step = 0; step + graph_steps_ <= steps; step += graph_steps_)
      check(cudaGraphLaunch(graph_, stream_), "launch of steps");
    start(steps % graph_steps_);
    check(cudaStreamSynchronize(stream_), "the last step");
  }

  std::uint64_t hash() const { return field_.hash(); }

private:
  static constexpr int apart = 16; // counters in lines of their own

  void start(int steps) {
    const int inner = app_.rows - 2 * App::halo;
    const int thread_rows = launch_.rows_of_thread(app_, std::max(inner, 1));
    const int blocks = segments_ * (2 + (inner + thread_rows - 1) / thread_rows);
    for (int step = 0; step < steps; ++step) {
      update_and_put<App>
          <<<blocks, launch_.block, 0, stream_>>>(app_, field_[step % 2], field_[(step + 1) % 2],
                                                  upper_, lower_, segments_, made_, thread_rows);
      check(cudaGetLastError(), "launch of a step");
    }
  }

  App app_;
  plain_launch launch_;
  int most_rows_;
  void* memory_;
  std::uint64_t* signals_;
  fields<App> field_;
  int segments_;
  edge upper_{};
  edge lower_{};
  std::uint64_t* made_ = nullptr;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t graph_ = nullptr;
  int graph_steps_ = 0;
};

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const mpi_process process;
  MPI_Comm world = MPI_COMM_WORLD;
  nvshmemx_init_attr_t attributes = NVSHMEMX_INIT_ATTR_INITIALIZER;
  attributes.mpi_comm = &world;
  nvshmemx_init_attr(NVSHMEMX_INIT_WITH_MPI_COMM, &attributes);
  const int status = measure_all<nvshmem>(argc, argv, process);
  nvshmem_finalize();
  MPI_Finalize();
  return status;
}
