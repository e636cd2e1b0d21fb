// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device side of thread_numbers.h.
#ifndef GPURMA_DEVICE_PLAYED_THREADS_H
#define GPURMA_DEVICE_PLAYED_THREADS_H

#include <cstdint>

#include <gpurma/device/stages.h>
#include <gpurma/device/thread_numbers.h>
#include <gpurma/device/tile_rows.h>

namespace gpurma::stages {

inline constexpr std::uint32_t most_short = UINT32_MAX;

// Of a launch over arrays of the region with rows of the same length, of whose elements each thread
// has `per_thread`. A kernel that goes on by whole grids (`strided`) gets a thread for each element
// of the highest of them instead, so that it needs no second iteration.
template <int Stages, int Arrays, int Scalars, int Count>
GPURMA_DEVICE thread_numbers number_threads(const region<Stages, Arrays, Scalars>&,
                                            const int (&arrays)[Count], int dimensions,
                                            bool strided, const dim3& grid, const dim3& block,
                                            site where, std::int64_t per_thread = 1) {
  const plan<Stages, Arrays, Scalars>& plans = region<Stages, Arrays, Scalars>::shared().plans;
  const array_plan& of = plans.array[arrays[0]];
  std::int64_t rows = 0;
  GPURMA_UNROLLED
  for (const int array : arrays)
    rows = plans.array[array].rows > rows ? plans.array[array].rows : rows;
  if (grid.y * grid.z * block.y * block.z != 1 && platform::thread_index() == 0)
    detail::fail(detail::block(), error_code::not_in_one_dimension, directive::stage, where, grid.y,
                 grid.z, block.y, block.z);
  thread_numbers numbers{};
  numbers.extent[0] = static_cast<std::uint32_t>(of.inner[dimensions - 2] / per_thread);
  numbers.extent[1] = dimensions == 3 ? static_cast<std::uint32_t>(of.inner[0]) : 1;
  numbers.block = block.x;
  numbers.grid = grid.x;
  numbers.threads = std::uint64_t{grid.x} * block.x;
  numbers.elements = static_cast<std::uint64_t>(rows) * numbers.extent[0] * numbers.extent[1];
  if (strided && numbers.threads != 0 && numbers.threads < numbers.elements) {
    numbers.threads = numbers.elements;
    numbers.grid = static_cast<std::uint32_t>((numbers.elements + block.x - 1) / block.x);
  }
  return numbers;
}

// The grid of tiles that has all threads of a stage's launch.
template <int Stages, int Arrays, int Scalars>
GPURMA_DEVICE dim3 tiles_of(const region<Stages, Arrays, Scalars>&, int stage, int dimensions,
                            const thread_numbers& numbers) {
  const dim3& tile = region<Stages, Arrays, Scalars>::shared().plans.stage[stage].block;
  const std::uint64_t row = std::uint64_t{numbers.extent[0]} * numbers.extent[1];
  const std::uint64_t rows = (numbers.threads + row - 1) / row;
  const unsigned columns = tiles_for(numbers.extent[0], tile.x);
  return dimensions == 3
             ? dim3(columns, tiles_for(numbers.extent[1], tile.y), tiles_for(rows, tile.z))
             : dim3(columns, tiles_for(rows, tile.y), 1);
}

// Of a launch with blocks of another size. A kernel that goes on through the rows by whole grids
// (`covers`) gets blocks for all of them, and so does one with a loop through the rows, of which
// each of its threads has some.
template <int Stages, int Arrays, int Scalars>
GPURMA_DEVICE thread_places place_threads(const region<Stages, Arrays, Scalars>&, int stage,
                                          bool covers, const dim3& grid, const dim3& block) {
  const stage_plan& s = region<Stages, Arrays, Scalars>::shared().plans.stage[stage];
  dim3 launched = grid;
  if (covers && has_blocks(grid)) {
    const unsigned rows =
        of_dim(region<Stages, Arrays, Scalars>::covering_rows(dim3(1, 1, 1), stage), s.row) *
        of_dim(s.block, s.row);
    const unsigned needed = tiles_for(rows, of_dim(block, s.row));
    unsigned& blocks = s.row == 0 ? launched.x : s.row == 1 ? launched.y : launched.z;
    blocks = blocks < needed ? needed : blocks;
  }
  return {{launched.x * block.x, launched.y * block.y, launched.z * block.z},
          {block.x, block.y, block.z},
          {launched.x, launched.y, launched.z},
          {s.block.x, s.block.y, s.block.z},
          0};
}

// Of a launch whose rows begin at `first_row`. The threads that lead.
template <int Stages, int Arrays, int Scalars>
GPURMA_DEVICE thread_places place_threads(const region<Stages, Arrays, Scalars>& r, int stage,
                                          bool covers, const dim3& grid, const dim3& block,
                                          std::int64_t first_row, site where) {
  if (first_row < 0)
    detail::fail(detail::block(), error_code::rows_before_first, directive::stage, where,
                 first_row);
  thread_places places = place_threads(r, stage, covers, grid, block);
  places.first_row = static_cast<std::uint32_t>(first_row);
  places.threads[region<Stages, Arrays, Scalars>::shared().plans.stage[stage].row] +=
      places.first_row;
  return places;
}

template <int Stages, int Arrays, int Scalars>
GPURMA_DEVICE dim3 tiles_of(const region<Stages, Arrays, Scalars>&, int stage,
                            const thread_places& places) {
  const dim3& tile = region<Stages, Arrays, Scalars>::shared().plans.stage[stage].block;
  return dim3(tiles_for(places.threads[0], tile.x), tiles_for(places.threads[1], tile.y),
              tiles_for(places.threads[2], tile.z));
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

// The same in a tile of rows (tile_of_rows). One dimension takes a few threads of the block; they
// are others in the rank's next tile, which then need not wait for them. The rest has no place.
template <int Dimensions>
GPURMA_DEVICE uint3 place_in_rows(const uint3& tile, const std::uint32_t (&size)[3]) {
  const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
  const unsigned own = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  if constexpr (Dimensions == 1) {
    const unsigned first = tile.x * size[0];
    const unsigned place = (own + threads - first % threads) % threads;
    return {place < size[0] ? first + place : most_short, tile.y, tile.z};
  } else {
    const unsigned next = own / size[0];
    const unsigned y = Dimensions == 2 ? next : next % size[1];
    const unsigned z = Dimensions == 2 ? 0 : next / size[1];
    const bool has_place = y < size[1] && z < size[2];
    return {has_place ? tile.x * size[0] + own % size[0] : most_short, tile.y * size[1] + y,
            tile.z * size[2] + z};
  }
}

template <int Dimensions, bool InRows>
GPURMA_DEVICE uint3 place_of_thread(const uint3& tile, const std::uint32_t (&size)[3]) {
  if constexpr (InRows)
    return place_in_rows<Dimensions>(tile, size);
  else
    return place_of_thread<Dimensions>(tile);
}

// What a thread of a rank plays of a launch's block with other extents: the thread with its number.
// Where it has fewer threads, the others are none of them.
GPURMA_DEVICE uint3 thread_in_block(const dim3& block) {
  const unsigned number = platform::thread_index();
  return {number % block.x, number / block.x % block.y, number / (block.x * block.y)};
}
GPURMA_DEVICE bool is_in_block(const uint3& thread, const dim3& block) {
  return thread.x < block.x && thread.z < block.z;
}

// What a thread of a tile plays. `X`, `Y`, `Z`: the launch's block where it is constant, else 0.
// `InRows`: the tile is one of rows. `Row`: the dimension along which the launch begins at a row;
// -1: at the first one.
template <int Dimensions, unsigned Width, unsigned Height, unsigned Depth, bool InRows = false,
          int Row = -1>
class placed_thread {
public:
  GPURMA_DEVICE placed_thread(const thread_places& places, const uint3& tile)
      : places_(places), at_(place_of_thread<Dimensions, InRows>(tile, places.tile)) {}

  GPURMA_DEVICE bool exists() const {
    return at_.x < places_.threads[0] && at_.y < places_.threads[1] && at_.z < places_.threads[2] &&
           (Row < 0 || (Row == 0   ? at_.x
                        : Row == 1 ? at_.y
                                   : at_.z) >= places_.first_row);
  }
  GPURMA_DEVICE uint3 thread() const {
    const dim3 size = block_size();
    const uint3 at = in_launch();
    return {at.x % size.x, at.y % size.y, at.z % size.z};
  }
  GPURMA_DEVICE uint3 block() const {
    const dim3 size = block_size();
    const uint3 at = in_launch();
    return {at.x / size.x, at.y / size.y, at.z / size.z};
  }
  GPURMA_DEVICE dim3 block_size() const {
    return dim3(Width != 0 ? Width : places_.block[0], Height != 0 ? Height : places_.block[1],
                Depth != 0 ? Depth : places_.block[2]);
  }
  GPURMA_DEVICE dim3 grid() const {
    return dim3(places_.grid[0], places_.grid[1], places_.grid[2]);
  }
  // Of a loop through the rows along a dimension, so many for each thread.
  template <unsigned Along>
  GPURMA_DEVICE tile_rows rows(unsigned height, unsigned filling = 0) const {
    return tile_rows(Along == 0   ? at_.x
                     : Along == 1 ? at_.y
                                  : at_.z,
                     places_.threads[Along], height, filling);
  }

private:
  GPURMA_DEVICE uint3 in_launch() const {
    return {at_.x - (Row == 0 ? places_.first_row : 0), at_.y - (Row == 1 ? places_.first_row : 0),
            at_.z - (Row == 2 ? places_.first_row : 0)};
  }

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

// A launch with one block along each of some dimensions, which the kernel does not name.
template <int Stages, int Arrays, int Scalars>
GPURMA_DEVICE void check_unnamed(const region<Stages, Arrays, Scalars>&, unsigned dimensions,
                                 const dim3& grid, const dim3& block, site where) {
  GPURMA_UNROLLED
  for (int d = 0; d < 3; ++d)
    if ((dimensions >> d & 1u) != 0 && of_dim(grid, d) > 1 && platform::thread_index() == 0)
      detail::fail(detail::block(), error_code::threads_along_rows, directive::stage, where,
                   std::int64_t{1} << d, std::int64_t{of_dim(grid, d)} * of_dim(block, d));
}

// Of threads that no condition of their kernel keeps within an extent of an array: the grid does.
// Or the extent is exactly that of the grid; or it is enough for what conditions say. The threads
// that lead.
template <int Stages, int Arrays, int Scalars>
GPURMA_DEVICE void check_threads(const region<Stages, Arrays, Scalars>&, int array, int extent,
                                 const dim3& grid, const dim3& block, int along,
                                 std::int64_t moved_by, bool exactly, site where,
                                 std::int64_t enough = INT64_MAX) {
  const array_plan& of = region<Stages, Arrays, Scalars>::shared().plans.array[array];
  const std::int64_t threads =
      static_cast<std::int64_t>(of_dim(grid, along)) * of_dim(block, along);
  if (of.extent(of.row_dimension() + extent) >= enough)
    return;
  const std::int64_t most = of.extent(of.row_dimension() + extent) - moved_by;
  if (threads > most || (exactly && threads != most))
    detail::fail(detail::block(), error_code::threads_beyond, directive::stage, where,
                 static_cast<std::int64_t>(reinterpret_cast<std::uint64_t>(of.name)), along,
                 threads, most, exactly);
}

// Of a row that a number says which the kernel is passed: the array has it, or the launch no thread
// for it. The threads that lead.
template <int Stages, int Arrays, int Scalars>
GPURMA_DEVICE void check_row(const region<Stages, Arrays, Scalars>&, int array, std::int64_t row,
                             const dim3& grid, const dim3& block, int along, std::int64_t moved_by,
                             site where) {
  const array_plan& of = region<Stages, Arrays, Scalars>::shared().plans.array[array];
  const std::int64_t threads =
      static_cast<std::int64_t>(of_dim(grid, along)) * of_dim(block, along);
  if (row >= of.extent(of.row_dimension()) && row - moved_by < threads)
    detail::fail(detail::block(), error_code::threads_beyond, directive::stage, where,
                 static_cast<std::int64_t>(reinterpret_cast<std::uint64_t>(of.name)), along,
                 threads, of.extent(of.row_dimension()) - moved_by, false);
}

// Of a launch that reads as many rows from a block's own as a number that it is passed says, where a
// clause `halo` says how many those are. The threads that lead.
template <int Stages, int Arrays, int Scalars>
GPURMA_DEVICE void check_depth(const region<Stages, Arrays, Scalars>&, int stage,
                               std::int64_t depth, site where) {
  const stage_plan& plan = region<Stages, Arrays, Scalars>::shared().plans.stage[stage];
  const axis_reach& rows = plan.read.axis[plan.row];
  if (rows.low == whole)
    return;
  const int stated = rows.high < -rows.low ? rows.high : -rows.low;
  if (depth > stated)
    detail::fail(detail::block(), error_code::beyond_halo, directive::stage, where, depth,
                 std::int64_t{stated});
}

} // namespace gpurma::stages

#endif
