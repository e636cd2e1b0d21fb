// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host/watchdog.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <deque>
#include <mutex>

using gpurma::host::heartbeat;
using gpurma::host::heartbeat_link;
using gpurma::host::host_task;
using gpurma::host::wait_record;
using gpurma::host::wait_table;
using gpurma::host::watchdog;

namespace {

// Links of several watchdogs in one process.
struct fake_network {
  explicit fake_network(int size) : inboxes(static_cast<std::size_t>(size)) {}
  std::vector<std::deque<std::pair<int, heartbeat>>> inboxes;
};

class fake_link final : public heartbeat_link {
public:
  fake_link(fake_network& network, int rank) : network_(network), rank_(rank) {}
  int rank() const override { return rank_; }
  int size() const override { return static_cast<int>(network_.inboxes.size()); }
  void send(int process, const heartbeat& beat) override {
    network_.inboxes[static_cast<std::size_t>(process)].emplace_back(rank_, beat);
  }
  bool receive(int& process, heartbeat& beat) override {
    auto& inbox = network_.inboxes[static_cast<std::size_t>(rank_)];
    if (inbox.empty())
      return false;
    std::tie(process, beat) = inbox.front();
    inbox.pop_front();
    return true;
  }

private:
  fake_network& network_;
  int rank_;
};

struct fake_table final : wait_table {
  std::vector<wait_record> ranks;
  std::uint64_t bytes = 0;
  std::vector<wait_record> snapshot() const override { return ranks; }
  std::uint64_t host_progress() const override { return bytes; }
};

wait_record waiting(int rank) {
  wait_record record;
  record.now = wait_record::state::in_directive;
  record.rank = rank;
  record.directive = "wait";
  record.where = "ring.cu:17";
  record.window = "any";
  record.source = std::to_string(rank - 1);
  record.tag = "7";
  record.wanted = 2;
  record.arrived = 1;
  record.seconds = 2.06;
  return record;
}

wait_record computing(int rank) {
  wait_record record;
  record.rank = rank;
  return record;
}

class Watchdogs : public testing::Test {
protected:
  void build(int size, double timeout) {
    network = std::make_unique<fake_network>(size);
    tables.resize(static_cast<std::size_t>(size));
    printed.resize(static_cast<std::size_t>(size));
    for (std::size_t p = 0; p < tables.size(); ++p) {
      tables[p].ranks = {waiting(static_cast<int>(p))};
      monitors.push_back(std::make_unique<watchdog>(
          std::make_unique<fake_link>(*network, static_cast<int>(p)), timeout,
          watchdog::actions{[this, p](const std::string& text) { printed[p] += text; },
                            [this](int code) { end_codes.push_back(code); }}));
    }
  }

  void begin_all() {
    for (std::size_t p = 0; p < tables.size(); ++p)
      monitors[p]->begin(tables[p]);
  }

  // Runs all monitors but `silent` from `clock` to `until`, as their threads would; stops at an
  // end.
  void run(double until, int silent = -1) {
    while (clock < until && end_codes.empty()) {
      clock += 0.25;
      for (std::size_t p = 0; p < monitors.size() && end_codes.empty(); ++p)
        if (static_cast<int>(p) != silent)
          monitors[p]->step(clock);
    }
  }

