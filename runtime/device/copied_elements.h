// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device side of array_copies.h.
#ifndef GPURMA_DEVICE_COPIED_ELEMENTS_H
#define GPURMA_DEVICE_COPIED_ELEMENTS_H

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <gpurma/device/array_copies.h>
#include <gpurma/device/played_threads.h>

namespace gpurma::stages {

// What elements of so many bytes that lie at multiples of `Alignment` are copied by.
template <unsigned Alignment>
using word_of_alignment = std::conditional_t<
    Alignment % 16 == 0, uint4,
    std::conditional_t<
        Alignment % 8 == 0, std::uint64_t,
        std::conditional_t<Alignment % 4 == 0, std::uint32_t,
                           std::conditional_t<Alignment % 2 == 0, std::uint16_t, std::uint8_t>>>>;

// The elements of an array, of which each thread of a tile has one, or in an array of four
// dimensions one for each coordinate of the fastest; with Components, of each. What a region's
// launch has to have, but for what is said of neighbours. Arrays rather than dim3: what a stage is
// passed is copied word by word (passed).
template <int RowDimension, unsigned Bytes, unsigned Alignment, bool Components>
struct elements_of_array {
  static constexpr unsigned gpurma_row_dimension = RowDimension;
  static constexpr int gpurma_stored_rows = 0;
  static constexpr auto gpurma_between = between_tiles::nothing;
  static constexpr auto gpurma_rereads = rereading::by_leading;
  struct gpurma_parts {};
  using word = word_of_alignment<Alignment>;
  static constexpr unsigned words = Bytes / sizeof(word); // of each element

  unsigned gpurma_grid[3];
  std::uint32_t extent[3]; // along x, y and z
  std::uint32_t together;  // elements of each thread
  std::uint32_t components;
  word* to;

  GPURMA_DEVICE void gpurma_finish(const gpurma_parts&) const {}
  GPURMA_DEVICE void gpurma_add_up(const gpurma_parts&) const {}

  // Of an array of `dimensions` dimensions.
  GPURMA_DEVICE void set(const array_plan& array, int dimensions, const dim3& tile) {
    std::uint32_t* const along = extent;
    along[0] = along[1] = along[2] = together = 1;
    components = static_cast<std::uint32_t>(array.components);
    along[RowDimension] = static_cast<std::uint32_t>(array.rows);
    const int first = dimensions - 1 < RowDimension ? dimensions - 1 : RowDimension;
    for (int d = 1; d < dimensions; ++d)
      (d <= first ? along[first - d] : together) *= static_cast<std::uint32_t>(array.inner[d - 1]);
    const unsigned sizes[3] = {tile.x, tile.y, tile.z};
    for (int axis = 0; axis < 3; ++axis)
      gpurma_grid[axis] = tiles_for(extent[axis], sizes[axis]);
  }

  // Stores what value(number of the word) gives into the thread's elements.
  template <class Value> GPURMA_DEVICE void store(const uint3& tile, const Value& value) const {
    const uint3 at = place_of_thread<RowDimension + 1>(tile);
    if (at.x >= extent[0] || at.y >= extent[1] || at.z >= extent[2])
      return;
    std::uint64_t first = ((std::uint64_t{at.z} * extent[1] + at.y) * extent[0] + at.x) * together;
    store_from(first, value);
    if constexpr (Components) {
      const std::uint64_t of_component =
          std::uint64_t{extent[2]} * extent[1] * extent[0] * together;
      for (std::uint32_t c = 1; c < components; ++c)
        store_from(first += of_component, value);
    }
  }

private:
  template <class Value>
  GPURMA_DEVICE void store_from(std::uint64_t first, const Value& value) const {
    for (std::uint64_t element = first; element < first + together; ++element) {
      GPURMA_UNROLLED
      for (unsigned k = 0; k < words; ++k)
        to[element * words + k] = value(element * words + k);
    }
  }
};

// to[i] = from[i].
template <int RowDimension, unsigned Bytes, unsigned Alignment, bool Components = false>
struct array_copy : elements_of_array<RowDimension, Bytes, Alignment, Components> {
  using base = elements_of_array<RowDimension, Bytes, Alignment, Components>;
  static constexpr unsigned gpurma_writes = 1;
  static constexpr unsigned gpurma_reads = 2;

