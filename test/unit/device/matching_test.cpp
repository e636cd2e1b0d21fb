// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A rank's matching (mailbox, inbox, pending list and counters together) while other threads
// deliver.
#include <gpurma/device/notifications.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>
#include <thread>
#include <vector>

#include "host/rings.h"

namespace {

using namespace gpurma;
using detail::notification;
using detail::pattern;
using platform::scope;

// One rank's memory, small enough that rings run full.
struct rank_under_test {
  static constexpr std::uint32_t ring_entries = 8;

  explicit rank_under_test(std::uint32_t pending_entries) : pending(pending_entries) {
    state.self = &memory;
    state.channel = &channel;
    state.own_rings = rings.data();
    state.proxied = 1;
    state.box = detail::mailbox{box.data(), ring_entries - 1};
    state.inbox = detail::inbox_consumer{inbox.data(), &channel.inbox, ring_entries - 1, 0, 0, 0};
    state.pending = detail::pending_list{pending.data(), pending_entries, 0, 0, 0};
  }

  bool test(int source, int tag, std::uint32_t window, std::uint64_t count) {
    return detail::test_in_queue(state, pattern{source, tag, window},
                                 static_cast<std::uint32_t>(count));
  }

  std::vector<notification> box = std::vector<notification>(ring_entries, notification{});
  std::vector<detail::ring_entry> rings =
      std::vector<detail::ring_entry>(detail::rings_in * detail::ring_entries);
  std::vector<detail::inbox_entry> inbox = std::vector<detail::inbox_entry>(ring_entries);
  std::vector<notification> pending;
  detail::rank_memory memory{};
  detail::rank_channel channel{};
  detail::block_state state{};
};

// One thread does everything in a known order, so that an oracle knows what must match.
TEST(matching, agrees_with_an_oracle_under_random_operations) {
  rank_under_test rank(64);
  host::inbox_producer host{rank.inbox.data(), &rank.channel.inbox.taken,
                            rank_under_test::ring_entries - 1};
  std::deque<notification> oracle;
  // Notifications in a ring, not yet taken. Each look takes one of the mailbox and all of the
  // inbox.
  std::deque<notification> in_box;
  std::deque<notification> in_inbox;
  std::mt19937 random(7);
  const auto below = [&random](unsigned n) { return static_cast<int>(random() % n); };
  int tests_that_matched = 0;

  for (int step = 0; step < 100000; ++step) {
    const notification n{below(3), below(3), static_cast<std::uint32_t>(below(2)), 0};
    switch (below(3)) {
    case 0:
      if (in_box.size() < rank_under_test::ring_entries && oracle.size() < 40) {
        ASSERT_TRUE(rank.state.box.try_publish(
            detail::mailbox::reserve(&rank.memory.mailbox_tickets, scope::device), n.source, n.tag,
            n.window, scope::device));
        in_box.push_back(n);
      }
      break;
    case 1:
      if (host.has_room() && oracle.size() < 40) {
        host.push(n.source, n.tag, n.window);
        in_inbox.push_back(n);
      }
      break;
    default:
      const int source = below(2) == 0 ? any_source : below(3);
      const int tag = below(2) == 0 ? any_tag : below(3);
      const std::uint32_t window =
          below(2) == 0 ? detail::any_window_id : static_cast<std::uint32_t>(below(2));
      const auto count = static_cast<std::uint64_t>(below(4));
      oracle.insert(oracle.end(), in_box.begin(), in_box.end());
      oracle.insert(oracle.end(), in_inbox.begin(), in_inbox.end());
      in_box.clear();
      in_inbox.clear();
      const auto accepts = [&](const notification& o) {
        return (source == any_source || o.source == source) && (tag == any_tag || o.tag == tag) &&
               (window == detail::any_window_id || o.window == window);
      };
      const auto there =
          static_cast<std::uint64_t>(std::count_if(oracle.begin(), oracle.end(), accepts));
      ASSERT_EQ(rank.test(source, tag, window, count), there >= count);
      if (there >= count) {
        tests_that_matched += count > 0 ? 1 : 0;
        for (std::uint64_t i = 0; i < count; ++i)
          oracle.erase(std::find_if(oracle.begin(), oracle.end(), accepts));
      }
      ASSERT_EQ(rank.state.pending.size(), oracle.size());
      std::uint32_t next = rank.state.pending.first;
      for (const notification& expected : oracle) {
        while (rank.state.pending.entries[next].source == detail::pending_list::gone)
          ++next;
        const notification& kept = rank.state.pending.entries[next++];
        ASSERT_EQ(kept.source, expected.source);
        ASSERT_EQ(kept.tag, expected.tag);
        ASSERT_EQ(kept.window, expected.window);
      }
    }
  }
  EXPECT_GT(tests_that_matched, 1000);
}

// Producers and a host deliver at the same time; each notification is consumed by exactly one
// matching test.
TEST(matching, loses_and_invents_nothing_under_concurrent_load) {
  constexpr int producers = 3; // and the host, as source `producers`
  constexpr int rounds = 2000;
  constexpr int tags = 3;
  rank_under_test rank(16);
  std::vector<std::thread> threads;
  for (int source = 0; source < producers; ++source) {
    threads.emplace_back([&rank, source] {
      for (int n = 0; n < rounds * tags; ++n) {
        const std::uint64_t position =
            detail::mailbox::reserve(&rank.memory.mailbox_tickets, scope::device);
        while (!rank.state.box.try_publish(position, source, n % tags, 0, scope::device))
          std::this_thread::yield();
      }
    });
  }
  threads.emplace_back([&rank] {
    host::inbox_producer host{rank.inbox.data(), &rank.channel.inbox.taken,
                              rank_under_test::ring_entries - 1};
    for (int n = 0; n < rounds * tags; ++n) {
      while (!host.has_room())
        std::this_thread::yield();
      host.push(producers, n % tags, 0);
    }
  });
  std::mt19937 random(11);
  constexpr std::uint64_t total = (producers + 1) * rounds * tags;
  for (std::uint64_t consumed = 0; consumed < total;) {
    const int source =
        random() % 3 == 0 ? any_source : static_cast<int>(random() % (producers + 1));
    const int tag = random() % 3 == 0 ? any_tag : static_cast<int>(random() % tags);
    const auto count = std::min<std::uint64_t>(1 + random() % 3, total - consumed);
    if (rank.test(source, tag, detail::any_window_id, count))
      consumed += count;
    else
      std::this_thread::yield();
  }
  for (auto& thread : threads)
    thread.join();
  EXPECT_EQ(rank.memory.mailbox_tickets, static_cast<std::uint64_t>(producers * rounds * tags));
  EXPECT_FALSE(rank.test(any_source, any_tag, detail::any_window_id, 1));
  EXPECT_EQ(rank.state.pending.size(), 0u);
}

TEST(counters, count_every_arrival_once) {
  constexpr int producers = 4;
  constexpr int arrivals = 20000;
  rank_under_test rank(1);
  std::vector<std::thread> threads;
  for (int source = 0; source < producers; ++source) {
    threads.emplace_back([&rank, source] {
      detail::block_state sender{};
      sender.out[0].kind = detail::route_kind::device;
      sender.out[0].memory = &rank.memory;
      for (int n = 0; n < arrivals; ++n) {
        detail::deliver<matching::counter>(sender, 0, source % 2 == 0 ? 5 : 63, 0,
                                           detail::directive::notify, site{});
      }
    });
  }
  std::mt19937 random(3);
  std::uint64_t left[2] = {producers / 2 * arrivals, producers / 2 * arrivals};
  while (left[0] + left[1] > 0) {
    const int which = static_cast<int>(random() % 2);
    const std::uint64_t count = std::min<std::uint64_t>(1 + random() % 7, left[which]);
    if (detail::test_in_counter(rank.state, which == 0 ? 5 : 63, count))
      left[which] -= count;
  }
  for (auto& thread : threads)
    thread.join();
  EXPECT_EQ(detail::arrivals(rank.state, 5), static_cast<std::uint64_t>(producers / 2 * arrivals));
  EXPECT_EQ(detail::arrivals(rank.state, 63), static_cast<std::uint64_t>(producers / 2 * arrivals));
  EXPECT_FALSE(detail::test_in_counter(rank.state, 5, 1));
}

} // namespace
