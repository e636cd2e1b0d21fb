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

// Of a launch over arrays of the region with rows of the same length. A kernel that goes on by
// whole grids (`strided`) gets a thread for each element of the highest of them instead, so that it
// needs no second iteration.
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

// Of a launch with blocks of another size. A kernel that goes on through the rows by whole grids
// gets blocks for all of them, as by region::covering_rows.
template <int S, int A, int R>
GPURMA_DEVICE thread_places place_threads(const region<S, A, R>&, int stage, bool strided,
                                          const dim3& grid, const dim3& block) {
  const plan<S, A, R>& plans = region<S, A, R>::shared().plans;
  const stage_plan& s = plans.stage[stage];
  dim3 launched = grid;
  if (strided) {
    const axis_reach& rows = s.written.some ? s.written.axis[s.row] : s.read.axis[s.row];
    const std::int64_t needed =
        -floor_divide((rows.low == whole ? 0 : rows.low) - plans.bands.rows, of_dim(block, s.row));
    unsigned& blocks = s.row == 0 ? launched.x : s.row == 1 ? launched.y : launched.z;
    blocks = blocks < needed ? static_cast<unsigned>(needed) : blocks;
  }
  return {{launched.x * block.x, launched.y * block.y, launched.z * block.z},
          {launched.x, launched.y, launched.z}};
}

template <int S, int A, int R>
GPURMA_DEVICE dim3 tiles_of(const region<S, A, R>&, int stage, const thread_places& places) {
  const dim3& tile = region<S, A, R>::shared().plans.stage[stage].block;
  return dim3((places.threads[0] + tile.x - 1) / tile.x, (places.threads[1] + tile.y - 1) / tile.y,
              (places.threads[2] + tile.z - 1) / tile.z);
}

// The place of a thread among those of all tiles.
template <int Dimensions> GPURMA_DEVICE uint3 place_of_thread(const uint3& tile) {
  if constexpr (Dimensions == 1)
    return {tile.x * (blockDim.x * blockDim.y * blockDim.z) + threadIdx.x +
                blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z),
            tile.y, tile.z};
  else if constexpr (Dimensions == 2)
    return {tile.x * blockDim.x + threadIdx.x,
            tile.y * (blockDim.y * blockDim.z) + threadIdx.y + blockDim.y * threadIdx.z, tile.z};
  else
    return {tile.x * blockDim.x + threadIdx.x, tile.y * blockDim.y + threadIdx.y,
            tile.z * blockDim.z + threadIdx.z};
}

// What a thread of a tile plays, of a launch with constant blocks.
template <int Dimensions, unsigned X, unsigned Y, unsigned Z> class placed_thread {
public:
  GPURMA_DEVICE placed_thread(const thread_places& places, const uint3& tile)
      : places_(places), at_(place_of_thread<Dimensions>(tile)) {}

  GPURMA_DEVICE bool exists() const {
    return at_.x < places_.threads[0] && at_.y < places_.threads[1] && at_.z < places_.threads[2];
  }
  GPURMA_DEVICE uint3 thread() const { return {at_.x % X, at_.y % Y, at_.z % Z}; }
  GPURMA_DEVICE uint3 block() const { return {at_.x / X, at_.y / Y, at_.z / Z}; }
  GPURMA_DEVICE dim3 block_size() const { return dim3(X, Y, Z); }
  GPURMA_DEVICE dim3 grid() const {
    return dim3(places_.grid[0], places_.grid[1], places_.grid[2]);
  }

private:
  const thread_places& places_;
  uint3 at_;
};

// Where the element of such a thread lies, which the kernel has to divide the thread's number for.
struct element_place {
  std::uint32_t x, y, z;
  std::uint64_t row; // among those of all planes
};

// What a thread of a tile plays of a launch in one dimension. `Block`: the launch's blockDim.x
// where it is constant, so that the division by it, if it is left, is none; else 0. Mostly nothing
// of it is left, as the kernel's body asks for blockIdx.x * blockDim.x + threadIdx.x only.
template <int Dimensions, unsigned Block> class numbered_thread {
public:
  GPURMA_DEVICE numbered_thread(const thread_numbers& numbers, const uint3& tile)
      : numbers_(numbers) {
    const uint3 at = place_of_thread<Dimensions>(tile);
    place_ = {at.x, at.y, at.z,
              Dimensions == 2 ? at.y : std::uint64_t{at.z} * numbers.extent[1] + at.y};
    number_ = place_.row * numbers.extent[0] + at.x;
    exists_ = at.x < numbers.extent[0] && (Dimensions == 2 || at.y < numbers.extent[1]) &&
              number_ < numbers.threads;
    const std::uint32_t size = Block != 0 ? Block : numbers.block;
    block_ = numbers.threads <= most_short ? static_cast<std::uint32_t>(number_) / size
                                           : static_cast<std::uint32_t>(number_ / size);
  }

  // Whether the launch has such a thread.
  GPURMA_DEVICE bool exists() const { return exists_; }
  GPURMA_DEVICE const element_place& place() const { return place_; }

  GPURMA_DEVICE uint3 thread() const {
    return {static_cast<std::uint32_t>(number_) - block_ * block_size().x, 0, 0};
  }
  GPURMA_DEVICE uint3 block() const { return {block_, 0, 0}; }
  GPURMA_DEVICE dim3 block_size() const { return dim3(Block != 0 ? Block : numbers_.block); }
  GPURMA_DEVICE dim3 grid() const { return dim3(numbers_.grid); }

private:
  const thread_numbers& numbers_;
  element_place place_;
  std::uint64_t number_;
  std::uint32_t block_;
  bool exists_;
};

} // namespace gpurma::stages

#endif
