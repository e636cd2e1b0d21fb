// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host/launch_graph.h"

#include <gpurma/loop_choice.h>

#include "host/log.h"
#include "host/memory.h"

namespace gpurma::host {

namespace {

#if GPURMA_TARGET_CUDA

// Of the thread. A default stream of the program cannot be captured, so that its launches go to
// another one meanwhile.
struct recording {
  cudaStream_t captured = nullptr; // null: nothing is recorded
  cudaStream_t stream = nullptr;   // of the program's launches
  bool any = false;
  bool has_others = false; // other streams
  std::uint64_t launches = 0;
};
thread_local recording of_thread;

class graph_recorder final : public stages::launch_recorder {
public:
  graph_recorder() = default;
  graph_recorder(const graph_recorder&) = delete;
  graph_recorder& operator=(const graph_recorder&) = delete;
  ~graph_recorder() override {
    forget();
    if (captured_ != nullptr)
      check_cuda(cudaStreamDestroy(captured_), "destroy a stream");
  }

  std::uint64_t launches() const override { return of_thread.launches; }

  bool begin() override {
    if (captured_ == nullptr &&
        cudaStreamCreateWithFlags(&captured_, cudaStreamNonBlocking) != cudaSuccess)
      return failed();
    // Relaxed: nothing that other threads do meanwhile is of this graph.
    if (cudaStreamBeginCapture(captured_, cudaStreamCaptureModeRelaxed) != cudaSuccess)
      return failed();
    of_thread.captured = captured_;
    of_thread.any = of_thread.has_others = false;
    return true;
  }

  bool end() override {
    forget();
    of_thread.captured = nullptr;
    stream_ = of_thread.stream;
    has_others_ = of_thread.has_others;
    cudaGraph_t graph = nullptr;
    if (cudaStreamEndCapture(captured_, &graph) != cudaSuccess)
      return failed();
    const bool made = cudaGraphInstantiate(&executable_, graph, 0) == cudaSuccess;
    check_cuda(cudaGraphDestroy(graph), "destroy a graph");
    return made || failed();
  }

  void run() override {
    if (has_others_)
      check_cuda(cudaDeviceSynchronize(), "run the loop of a persistent region");
    check_cuda(cudaGraphLaunch(executable_, stream_), "launch a graph of a persistent region");
    if (has_others_)
      check_cuda(cudaDeviceSynchronize(), "run the loop of a persistent region");
  }

private:
  void forget() {
    if (executable_ != nullptr)
      check_cuda(cudaGraphExecDestroy(executable_), "destroy a graph");
    executable_ = nullptr;
  }

  // The error is not the program's.
  static bool failed() {
    log(log_level::info, text("launches of a persistent region cannot become a graph: ",
                              cudaGetErrorString(cudaGetLastError())));
    return false;
  }

  cudaStream_t captured_ = nullptr;
  cudaStream_t stream_ = nullptr;
  bool has_others_ = false;
  cudaGraphExec_t executable_ = nullptr;
};

#else

class graph_recorder final : public stages::launch_recorder {
public:
  std::uint64_t launches() const override { return 0; }
  bool begin() override { return false; }
  bool end() override { return false; }
  void run() override {}
};

#endif

} // namespace

cudaStream_t stream_of_launch(cudaStream_t stream) {
#if GPURMA_TARGET_CUDA
  recording& now = of_thread;
  ++now.launches;
  if (now.captured == nullptr)
    return stream;
  if (!now.any)
    now.stream = stream;
  now.has_others |= now.stream != stream;
  now.any = true;
  return now.captured;
#else
  return stream;
#endif
}

} // namespace gpurma::host

namespace gpurma::stages {

std::unique_ptr<launch_recorder> make_launch_recorder() {
  return std::make_unique<host::graph_recorder>();
}

} // namespace gpurma::stages
