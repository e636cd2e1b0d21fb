// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pending list against the obvious implementation, under random operations.
#include <gpurma/device/pending.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>
#include <vector>

namespace {

using namespace gpurma;
using detail::notification;
using detail::pattern;
using detail::pending_list;

bool accepts(const pattern& p, const notification& n) {
  return (p.source == any_source || p.source == n.source) && (p.tag == any_tag || p.tag == n.tag) &&
         (p.window == detail::any_window_id || p.window == n.window);
}

std::uint64_t take(std::deque<notification>& list, const pattern& p, std::uint64_t most) {
  std::uint64_t found = 0;
  for (auto n = list.begin(); n != list.end() && found < most;) {
    if (accepts(p, *n)) {
      n = list.erase(n);
      ++found;
    } else {
      ++n;
    }
  }
  return found;
}

class pending_list_load : public testing::TestWithParam<std::uint32_t> {};

TEST_P(pending_list_load, matches_first_in_first_out) {
  const std::uint32_t capacity = GetParam();
  std::vector<notification> memory(capacity);
  pending_list list{memory.data(), capacity, 0, 0, 0};
  std::deque<notification> oracle;
  std::mt19937 random(capacity);
  const auto below = [&random](unsigned n) { return static_cast<int>(random() % n); };
  std::uint32_t serial = 0;

  for (int step = 0; step < 50000; ++step) {
    ASSERT_EQ(list.full(), oracle.size() == capacity);
    if (!list.full() && below(2) == 0) {
      // turn tells equal notifications apart.
      const notification n{below(3), below(3), static_cast<std::uint32_t>(below(2)), ++serial};
      list.make_room();
      list.append(n);
      oracle.push_back(n);
    } else {
      const pattern p{below(2) == 0 ? any_source : below(3), below(2) == 0 ? any_tag : below(3),
                      below(2) == 0 ? detail::any_window_id : static_cast<std::uint32_t>(below(2))};
      const auto most = static_cast<std::uint64_t>(below(4));
      const auto matching = std::count_if(oracle.begin(), oracle.end(),
                                          [&p](const auto& n) { return accepts(p, n); });
      const auto found = list.count(p, static_cast<std::uint32_t>(most));
      ASSERT_EQ(std::min<std::uint64_t>(found, most),
                std::min<std::uint64_t>(most, static_cast<std::uint64_t>(matching)));
      ASSERT_EQ(list.take(p, static_cast<std::uint32_t>(most)), take(oracle, p, most));
    }
    ASSERT_EQ(list.size(), oracle.size());
    std::uint32_t next = list.first;
    for (const notification& n : oracle) {
      while (list.entries[next].source == pending_list::gone)
        ++next;
      ASSERT_EQ(list.entries[next++].turn, n.turn);
    }
  }
  EXPECT_GT(serial, 1000u);
}

INSTANTIATE_TEST_SUITE_P(capacities, pending_list_load, testing::Values(1u, 2u, 7u, 64u));

} // namespace
