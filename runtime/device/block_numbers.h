// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers that the blocks of one launch store, and that another one, of one block, combines. A
// region has one reduced scalar instead of them.
#ifndef GPURMA_DEVICE_BLOCK_NUMBERS_H
#define GPURMA_DEVICE_BLOCK_NUMBERS_H

#include <gpurma/device/stages.h>

#include <cstdint>

namespace gpurma::stages {

// How many blocks store a number each, where so many dimensions of the grid number them. The
// threads that lead.
GPURMA_DEVICE unsigned long long numbered_blocks_of(dim3 grid, int dimensions, site where) {
  const unsigned long long sizes[] = {grid.x, grid.y, grid.z};
  unsigned long long all = 1;
  unsigned long long numbered = 1;
  for (int d = 0; d < 3; ++d) {
    all *= sizes[d];
    numbered *= d < dimensions ? sizes[d] : 1;
  }
  if (all != numbered && platform::thread_index() == 0)
    detail::fail(detail::block(), error_code::numbers_of_blocks, directive::stage, where,
                 static_cast<std::int64_t>(numbered), static_cast<std::int64_t>(all));
  return all;
}

// That all numbers that have been stored are combined. With threads that take one number each there
// are so many; 0 threads take all in a loop. The threads that lead.
GPURMA_DEVICE void check_block_numbers(unsigned long long stored, std::int64_t combined,
                                       std::int64_t threads, site where) {
  const auto blocks = static_cast<std::int64_t>(stored);
  if ((blocks == 0 || blocks != combined || (threads != 0 && combined > threads)) &&
      platform::thread_index() == 0)
    detail::fail(detail::block(), error_code::numbers_of_blocks, directive::stage, where, blocks,
                 blocks, combined, threads);
}

} // namespace gpurma::stages

#endif
