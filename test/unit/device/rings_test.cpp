// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rings between a rank and its host, both ends as the library uses them, on two threads.
#include <gpurma/device/ring.h>

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "host/rings.h"

namespace {

using namespace gpurma;
using detail::command;
using detail::notification;

class ring_load : public testing::TestWithParam<std::uint32_t> {};

TEST_P(ring_load, commands_come_whole_and_in_order) {
  const std::uint32_t entries = GetParam();
  constexpr int commands = 20000;
  std::vector<command> ring(entries, command{});
  std::uint64_t taken = 0;
  std::thread rank([&] {
    detail::command_producer producer{ring.data(), &taken, entries - 1, 0, 0};
    for (int n = 0; n < commands; ++n) {
      while (producer.full())
        std::this_thread::yield();
      command c{};
      c.address = static_cast<std::uint64_t>(n);
      c.offset = static_cast<std::uint64_t>(n) * 3;
      c.bytes = static_cast<std::uint64_t>(n) * 5;
      c.target = n;
      c.tag = n + 1;
      c.window = static_cast<std::uint32_t>(n + 2);
      c.kind = detail::command_kind::get;
      c.flags = detail::notified_flag;
      producer.publish(c);
    }
  });
  host::command_consumer consumer{ring.data(), &taken, entries - 1};
  for (int n = 0; n < commands;) {
    const command* c = consumer.front();
    if (c == nullptr) {
      std::this_thread::yield();
      continue;
    }
    ASSERT_EQ(c->address, static_cast<std::uint64_t>(n));
    ASSERT_EQ(c->offset, static_cast<std::uint64_t>(n) * 3);
    ASSERT_EQ(c->bytes, static_cast<std::uint64_t>(n) * 5);
    ASSERT_EQ(c->target, n);
    ASSERT_EQ(c->tag, n + 1);
    ASSERT_EQ(c->window, static_cast<std::uint32_t>(n + 2));
    ASSERT_EQ(c->kind, detail::command_kind::get);
    ASSERT_EQ(c->flags, detail::notified_flag);
    consumer.pop();
    ++n;
    // Giving back late must not lose or repeat anything.
    if (n % 3 == 0 || consumer.front() == nullptr)
      consumer.give_back();
  }
  rank.join();
  EXPECT_EQ(consumer.front(), nullptr);
}

TEST_P(ring_load, notifications_come_whole_and_in_order) {
  const std::uint32_t entries = GetParam();
  constexpr int notifications = 20000;
  std::vector<notification> ring(entries, notification{});
  std::uint64_t taken = 0;
  std::thread host([&] {
    host::inbox_producer producer{ring.data(), &taken, entries - 1};
    for (int n = 0; n < notifications; ++n) {
      while (!producer.has_room())
        std::this_thread::yield();
      producer.push(n, n + 1, static_cast<std::uint32_t>(n + 2));
    }
  });
  detail::inbox_consumer consumer{ring.data(), &taken, entries - 1, 0};
  for (int n = 0; n < notifications;) {
    notification got;
    if (!consumer.try_read(got)) {
      std::this_thread::yield();
      continue;
    }
    consumer.release();
    ASSERT_EQ(got.source, n);
    ASSERT_EQ(got.tag, n + 1);
    ASSERT_EQ(got.window, static_cast<std::uint32_t>(n + 2));
    ++n;
  }
  host.join();
  notification got;
  EXPECT_FALSE(consumer.try_read(got));
}

INSTANTIATE_TEST_SUITE_P(sizes, ring_load, testing::Values(2u, 4u, 64u, 1024u));

TEST(command_ring, is_full_until_the_host_gives_entries_back) {
  std::vector<command> ring(2, command{});
  std::uint64_t taken = 0;
  detail::command_producer producer{ring.data(), &taken, 1, 0, 0};
  host::command_consumer consumer{ring.data(), &taken, 1};
  producer.publish(command{});
  EXPECT_FALSE(producer.full());
  producer.publish(command{});
  EXPECT_TRUE(producer.full());
  consumer.pop();
  EXPECT_TRUE(producer.full());
  consumer.give_back();
  EXPECT_FALSE(producer.full());
}

TEST(inbox, keeps_the_host_back_when_it_is_full) {
  std::vector<notification> ring(2, notification{});
  std::uint64_t taken = 0;
  host::inbox_producer producer{ring.data(), &taken, 1};
  detail::inbox_consumer consumer{ring.data(), &taken, 1, 0};
  producer.push(0, 0, 0);
  EXPECT_TRUE(producer.has_room());
  producer.push(0, 1, 0);
  EXPECT_FALSE(producer.has_room());
  notification got;
  ASSERT_TRUE(consumer.try_read(got));
  EXPECT_FALSE(producer.has_room());
  consumer.release();
  EXPECT_TRUE(producer.has_room());
}

} // namespace
