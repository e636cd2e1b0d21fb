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
using detail::command_entry;
using detail::inbox_entry;
using detail::inbox_notification;
using detail::notification;

std::uint32_t small_length(int n) {
  return static_cast<std::uint32_t>(n) % (detail::inline_bytes + 1);
}

std::vector<char> payload_of(int n) {
  std::vector<char> bytes(small_length(n));
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<char>(n + 7 * static_cast<int>(i));
  return bytes;
}

void expect_payload(const char* found, int n) {
  const std::vector<char> sent = payload_of(n);
  ASSERT_EQ(std::vector<char>(found, found + sent.size()), sent);
}

class ring_load : public testing::TestWithParam<std::uint32_t> {};

TEST_P(ring_load, commands_come_whole_and_in_order) {
  const std::uint32_t entries = GetParam();
  constexpr int commands = 20000;
  std::vector<command_entry> ring(entries, command_entry{});
  std::uint64_t taken = 0;
  std::thread rank([&] {
    detail::command_producer producer{ring.data(), &taken, entries - 1, 0, 0};
    for (int n = 0; n < commands; ++n) {
      while (producer.full())
        std::this_thread::yield();
      command c{};
      const std::vector<char> payload = payload_of(n);
      c.address = reinterpret_cast<std::uint64_t>(payload.data());
      c.offset = static_cast<std::uint64_t>(n) * 3;
      c.bytes = small_length(n);
      c.target = n;
      c.tag = n + 1;
      c.window = static_cast<std::uint32_t>(n + 2);
      c.kind = detail::command_kind::get;
      c.flags = n % 2 == 0 ? detail::inline_flag : detail::notified_flag;
      producer.publish(c);
    }
  });
  host::command_consumer consumer{ring.data(), &taken, entries - 1};
  for (int n = 0; n < commands;) {
    const command_entry* const entry = consumer.front();
    if (entry == nullptr) {
      std::this_thread::yield();
      continue;
    }
    const command* const c = &entry->what;
    if (n % 2 == 0) {
      expect_payload(reinterpret_cast<const char*>(entry->data), n);
    }
    ASSERT_EQ(c->offset, static_cast<std::uint64_t>(n) * 3);
    ASSERT_EQ(c->bytes, small_length(n));
    ASSERT_EQ(c->target, n);
    ASSERT_EQ(c->tag, n + 1);
    ASSERT_EQ(c->window, static_cast<std::uint32_t>(n + 2));
    ASSERT_EQ(c->kind, detail::command_kind::get);
    ASSERT_EQ(c->flags, n % 2 == 0 ? detail::inline_flag : detail::notified_flag);
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
  std::vector<inbox_entry> ring(entries, inbox_entry{});
  detail::inbox_counts counts{};
  std::vector<char> window(detail::inline_bytes + 1, '*'); // never more than what is carried
  std::thread host([&] {
    host::inbox_producer producer{ring.data(), &counts.taken, entries - 1};
    for (int n = 0; n < notifications; ++n) {
      while (!producer.has_room())
        std::this_thread::yield();
      producer.push(n, n + 1, static_cast<std::uint32_t>(n + 2),
                    reinterpret_cast<std::uint64_t>(window.data()), payload_of(n).data(),
                    small_length(n));
    }
  });
  detail::inbox_consumer consumer{ring.data(), &counts, entries - 1, 0, 0, 0};
  for (int n = 0; n < notifications;) {
    inbox_notification got;
    if (!consumer.try_read(consumer.position, got)) {
      std::this_thread::yield();
      continue;
    }
    consumer.release(got);
    ASSERT_EQ(got.head.source, n);
    ASSERT_EQ(got.head.tag, n + 1);
    ASSERT_EQ(got.head.window, static_cast<std::uint32_t>(n + 2));
    expect_payload(window.data(), n);
    ++n;
  }
  host.join();
  inbox_notification got;
  EXPECT_FALSE(consumer.try_read(consumer.position, got));
  EXPECT_EQ(window.back(), '*');
  consumer.give_back();
  EXPECT_EQ(counts.placed, static_cast<std::uint64_t>(notifications));
}

INSTANTIATE_TEST_SUITE_P(sizes, ring_load, testing::Values(2u, 4u, 64u, 1024u));

TEST(command_ring, is_full_until_the_host_gives_entries_back) {
  std::vector<command_entry> ring(2, command_entry{});
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
  std::vector<inbox_entry> ring(2, inbox_entry{});
  detail::inbox_counts counts{};
  host::inbox_producer producer{ring.data(), &counts.taken, 1};
  detail::inbox_consumer consumer{ring.data(), &counts, 1, 0, 0, 0};
  producer.push(0, 0, 0);
  EXPECT_TRUE(producer.has_room());
  producer.push(0, 1, 0);
  EXPECT_FALSE(producer.has_room());
  inbox_notification got;
  ASSERT_TRUE(consumer.try_read(consumer.position, got));
  EXPECT_FALSE(producer.has_room());
  consumer.release(got);
  EXPECT_TRUE(producer.has_room());
}

TEST(inbox, reads_data_again_that_it_has_read_too_early) {
  std::vector<inbox_entry> ring(2, inbox_entry{});
  detail::inbox_counts counts{};
  host::inbox_producer producer{ring.data(), &counts.taken, 1};
  detail::inbox_consumer consumer{ring.data(), &counts, 1, 0, 0, 0};
  for (int n = 0; n < 6; ++n) { // from the empty inbox on, and over several laps
    const inbox_entry& entry = consumer.at(consumer.position);
    const detail::packet early = platform::load_packet(&entry.first);
    EXPECT_FALSE(consumer.has_come(consumer.position, platform::load_packet(&entry.head)));
    int window = -1;
    producer.push(0, 0, 0, reinterpret_cast<std::uint64_t>(&window), &n, sizeof n);
    const detail::packet head = platform::load_packet(&entry.head);
    ASSERT_TRUE(consumer.has_come(consumer.position, head));
    consumer.release(consumer.notification_at(consumer.position, head, early));
    EXPECT_EQ(window, n);
  }
}

TEST(inbox, puts_data_in_place_before_its_notification_is_taken) {
  std::vector<inbox_entry> ring(4, inbox_entry{});
  detail::inbox_counts counts{};
  host::inbox_producer producer{ring.data(), &counts.taken, 3};
  detail::inbox_consumer consumer{ring.data(), &counts, 3, 0, 0, 0};
  int window[4] = {};
  const auto push = [&](int value, int at) {
    producer.push(0, at, 0, reinterpret_cast<std::uint64_t>(&window[at]), &value, sizeof value);
  };
  push(10, 0);
  producer.push(0, 1, 0); // carries nothing
  push(30, 2);
  consumer.place_ahead();
  EXPECT_EQ(window[0], 10);
  EXPECT_EQ(window[2], 30);
  EXPECT_EQ(counts.placed, 0u);
  consumer.give_back();
  EXPECT_EQ(counts.placed, 3u);
  EXPECT_EQ(counts.taken, 0u);
  // What is written now is later than the data, which must not come again.
  window[0] = window[2] = 99;
  push(40, 3);
  EXPECT_FALSE(producer.has_room());
  for (int tag = 0; tag < 4; ++tag) {
    inbox_notification got;
    ASSERT_TRUE(consumer.try_read(consumer.position, got));
    EXPECT_EQ(got.head.tag, tag);
    consumer.release(got);
  }
  EXPECT_EQ(window[0], 99);
  EXPECT_EQ(window[2], 99);
  EXPECT_EQ(window[3], 40);
  consumer.give_back();
  EXPECT_EQ(counts.placed, 4u);
  EXPECT_TRUE(producer.has_room());
}

} // namespace
