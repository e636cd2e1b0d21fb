// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Origin rings between ranks: order, data that notifications carry, who gets a ring, and what
// happens when one is full, overlaps a store, or belongs to a rank that has ended.
#include <gpurma/device/notifications.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <thread>
#include <vector>

namespace {

using namespace gpurma;
using namespace gpurma::detail;

// Ranks of one device without a kernel: their memory, and the state of each one's block.
class test_ranks {
public:
  explicit test_ranks(int ranks) : routes_(count(ranks)), parts_(count(ranks)) {
    for (int r = 0; r < ranks; ++r) {
      part& p = parts_[count(r)];
      routes_[count(r)] = route{&p.memory, p.box.data(), p.rings.data(), route_kind::device, 0, 0};
    }
    for (int r = 0; r < ranks; ++r) {
      part& p = parts_[count(r)];
      block_state& b = p.state;
      b.rank = r;
      b.routes = routes_.data();
      b.self = &p.memory;
      b.channel = &p.channel;
      b.own_rings = p.rings.data();
      b.box = mailbox{p.box.data(), box_entries - 1};
      b.pending = pending_list{p.pending.data(), pending_entries, 0, 0, 0};
      for (ring_out& ring : b.out)
        ring.target = null_rank;
    }
  }

  block_state& state(int rank) { return parts_[count(rank)].state; }
  rank_memory& memory(int rank) { return parts_[count(rank)].memory; }

  void notify(int from, int to, int tag) {
    deliver<matching::queue>(state(from), to, tag, no_window_id, directive::notify, site{});
  }
  // A put with data inside its notification.
  void put(int from, int to, int tag, void* address, std::uint64_t data, std::uint32_t bytes) {
    block_state& b = state(from);
    ring_out* const ring = ring_to(b, to);
    ASSERT_TRUE(ring != nullptr && ring->entries != nullptr);
    const auto at = reinterpret_cast<std::uint64_t>(address);
    note_carried(b, *ring, *ring, at);
    send(*ring, message{tag, 1, false, false, bytes, at, data});
  }
  bool test(int rank, int source, int tag) {
    return test_in_queue(state(rank), pattern{source, tag, any_window_id}, 1);
  }

