// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host/staging.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <vector>

namespace {

using gpurma::host::copy_stream;
using gpurma::host::staging_buffer;
using gpurma::host::staging_pool;

TEST(staging_pool, gives_each_buffer_to_one_holder_at_a_time) {
  constexpr std::size_t count = 5, bytes = 100;
  std::vector<std::uint64_t> block(staging_pool::needed(count, bytes) / 8);
  staging_pool here, there; // two processes map the same block
  here.open(block.data(), count, bytes, true);
  there.open(block.data(), count, bytes, true);
  std::vector<staging_buffer> held;
  std::set<std::byte*> places;
  for (std::size_t i = 0; i < count; ++i) {
    held.push_back(here.take());
    ASSERT_TRUE(held.back());
    std::memset(held.back().memory, static_cast<int>(i + 1), bytes);
    places.insert(held.back().memory);
  }
  EXPECT_EQ(places.size(), count);
  EXPECT_FALSE(here.take());
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t at = 0; at < bytes; ++at)
      ASSERT_EQ(held[i].memory[at], static_cast<std::byte>(i + 1));
    EXPECT_EQ(here.at(held[i].memory).memory, held[i].memory);
    EXPECT_EQ(there.numbered(held[i].number).memory, held[i].memory);
  }
  // The other one gives back.
  staging_buffer read = there.numbered(held[3].number);
  read.give_back();
  EXPECT_FALSE(read);
  const staging_buffer again = here.take();
  EXPECT_EQ(again.memory, held[3].memory);
  EXPECT_FALSE(here.take());
}

TEST(staging_pool, has_buffers_that_other_processes_do_not_know) {
  std::vector<std::uint64_t> block(staging_pool::needed(2, 64) / 8);
  staging_pool pool;
  pool.open(block.data(), 2, 64, false);
  EXPECT_EQ(pool.take().number, 0);
}

TEST(copy_stream, ends_copies_in_their_order) {
  copy_stream copies;
  int to[3] = {};
  const int from[3] = {1, 2, 3};
  EXPECT_FALSE(copies.poll());
  copy_stream::ticket tickets[3];
  for (int i = 0; i < 3; ++i)
    tickets[i] = copies.start(&to[i], &from[i], sizeof(int));
  EXPECT_FALSE(copies.is_done(tickets[0]));
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(copies.poll());
    EXPECT_TRUE(copies.is_done(tickets[i]));
    EXPECT_EQ(to[i], i + 1);
    EXPECT_EQ(copies.idle(), i == 2);
  }
}

} // namespace
