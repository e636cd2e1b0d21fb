// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device side of array_copies.h.
#ifndef GPURMA_DEVICE_COPIED_ELEMENTS_H
#define GPURMA_DEVICE_COPIED_ELEMENTS_H

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <gpurma/device/array_copies.h>
#include <gpurma/device/fixed_rows.h>
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
  GPURMA_DEVICE void gpurma_add_up(const gpurma_parts&, parts_of_warps*) const {}

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

protected:
  template <class Value>
  GPURMA_DEVICE void store_from(std::uint64_t first, const Value& value) const {
    for (std::uint64_t element = first; element < first + together; ++element) {
      GPURMA_UNROLLED
      for (unsigned k = 0; k < words; ++k)
        to[element * words + k] = value(element * words + k);
    }
  }
};

// The elements of `Rows` rows of one component, likewise; the tiles of other rows are not run.
template <int RowDimension, unsigned Bytes, unsigned Alignment, bool Components, int Rows>
struct elements_of_rows : elements_of_array<RowDimension, Bytes, Alignment, Components> {
  static constexpr int gpurma_stored_rows = Rows;

  stored_tile_rows<Rows> gpurma_tile_rows;
  std::uint32_t row; // the first
  std::uint32_t component;

  template <class Value> GPURMA_DEVICE void store(const uint3& tile, const Value& value) const {
    const uint3 at = place_of_thread<RowDimension + 1>(tile);
    const std::uint32_t own = RowDimension == 0 ? at.x : RowDimension == 1 ? at.y : at.z;
    const auto& extent = this->extent;
    if (at.x >= extent[0] || at.y >= extent[1] || at.z >= extent[2] ||
        own - row >= Rows) // wraps around, too
      return;
    const std::uint64_t before = std::uint64_t{component} * extent[2];
    this->store_from((((before + at.z) * extent[1] + at.y) * extent[0] + at.x) * this->together,
                     value);
  }
};

template <int RowDimension, unsigned Bytes, unsigned Alignment, bool Components, int Rows>
using copied_elements =
    std::conditional_t<Rows == 0, elements_of_array<RowDimension, Bytes, Alignment, Components>,
                       elements_of_rows<RowDimension, Bytes, Alignment, Components, Rows>>;

// to[i] = from[i]; of rows, from[i + ahead].
template <int RowDimension, unsigned Bytes, unsigned Alignment, bool Components = false,
          int Rows = 0>
struct array_copy : copied_elements<RowDimension, Bytes, Alignment, Components, Rows> {
  using base = copied_elements<RowDimension, Bytes, Alignment, Components, Rows>;
  static constexpr unsigned gpurma_writes = 1;
  static constexpr unsigned gpurma_reads = 2;
  using word = typename base::word;

  const word* from;
  std::int64_t ahead; // words; 0 of whole arrays

  GPURMA_DEVICE pointers<2> gpurma_arrays() const { return {{this->to, from}}; }

  template <unsigned gpurma_copy>
  GPURMA_DEVICE void gpurma_run(const uint3& tile, typename base::gpurma_parts&) const {
    const word* const source = from + (Rows == 0 ? 0 : ahead);
    this->store(tile, [source](std::uint64_t i) { return source[i]; });
  }
};

// All bytes of to[i] become `byte`.
template <int RowDimension, unsigned Bytes, unsigned Alignment, bool Components = false,
          int Rows = 0>