  static constexpr std::uint32_t box_entries = 64;
  static constexpr std::uint32_t pending_entries = 256;

private:
  static std::size_t count(int n) { return static_cast<std::size_t>(n); }
  struct part {
    rank_memory memory{};
    rank_channel channel{};
    std::vector<notification> box = std::vector<notification>(box_entries, notification{});
    std::vector<notification> pending = std::vector<notification>(pending_entries);
    std::vector<ring_entry> rings = std::vector<ring_entry>(rings_in * ring_entries, ring_entry{});
    block_state state{};
  };
  std::vector<route> routes_;
  std::vector<part> parts_;
};

TEST(message, keeps_its_fields) {
  const message m{2147483647, 0xfedcba98u, true, true, 8, 0xffff12345678ull, 0x0123456789abcdefull};
  const packet head = head_of(m, 7);
  const packet data = data_of(m, 7);
  EXPECT_EQ(head.word[0], 2147483647u);
  EXPECT_EQ(head.word[1], m.window);
  EXPECT_TRUE(is_released(head));
  EXPECT_NE(odd_bit(head), 0u);
  EXPECT_EQ(carried_by(head), m.bytes);
  EXPECT_EQ(address_in(head, data), m.address);
  EXPECT_EQ(data_in(data), m.data);
  EXPECT_EQ(head.word[3], 7u);
  EXPECT_EQ(data.word[3], 7u);
}

TEST(origin_ring, first_origins_get_rings_and_the_others_the_mailbox) {
  const int origins = static_cast<int>(rings_in) + 3;
  test_ranks ranks(origins + 1);
  for (int from = 1; from <= origins; ++from)
    ranks.notify(from, 0, from);
  EXPECT_EQ(ranks.memory(0).rings_claimed, static_cast<std::uint32_t>(origins));
  EXPECT_EQ(ranks.memory(0).mailbox_tickets, 3u);
  for (int from = 1; from <= origins; ++from)
    EXPECT_TRUE(ranks.test(0, from, from)) << from;
  EXPECT_FALSE(ranks.test(0, any_source, any_tag));
}

TEST(origin_ring, a_rank_has_rings_to_its_first_targets) {
  const int targets = static_cast<int>(rings_out) + 2;
  test_ranks ranks(targets + 1);
  for (int round = 0; round < 3; ++round) {
    for (int to = 1; to <= targets; ++to)
      ranks.notify(0, to, round);
  }
  for (int to = 1; to <= targets; ++to) {
    EXPECT_EQ(ranks.memory(to).rings_claimed, to <= static_cast<int>(rings_out) ? 1u : 0u);
    for (int round = 0; round < 3; ++round)
      EXPECT_TRUE(ranks.test(to, 0, round));
  }
}

TEST(origin_ring, carries_data_of_every_size_to_any_alignment) {
  test_ranks ranks(2);
  for (std::uint32_t bytes = 1; bytes <= carried_bytes; ++bytes) {
    for (std::size_t shift = 0; shift < 8; ++shift) {
      std::vector<unsigned char> memory(32, 0xee);
      ranks.put(1, 0, 3, &memory[8 + shift], 0x8877665544332211ull, bytes);
      EXPECT_TRUE(ranks.test(0, 1, 3));
      for (std::size_t i = 0; i < memory.size(); ++i) {
        const bool inside = i >= 8 + shift && i < 8 + shift + bytes;
        EXPECT_EQ(memory[i], inside ? 0x11 * (i - 8 - shift + 1) : 0xee) << bytes << " " << shift;
      }
    }
  }
}

// A release for another target does not make this one acquire.
TEST(origin_ring, marks_the_first_message_after_a_store_as_released) {
  test_ranks ranks(3);
  std::uint64_t memory = 0;
  const auto put_is_released = [&](unsigned position) {
    ranks.put(1, 0, 0, &memory, 1, 8);
    return is_released(ranks.state(0).own_rings[position].head);
  };
  EXPECT_TRUE(put_is_released(0)); // the first of a ring
  EXPECT_FALSE(put_is_released(1));
  note_store(ranks.state(1), 0);
  ranks.notify(1, 2, 0);
  EXPECT_TRUE(put_is_released(2));
  EXPECT_FALSE(put_is_released(3));
}

TEST(origin_ring, tells_which_stores_overlap_carried_data) {
  test_ranks ranks(2);
  std::uint64_t memory[8] = {};
  ranks.put(1, 0, 0, &memory[3], 1, 8);
  const auto at = [&](int i) { return reinterpret_cast<std::uint64_t>(&memory[i]); };
  block_state& origin = ranks.state(1);
  const auto await = [&](int first, std::uint64_t bytes) {
    await_carried(origin, 0, at(first), bytes, 1, directive::put, site{});
  };
  // These would wait for ever, but do not overlap.
  await(0, 8);
  await(5, 24);
  EXPECT_TRUE(ranks.test(0, 1, 0));
  confirm_data(ranks.state(0), 0, 1);
  await(0, 64);
  EXPECT_EQ(origin.out[0].carries, 0);
}

// Many laps, all origins at once: each origin's messages come in order, with their data.
TEST(origin_ring, keeps_order_and_data_under_load) {
  constexpr unsigned origins = rings_in / 2;
  constexpr unsigned messages = 20000;
  constexpr unsigned slots = 128;
  test_ranks ranks(origins + 1);
  // Message n of an origin carries n to its slot n % slots.
  std::vector<std::vector<std::uint64_t>> landing(origins + 1, std::vector<std::uint64_t>(slots));
  std::vector<std::thread> threads;
  for (unsigned from = 1; from <= origins; ++from) {
    threads.emplace_back([&, from] {
      const ring_out& ring = *ring_to(ranks.state(static_cast<int>(from)), 0);
      for (unsigned n = 1; n <= messages; ++n) {
        while (ring.is_full()) {
          std::this_thread::yield();
          block_state& b = ranks.state(static_cast<int>(from));
          b.out[0].taken =
              platform::load_acquire(&count_of(b, b.out[0]).taken, platform::scope::system);
        }
        if (n % 5 == 0)
          ranks.notify(static_cast<int>(from), 0, static_cast<int>(n));
        else
          ranks.put(static_cast<int>(from), 0, static_cast<int>(n), &landing[from][n % slots], n,
                    8);
      }
    });
  }
  std::minstd_rand random(5);
  std::vector<unsigned> next(origins + 1, 1);
  for (unsigned left = origins * messages; left > 0;) {
    const auto from = 1 + random() % origins;
    const unsigned n = next[from];
    if (n <= messages && ranks.test(0, static_cast<int>(from), static_cast<int>(n))) {
      // Later messages to the slot may have been taken as well.
      if (n % 5 != 0) {
        ASSERT_GE(landing[from][n % slots], n);
        ASSERT_EQ(landing[from][n % slots] % slots, n % slots);
      }
      ++next[from];
      --left;
    } else if (random() % 8 == 0) {
      std::this_thread::yield();
    }
  }
  for (auto& thread : threads)
    thread.join();
}

} // namespace
