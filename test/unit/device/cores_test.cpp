// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host/cores.h"

#include <gtest/gtest.h>

namespace {

using gpurma::host::choose_cores;
using gpurma::host::parse_core_list;

TEST(cores, reads_lists_as_linux_writes_them) {
  EXPECT_EQ(parse_core_list("0-3,8,10-11\n"), (std::vector<int>{0, 1, 2, 3, 8, 10, 11}));
  EXPECT_EQ(parse_core_list("5"), std::vector<int>{5});
  EXPECT_EQ(parse_core_list("\n"), std::vector<int>{});
  EXPECT_EQ(parse_core_list(""), std::vector<int>{});
}

TEST(cores, are_those_near_the_device_that_the_process_may_use) {
  EXPECT_EQ(choose_cores({0, 1, 2, 3}, {2, 3, 4, 5}), (std::vector<int>{2, 3}));
  EXPECT_EQ(choose_cores({0, 1}, {4, 5}), std::vector<int>{});
  EXPECT_EQ(choose_cores({}, {4, 5}), std::vector<int>{});
}

TEST(cores, are_all_near_ones_where_the_process_has_only_one) {
  EXPECT_EQ(choose_cores({0, 1, 2, 3}, {2}), (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(choose_cores({0, 1}, {4}), (std::vector<int>{0, 1}));
}

TEST(cores, knows_no_cores_in_other_text) {
  for (const char* text : {"all", "1-", "1;2", "1-2-3", ",1"})
    EXPECT_EQ(parse_core_list(text), std::vector<int>{}) << text;
}

} // namespace
