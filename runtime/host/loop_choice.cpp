// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gpurma/loop_choice.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "host/environment.h"
#include "host/log.h"
#include "host/memory.h"

namespace gpurma::stages {

namespace {

using clock = std::chrono::steady_clock;

constexpr double no_time = std::numeric_limits<double>::infinity();

// What a region's kernel takes before its first iteration and behind its last.
constexpr double seconds_of_kernel = 0.8e-3;
// To be told from what the host takes to see that the device is done.
constexpr double least_timed_seconds = 0.3e-3;
constexpr double least_timed_iterations = 8;
constexpr double most_timed_iterations = 64;
// The first iterations load code, and find what is in no cache.
constexpr std::uint32_t untimed_iterations = 2;
// A kernel that leaves its loop has to be that much slower.
constexpr double worthwhile = 1.02;
// So many that the gap between two graphs hardly counts; more take long to record.
constexpr double launches_of_graph = 48;
constexpr std::uint64_t most_period = 8;
constexpr std::uint64_t iterations_of_turns[] = {2, 8};

// By region.
iteration_times& times_of(const std::string& region) {
  static std::map<std::string, iteration_times> times;
  return times[region];
}

void wait_for_launches() {
  host::check_cuda(cudaDeviceSynchronize(), "run the loop of a persistent region");
}

double seconds_since(clock::time_point begin) {
  return std::chrono::duration<double>(clock::now() - begin).count();
}

double iterations_to_time(double seconds_of_one) {
  return std::clamp(least_timed_seconds / std::max(seconds_of_one, 1e-9), least_timed_iterations,
                    most_timed_iterations);
}

} // namespace

loop_repetition::loop_repetition(std::unique_ptr<launch_recorder> recorder)
    : recorder_(std::move(recorder)) {}

void loop_repetition::note(const std::string& state) {
  if (noted_.size() > most_period)
    noted_.erase(noted_.begin());
  noted_.push_back({state, recorder_->launches()});
}

std::uint64_t loop_repetition::period() const {
  for (std::size_t back = 1; back < noted_.size(); ++back)
    if (noted_[noted_.size() - 1 - back].state == noted_.back().state)
      return back;
  return 0;
}

double loop_repetition::launches() const {
  const std::size_t iterations = noted_.size() - 1;
  return static_cast<double>(noted_.back().launches - noted_.front().launches) /
         static_cast<double>(iterations);
}

bool loop_repetition::is_vain() const {
  return period() == 0 ? noted_.size() > most_period : launches() == 0;
}

bool loop_repetition::begin(std::uint64_t iterations, std::uint64_t counter) {
  state_ = noted_.back().state;
  noted_.clear();
  iterations_ = left_ = iterations;
  counter_ = counter;
  is_recording_ = recorder_->begin();
  if (!is_recording_)
    iterations_ = 0;
  return is_recording_;
}

bool loop_repetition::end() {
  is_recording_ = false;
  const bool can_run = recorder_->end();
  if (!can_run)
    iterations_ = 0;
  return can_run;
}

loop_choice::~loop_choice() {
  note_kernel();
  if (times_ != nullptr)
    times_->iterations = on_host_ + on_device_;
}

loop_part loop_choice::begin(const std::string& region) {
  const bool is_first = region_.empty();
  if (is_first) {
    region_ = region;
    times_ = &times_of(region);
    const std::string& wanted = host::environment::persistent();
    const double gain = times_->on_host() - times_->by_kernel;
    if (wanted == "always")
      how_ = by::kernel;
    else if (wanted == "never")
      how_ = by::launches;
    else if (wanted == "alternate")
      how_ = by::turns;
    else if (times_->by_launches == 0 || times_->by_kernel == 0)
      how_ = by::trial;
    else if (gain * static_cast<double>(times_->iterations) > seconds_of_kernel)
      how_ = by::kernel;
    else {
      how_ = by::launches;
      gain_ = gain;
    }
  }
  begins_on_host_ = is_first && (how_ == by::launches || how_ == by::trial);
  part_ = {};
  if (begins_on_host_) {
    loop_.has_left = true;
    return part_;
  }
  has_kernel_ = true;
  if (how_ == by::turns) {
    part_.decides_at = iterations_of_turns[0];
  } else if (how_ == by::trial) {
    const double of_host = times_->on_host(), timed = std::ceil(iterations_to_time(of_host));
    part_.timed_from = untimed_iterations;
    part_.decides_at = untimed_iterations + static_cast<std::uint32_t>(timed);
    part_.most_nanoseconds = static_cast<std::uint64_t>(of_host * timed * worthwhile * 1e9);
  }
  return part_;
}

// Of the kernel that has run last.
void loop_choice::note_kernel() {
  if (!has_kernel_)
    return;
  has_kernel_ = false;
  on_device_ += loop_.iterations;
  if (how_ != by::trial || loop_.timed_to <= loop_.timed_from)
    return;
  times_->by_kernel = static_cast<double>(loop_.timed_to - loop_.timed_from) * 1e-9 /
                      (part_.decides_at - part_.timed_from);
  kernel_is_slower_ = loop_.has_left;
  const bool has_graph = times_->by_graph != 0 && times_->by_graph != no_time;
  host::log(host::log_level::info,
            host::text(region_, " takes ", times_->by_kernel * 1e6,
                       " us for an iteration of its loop as a persistent kernel, ",
                       times_->by_launches * 1e6, " by launches",
                       has_graph
                           ? host::text(" and ", times_->by_graph * 1e6, " by a graph of them")
                           : std::string(),
                       ", and goes on ",
                       !kernel_is_slower_                        ? "as a persistent kernel"
                       : times_->on_host() < times_->by_launches ? "by the graph"
                                                                 : "by launches"));
}

bool loop_choice::goes_on() {
  note_kernel();
  if (repetition_.is_recording()) {
    repetition_.count();
    ++on_host_;
    return true;
  }
  if (how_ == by::trial)
    time_launches();
  leaves_ = leaves_now();
  if (!leaves_)
    ++on_host_;
  return !leaves_;
}

bool loop_choice::knows_host() const {
  return times_->by_launches != 0 &&
         (!may_repeat_ || times_->by_graph != 0 || cannot_repeat_ || has_too_few_);
}

bool loop_choice::leaves_now() const {
  if (how_ == by::turns)
    return on_host_ - turn_began_ >= iterations_of_turns[turn_ == 0 ? 0 : 1];
  if (how_ == by::trial)
    return !kernel_is_slower_ && knows_host() &&
           static_cast<double>(on_host_) * times_->on_host() >= seconds_of_kernel;
  return gain_ * static_cast<double>(on_host_) > seconds_of_kernel;
}

void loop_choice::time_launches() {
  if (times_->by_launches != 0)
    return;
  const bool is_timed = timed_to_ != 0 && on_host_ == timed_to_;
  if (on_host_ != untimed_iterations - 1 && on_host_ != untimed_iterations && !is_timed)
    return;
  wait_for_launches();
  if (is_timed)
    times_->by_launches =
        seconds_since(began_) / static_cast<double>(timed_to_ - untimed_iterations);
  else if (on_host_ == untimed_iterations)
    timed_to_ = untimed_iterations +
                static_cast<std::uint64_t>(std::ceil(iterations_to_time(seconds_since(began_))));
  began_ = clock::now();
}

bool loop_choice::times_graph() const {
  return how_ != by::turns && times_->by_launches != 0 && times_->by_graph == 0;
}

bool loop_choice::is_worth_recording() const {
  if (how_ == by::turns || times_graph())
    return true;
  if (how_ == by::trial) // which times the launches first, and records once
    return false;
  if (times_->by_launches == 0) // never to be known
    return on_host_ >= least_timed_iterations;
  return (times_->by_launches - times_->by_graph) *
             static_cast<double>(std::max(times_->iterations, on_host_)) >
         times_->to_record;
}

std::uint64_t loop_choice::iterations_to_record() const {
  const std::uint64_t period = repetition_.period();
  if (period == 0 || how_ == by::turns)
    return period;
  const double launches = repetition_.launches() * static_cast<double>(period);
  return period * static_cast<std::uint64_t>(std::ceil(launches_of_graph / launches));
}

std::uint64_t loop_choice::repetitions_to_time(std::uint64_t iterations) const {
  const double seconds = static_cast<double>(iterations) * times_->by_launches;
  return static_cast<std::uint64_t>(std::max(2.0, std::ceil(least_timed_seconds / seconds)));
}

std::uint64_t loop_choice::iterations_to_repeat(const std::string& state) {
  if (cannot_repeat_ || has_too_few_ || leaves_now())
    return 0;
  if (const std::uint64_t recorded = repetition_.iterations_from(state))
    return recorded;
  repetition_.note(state);
  cannot_repeat_ = repetition_.is_vain();
  if (cannot_repeat_)
    return 0;
  const std::uint64_t iterations = is_worth_recording() ? iterations_to_record() : 0;
  return times_graph() && iterations != 0 ? iterations * (1 + repetitions_to_time(iterations))
                                          : iterations;
}

void loop_choice::begin_recording(std::uint64_t counter) {
  began_ = clock::now();
  cannot_repeat_ = !repetition_.begin(iterations_to_record(), counter);
}

// What has been recorded runs for the first time.
bool loop_choice::end_recording() {
  if (!repetition_.end()) {
    cannot_repeat_ = true;
    return false;
  }
  times_->to_record = seconds_since(began_);
  repetition_.run();
  return true;
}

void loop_choice::repeat(std::uint64_t iterations) {
  const bool is_timed = times_graph();
  if (is_timed && timed_repetitions_ == 0) {
    wait_for_launches();
    began_ = clock::now();
  }
  repetition_.run();
  on_host_ += iterations;
  if (!is_timed || ++timed_repetitions_ < repetitions_to_time(iterations))
    return;
  wait_for_launches();
  times_->by_graph = seconds_since(began_) / static_cast<double>(timed_repetitions_ * iterations);
  cannot_repeat_ = times_->by_graph >= times_->by_launches;
}

bool loop_choice::returns() {
  note_kernel();
  if (repetition_.is_recording() && !end_recording())
    host::fatal(host::text(region_, " has launches that were recorded, and cannot run"));
  const bool kernel_goes_on = leaves_;
  if (!kernel_goes_on)
    wait_for_launches(); // as at the end of the kernel
  else if (how_ == by::trial && times_->by_graph == 0 && !has_too_few_)
    times_->by_graph = no_time;
  leaves_ = begins_on_host_ = false;
  ++turn_;
  turn_began_ = on_host_;
  repetition_.interrupt();
  loop_ = {};
  loop_.goes_on = kernel_goes_on;
  return kernel_goes_on;
}

} // namespace gpurma::stages
