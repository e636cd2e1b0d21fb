// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transport/pair_queues.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <vector>

namespace gpurma::host {
namespace {

struct message {
  int process;
  message_header header;
};

constexpr int from = 3, to = 7; // ranks
constexpr std::size_t all = 100;

message put(int source, std::uint64_t offset, std::uint64_t bytes, int tag) {
  message one{1, {}};
  one.header.kind = message_kind::put;
  one.header.flags = keeps_place_flag;
  one.header.source = source;
  one.header.target = to;
  one.header.offset = offset;
  one.header.bytes = bytes;
  one.header.tag = tag;
  return one;
}

class PairQueues : public testing::Test {
protected:
  void push(const message& one) { queues.push(pair_key(one.header), one); }
  bool holds_back(const message& one) const { return queues.holds_back(one.process, one.header); }
  // The tags of those that are taken, if those of `refused` are not.
  std::vector<int> take(std::initializer_list<int> refused = {}) {
    std::vector<int> taken;
    queues.serve(all, [&](const message& one) {
      for (const int tag : refused)
        if (one.header.tag == tag)
          return false;
      taken.push_back(one.header.tag);
      return true;
    });
    return taken;
  }

  pair_queues<message> queues;
};

TEST_F(PairQueues, AMessageWaitsForEarlierOnesOfItsPairOnly) {
  push(put(from, 0, 8, 1));
  push(put(from, 100, 8, 2));
  push(put(from + 1, 200, 8, 3));
  EXPECT_EQ(take({1}), std::vector<int>({3}));
  EXPECT_EQ(take(), std::vector<int>({1, 2}));
  EXPECT_TRUE(queues.empty());
}

TEST_F(PairQueues, PutsToOnePlaceKeepTheirOrderWhateverRankSendsThem) {
  push(put(from, 1000, 8, 1));
  push(put(from, 0, 64, 2));
  EXPECT_TRUE(holds_back(put(from + 1, 32, 64, 3)));
  push(put(from + 1, 32, 64, 3));
  EXPECT_FALSE(holds_back(put(from + 2, 96, 8, 4)));
  EXPECT_TRUE(take({1}).empty()); // 2 is behind 1, and 3 behind 2
  EXPECT_EQ(take(), std::vector<int>({1, 2, 3}));
}

TEST_F(PairQueues, ALaterPutDoesNotHoldBackAnEarlierOne) {
  push(put(from, 0, 64, 1));
  push(put(from + 1, 0, 64, 2));
  push(put(from, 0, 64, 3));
  EXPECT_TRUE(take({1}).empty());
  std::vector<int> taken = take(); // 3 may have its turn before 2 has been taken
  for (const int tag : take())
    taken.push_back(tag);
  EXPECT_EQ(taken, std::vector<int>({1, 2, 3}));
}

TEST_F(PairQueues, OtherMessagesKeepTheOrderOfTheirPairsOnly) {
  push(put(from, 0, 64, 1));
  message notified = put(from + 1, 0, 64, 2);
  notified.header.flags |= 1;
  message elsewhere = put(from + 1, 0, 64, 3);
  elsewhere.header.target = to + 1;
  message of_other_process = put(from + 1, 0, 64, 4);
  of_other_process.process = 2;
  message request = put(from + 1, 0, 64, 5);
  request.header.kind = message_kind::get_request;
  for (const message& one : {notified, elsewhere, of_other_process, request})
    EXPECT_FALSE(holds_back(one)) << one.header.tag;
}

} // namespace
} // namespace gpurma::host
