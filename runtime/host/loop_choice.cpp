// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a region's loop is run by its kernel or by the program's own launches: with one process
// nothing but the time tells one from the other.
#include <gpurma/stages.h>

#include <algorithm>
#include <map>

#include "host/environment.h"
#include "host/log.h"
#include "host/memory.h"

namespace gpurma::stages {

namespace {

// The first iterations load code, and find what is in no cache.
constexpr std::uint32_t untimed_iterations = 2;
constexpr std::uint32_t timed_iterations = 8;
// What the host times begins and ends with some microseconds of waiting.
constexpr double least_timed_seconds = 2e-3;
constexpr std::uint64_t most_timed_iterations = 200;
constexpr std::uint32_t iterations_of_turn = 3;

// A region that begins once more takes some tenths of a millisecond, for which launches have to
// make up.
constexpr double worthwhile = 0.98;

// By region, whether its launches have been found to take less time.
std::map<std::string, bool>& found_faster() {
  static std::map<std::string, bool> found;
  return found;
}

void wait_for_launches() {
  host::check_cuda(cudaDeviceSynchronize(), "run the loop of a persistent region");
}

} // namespace

loop_part loop_choice::begin(const std::string& region, bool has_large_arrays) {
  const std::string& wanted = host::environment::persistent();
  const auto known = found_faster().find(region);
  region_ = region;
  if (wanted == "always")
    how_ = by::kernel;
  else if (wanted == "never")
    how_ = by::launches;
  else if (wanted == "alternate")
    how_ = by::turns;
  else if (known != found_faster().end())
    how_ = known->second ? by::launches : by::kernel;
  else
    how_ = has_large_arrays ? by::trial : by::kernel;
  switch (how_) {
  case by::kernel:
    return {false, 0, 0};
  case by::launches:
    begins_on_host_ = loop_.has_left = true;
    return {true, 0, 0};
  case by::turns:
    return {true, iterations_of_turn, 0};
  case by::trial:
    break;
  }
  return {true, untimed_iterations + timed_iterations, timed_iterations};
}

bool loop_choice::goes_on() {
  const std::uint64_t iteration = iterations_++;
  if (how_ == by::launches)
    return true;
  if (how_ == by::turns)
    return !(leaves_ = iteration == iterations_of_turn);
  const double of_kernel =
      static_cast<double>(loop_.timed_to - loop_.timed_from) * 1e-9 / timed_iterations;
  if (iteration == untimed_iterations) {
    timed_ = std::clamp<std::uint64_t>(
        static_cast<std::uint64_t>(least_timed_seconds / std::max(of_kernel, 1e-9)),
        timed_iterations, most_timed_iterations);
    wait_for_launches();
    began_ = std::chrono::steady_clock::now();
  }
  if (iteration != untimed_iterations + timed_ || timed_ == 0)
    return true;
  wait_for_launches();
  const double of_launches =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count() /
      static_cast<double>(timed_);
  const bool faster = of_launches < worthwhile * of_kernel;
  found_faster()[region_] = faster;
  how_ = faster ? by::launches : by::kernel;
  leaves_ = !faster;
  host::log(host::log_level::info,
            host::text(region_, " takes ", of_kernel * 1e6,
                       " us for an iteration of its loop as a persistent kernel, and ",
                       of_launches * 1e6, " by launches, and goes on ",
                       faster ? "by launches" : "as a persistent kernel"));
  return faster;
}

bool loop_choice::returns() {
  const bool kernel_goes_on = leaves_;
  if (!kernel_goes_on)
    wait_for_launches(); // as at the end of the kernel
  leaves_ = begins_on_host_ = false;
  iterations_ = timed_ = 0;
  loop_ = {};
  loop_.goes_on = kernel_goes_on;
  return kernel_goes_on;
}

} // namespace gpurma::stages