  const typename base::word* from;

  GPURMA_DEVICE pointers<2> gpurma_arrays() const { return {{this->to, from}}; }

  template <unsigned gpurma_copy>
  GPURMA_DEVICE void gpurma_run(const uint3& tile, typename base::gpurma_parts&) const {
    this->store(tile, [this](std::uint64_t word) { return from[word]; });
  }
};

// All bytes of to[i] become `byte`.
template <int RowDimension, unsigned Bytes, unsigned Alignment, bool Components = false>
struct array_fill : elements_of_array<RowDimension, Bytes, Alignment, Components> {
  using base = elements_of_array<RowDimension, Bytes, Alignment, Components>;
  static constexpr unsigned gpurma_writes = 1;
  static constexpr unsigned gpurma_reads = 0;

  typename base::word pattern;

  GPURMA_DEVICE pointers<1> gpurma_arrays() const { return {{this->to}}; }

  template <unsigned gpurma_copy>
  GPURMA_DEVICE void gpurma_run(const uint3& tile, typename base::gpurma_parts&) const {
    this->store(tile, [this](std::uint64_t) { return pattern; });
  }
};

// The region's array that begins there; reports one that does not.
template <int S, int A, int R>
GPURMA_DEVICE const array_plan& array_at(const region<S, A, R>&, const void* pointer,
                                         bool is_filled, site where) {
  const plan<S, A, R>& plans = region<S, A, R>::shared().plans;
  GPURMA_ROLLED
  for (int a = 0; a < A; ++a)
    if (plans.array[a].base == pointer)
      return plans.array[a];
  if (platform::thread_index() == 0)
    detail::fail(detail::block(), error_code::not_whole_array, directive::stage, where,
                 reinterpret_cast<std::int64_t>(pointer), is_filled);
  return plans.array[0];
}

// Runs the stage for all elements of `to`, which has so many dimensions and is to have `bytes`.
template <class Launch, int S, int A, int R>
GPURMA_DEVICE cudaError_t run_copy(region<S, A, R>& all, Launch& launch, const array_plan& to,
                                   int dimensions, std::uint64_t bytes, bool is_filled,
                                   site where) {
  if (bytes != to.bytes() && platform::thread_index() == 0)
    detail::fail(detail::block(), error_code::other_bytes, directive::stage, where,
                 static_cast<std::int64_t>(bytes), static_cast<std::int64_t>(to.bytes()),
                 is_filled);
  launch.set(to, dimensions, region<S, A, R>::shared().plans.stage[Launch::gpurma_stage].block);
  if (bytes != 0)
    all.launch(launch, dim3(blockDim), where);
  return cudaSuccess;
}

// cudaMemcpy and cudaMemcpyAsync of arrays with so many dimensions: all of them, or the program
// ends. The threads that lead.
template <class Launch, int S, int A, int R>
GPURMA_DEVICE cudaError_t copy_array(region<S, A, R>& all, int dimensions, void* to,
                                     const void* from, std::uint64_t bytes, site where) {
  Launch launch;
  launch.to = static_cast<typename Launch::word*>(to);
  launch.from = static_cast<const typename Launch::word*>(from);
  static_cast<void>(array_at(all, from, false, where));
  return run_copy(all, launch, array_at(all, to, false, where), dimensions, bytes, false, where);
}

// cudaMemset and cudaMemsetAsync, likewise.
template <class Launch, int S, int A, int R>
GPURMA_DEVICE cudaError_t fill_array(region<S, A, R>& all, int dimensions, void* to, int byte,
                                     std::uint64_t bytes, site where) {
  Launch launch;
  launch.to = static_cast<typename Launch::word*>(to);
  memset(&launch.pattern, byte, sizeof launch.pattern);
  return run_copy(all, launch, array_at(all, to, true, where), dimensions, bytes, true, where);
}

} // namespace gpurma::stages

#endif
