// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The mailbox under several producers: nothing is lost, torn, duplicated or reordered per producer,
// however small the ring.
#include <gpurma/device/mailbox.h>

#include <gtest/gtest.h>

#include <random>
#include <thread>
#include <tuple>
#include <vector>

namespace {

using gpurma::detail::mailbox;
using gpurma::detail::notification;
using gpurma::platform::scope;

bool try_take(const mailbox& box, std::uint64_t position, notification& got) {
  const gpurma::detail::packet entry = gpurma::platform::load_packet(box.at(position));
  if (!box.has_come(position, entry))
    return false;
  got = mailbox::notification_of(entry);
  box.release(position);
  return true;
}

// What a producer sends as its n-th notification; a torn entry fails the check.
std::uint32_t window_of(int source, int n) {
  return static_cast<std::uint32_t>(source * 7919 + n);
}

void pause_at_random(std::minstd_rand& random) {
  if (random() % 64 == 0)
    std::this_thread::yield();
}

class mailbox_load : public testing::TestWithParam<std::tuple<int, int>> {};

TEST_P(mailbox_load, keeps_the_order_of_each_producer) {
  const auto [producers, entries] = GetParam();
  constexpr int messages = 5000;
  std::vector<notification> ring(static_cast<std::size_t>(entries), notification{});
  std::uint64_t tickets = 0;
  const mailbox box{ring.data(), static_cast<std::uint32_t>(entries) - 1};

  std::vector<std::thread> threads;
  for (int source = 0; source < producers; ++source) {
    threads.emplace_back([&, source] {
      std::minstd_rand random(static_cast<unsigned>(source) + 1);
      for (int n = 0; n < messages; ++n) {
        const std::uint64_t position = mailbox::reserve(&tickets, scope::device);
        while (!box.try_publish(position, source, n, window_of(source, n), scope::device)) {
          std::this_thread::yield();
        }
        pause_at_random(random);
      }
    });
  }

  std::vector<int> next(static_cast<std::size_t>(producers), 0);
  std::minstd_rand random(99);
  const auto total = static_cast<std::uint64_t>(producers) * messages;
  for (std::uint64_t position = 0; position < total;) {
    notification got;
    if (!try_take(box, position, got)) {
      std::this_thread::yield();
      continue;
    }
    ++position;
    ASSERT_GE(got.source, 0);
    ASSERT_LT(got.source, producers);
    ASSERT_EQ(got.tag, next[static_cast<std::size_t>(got.source)]++);
    ASSERT_EQ(got.window, window_of(got.source, got.tag));
    pause_at_random(random);
  }
  for (auto& thread : threads)
    thread.join();
  notification got;
  EXPECT_FALSE(try_take(box, total, got));
}

INSTANTIATE_TEST_SUITE_P(sizes, mailbox_load,
                         testing::Combine(testing::Values(1, 2, 5),
                                          testing::Values(2, 4, 64, 8192)));

TEST(mailbox, holds_a_producer_back_when_it_is_full) {
  std::vector<notification> ring(4, notification{});
  std::uint64_t tickets = 0;
  const mailbox box{ring.data(), 3};
  for (int n = 0; n < 4; ++n) {
    ASSERT_TRUE(box.try_publish(mailbox::reserve(&tickets, scope::device), 1, n, 0, scope::device));
  }
  const std::uint64_t fifth = mailbox::reserve(&tickets, scope::device);
  EXPECT_FALSE(box.try_publish(fifth, 1, 4, 0, scope::device));
  notification got;
  ASSERT_TRUE(try_take(box, 0, got));
  EXPECT_EQ(got.tag, 0);
  EXPECT_TRUE(box.try_publish(fifth, 1, 4, 0, scope::device));
}

// Laps are counted modulo 2^32; positions go on.
TEST(mailbox, goes_on_when_laps_wrap_around) {
  constexpr std::uint64_t start = (std::uint64_t{1} << 32) - 8;
  std::vector<notification> ring(4, notification{});
  for (notification& entry : ring)
    entry.turn = static_cast<std::uint32_t>(start);
  const mailbox box{ring.data(), 3};
  for (std::uint64_t position = start; position < start + 32; ++position) {
    notification got;
    ASSERT_FALSE(try_take(box, position, got));
    ASSERT_TRUE(box.try_publish(position, 3, static_cast<int>(position - start), 0, scope::device));
    ASSERT_TRUE(try_take(box, position, got));
    ASSERT_EQ(got.tag, static_cast<int>(position - start));
  }
}

} // namespace
