// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --gpurma-check: what a kernel of a region reads of distributed arrays is what its stage waits
// for, by inference or by a clause `halo` (passes/CheckReads.cpp).
#ifndef GPURMA_DEVICE_CHECKED_READS_H
#define GPURMA_DEVICE_CHECKED_READS_H

#include <cstdint>

#include <gpurma/device/meeting_tiles.h>
#include <gpurma/device/region_state.h>

namespace gpurma::stages {

#if GPURMA_CHECK
// The tile that a rank runs. Thread 0 writes, between two block barriers.
struct checked_tile {
  const stage_plan* stage; // null: none
  const array_plan* arrays;
  int count; // of the arrays
  std::int64_t at[3];
};

// Kernels that no region launches have no such tile in shared memory. They do not run while any
// rank is in a region.
static __device__ std::uint64_t ranks_in_regions;

GPURMA_DEVICE checked_tile& tile_of_reads() {
  return platform::block_shared<checked_tile>();
}

// Whether a tile may read a coordinate of a dimension that a grid dimension walks.
GPURMA_DEVICE bool is_in_reach(std::int64_t coordinate, std::int64_t begin, std::int64_t extent,
                               const axis_reach& reach) {
  return reach.low == whole ||
         (coordinate >= begin + reach.low && coordinate < begin + extent + reach.high);
}

// Looks for the element among the region's arrays. What is none of theirs is not checked.
GPURMA_SLOW_DEVICE void check_read(const volatile void* element, site where) {
  if (platform::load_relaxed(&ranks_in_regions) == 0)
    return;
  const checked_tile& tile = tile_of_reads();
  if (tile.stage == nullptr)
    return;
  const stage_plan& stage = *tile.stage;
  for (int a = 0; a < tile.count; ++a) {
    const array_plan& array = tile.arrays[a];
    const std::uint64_t offset =
        reinterpret_cast<std::uint64_t>(element) - reinterpret_cast<std::uint64_t>(array.base);
    if (offset >= array.bytes())
      continue;
    auto index = static_cast<std::int64_t>(offset / array.element_bytes);
    for (int d = array.dimensions - 1; d >= 0; --d) {
      const std::int64_t extent = d == 0 ? array.rows : array.inner[d - 1];
      const std::int64_t coordinate = index % extent;
      index /= extent;
      const int walking = walking_dimension(stage, array.dimensions, d);
      if (walking < 0)
        continue;
      const auto axis = static_cast<unsigned>(walking);
      const std::int64_t begin = tile.at[axis];
      const std::int64_t size = stage.extent(axis);
      const axis_reach& reach = stage.read.axis[axis];
      // What a tile writes is its own to read, too.
      const axis_reach& written = stage.written.axis[axis];
      if (is_in_reach(coordinate, begin, size, reach) ||
          is_in_reach(coordinate, begin, size, written) ||
          (d == 0 && stage.periodic_rows &&
           (is_in_reach(coordinate - extent, begin, size, reach) ||
            is_in_reach(coordinate + extent, begin, size, reach))))
        continue;
      detail::fail(detail::block(), error_code::outside_reach, directive::stage, where,
                   static_cast<std::int64_t>(reinterpret_cast<std::uint64_t>(array.name)), d,
                   coordinate, begin + reach.low, begin + size - 1 + reach.high);
      return;
    }
    return;
  }
}
#endif

// The element that a kernel is about to read.
template <class T> GPURMA_DEVICE T* checked_read(T* element, [[maybe_unused]] site where) {
#if GPURMA_CHECK
  check_read(element, where);
#endif
  return element;
}

// All threads: a rank comes to a region, before its first barrier there, and leaves it.
GPURMA_DEVICE void begin_checked_reads() {
#if GPURMA_CHECK
  if (platform::thread_index() == 0) {
    tile_of_reads().stage = nullptr;
    platform::add_relaxed(&ranks_in_regions, std::uint64_t{1});
  }
#endif
}
GPURMA_DEVICE void end_checked_reads() {
#if GPURMA_CHECK
  if (platform::thread_index() == 0)
    platform::add_relaxed(&ranks_in_regions, ~std::uint64_t{0});
#endif
}

// All threads: the tile that runs next.
template <int Stages, int Arrays, int Scalars>
GPURMA_DEVICE void check_reads_of([[maybe_unused]] const plan<Stages, Arrays, Scalars>& plans,
                                  [[maybe_unused]] int stage, [[maybe_unused]] const uint3& tile) {
#if GPURMA_CHECK
  platform::sync_block();
  if (platform::thread_index() == 0) {
    const stage_plan& plan = plans.stage[stage];
    tile_of_reads() = {&plan,
                       plans.array,
                       Arrays,
                       {tile.x * plan.extent(0), tile.y * plan.extent(1), tile.z * plan.extent(2)}};
  }
  platform::sync_block();
#endif
}

} // namespace gpurma::stages

#endif