struct array_fill : copied_elements<RowDimension, Bytes, Alignment, Components, Rows> {
  using base = copied_elements<RowDimension, Bytes, Alignment, Components, Rows>;
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
template <int Stages, int Arrays, int Scalars>
GPURMA_DEVICE const array_plan& array_at(const region<Stages, Arrays, Scalars>&,
                                         const void* pointer, bool is_filled, site where) {
  const plan<Stages, Arrays, Scalars>& plans = region<Stages, Arrays, Scalars>::shared().plans;
  GPURMA_ROLLED
  for (int a = 0; a < Arrays; ++a)
    if (plans.array[a].base == pointer)
      return plans.array[a];
  if (platform::thread_index() == 0)
    detail::fail(detail::block(), error_code::not_whole_array, directive::stage, where,
                 reinterpret_cast<std::int64_t>(pointer), is_filled);
  return plans.array[0];
}

// Runs the stage for all elements of `to`, which has so many dimensions and is to have `bytes`.
template <class Launch, class Region>
GPURMA_DEVICE cudaError_t run_copy(Region& all, Launch& launch, const array_plan& to,
                                   int dimensions, std::uint64_t bytes, bool is_filled,
                                   site where) {
  if (bytes != to.bytes() && platform::thread_index() == 0)
    detail::fail(detail::block(), error_code::other_bytes, directive::stage, where,
                 static_cast<std::int64_t>(bytes), static_cast<std::int64_t>(to.bytes()),
                 is_filled);
  launch.set(to, dimensions, all.shared().plans.stage[Launch::gpurma_stage].block);
  if (bytes != 0)
    all.launch(launch, dim3(blockDim), where);
  return cudaSuccess;
}

// cudaMemcpy and cudaMemcpyAsync of arrays with so many dimensions: all of them, or the program
// ends. The threads that lead.
template <class Launch, class Region>
GPURMA_DEVICE cudaError_t copy_array(Region& all, int dimensions, void* to, const void* from,
                                     std::uint64_t bytes, site where) {
  Launch launch;
  launch.to = static_cast<typename Launch::word*>(to);
  launch.from = static_cast<const typename Launch::word*>(from);
  launch.ahead = 0;
  static_cast<void>(array_at(all, from, false, where));
  return run_copy(all, launch, array_at(all, to, false, where), dimensions, bytes, false, where);
}

// cudaMemset and cudaMemsetAsync, likewise.
template <class Launch, class Region>
GPURMA_DEVICE cudaError_t fill_array(Region& all, int dimensions, void* to, int byte,
                                     std::uint64_t bytes, site where) {
  Launch launch;
  launch.to = static_cast<typename Launch::word*>(to);
  memset(&launch.pattern, byte, sizeof launch.pattern);
  return run_copy(all, launch, array_at(all, to, true, where), dimensions, bytes, true, where);
}

// Where rows are: so many behind the beginning of an array and of one of its components.
struct place_of_rows {
  const array_plan* array;
  std::int64_t component, row;
};

// Of `rows` rows from that address on; reports one that is not where as many are.
template <int Stages, int Arrays, int Scalars>
GPURMA_DEVICE place_of_rows rows_at(const region<Stages, Arrays, Scalars>&, const void* pointer,
                                    std::uint64_t bytes, int rows, bool is_filled, site where) {
  const plan<Stages, Arrays, Scalars>& plans = region<Stages, Arrays, Scalars>::shared().plans;
  GPURMA_ROLLED
  for (int a = 0; a < Arrays; ++a) {
    const array_plan& array = plans.array[a];
    const auto offset = static_cast<std::uint64_t>(static_cast<const char*>(pointer) - array.base);
    if (offset >= array.bytes())
      continue;
    const auto number = static_cast<std::int64_t>(offset / array.row_bytes());
    const place_of_rows found{&array, number / array.rows, number % array.rows};
    if (offset % array.row_bytes() == 0 && bytes == rows * array.row_bytes() &&
        found.row + rows <= array.rows)
      return found;
  }
  if (platform::thread_index() == 0)
    detail::fail(detail::block(), error_code::not_whole_rows, directive::stage, where,
                 reinterpret_cast<std::int64_t>(pointer), static_cast<std::int64_t>(bytes), rows,
                 is_filled);
  return {&plans.array[0], 0, 0};
}

// Runs the stage for those rows of arrays with so many dimensions.
template <class Launch, class Region>
GPURMA_DEVICE cudaError_t run_rows(Region& all, Launch& launch, const place_of_rows& to,
                                   int dimensions, site where) {
  constexpr int rows = Launch::gpurma_stored_rows;
  launch.row = static_cast<std::uint32_t>(to.row);
  launch.component = static_cast<std::uint32_t>(to.component);
  launch.set(*to.array, dimensions, all.shared().plans.stage[Launch::gpurma_stage].block);
  std::int64_t stored[rows];
  GPURMA_UNROLLED
  for (int k = 0; k < rows; ++k)
    stored[k] = to.row + k;
  const unsigned* const grid = launch.gpurma_grid;
  launch.gpurma_tile_rows =
      tile_rows_of(all, Launch::gpurma_stage, stored, dim3(grid[0], grid[1], grid[2]));
  all.launch(launch, dim3(blockDim), where);
  return cudaSuccess;
}

// How many rows behind its target the source of a copy of rows lies, as far as the compiler has
// seen: `periodic`, if behind an array's last row the first one comes again.
struct row_distance {
  enum kind : int { any, exact, periodic };
  kind how;
  std::int64_t rows;

  GPURMA_DEVICE bool holds(std::int64_t found, std::int64_t rows_of_array) const {
    return how == any || found == rows || (how == periodic && (found - rows) % rows_of_array == 0);
  }
};

// cudaMemcpy and cudaMemcpyAsync of rows. The threads that lead.
template <class Launch, class Region>
GPURMA_DEVICE cudaError_t copy_rows(Region& all, int dimensions, void* to, const void* from,
                                    std::uint64_t bytes, const row_distance& distance, site where) {
  constexpr int rows = Launch::gpurma_stored_rows;
  const place_of_rows target = rows_at(all, to, bytes, rows, false, where);
  const place_of_rows source = rows_at(all, from, bytes, rows, false, where);
  const std::int64_t apart = source.row - target.row;
  if (platform::thread_index() == 0) {
    if (!distance.holds(apart, target.array->rows))
      detail::fail(detail::block(), error_code::rows_elsewhere, directive::stage, where, source.row,
                   target.row);
    if (source.array == target.array && source.component == target.component && apart > -rows &&
        apart < rows)
      detail::fail(detail::block(), error_code::rows_overlap, directive::stage, where, source.row,
                   target.row, rows);
  }
  Launch launch;
  using word = typename Launch::word;
  launch.to = reinterpret_cast<word*>(target.array->base);
  launch.from = reinterpret_cast<const word*>(source.array->base);
  const std::int64_t components = source.component - target.component;
  const auto words = static_cast<std::int64_t>(target.array->row_bytes() / sizeof(word));
  launch.ahead = (components * target.array->rows + apart) * words;
  return run_rows(all, launch, target, dimensions, where);
}

// cudaMemset and cudaMemsetAsync, likewise.
template <class Launch, class Region>
GPURMA_DEVICE cudaError_t fill_rows(Region& all, int dimensions, void* to, int byte,
                                    std::uint64_t bytes, site where) {
  constexpr int rows = Launch::gpurma_stored_rows;
  const place_of_rows target = rows_at(all, to, bytes, rows, true, where);
  Launch launch;
  launch.to = reinterpret_cast<typename Launch::word*>(target.array->base);
  memset(&launch.pattern, byte, sizeof launch.pattern);
  return run_rows(all, launch, target, dimensions, where);
}

} // namespace gpurma::stages

#endif
