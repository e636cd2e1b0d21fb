// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gpurma/device/stages.h>
#include <gpurma/loop_choice.h>

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <thread>
#include <utility>

namespace {

using gpurma::stages::launch_recorder;
using gpurma::stages::loop_choice;
using gpurma::stages::loop_part;
using gpurma::stages::loop_progress;
using gpurma::stages::loop_repetition;

constexpr std::uint64_t hour = 3'600'000'000'000;

// As results of a kernel that has run so many iterations, and has timed those that it had to.
void run_kernel(loop_progress& loop, std::uint32_t iterations, std::uint64_t nanoseconds,
                bool leaves) {
  loop.has_left = leaves;
  loop.iterations = iterations;
  loop.timed_from = 1;
  loop.timed_to = 1 + nanoseconds;
}

// The host's part of a loop, until it leaves it to the kernel or has run so many iterations.
std::uint64_t iterations_of(loop_choice& choice, std::uint64_t most) {
  std::uint64_t iterations = 0;
  while (choice.goes_on() && iterations < most)
    ++iterations;
  return iterations;
}

constexpr std::uint64_t many = 1'000'000'000;

TEST(LoopChoice, StartsNoKernelForAFewIterations) {
  loop_progress loop{};
  for (int time = 0; time < 3; ++time) {
    loop_choice choice(loop);
    choice.begin("short");
    EXPECT_TRUE(choice.begins_on_host());
    EXPECT_TRUE(loop.has_left);
    EXPECT_EQ(iterations_of(choice, 20), 20u);
    EXPECT_FALSE(choice.returns());
    EXPECT_FALSE(choice.begins_on_host());
    EXPECT_FALSE(loop.goes_on);
  }
}

TEST(LoopChoice, GoesOnByAFasterKernel) {
  loop_progress loop{};
  {
    loop_choice choice(loop);
    choice.begin("fast kernel");
    const std::uint64_t before = iterations_of(choice, many);
    EXPECT_GT(before, 10u);
    EXPECT_LT(before, many);
    EXPECT_TRUE(choice.returns());
    EXPECT_TRUE(loop.goes_on);
    EXPECT_FALSE(loop.has_left);
    const loop_part part = choice.begin("fast kernel");
    EXPECT_FALSE(choice.begins_on_host());
    EXPECT_GT(part.timed_from, 0u); // the first iterations are none to time
    EXPECT_GT(part.decides_at, part.timed_from);
    EXPECT_NE(part.decides_at, loop_part::never);
    EXPECT_GT(part.most_nanoseconds, 0u);
    run_kernel(loop, many, 1, false);
  }
  loop_choice next(loop);
  EXPECT_EQ(next.begin("fast kernel").decides_at, loop_part::never);
  EXPECT_FALSE(next.begins_on_host());
  loop_choice another(loop);
  another.begin("another");
  EXPECT_TRUE(another.begins_on_host());
}

TEST(LoopChoice, StartsAFasterKernelForEnoughIterationsOnly) {
  loop_progress loop{};
  {
    loop_choice choice(loop);
    choice.begin("once long");
    iterations_of(choice, many);
    choice.returns();
    choice.begin("once long");
    run_kernel(loop, many, 1, false);
  }
  loop = {};
  loop_choice fewer(loop);
  fewer.begin("once long"); // as often as the last time, as far as it knows
  EXPECT_FALSE(fewer.begins_on_host());
  {
    loop_choice choice(loop);
    choice.begin("once long");
    run_kernel(loop, 1, 0, false);
  }
  loop = {};
  loop_choice again(loop);
  again.begin("once long");
  EXPECT_TRUE(again.begins_on_host());
  EXPECT_LT(iterations_of(again, many), many);
  EXPECT_TRUE(again.returns());
  EXPECT_EQ(again.begin("once long").decides_at, loop_part::never); // its time is known
}

TEST(LoopChoice, GoesOnByFasterLaunches) {
  loop_progress loop{};
  {
    loop_choice choice(loop);
    choice.begin("slow kernel");
    iterations_of(choice, many);
    choice.returns();
    choice.begin("slow kernel");
    run_kernel(loop, 10, hour, true);
    EXPECT_EQ(iterations_of(choice, 1'000'000), 1'000'000u);
    EXPECT_FALSE(choice.returns());
  }
  loop_choice next(loop);
  next.begin("slow kernel");
  EXPECT_TRUE(next.begins_on_host());
  EXPECT_EQ(iterations_of(next, 1'000'000), 1'000'000u);
}

// What a recorder has been asked for, and the iterations that run by it.
struct record {
  bool begins = true, ends = true;
  bool is_recording = false;
  std::uint64_t launches = 0, recorded = 0, run = 0;
};

class fake_recorder final : public launch_recorder {
public:
  explicit fake_recorder(record& of) : of_(of) {}
  std::uint64_t launches() const override { return of_.launches; }
  bool begin() override {
    of_.recorded = 0;
    return of_.is_recording = of_.begins;
  }
  bool end() override {
    of_.is_recording = false;
    return of_.ends;
  }
  void run() override { of_.run += of_.recorded; }

private:
  record& of_;
};

// A loop of launches that take their time one by one, and none when repeated; odd and even ones
// differ. The kernel is slow, and leaves at once. Iterations that it ran one by one.
std::uint64_t run_loop(const char* region, record& of, int steps) {
  loop_progress loop{};
  loop_choice choice(loop, std::make_unique<fake_recorder>(of));
  choice.begin(region);
  std::uint64_t one_by_one = 0;
  int now = 0, next = 1, k = 0;
  for (;;) {
    for (; choice.goes_on(k, [&] { return k < steps; }, [&] { ++k; }, now, next) && k < steps;
         ++k) {
      EXPECT_EQ(now, k % 2) << k;
      ++of.launches;
      if (of.is_recording) {
        ++of.recorded;
      } else {
        ++one_by_one;
        std::this_thread::sleep_for(std::chrono::microseconds(20));
      }
      std::swap(now, next);
    }
    if (!choice.returns())
      break;
    choice.begin(region);
    run_kernel(loop, 0, hour, true);
  }
  EXPECT_EQ(k, steps);
  EXPECT_EQ(now, steps % 2);
  return one_by_one;
}

TEST(LoopChoice, RepeatsWhatHasBeenRecorded) {
  record of;
  const std::uint64_t one_by_one = run_loop("repeated", of, 5001);
  EXPECT_GT(of.run, 4000u);
  EXPECT_EQ(of.run + one_by_one, 5001u);
}

TEST(LoopChoice, RecordsNothingForAFewIterations) {
  record of;
  EXPECT_EQ(run_loop("few repeated", of, 60), 60u);
  EXPECT_EQ(of.recorded, 0u);
}

TEST(LoopChoice, LosesNothingThatCannotBeRecorded) {
  record of;
  of.ends = false;
  EXPECT_EQ(run_loop("not ended", of, 601), 601u);
  EXPECT_GT(of.recorded, 0u);
  of = {};
  of.begins = false;
  EXPECT_EQ(run_loop("not begun", of, 601), 601u);
  EXPECT_EQ(of.recorded, 0u);
}

TEST(LoopChoice, TriesTheKernelWhereNothingCanBeRepeated) {
  record of;
  loop_progress loop{};
  for (const char* region : {"without launches", "without a period"}) {
    loop_choice choice(loop, std::make_unique<fake_recorder>(of));
    choice.begin(region);
    const bool has_launches = region == std::string("without a period");
    std::uint64_t k = 0;
    while (choice.goes_on(k, [&] { return k < many; }, [&] { ++k; }, has_launches ? k : 0) &&
           k < many) {
      of.launches += has_launches ? 1 : 0;
      ++k;
    }
    EXPECT_LT(k, many) << region;
    EXPECT_TRUE(choice.returns()) << region;
    EXPECT_EQ(of.recorded, 0u) << region;
  }
}

TEST(LoopRepetition, FindsThePeriodOfStates) {
  record of;
  loop_repetition repetition(std::make_unique<fake_recorder>(of));
  EXPECT_EQ(repetition.iterations_from("a"), 0u);
  for (const char* state : {"x", "a", "b", "c"}) {
    repetition.note(state);
    EXPECT_EQ(repetition.period(), 0u) << state;
    of.launches += 2;
  }
  repetition.note("a");
  EXPECT_EQ(repetition.period(), 3u);
  EXPECT_EQ(repetition.launches(), 2.0);

  EXPECT_TRUE(repetition.begin(2, 7));
  EXPECT_TRUE(repetition.is_recording());
  repetition.count();
  EXPECT_FALSE(repetition.is_complete());
  repetition.count();
  EXPECT_TRUE(repetition.is_complete());
  EXPECT_TRUE(repetition.end());
  EXPECT_EQ(repetition.counter(), 7u);
  EXPECT_EQ(repetition.iterations_from("a"), 2u);
  EXPECT_EQ(repetition.iterations_from("b"), 0u);

  repetition.note("b");
  repetition.interrupt();
  repetition.note("b");
  EXPECT_EQ(repetition.period(), 0u);
}

TEST(LoopRepetition, ForgetsStatesThatAreLongAgo) {
  record of;
  loop_repetition repetition(std::make_unique<fake_recorder>(of));
  for (int state = 0; state < 20; ++state)
    repetition.note(std::to_string(state));
  repetition.note("10");
  EXPECT_EQ(repetition.period(), 0u);
  repetition.note("14");
  EXPECT_EQ(repetition.period(), 7u);
}

// What the kernel does.
TEST(LoopProgress, CountsIterationsAndLeaves) {
  using region = gpurma::stages::region_of<gpurma::stages::process_count::one, 1, 1, 1>;
  loop_part part;
  part.timed_from = 3;
  part.decides_at = 5;
  loop_progress loop{};
  for (std::uint32_t iteration = 0; iteration < 5; ++iteration) {
    ASSERT_TRUE(region::goes_on(part, loop)) << iteration;
    EXPECT_EQ(loop.timed_from != 0, iteration >= 3) << iteration;
    EXPECT_FALSE(loop.has_left) << iteration;
  }
  EXPECT_FALSE(region::goes_on(part, loop));
  EXPECT_TRUE(loop.has_left);
  EXPECT_EQ(loop.iterations, 5u);

  loop_progress whole{};
  for (int iteration = 0; iteration < 10; ++iteration)
    EXPECT_TRUE(region::goes_on(loop_part{}, whole));
  EXPECT_FALSE(whole.has_left);
  EXPECT_EQ(whole.iterations, 10u);
  whole.iterations = loop_part::never;
  EXPECT_TRUE(region::goes_on(loop_part{}, whole));
}

} // namespace