  std::unique_ptr<fake_network> network;
  std::vector<fake_table> tables;
  std::vector<std::string> printed;
  std::vector<std::unique_ptr<watchdog>> monitors;
  std::vector<int> end_codes;
  double clock = 1000;
};

TEST_F(Watchdogs, EndTheRunWhenAllRanksWaitForTheTimeout) {
  build(3, 2);
  begin_all();
  run(1002);
  EXPECT_TRUE(end_codes.empty());
  run(1010);
  EXPECT_EQ(end_codes, std::vector<int>{EXIT_FAILURE});
  EXPECT_LT(clock, 1004);
  for (const std::string& text : printed) {
    EXPECT_NE(text.find("no progress of any rank for 2."), std::string::npos) << text;
    EXPECT_NE(text.find("ring.cu:17"), std::string::npos) << text;
  }
}

TEST_F(Watchdogs, LetTheRunGoOnWhileOneRankAnywhereMakesProgress) {
  build(3, 2);
  begin_all();
  for (int i = 0; i < 10; ++i) {
    run(clock + 1.5);
    ++tables[2].ranks[0].progress;
  }
  EXPECT_TRUE(end_codes.empty());
  run(clock + 5);
  EXPECT_EQ(end_codes.size(), 1u);
}

TEST_F(Watchdogs, CountARankThatComputesAsProgress) {
  build(2, 2);
  tables[1].ranks.push_back(computing(1));
  begin_all();
  run(clock + 20);
  EXPECT_TRUE(end_codes.empty());
}

TEST_F(Watchdogs, DoNotCountARankThatHasNotBegunAsProgress) {
  build(2, 2);
  tables[1].ranks.push_back(computing(1));
  tables[1].ranks.back().now = wait_record::state::starting;
  begin_all();
  run(clock + 5);
  EXPECT_EQ(end_codes.size(), 1u);
}

TEST_F(Watchdogs, DoNotCountARankThatOnlyPollsAsProgress) {
  build(1, 2);
  tables[0].ranks.push_back(computing(1));
  begin_all();
  while (clock < 1010 && end_codes.empty()) {
    ++tables[0].ranks[1].polls;
    run(clock + 0.25);
  }
  EXPECT_EQ(end_codes.size(), 1u);
}

TEST_F(Watchdogs, CountARankThatWorksBetweenPollsAsProgress) {
  build(1, 2);
  tables[0].ranks.push_back(computing(1));
  begin_all();
  wait_record& worker = tables[0].ranks[1];
  for (int i = 0; i < 40; ++i) {
    worker.polls += 60;
    ++worker.works;
    run(clock + 0.25);
  }
  EXPECT_TRUE(end_codes.empty());
  while (clock < 1030 && end_codes.empty()) {
    worker.polls += 600;
    ++worker.works;
    run(clock + 0.25);
  }
  EXPECT_EQ(end_codes.size(), 1u);
}

TEST_F(Watchdogs, CountHostProgress) {
  build(2, 2);
  begin_all();
  for (int i = 0; i < 10; ++i) {
    run(clock + 1.5);
    tables[0].bytes += 4096;
  }
  EXPECT_TRUE(end_codes.empty());
}

TEST_F(Watchdogs, WatchOnlyBetweenBeginAndEnd) {
  build(2, 2);
  run(clock + 20);
  EXPECT_TRUE(end_codes.empty());
  begin_all();
  run(clock + 1);
  for (std::size_t p = 0; p < tables.size(); ++p)
    monitors[p]->end(tables[p]);
  run(clock + 20);
  EXPECT_TRUE(end_codes.empty());
}

TEST_F(Watchdogs, EndTheRunWhenAnotherProcessFallsSilent) {
  build(3, 2);
  run(clock + 20, 1);
  EXPECT_EQ(end_codes, std::vector<int>{EXIT_FAILURE});
  EXPECT_NE(printed[0].find("process 1 has not answered for 10."), std::string::npos) << printed[0];
  EXPECT_NE(printed[0].find("process 0 runs no rank kernel"), std::string::npos) << printed[0];
  EXPECT_NE(printed[2].find("process 1 has not answered for 10."), std::string::npos) << printed[2];
}

TEST_F(Watchdogs, EndTheRunWhenProcess0FallsSilent) {
  build(2, 2);
  run(clock + 60, 0);
  EXPECT_EQ(end_codes, std::vector<int>{EXIT_FAILURE});
  EXPECT_NE(printed[1].find("process 0 has not answered for 10."), std::string::npos) << printed[1];
}

TEST_F(Watchdogs, EndTheRunWhenHostsThatHaveAgreedOnSomethingComeNoFurther) {
  build(3, 2);
  host_task one(*monitors[1], host_task::kind::bounded, "moving an array");
  host_task other(*monitors[2], host_task::kind::reported, "making room");
  for (int i = 0; i < 4; ++i) {
    run(clock + 8);
    if (i % 2 == 0)
      one.go_on();
    else
      other.step("more room");
  }
  EXPECT_TRUE(end_codes.empty());
  // However short the time-out: hosts may be busy for longer than ranks.
  const double since = clock;
  run(clock + 9);
  EXPECT_TRUE(end_codes.empty());
  run(clock + 10);
  EXPECT_EQ(end_codes, std::vector<int>{EXIT_FAILURE});
  EXPECT_LT(clock, since + 12);
  for (const std::string& text : printed)
    EXPECT_NE(text.find("error: no progress of any process for 10."), std::string::npos) << text;
  EXPECT_NE(printed[0].find("process 0 runs no rank kernel\n"), std::string::npos) << printed[0];
  EXPECT_EQ(printed[0].find("its host"), std::string::npos) << printed[0];
  EXPECT_NE(printed[1].find("  its host, for 1"), std::string::npos) << printed[1];
  EXPECT_NE(printed[1].find(" s: moving an array\n"), std::string::npos) << printed[1];
  EXPECT_NE(printed[2].find(" s: making room: more room\n"), std::string::npos) << printed[2];
}

TEST_F(Watchdogs, OnlyReportWhatHostsHaveNotAgreedOn) {
  build(2, 12);
  testing::internal::CaptureStderr();
  {
    host_task one(*monitors[1], host_task::kind::reported, "loading kernels");
    run(clock + 40);
    EXPECT_TRUE(end_codes.empty());
  }
  run(clock + 40);
  EXPECT_TRUE(end_codes.empty());
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("warning: for 12 s nothing has changed at: loading kernels\n"),
            std::string::npos)
      << said;
  EXPECT_NE(said.find("for 36 s"), std::string::npos) << said;
  EXPECT_EQ(said.find("for 48 s"), std::string::npos) << said;
}

