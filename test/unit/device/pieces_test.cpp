// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In how many pieces ranks run the tiles of a stage: all wait for as many ranks, and for as many
// pieces of each, as there are.
#include <gpurma/stages.h>

#include <gtest/gtest.h>

#include <algorithm>

namespace {

using namespace gpurma::stages;

// A stage whose tiles lie in a row of `per_row`, with a thread for `rows_of_thread` rows each.
stage_plan plan_of(int rows_of_thread) {
  return stage_plan("kernel", nullptr, 1, dim3(32, 8), 0).with_walks(0, rows_of_thread, false);
}

stage_state stage_of(const dealing& dealt, int rank, const stage_plan& plan) {
  stage_state s{};
  s.dealt = dealt;
  s.tiles = s.part[3].count = dealt.count(rank, dealt.all);
  s.part[0].count = s.tiles > 0 ? 1 : 0;
  s.part[2].count = s.tiles - s.part[0].count;
  divide_into_pieces(s, plan);
  return s;
}

TEST(pieces, ranks_wait_for_those_that_come) {
  for (const int ranks : {1, 7, 64, 132})
    for (const int per_row : {1, 3, 64, 200})
      for (const int rows : {1, 31, 32, 63, 64, 65, 200, 1000})
        for (const int rows_of_thread : {1, 4, 5, 64})
          for (const auto how : {dealing::cyclic, dealing::columns, dealing::contiguous}) {
            const int columns = ranks / per_row;
            if (how == dealing::columns && columns == 0)
              continue;
            const int length = how == dealing::columns ? (rows + columns - 1) / columns : 1;
            const dealing dealt{0, std::int64_t{rows} * per_row, ranks, per_row, 1, length, how};
            const stage_plan plan = plan_of(rows_of_thread);
            const int most_pieces = stage_of(dealt, 0, plan).most_pieces;
            int with_tiles = 0, at_most = 0;
            for (int rank = 0; rank < ranks; ++rank) {
              const stage_state s = stage_of(dealt, rank, plan);
              EXPECT_EQ(s.most_pieces, most_pieces);
              with_tiles += s.tiles > 0 ? 1 : 0;
              if (most_pieces == 0)
                continue;
              EXPECT_LE(s.pieces_of_all, most_pieces);
              EXPECT_LE(s.pieces_between, most_pieces);
              at_most = std::max(at_most, s.pieces_of_all);
            }
            if (most_pieces == 0)
              continue;
            EXPECT_NE(how, dealing::contiguous);
            EXPECT_EQ(at_most, most_pieces);
            EXPECT_EQ(stage_of(dealt, 0, plan).active, with_tiles);
          }
}

TEST(pieces, have_as_many_rows_of_a_thread) {
  const dealing tall{0, 1024 * 512, 1056, 1024, 1, 512, dealing::columns};
  EXPECT_EQ(stage_of(tall, 0, plan_of(1)).tiles_of_piece, 64);
  EXPECT_EQ(stage_of(tall, 0, plan_of(1)).most_pieces, 8);
  EXPECT_EQ(stage_of(tall, 0, plan_of(1)).left_behind, 0);
  EXPECT_EQ(stage_of(tall, 0, plan_of(4)).tiles_of_piece, 16);
  EXPECT_EQ(stage_of(tall, 0, plan_of(5)).tiles_of_piece, 8);
  EXPECT_EQ(stage_of(tall, 0, plan_of(64)).tiles_of_piece, 8);
}

// They wait for those that are a stage behind.
TEST(pieces, are_one_in_short_columns_and_none_in_shorter_ones) {
  const dealing half{0, 1024 * 32, 1056, 1024, 1, 32, dealing::columns};
  EXPECT_EQ(stage_of(half, 0, plan_of(1)).most_pieces, 1);
  EXPECT_EQ(stage_of(half, 0, plan_of(1)).left_behind, 1024);
  const dealing shorter{0, 1024 * 31, 1056, 1024, 1, 31, dealing::columns};
  EXPECT_EQ(stage_of(shorter, 0, plan_of(1)).most_pieces, 0);
  const dealing dealt_one_by_one{0, 1056 * 63, 1056, 4096, 1, 1, dealing::cyclic};
  EXPECT_EQ(stage_of(dealt_one_by_one, 0, plan_of(1)).most_pieces, 0);
}

} // namespace
