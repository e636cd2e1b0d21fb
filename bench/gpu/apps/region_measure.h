// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// How the programs that are compared with a region measure.

#include <cctype>
#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <type_traits>
#include <utility>

#include "region_apps.h"

/// Launches of one stream, recorded once and then launched as a graph. The CPU target has no
/// graphs: it launches them again.
class recording {
public:
  recording(cudaStream_t stream, std::function<void(cudaStream_t)> launches) {
#if GPURMA_TARGET_CPU
    static_cast<void>(stream);
    launches_ = std::move(launches);
#else
    cudaGraph_t graph = nullptr;
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "capture");
    launches(stream);
    check(cudaGetLastError(), "capture");
    check(cudaStreamEndCapture(stream, &graph), "capture");
    check(cudaGraphInstantiate(&graph_, graph, 0), "creation of a graph");
    check(cudaGraphDestroy(graph), "release of a graph");
    check(cudaGraphUpload(graph_, stream), "upload of a graph");
    check(cudaStreamSynchronize(stream), "upload of a graph");
#endif
  }

#if GPURMA_TARGET_CPU
  void launch(cudaStream_t stream) const { launches_(stream); }

private:
  std::function<void(cudaStream_t)> launches_;
#else
  recording(recording&& other) noexcept : graph_(std::exchange(other.graph_, nullptr)) {}
  recording& operator=(recording&&) = delete;
  ~recording() {
    if (graph_ != nullptr)
      check(cudaGraphExecDestroy(graph_), "release of a graph");
  }
  void launch(cudaStream_t stream) const {
    check(cudaGraphLaunch(graph_, stream), "launch of a graph");
  }

private:
  cudaGraphExec_t graph_ = nullptr;
#endif
};

/// Steps of one device on its own that update rows `first` to `first` + `count` - 1 of its arrays.
template <class App>
void launch_steps(const App& app, const app_arrays<App>& arrays, int first, int count, int steps,
                  cudaStream_t stream) {
  for (int step = 0; step < steps; ++step) {
    const step_arrays on = arrays.at(step, first - App::halo);
    if (App::has_norm)
      check(cudaMemsetAsync(on.norm, 0, sizeof(float), stream), "a new norm");
    app.step(on, count + 2 * App::halo, stream);
  }
}

template <class Function> double seconds_of(Function function) {
  const auto begin = std::chrono::steady_clock::now();
  function();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// What steps take, in seconds, by repetition; and what a run of two takes, which is mostly its
/// beginning and its end.
struct measured_steps {
  std::vector<double> seconds;
  double set_up = 0;
};

/// What `steps` take without what their beginning and end take, which is the same for any number of
/// steps: the difference to a run of two. `seconds_for(steps)` makes a run.
template <class Function>
measured_steps seconds_of_steps(int steps, int repetitions, Function seconds_for) {
  constexpr int few = 2;
  seconds_for(few); // once more: what is loaded and allocated at the first use
  measured_steps measured;
  measured.set_up = std::numeric_limits<double>::max();
  for (int repetition = 0; repetition < repetitions; ++repetition)
    measured.set_up = std::min(measured.set_up, seconds_for(few));
  // Behind those: what a region takes for the faster way depends on how long it was the last time.
  for (int repetition = 0; repetition < repetitions; ++repetition)
    measured.seconds.push_back(seconds_for(steps));
  if (steps > few) {
    for (double& all : measured.seconds)
      all = (all - measured.set_up) * steps / (steps - few);
  }
  return measured;
}

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// One more field of a result: what a run of two steps takes, in microseconds, if that was
/// measured.
inline std::string set_up_field(const measured_steps& measured) {
  if (measured.set_up == 0)
    return "";
  char text[64];
  std::snprintf(text, sizeof(text), ", \"set_up\": %.6g", measured.set_up * 1e6);
  return text;
}

/// Of a block, from the command line.
inline int threads_of(const request& given) {
  const int threads = given.threads != 0 ? given.threads : 256;
  if (threads % block_width != 0 || threads < block_width || threads > block_width * block_width)
    stop("--threads is a multiple of 32 up to 1024");
  return threads;
}

/// More fields of a result: of the squares of the changes in the last step, the sum.
inline std::string norm_field(float norm) {
  char text[64];
  std::snprintf(text, sizeof(text), ", \"norm\": %.6g", norm);
  return text;
}

/// Calls `measure(type, request)` for each application of the command line with what is asked of
/// it, <application> <what request takes>..., where `type` is a null pointer of the application's
/// type.
template <class Measure> void for_each_app(int argc, char** argv, Measure measure) {
  const auto is_app = [&](int argument) {
    return std::isalpha(static_cast<unsigned char>(argv[argument][0])) != 0;
  };
  const auto measure_as = [&](auto* type, int first, int end) {
    using App = std::remove_pointer_t<decltype(type)>;
    if (std::string(argv[first]) != App::name)
      return false;
    measure(type, request::from(end, argv, first + 1, App::dimensions));
    return true;
  };
  int first = 1;
  do {
    int end = first + 1;
    while (end < argc && !is_app(end))
      ++end;
    if (first >= argc || (!measure_as(static_cast<jacobi2d*>(nullptr), first, end) &&
                          !measure_as(static_cast<jacobi2d_atomic*>(nullptr), first, end) &&
                          !measure_as(static_cast<heat3d*>(nullptr), first, end) &&
                          !measure_as(static_cast<horizontal_diffusion*>(nullptr), first, end)))
      stop("the first argument is jacobi2d, jacobi2d_atomic, heat3d or horizontal_diffusion");
    first = end;
  } while (first < argc);
}