TEST_F(Watchdogs, EndTheRunWhenRanksWaitAlthoughAHostIsBusy) {
  build(2, 2);
  host_task one(*monitors[0], host_task::kind::bounded, "something else");
  monitors[1]->begin(tables[1]);
  run(clock + 5);
  EXPECT_EQ(end_codes, std::vector<int>{EXIT_FAILURE});
  EXPECT_NE(printed[1].find("no progress of any rank for 2."), std::string::npos) << printed[1];
}

TEST_F(Watchdogs, KnowWhichProcessOthersWaitFor) {
  build(4, 2);
  const auto behind = [&](std::size_t channel) {
    run(clock + 1);
    std::vector<int> known;
    for (const auto& monitor : monitors)
      known.push_back(monitor->behind(channel));
    return known;
  };
  EXPECT_EQ(behind(1), (std::vector<int>{-1, -1, -1, -1}));
  for (const std::size_t p : {0, 1, 3})
    monitors[p]->count_exchange(1);
  EXPECT_EQ(behind(1), (std::vector<int>{2, 2, 2, 2}));
  EXPECT_EQ(behind(0), (std::vector<int>{-1, -1, -1, -1}));
  monitors[2]->count_exchange(1);
  EXPECT_EQ(behind(1), (std::vector<int>{-1, -1, -1, -1}));
  for (const std::size_t p : {1, 2, 3})
    monitors[p]->count_exchange(0);
  EXPECT_EQ(behind(0), (std::vector<int>{0, 0, 0, 0}));
}

TEST_F(Watchdogs, WithoutATimeoutHaveNoThread) {
  build(1, 0);
  begin_all();
  monitors[0]->start();
  monitors[0]->stop();
  EXPECT_TRUE(end_codes.empty());
}

TEST(Watchdog, ItsThreadEndsTheRun) {
  fake_network network(1);
  fake_table table;
  table.ranks = {waiting(0)};
  std::mutex mutex;
  std::condition_variable ended;
  bool end = false;
  watchdog monitor(std::make_unique<fake_link>(network, 0), 0.1,
                   {[](const std::string&) {},
                    [&](int) {
                      const std::lock_guard<std::mutex> lock(mutex);
                      end = true;
                      ended.notify_all();
                    }});
  monitor.begin(table);
  monitor.start();
  std::unique_lock<std::mutex> lock(mutex);
  ended.wait(lock, [&] { return end; }); // ctest's limit is the bound
  lock.unlock();
  monitor.stop();
}

TEST(WaitTable, ShowsWaitingRanksInColumnsAndSumsUpTheOthers) {
  wait_record done;
  done.rank = 4;
  done.now = wait_record::state::finished;
  wait_record launched;
  launched.now = wait_record::state::starting;
  EXPECT_EQ(gpurma::host::format_waits(
                2, "no progress",
                {waiting(10), computing(11), waiting(9), computing(12), done, launched}),
            "[gpurma 2] error: no progress\n"
            "  rank  directive  where       window  source  tag  wanted  arrived  seconds\n"
            "  10    wait       ring.cu:17  any     9       7    2       1        2.1\n"
            "  9     wait       ring.cu:17  any     8       7    2       1        2.1\n"
            "  2 more computing, outside any directive\n"
            "  1 more have not begun: other work on the device leaves no room for all of them\n"
            "  1 more finished: rank 4\n");
}

TEST(WaitTable, SaysWhatHoldsAPutBack) {
  wait_record put = waiting(3);
  put.directive = "put";
  put.hindrance = "rank 2 has no room";
  EXPECT_EQ(gpurma::host::format_waits(1, "no progress", {put, computing(4)}, {}),
            "[gpurma 1] error: no progress\n"
            "  rank  directive  where       window  source  tag  wanted  arrived  seconds\n"
            "  3     put        ring.cu:17  any     2       7    -       -        2.1\n"
            "  the put of rank 3 waits: rank 2 has no room\n"
            "  1 more computing, outside any directive\n");
}

TEST(WaitTable, SaysWhatAWaitLeavesToLaterOnes) {
  wait_record mistaken = waiting(3);
  mistaken.kept = "1, from rank 2 with tag 8";
  EXPECT_EQ(gpurma::host::format_waits(1, "no progress", {mistaken}, {}),
            "[gpurma 1] error: no progress\n"
            "  rank  directive  where       window  source  tag  wanted  arrived  seconds\n"
            "  3     wait       ring.cu:17  any     2       7    2       1        2.1\n"
            "  rank 3 keeps for later waits: 1, from rank 2 with tag 8\n");
}

TEST(WaitTable, ShowsWhatTheHostDoes) {
  EXPECT_EQ(gpurma::host::format_waits(1, "no progress", {},
                                       {{"moving an array", 31.25}, {"starting", 2}}),
            "[gpurma 1] error: no progress\n"
            "  process 1 runs no rank kernel\n"
            "  its host, for 31.2 s: moving an array\n"
            "  its host, for 2.0 s: starting\n");
}

} // namespace
