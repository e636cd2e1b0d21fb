// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gpurma/gpurma.h>

#include <chrono>

#include "field.h"

/// The sum of all processes' hashes, in sums[0] of process 0. `own` is the process's, `sums` has
/// room for one of each process.
__global__ void add_hashes(std::uint64_t* own, std::uint64_t* sums, int process, int processes) {
  constexpr int hash_tag = 0;
  const bool collects = gpurma::rank() == 0;
#pragma gpurma window(all = sums[0 : collects ? processes : 0]) comm(world)
#pragma gpurma put(own[0 : 1]) to(0) at(all[process])                                              \
    notify(hash_tag) if (gpurma::device_rank() == 0)
  if (collects) {
#pragma gpurma wait tag(hash_tag) count(processes)
    if (threadIdx.x == 0) {
      for (int p = 1; p < processes; ++p)
        sums[0] += sums[p];
    }
  }
}

/// How many threads a block has and how many blocks a multiprocessor, as constants.
template <int Threads, int Blocks> struct shape {
#if GPURMA_TARGET_CPU
  static constexpr int threads = Threads / 64; // they take turns
#else
  static constexpr int threads = Threads;
#endif
  static constexpr int blocks = Blocks;
};

/// Calls `measure(shape, task)` for each task, with the shape that is asked for, or else with `Small`
/// if `is_small(task)`, or else with `Default`.
template <class Default, class Small, class IsSmall, class Measure>
void measure_all(const request& given, IsSmall is_small, Measure measure) {
  const auto measure_as = [&](auto s) {
    if (given.threads != s.threads || given.blocks != s.blocks)
      return false;
    for (const task& t : given.tasks)
      measure(s, t);
    return true;
  };
  if (given.threads == 0 && given.blocks == 0) {
    for (const task& t : given.tasks) {
      if (is_small(t))
        measure(Small(), t);
      else
        measure(Default(), t);
    }
  } else if (!measure_as(shape<512, 1>()) && !measure_as(shape<384, 2>()) &&
             !measure_as(shape<320, 2>()) && !measure_as(shape<256, 3>())) {
    stop("--threads and --blocks are 512 and 1, 384 and 2, 320 and 2, or 256 and 3");
  }
}

/// Measures one size. `launch(memory of both fields, distance between them)` launches a rank kernel
/// that makes all steps. No process has more than `most_rows`.
template <class App, class Launch>
void measure(const App& app, const task& t, const request& given, const gpurma::layout& ranks,
             int threads, int most_rows, Launch launch) {
  fields<App> field(app, most_rows);
  std::vector<double> seconds;
  for (int repetition = 0; repetition <= given.repetitions; ++repetition) {
    // A launch waits for the ranks of all processes and ends when all have ended.
    const auto start = std::chrono::steady_clock::now();
    launch(field[0], field.apart());
    check(cudaGetLastError(), "launch of the steps");
    check(cudaDeviceSynchronize(), "steps");
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    if (repetition > 0)
      seconds.push_back(taken.count());
  }

  std::uint64_t sum = field.hash();
  std::uint64_t *own, *sums;
  check(cudaMalloc(&own, sizeof(sum)), "allocation of a hash");
  check(cudaMalloc(&sums, ranks.processes * sizeof(sum)), "allocation of hashes");
  check(cudaMemcpy(own, &sum, sizeof(sum), cudaMemcpyHostToDevice), "copy of a hash");
  add_hashes<<<ranks.device_ranks, 32>>>(own, sums, ranks.process, ranks.processes);
  check(cudaGetLastError(), "launch of add_hashes");
  check(cudaMemcpy(&sum, sums, sizeof(sum), cudaMemcpyDeviceToHost), "copy of a hash");
  check(cudaFree(own), "release of a hash");
  check(cudaFree(sums), "release of hashes");
  if (ranks.process != 0)
    return;
  if (given.check) {
    const App whole = App::of(t, {0, App::rows_of(t)});
    if (sum != hash_of(whole, whole.reference(t.steps * (given.repetitions + 1))))
      stop("the result differs from the serial reference");
  }
  print_result(App::name, "gpurma", ranks.processes, t, seconds, sum,
               ", \"ranks\": " + std::to_string(ranks.world_ranks) +
                   ", \"threads\": " + std::to_string(threads));
}
