// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gpurma/device/stages.h>
#include <gpurma/stages.h>

#include <gtest/gtest.h>

namespace {

using gpurma::stages::loop_choice;
using gpurma::stages::loop_part;
using gpurma::stages::loop_progress;

constexpr std::uint64_t hour = 3'600'000'000'000;

// The kernel leaves its loop; what it has timed took so many nanoseconds.
loop_progress left_after(std::uint64_t nanoseconds) {
  loop_progress loop{};
  loop.has_left = true;
  loop.timed_to = nanoseconds;
  return loop;
}

TEST(LoopChoice, IsTheKernelWhereArraysAreSmall) {
  loop_progress loop{};
  EXPECT_FALSE(loop_choice(loop).begin("small", false).leaves);
}

TEST(LoopChoice, TriesWhereTheyAreLarge) {
  loop_progress loop{};
  loop_choice choice(loop);
  const loop_part part = choice.begin("tried", true);
  EXPECT_FALSE(choice.begins_on_host());
  EXPECT_TRUE(part.leaves);
  EXPECT_GT(part.timed, 0u);
  EXPECT_GT(part.iterations, part.timed); // the first iterations are none to time
}

TEST(LoopChoice, GoesOnByFasterLaunches) {
  loop_progress loop = left_after(hour);
  loop_choice choice(loop);
  choice.begin("fast launches", true);
  for (int iteration = 0; iteration < 1000; ++iteration)
    ASSERT_TRUE(choice.goes_on()) << iteration;
  EXPECT_FALSE(choice.returns());
  EXPECT_FALSE(loop.goes_on);

  loop_choice next(loop);
  next.begin("fast launches", true);
  EXPECT_TRUE(next.begins_on_host());
  EXPECT_TRUE(loop.has_left);
  EXPECT_TRUE(next.goes_on());
  EXPECT_FALSE(next.returns());
  EXPECT_FALSE(next.begins_on_host());
}

TEST(LoopChoice, GoesBackToAFasterKernel) {
  loop_progress loop = left_after(1);
  loop_choice choice(loop);
  choice.begin("fast kernel", true);
  int iterations = 0;
  while (choice.goes_on())
    ASSERT_LT(++iterations, 1000);
  EXPECT_GT(iterations, 10);
  EXPECT_TRUE(choice.returns());
  EXPECT_TRUE(loop.goes_on);
  EXPECT_FALSE(loop.has_left);

  EXPECT_FALSE(choice.begin("fast kernel", true).leaves);
  EXPECT_FALSE(loop_choice(loop).begin("fast kernel", true).leaves);
  EXPECT_TRUE(loop_choice(loop).begin("another", true).leaves);
}

TEST(LoopChoice, IsNotMadeByALoopThatEndsBefore) {
  loop_progress loop = left_after(hour);
  loop_choice choice(loop);
  choice.begin("short", true);
  EXPECT_TRUE(choice.goes_on());
  EXPECT_FALSE(choice.returns());
  EXPECT_GT(loop_choice(loop).begin("short", true).iterations, 0u);
}

// What the kernel does.
TEST(LoopProgress, EndsAfterThePartAndTimesItsLastIterations) {
  using region = gpurma::stages::region_of<gpurma::stages::process_count::one, 1, 1, 1>;
  const loop_part part{true, 5, 2};
  loop_progress loop{};
  for (std::uint32_t iteration = 0; iteration < 5; ++iteration) {
    ASSERT_TRUE(region::goes_on(part, loop)) << iteration;
    EXPECT_EQ(loop.timed_from != 0, iteration >= 3) << iteration;
    EXPECT_FALSE(loop.has_left) << iteration;
  }
  EXPECT_FALSE(region::goes_on(part, loop));
  EXPECT_TRUE(loop.has_left);
  EXPECT_GE(loop.timed_to, loop.timed_from);

  loop_progress whole{};
  for (int iteration = 0; iteration < 10; ++iteration)
    EXPECT_TRUE(region::goes_on({false, 0, 0}, whole));
  EXPECT_FALSE(whole.has_left);
  EXPECT_FALSE(region::goes_on({true, 0, 0}, whole));
}

} // namespace
