// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches in one dimension over arrays of two or three whose threads work together, on the way to
// a reduced scalar:
//
//   dot<<<(nx * ny + 255) / 256, 256>>>(nx * ny, p, q, sum);    with p, q : rows(ny, nx)
//
// A tile has consecutive elements. The threads of a rank, which are as many or more, play those of
// each block that has some of them, one block after the other, and do what they do with elements
// for those of the tile only. Other tiles do so for the block's other elements, and all add to the
// same scalar.
#ifndef GPURMA_DEVICE_PARTIAL_BLOCKS_H
#define GPURMA_DEVICE_PARTIAL_BLOCKS_H

#include <cstdint>

#include <gpurma/device/played_threads.h>

namespace gpurma::stages {

// As number_threads. `FewerThreads`: than a rank has.
template <bool FewerThreads = false, int Stages, int Arrays, int Scalars, int Count>
GPURMA_DEVICE numbered_blocks number_blocks(const region<Stages, Arrays, Scalars>& of, int stage,
                                            const int (&arrays)[Count], int dimensions,
                                            bool strided, const dim3& grid, const dim3& block,
                                            site where) {
  const unsigned threads = platform::block_threads();
  if ((FewerThreads ? block.x > threads : block.x != threads) && platform::thread_index() == 0)
    detail::fail(detail::block(), error_code::other_block_size, directive::stage, where, block.x,
                 block.y, block.z);
  const dim3& tile = region<Stages, Arrays, Scalars>::shared().plans.stage[stage].block;
  thread_numbers launch = number_threads(of, arrays, dimensions, strided, grid, block, where);
  if (strided && launch.threads != 0) // a block without elements adds nothing
    launch.threads = launch.elements;
  return {launch, {tile.x, tile.y}};
}

template <int Stages, int Arrays, int Scalars>
GPURMA_DEVICE dim3 tiles_of(const region<Stages, Arrays, Scalars>& of, int stage, int dimensions,
                            const numbered_blocks& blocks) {
  return tiles_of(of, stage, dimensions, blocks.launch);
}

// The elements of a tile, for a thread of one of the blocks that have some.
template <bool FewerThreads> struct tile_elements {
  std::uint64_t first, end;
  std::uint64_t number;         // of the thread
  std::uint32_t launched_block; // the size of the launch's blocks

  // Whether that of the thread is one of them.
  GPURMA_DEVICE bool here() const { return first <= number && number < end; }
  // For a loop by whole grids, of one block: the first of them that the thread has, where the
  // source has its number, and where the loop ends.
  template <class T> GPURMA_DEVICE std::uint64_t from(T) const {
    return number < first ? number + step() : number;
  }
  template <class T> GPURMA_DEVICE auto below(T bound) const {
    using promoted = decltype(bound + 0);
    const auto last = static_cast<promoted>(end);
    const bool is_beyond = static_cast<std::uint64_t>(last) != end; // of what `bound` may be
    return is_beyond || bound < last ? bound + 0 : last;
  }
  // The same in one, where the loop's text leaves no room for two: goes on to the first, and says
  // whether the loop has come to the last.
  template <class T> GPURMA_DEVICE bool reach(T& i) const {
    if (static_cast<std::uint64_t>(i) < first)
      i += static_cast<T>(step());
    return static_cast<std::uint64_t>(i) < end;
  }
  // Of a loop by whole grids, of one block.
  GPURMA_DEVICE unsigned step() const {
    return FewerThreads ? launched_block : platform::block_threads();
  }
};

GPURMA_DEVICE uint3 thread_of_block() {
  return {platform::thread_index(), 0, 0};
}

// The blocks that have elements of a tile, one after the other. `Strided`: one for all of them, as
// a loop goes through them.
template <int Dimensions, bool Strided, bool FewerThreads = false> class tile_blocks {
public:
  GPURMA_DEVICE tile_blocks(const numbered_blocks& blocks, const uint3& tile) : blocks_(blocks) {
    const thread_numbers& launch = blocks.launch;
    const std::uint64_t length = launch.extent[0];
    const std::uint64_t column = std::uint64_t{tile.x} * blocks.tile[0];
    const std::uint64_t row = std::uint64_t{tile.y} * blocks.tile[1];
    const std::uint64_t before = Dimensions == 3 ? std::uint64_t{tile.z} * launch.extent[1] : 0;
    const std::uint64_t columns = least(blocks.tile[0], length - column);
    const std::uint64_t rows =
        Dimensions == 3 ? least(blocks.tile[1], launch.extent[1] - row) : blocks.tile[1];
    first_ = (before + row) * length + column;
    end_ = least(first_ + (rows - 1) * length + columns, launch.threads);
    block_ = static_cast<std::uint32_t>(first_ / launch.block);
    exist_ = first_ < end_;
  }

  GPURMA_DEVICE bool exist() const { return exist_; }
  // All threads.
  GPURMA_DEVICE void go_on() {
    ++block_;
    exist_ = !Strided && std::uint64_t{block_} * blocks_.launch.block < end_;
    if (exist_)
      platform::sync_block(); // they have the same shared memory
  }

  GPURMA_DEVICE uint3 thread() const { return thread_of_block(); }
  GPURMA_DEVICE uint3 block() const { return {block_, 0, 0}; }
  GPURMA_DEVICE dim3 block_size() const { return blocks_.block_size(); }
  GPURMA_DEVICE dim3 grid() const { return blocks_.grid(Strided); }
  GPURMA_DEVICE tile_elements<FewerThreads> elements() const {
    const std::uint32_t size = blocks_.launch.block;
    return {first_, end_, std::uint64_t{block_} * size + platform::thread_index(), size};
  }

private:
  GPURMA_DEVICE static std::uint64_t least(std::uint64_t a, std::uint64_t b) {
    return a < b ? a : b;
  }

  const numbered_blocks& blocks_;
  std::uint64_t first_, end_;
  std::uint32_t block_;
  bool exist_;
};

} // namespace gpurma::stages

#endif
