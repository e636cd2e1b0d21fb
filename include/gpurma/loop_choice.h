// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a persistent region's loop is run by its kernel or by the program's own launches, which
// gpurmacc writes, too (docs/runtime.md, "Loops that the host goes on with"). Not meant to be
// called by hand.
#ifndef GPURMA_LOOP_CHOICE_H
#define GPURMA_LOOP_CHOICE_H

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include <gpurma/device/stage_plan.h>

namespace gpurma::stages {

// Records the launches of the calling thread, to run them again.
class launch_recorder {
public:
  virtual ~launch_recorder() = default;

  // Of the thread, so far. None if the program's launches do not come here.
  virtual std::uint64_t launches() const = 0;
  // From here on launches are recorded, and do not run. False if that cannot be.
  virtual bool begin() = 0;
  // Behind the last of them. False if what has been recorded cannot run.
  virtual bool end() = 0;
  // Runs what has been recorded, behind the launches before it.
  virtual void run() = 0;
};

// By a CUDA graph; on the CPU target a recorder that records nothing.
std::unique_ptr<launch_recorder> make_launch_recorder();

// Iterations of a loop that are recorded, and run again where the loop's state is as it was before
// them. The state: what iterations read and change, as bytes.
class loop_repetition {
public:
  explicit loop_repetition(std::unique_ptr<launch_recorder> recorder);

  // Before an iteration that is neither recorded nor repeated.
  void note(const std::string& state);
  // Iterations before the next note have not been noted.
  void interrupt() { noted_.clear(); }
  // So many iterations before the last note the state was the same. 0: it was not, as far as noted.
  std::uint64_t period() const;
  // Of an iteration.
  double launches() const;
  // Whether there is nothing to record: the state does not come back, or there are no launches.
  bool is_vain() const;

  // The iterations to come are recorded, and do not run: so many. `counter` is kept for who calls.
  // False if that cannot be.
  bool begin(std::uint64_t iterations, std::uint64_t counter);
  bool is_recording() const { return is_recording_; }
  // At the beginning of each.
  void count() { --left_; }
  bool is_complete() const { return is_recording_ && left_ == 0; }
  // Behind the last one. False if they cannot be run.
  bool end();
  std::uint64_t counter() const { return counter_; }

  // How many iterations have been recorded that begin with such a state.
  std::uint64_t iterations_from(const std::string& state) const {
    return state == state_ ? iterations_ : 0;
  }
  void run() { recorder_->run(); }

private:
  struct noted {
    std::string state;
    std::uint64_t launches; // before
  };

  std::unique_ptr<launch_recorder> recorder_;
  std::vector<noted> noted_; // the last ones
  bool is_recording_ = false;
  std::uint64_t left_ = 0;
  std::uint64_t counter_ = 0;
  std::uint64_t iterations_ = 0;
  std::string state_;
};

// What an iteration of a loop takes, in seconds; 0: not known.
struct iteration_times {
  double by_launches = 0;
  double by_graph = 0; // of the launches; or longer than anything, if there is none
  double by_kernel = 0;
  double to_record = 0;         // a graph, before it runs
  std::uint64_t iterations = 0; // of the loop, the last time

  // The host's faster way.
  double on_host() const {
    return by_graph != 0 && by_graph < by_launches ? by_graph : by_launches;
  }
};

// Of a region's loop: which of its iterations the region's kernel runs, and which the host, as the
// program has them. With one process nothing but the time tells one way from the other, so that the
// region tries them: first the host's, since a kernel takes as long to begin as many an iteration,
// and then the kernel, which leaves the loop if it is slower. GPURMA_PERSISTENT says otherwise.
class loop_choice {
public:
  explicit loop_choice(loop_progress& loop,
                       std::unique_ptr<launch_recorder> recorder = make_launch_recorder())
      : loop_(loop), repetition_(std::move(recorder)) {}
  loop_choice(const loop_choice&) = delete;
  loop_choice& operator=(const loop_choice&) = delete;
  ~loop_choice();

  // What the next kernel is to run, of the region with such a name and one process. Before each.
  loop_part begin(const std::string& region);
  // Whether that is nothing: the host begins the loop.
  bool begins_on_host() const { return begins_on_host_; }
  // Before each iteration of the host: whether it runs it.
  bool goes_on();
  // The same of a loop whose iterations differ by what `counter` makes of `state` only: by what
  // they change, and what they read of the counter. They may be recorded and repeated, as long as
  // holds() says that the loop goes on; next() counts.
  template <class Counter, class Holds, class Next, class... State>
  bool goes_on(Counter& counter, Holds holds, Next next, const State&... state) {
    static_assert(std::is_integral_v<Counter>);
    may_repeat_ = true;
    if (repetition_.is_complete() && !end_recording())
      counter = static_cast<Counter>(repetition_.counter());
    if (!repetition_.is_recording()) {
      std::string bytes;
      (bytes.append(reinterpret_cast<const char*>(&state), sizeof(state)), ...);
      while (const std::uint64_t needed = iterations_to_repeat(bytes)) {
        const bool is_recorded = repetition_.iterations_from(bytes) != 0;
        const Counter before = counter;
        std::uint64_t ahead = 0;
        for (; ahead < needed && holds(); ++ahead)
          next();
        has_too_few_ = ahead < needed;
        if (has_too_few_ || !is_recorded)
          counter = before;
        if (has_too_few_)
          break;
        if (!is_recorded) {
          begin_recording(static_cast<std::uint64_t>(before));
          break;
        }
        repeat(needed);
      }
    }
    return goes_on();
  }
  // Behind its last: whether the kernel goes on with the loop. False if that has ended.
  bool returns();

private:
  enum class by { kernel, launches, trial, turns };

  void note_kernel();
  bool knows_host() const;
  bool leaves_now() const;
  void time_launches();
  // Of the iterations that come next with such a state, how many there have to be for them to be
  // repeated or, if they are not recorded yet, for it to be worthwhile; 0: that it is not.
  std::uint64_t iterations_to_repeat(const std::string& state);
  bool times_graph() const;
  bool is_worth_recording() const;
  std::uint64_t iterations_to_record() const;
  std::uint64_t repetitions_to_time(std::uint64_t iterations) const;
  void begin_recording(std::uint64_t counter);
  bool end_recording();
  void repeat(std::uint64_t iterations);

  loop_progress& loop_;
  loop_repetition repetition_;
  std::string region_;
  iteration_times* times_ = nullptr;
  by how_ = by::kernel;
  bool begins_on_host_ = false;
  bool leaves_ = false;
  bool kernel_is_slower_ = false;
  loop_part part_;              // of the last kernel
  bool has_kernel_ = false;     // of which nothing has been noted yet
  std::uint64_t on_device_ = 0; // iterations
  std::uint64_t on_host_ = 0;
  std::uint64_t turn_ = 0;       // of the host
  std::uint64_t turn_began_ = 0; // with that iteration of the host
  double gain_ = 0;              // by an iteration of the kernel, in seconds, if the host leaves
  std::uint64_t timed_to_ = 0;   // from iteration 2 of the host on
  std::chrono::steady_clock::time_point began_;
  bool may_repeat_ = false;
  bool cannot_repeat_ = false;
  bool has_too_few_ = false; // iterations left
  std::uint64_t timed_repetitions_ = 0;
};

} // namespace gpurma::stages

#endif
