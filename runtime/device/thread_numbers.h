// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches whose tiles are not their blocks, as their threads do not work together: a thread of a
// tile plays the part of one of the launch, and the kernel's body sees the threadIdx, blockIdx,
// blockDim and gridDim of that.
//
//   axpy<<<(nx * ny + 255) / 256, 256>>>(nx * ny, a, p, u);    with u : rows(ny, nx)
//
// The thread of the launch with the number y * nx + x is played by that of a tile at the
// coordinates x and y, so that its element lies in the tile as those of a launch in two dimensions
// do, and ranks wait for the same few others. Launches in several dimensions whose blocks are of
// another size than the region's others have tiles of the size of these.
#ifndef GPURMA_DEVICE_THREAD_NUMBERS_H
#define GPURMA_DEVICE_THREAD_NUMBERS_H

#include <cuda_runtime.h>

#include <cstdint>

#include <gpurma/device/stage_plan.h>

namespace gpurma::stages {

// The tile of so many dimensions that has a place for each thread of a block.
inline dim3 tile_of(const dim3& block, int dimensions) {
  return dimensions == 3   ? block
         : dimensions == 2 ? dim3(block.x, block.y * block.z, 1)
                           : dim3(block.x * block.y * block.z, 1, 1);
}

// The same of a launch with fewer dimensions than the region's others, or with a loop through the
// rows: it has as many rows as their tiles, at multiples of which the bands of processes begin, and
// not more for each thread. `row_dimension`, `rows_per_thread`: of the launches with this block;
// `own_rows_per_thread`: of its own.
inline dim3 tile_of_rows(const dim3& block, unsigned row_dimension, int rows_per_thread,
                         int dimensions, int own_rows_per_thread) {
  const unsigned threads = block.x * block.y * block.z;
  const unsigned along_rows = row_dimension == 0 ? block.x : row_dimension == 1 ? block.y : block.z;
  const unsigned height = along_rows * static_cast<unsigned>(rows_per_thread) /
                          static_cast<unsigned>(own_rows_per_thread);
  const unsigned rows = height == 0 ? 1 : height <= threads ? height : along_rows;
  if (dimensions == 1)
    return dim3(rows, 1, 1);
  const unsigned in_row = threads / rows;
  if (dimensions == 2)
    return dim3(in_row, rows, 1);
  return in_row > block.x ? dim3(block.x, in_row / block.x, rows) : dim3(in_row, 1, rows);
}

// Of a launch in one dimension whose threads work together: consecutive elements, of whole rows
// where these are short. A loop by whole grids has several for each thread. Heights are those of
// tiles of the region's other launches, or divide them, so that bands begin where tiles do.
inline dim3 tile_in_line(const dim3& block, bool strided, std::int64_t row,
                         std::int64_t rows_of_plane = 0) {
  constexpr std::int64_t loaded_at_once = 4;
  const std::int64_t elements =
      std::int64_t{block.x} * block.y * block.z * (strided ? loaded_at_once : 1);
  if (row > elements / 2 || row < 1)
    return dim3(static_cast<unsigned>(row < elements ? (row < 1 ? 1 : row) : elements), 1, 1);
  std::int64_t rows = elements / row;
  if (rows_of_plane != 0) {
    rows = rows < rows_of_plane ? rows : rows_of_plane;
  } else {
    const unsigned height = block.y * block.z;
    std::int64_t dividing = 1;
    while (2 * dividing <= rows && height % (2 * dividing) == 0)
      dividing *= 2;
    rows = dividing;
  }
  return dim3(static_cast<unsigned>(row), static_cast<unsigned>(rows), 1);
}

// The block of ranks where all launches of a region are in one dimension.
inline dim3 block_of_line(const dim3& block) {
  constexpr unsigned warp = 32;
  const unsigned threads = block.x * block.y * block.z;
  return threads % warp == 0 ? dim3(warp, threads / warp, 1) : dim3(threads, 1, 1);
}

// The threads of a launch, and the rows that their numbers go through. Arrays rather than dim3:
// what a kernel is passed is copied word by word (passed).
struct thread_numbers {
  std::uint64_t threads;   // of the launch
  std::uint64_t elements;  // of the highest array, or vectors of elements
  std::uint32_t extent[2]; // of a row, in these; of the rows of a plane, or 1
  std::uint32_t block, grid;
};

// The same of a launch whose threads work together, and a tile's columns and rows of a plane. With
// several of these it has whole rows.
struct numbered_blocks {
  thread_numbers launch;
  std::uint32_t tile[2];

  __host__ __device__ dim3 block_size() const { return dim3(launch.block); }
  // A loop by whole grids goes through the elements of one block.
  __host__ __device__ dim3 grid(bool strided) const { return dim3(strided ? 1 : launch.grid); }
};

// The same of a launch whose threads have a place of their own along each dimension.
struct thread_places {
  std::uint32_t threads[3];
  std::uint32_t block[3], grid[3];
  std::uint32_t tile[3];
  // Of a launch for a part of the rows, which tiles count from 0: where they begin.
  std::uint32_t first_row;
};

// How many tiles of a size so many threads or elements take along a dimension.
template <class T> __host__ __device__ constexpr unsigned tiles_for(T count, unsigned size) {
  return static_cast<unsigned>((count + size - 1) / size);
}

} // namespace gpurma::stages

#endif
