// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host/region_ranks.h"

#include <gtest/gtest.h>

namespace {

using gpurma::host::ranks_of_region;

constexpr int multiprocessors = 132;

TEST(RegionRanks, AreFewerWhereEachHasOneTileAtMost) {
  EXPECT_EQ(ranks_of_region(1056, 1024, 256, multiprocessors), 528);
  EXPECT_EQ(ranks_of_region(1056, 64, 256, multiprocessors), 528);
  EXPECT_EQ(ranks_of_region(264, 264, 1024, multiprocessors), 132);
}

TEST(RegionRanks, AreAllWhereOneHasTwoTiles) {
  EXPECT_EQ(ranks_of_region(1056, 1057, 256, multiprocessors), 1056);
  EXPECT_EQ(ranks_of_region(1056, 8192, 256, multiprocessors), 1056);
}

TEST(RegionRanks, AreAllWhereTheyAreFewAnyway) {
  EXPECT_EQ(ranks_of_region(528, 100, 256, multiprocessors), 528); // as many as registers allow
  EXPECT_EQ(ranks_of_region(132, 10, 1024, multiprocessors), 132);
}

} // namespace
