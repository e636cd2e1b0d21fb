// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device side of thread_numbers.h.
#ifndef GPURMA_DEVICE_PLAYED_THREADS_H
#define GPURMA_DEVICE_PLAYED_THREADS_H

#include <cstdint>

#include <gpurma/device/stages.h>
#include <gpurma/device/thread_numbers.h>

namespace gpurma::stages {

inline constexpr std::uint64_t most_short = UINT32_MAX;

// Of a launch over arrays of the region with rows of the same length. A kernel that goes on by whole
// grids (`strided`) gets a thread for each element of the highest of them instead, so that it needs
// no second iteration.
template <int S, int A, int R, int N>
GPURMA_DEVICE thread_numbers number_threads(const region<S, A, R>&, const int (&arrays)[N],
                                            int dimensions, bool strided, const dim3& grid,
                                            const dim3& block, site where) {
  const plan<S, A, R>& plans = region<S, A, R>::shared().plans;
  const array_plan& of = plans.array[arrays[0]];
  std::int64_t rows = 0;
  GPURMA_UNROLLED
  for (const int array : arrays)
    rows = plans.array[array].rows > rows ? plans.array[array].rows : rows;
  if (grid.y * grid.z * block.y * block.z != 1 && platform::thread_index() == 0)
    detail::fail(detail::block(), error_code::not_in_one_dimension, directive::stage, where, grid.y,
                 grid.z, block.y, block.z);
  thread_numbers numbers{};
  numbers.extent[0] = static_cast<std::uint32_t>(of.inner[dimensions - 2]);
  numbers.extent[1] = dimensions == 3 ? static_cast<std::uint32_t>(of.inner[0]) : 1;
  numbers.block = block.x;
  numbers.grid = grid.x;
  numbers.threads = std::uint64_t{grid.x} * block.x;
  const std::uint64_t elements =
      static_cast<std::uint64_t>(rows) * numbers.extent[0] * numbers.extent[1];
  if (strided && numbers.threads < elements) {
    numbers.threads = elements;
    numbers.grid = static_cast<std::uint32_t>((elements + block.x - 1) / block.x);
  }
  return numbers;
}

// The grid of tiles that has all threads of a stage's launch.
template <int S, int A, int R>
GPURMA_DEVICE dim3 tiles_of(const region<S, A, R>&, int stage, int dimensions,
                            const thread_numbers& numbers) {
  const dim3& tile = region<S, A, R>::shared().plans.stage[stage].block;
  const auto blocks = [](std::uint64_t of, unsigned size) {
    return static_cast<unsigned>((of + size - 1) / size);
  };
  const std::uint64_t row = std::uint64_t{numbers.extent[0]} * numbers.extent[1];
  const std::uint64_t rows = (numbers.threads + row - 1) / row;
  const unsigned columns = blocks(numbers.extent[0], tile.x);
  return dimensions == 3 ? dim3(columns, blocks(numbers.extent[1], tile.y), blocks(rows, tile.z))
                         : dim3(columns, blocks(rows, tile.y), 1);
}

// What a thread of a tile plays. `Block`: the launch's blockDim.x where it is constant, so that the
// division by it, if it is left, is none; else 0. Mostly nothing of it is left, as the kernel's
// body asks for blockIdx.x * blockDim.x + threadIdx.x only.
template <int Dimensions, unsigned Block> class numbered_thread {
public:
  GPURMA_DEVICE numbered_thread(const thread_numbers& numbers, const uint3& tile)
      : numbers_(numbers) {
    const std::uint32_t x = tile.x * blockDim.x + threadIdx.x;
    // A tile of two dimensions has as many rows as the block has in two or three.
    const std::uint32_t in_tile = Dimensions == 2 ? threadIdx.y + blockDim.y * threadIdx.z
                                                  : threadIdx.y;
    const std::uint32_t y = tile.y * (Dimensions == 2 ? blockDim.y * blockDim.z : blockDim.y) +
                            in_tile;
    const std::uint32_t z = Dimensions == 2 ? 0 : tile.z * blockDim.z + threadIdx.z;
    const std::uint64_t row =
        Dimensions == 2 ? y : std::uint64_t{z} * numbers.extent[1] + y;
    number_ = row * numbers.extent[0] + x;
    exists_ = x < numbers.extent[0] && (Dimensions == 2 || y < numbers.extent[1]) &&
              number_ < numbers.threads;
    const std::uint32_t size = Block != 0 ? Block : numbers.block;
    block_ = numbers.threads <= most_short ? static_cast<std::uint32_t>(number_) / size
                                           : static_cast<std::uint32_t>(number_ / size);
  }

  // Whether the launch has such a thread.
  GPURMA_DEVICE bool exists() const { return exists_; }

  GPURMA_DEVICE uint3 thread() const {
    return {static_cast<std::uint32_t>(number_) - block_ * block_size().x, 0, 0};
  }
  GPURMA_DEVICE uint3 block() const { return {block_, 0, 0}; }
  GPURMA_DEVICE dim3 block_size() const { return dim3(Block != 0 ? Block : numbers_.block); }
  GPURMA_DEVICE dim3 grid() const { return dim3(numbers_.grid); }

private:
  const thread_numbers& numbers_;
  std::uint64_t number_;
  std::uint32_t block_;
  bool exists_;
};

} // namespace gpurma::stages

#endif
