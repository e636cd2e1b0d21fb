// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches of kernels that store into fixed rows, and have no grid dimension for these:
//
//   top_and_bottom<<<(nx + 255) / 256, 256>>>(u, nx, ny);    with u : rows(ny, nx)
//     { if (x < nx) { u[x] = u[nx + x]; u[(ny - 1) * nx + x] = u[(ny - 2) * nx + x]; } }
//
// Their tiles have the rows as one more dimension. The thread at row r runs the body as the
// launch's thread at its other coordinates does, and of the stores does those into row r: the first
// of the two above if r is 0. So a tile writes its own rows only, as those of other launches do,
// and each store is done once, by the rank that has the row.
//
// Where only the program finds the rows, as of u[points[i]] (searching_thread), every tile runs all
// threads of the launch instead, and they do the stores into its rows.
#ifndef GPURMA_DEVICE_FIXED_ROWS_H
#define GPURMA_DEVICE_FIXED_ROWS_H

#include <cstdint>
#include <type_traits>

#include <gpurma/device/played_threads.h>

namespace gpurma::stages {

// The threads of a launch, and the rows of the arrays that it stores into. Arrays rather than dim3:
// what a kernel is passed is copied word by word (passed).
template <int Count> struct row_threads {
  std::uint64_t row_bytes[Count];
  std::uint64_t component_bytes[Count], bytes[Count];
  std::uint32_t threads[2]; // that are played, of the launch
  std::uint32_t rows;       // of the highest array
  std::uint32_t block[3], grid[3];
  std::uint32_t tile[3];
};

// Two arrays of which one is read and the other stored into.
struct array_pair {
  const volatile void* read;
  const volatile void* stored;
};

// `arrays`: those that are stored into, or others of their shape. `dimensions`: a bit for each
// dimension of the launch that its accesses depend on; along others all threads do the same, and
// one of them is played; of the rows' and later ones, for those along which only the first thread
// stores, which then is the one that is played. `least_rows`: with fewer, a thread may read what
// that of another row stores; so it may if two arrays that are not to be the same are.
template <int Stages, int Arrays, int Scalars, int Count, int Pairs>
GPURMA_DEVICE row_threads<Count>
threads_of_rows(const region<Stages, Arrays, Scalars>&, int stage, const int (&arrays)[Count],
                unsigned dimensions, std::int64_t least_rows, const array_pair (&distinct)[Pairs],
                const dim3& grid, const dim3& block, site where) {
  const plan<Stages, Arrays, Scalars>& plans = region<Stages, Arrays, Scalars>::shared().plans;
  const auto row = static_cast<int>(plans.stage[stage].row);
  row_threads<Count> found{};
  bool ordered = true;
  GPURMA_UNROLLED
  for (int k = 0; k < Count; ++k) {
    const array_plan& of = plans.array[arrays[k]];
    found.row_bytes[k] = of.row_bytes();
    found.component_bytes[k] = of.component_bytes();
    found.bytes[k] = of.bytes();
    found.rows = of.rows > found.rows ? static_cast<std::uint32_t>(of.rows) : found.rows;
    ordered = ordered && of.rows >= least_rows;
  }
  GPURMA_UNROLLED
  for (const array_pair& pair : distinct)
    ordered = ordered && (pair.read == nullptr || pair.read != pair.stored);
  std::uint64_t alike = 1; // threads along the rows and dimensions after them that do the same
  unsigned along = 0;
  GPURMA_UNROLLED
  for (int d = 0; d < 3; ++d) {
    found.block[d] = of_dim(block, d);
    found.grid[d] = of_dim(grid, d);
    found.tile[d] = of_dim(plans.stage[stage].block, d);
    const std::uint32_t threads = found.block[d] * found.grid[d];
    const bool depends = (dimensions >> d & 1) != 0;
    if (d < row)
      found.threads[d] = depends ? threads : 1;
    else if (!depends) {
      alike *= threads;
      along |= 1u << d;
    }
  }
  if (platform::thread_index() == 0) {
    if (alike != 1)
      detail::fail(detail::block(), error_code::threads_along_rows, directive::stage, where, along,
                   static_cast<std::int64_t>(alike));
    if (!ordered)
      detail::fail(detail::block(), error_code::rows_out_of_order, directive::stage, where,
                   least_rows);
  }
  return found;
}

// The grid of tiles that has all rows.
template <int Stages, int Arrays, int Scalars, int Count>
GPURMA_DEVICE dim3 tiles_of(const region<Stages, Arrays, Scalars>&, int stage,
                            const row_threads<Count>& threads) {
  const stage_plan& plan = region<Stages, Arrays, Scalars>::shared().plans.stage[stage];
  if (plan.row == 0)
    return dim3(tiles_for(threads.rows, plan.block.x), 1, 1);
  const unsigned columns = tiles_for(threads.threads[0], plan.block.x);
  return plan.row == 2 ? dim3(columns, tiles_for(threads.threads[1], plan.block.y),
                              tiles_for(threads.rows, plan.block.z))
                       : dim3(columns, tiles_for(threads.rows, plan.block.y), 1);
}

// The rows of tiles that have rows that a launch stores into, each once, and -1 for the others.
template <int Rows> struct stored_tile_rows { std::int32_t row[Rows]; };

template <int Stages, int Arrays, int Scalars, int Rows>
GPURMA_DEVICE stored_tile_rows<Rows> tile_rows_of(const region<Stages, Arrays, Scalars>&, int stage,
                                                  const std::int64_t (&stored)[Rows],
                                                  const dim3& grid) {
  const stage_plan& plan = region<Stages, Arrays, Scalars>::shared().plans.stage[stage];
  stored_tile_rows<Rows> found;
  GPURMA_UNROLLED
  for (int k = 0; k < Rows; ++k) {
    const std::int64_t row = stored[k] < 0 ? -1 : stored[k] / plan.height();
    bool is_new = row < of_dim(grid, static_cast<int>(plan.row));
    for (int before = 0; before < k; ++before)
      is_new = is_new && found.row[before] != row;
    found.row[k] = is_new ? static_cast<std::int32_t>(row) : -1;
  }
  return found;
}

// An element of `u[i] = u[j] = value`, which is stored into if a thread's rows have it.
template <class T> struct chained_element {
  bool is_own;
  T& place;

  // What the assignment is worth, in all threads.
  template <class U> GPURMA_DEVICE std::remove_cv_t<T> operator=(const U& value) const {
    const std::remove_cv_t<T> converted = value;
    if (is_own)
      place = converted;
    return converted;
  }
};

// Some rows of each array that a kernel stores into; `Components`: of each of their components.
template <int Count, bool Components> class own_rows {
public:
  GPURMA_DEVICE own_rows(const row_threads<Count>& threads, std::uint32_t first, std::uint32_t rows,
                         const volatile void* const (&arrays)[Count])
      : threads_(threads), first_(first), rows_(rows) {
    GPURMA_UNROLLED
    for (int k = 0; k < Count; ++k)
      begin_[k] = reinterpret_cast<std::uintptr_t>(arrays[k]) +
                  (Components ? 0 : first * threads.row_bytes[k]);
  }

  // Whether the element lies in one of them.
  template <class T> GPURMA_DEVICE bool have(const volatile T& element) const {
    const auto at =
        reinterpret_cast<std::uintptr_t>(&reinterpret_cast<const volatile char&>(element));
    bool found = false;
    GPURMA_UNROLLED
    for (int k = 0; k < Count; ++k)
      found |= is_in_row(k, at - begin_[k]);
    return found;
  }
  template <class T> GPURMA_DEVICE chained_element<T> element(T& place) const {
    return {have(place), place};
  }

private:
  // `offset`: from begin_, and wraps around before it.
  GPURMA_DEVICE bool is_in_row(int k, std::uint64_t offset) const {
    const std::uint64_t row = threads_.row_bytes[k], some = rows_ * row;
    if constexpr (Components)
      return offset < threads_.bytes[k] &&
             offset % threads_.component_bytes[k] - first_ * row < some; // wraps around, too
    // Another array may begin where this one, with fewer rows, ends.
    return offset < some && first_ * row + offset < threads_.bytes[k];
  }

  const row_threads<Count>& threads_;
  std::uint32_t first_, rows_;
  std::uintptr_t begin_[Count];
};

// The launch whose threads those of a tile play.
template <int Count> class played_launch {
public:
  GPURMA_DEVICE explicit played_launch(const row_threads<Count>& threads) : threads_(threads) {}

  GPURMA_DEVICE dim3 block_size() const {
    return dim3(threads_.block[0], threads_.block[1], threads_.block[2]);
  }
  GPURMA_DEVICE dim3 grid() const {
    return dim3(threads_.grid[0], threads_.grid[1], threads_.grid[2]);
  }

protected:
  const row_threads<Count>& threads_;
};

// What a thread of a tile plays. `Row`: the dimension of the rows. `X`, `Y`: the launch's block
// where it is constant, else 0. `InRows`: the tile is one of rows. `Components`: an array that is
// stored into has some.
template <int Count, unsigned Row, unsigned Width, unsigned Height, bool InRows = false,
          bool Components = false>
class row_thread : public played_launch<Count> {
  using played_launch<Count>::threads_;

public:
  GPURMA_DEVICE row_thread(const row_threads<Count>& threads, const uint3& tile)
      : played_launch<Count>(threads), at_(place_of_thread<Row + 1, InRows>(tile, threads.tile)) {}

  GPURMA_DEVICE std::uint32_t row() const { return Row == 0 ? at_.x : Row == 1 ? at_.y : at_.z; }
  GPURMA_DEVICE bool exists() const {
    return (Row == 0 || at_.x < threads_.threads[0]) && (Row <= 1 || at_.y < threads_.threads[1]) &&
           row() < threads_.rows;
  }
  GPURMA_DEVICE uint3 thread() const {
    return {Row == 0 ? 0 : at_.x % width(), Row <= 1 ? 0 : at_.y % height(), 0};
  }
  GPURMA_DEVICE uint3 block() const {
    return {Row == 0 ? 0 : at_.x / width(), Row <= 1 ? 0 : at_.y / height(), 0};
  }
  GPURMA_DEVICE own_rows<Count, Components>
  rows(const volatile void* const (&arrays)[Count]) const {
    return own_rows<Count, Components>(threads_, row(), 1, arrays);
  }

private:
  GPURMA_DEVICE std::uint32_t width() const { return Width != 0 ? Width : threads_.block[0]; }
  GPURMA_DEVICE std::uint32_t height() const { return Height != 0 ? Height : threads_.block[1]; }

  uint3 at_;
};

// The same, where the launch has a few threads along the rows' dimension and later ones, one after
// the other.
template <int Count, unsigned Row, unsigned Width, unsigned Height, bool InRows = false,
          bool Components = false>
class walking_row_thread : public row_thread<Count, Row, Width, Height, InRows, Components> {
  using base = row_thread<Count, Row, Width, Height, InRows, Components>;
  using played_launch<Count>::threads_;

public:
  GPURMA_DEVICE walking_row_thread(const row_threads<Count>& threads, const uint3& tile)
      : base(threads, tile) {}

  GPURMA_DEVICE bool exists() const {
    return base::exists() &&
           number_ < (Row == 0 ? along(0) : 1) * (Row <= 1 ? along(1) : 1) * along(2);
  }
  GPURMA_DEVICE void go_on() { ++number_; }
  GPURMA_DEVICE uint3 thread() const {
    const uint3 at = base::thread();
    return {Row == 0 ? place(0) % threads_.block[0] : at.x,
            Row <= 1 ? place(1) % threads_.block[1] : at.y, place(2) % threads_.block[2]};
  }
  GPURMA_DEVICE uint3 block() const {
    const uint3 at = base::block();
    return {Row == 0 ? place(0) / threads_.block[0] : at.x,
            Row <= 1 ? place(1) / threads_.block[1] : at.y, place(2) / threads_.block[2]};
  }

private:
  GPURMA_DEVICE std::uint32_t along(int d) const { return threads_.block[d] * threads_.grid[d]; }
  // Of the number, the part for a dimension.
  GPURMA_DEVICE std::uint32_t place(int d) const {
    std::uint32_t rest = number_;
    for (int before = Row; before < d; ++before)
      rest /= along(before);
    return rest % along(d);
  }

  std::uint32_t number_ = 0;
};

// What the threads of a tile play, one after the other, of a launch whose stores are searched for.
template <int Count, unsigned Row, bool Components = false>
class searching_thread : public played_launch<Count> {
  using played_launch<Count>::threads_;

public:
  GPURMA_DEVICE searching_thread(const row_threads<Count>& threads, const uint3& tile)
      : played_launch<Count>(threads), first_((Row == 0   ? tile.x
                                               : Row == 1 ? tile.y
                                                          : tile.z) *
                                              threads.tile[Row]),
        number_(platform::thread_index()),
        all_(std::uint64_t{threads.grid[0]} * threads.grid[1] * threads.grid[2] * in_block()) {
    place();
  }

  GPURMA_DEVICE bool exists() const { return number_ < all_; }
  GPURMA_DEVICE void go_on() {
    number_ += platform::block_threads();
    place();
  }
  GPURMA_DEVICE uint3 thread() const { return place_in(thread_, threads_.block); }
  GPURMA_DEVICE uint3 block() const { return place_in(block_, threads_.grid); }
  // The tile's.
  GPURMA_DEVICE own_rows<Count, Components>
  rows(const volatile void* const (&arrays)[Count]) const {
    return own_rows<Count, Components>(threads_, first_, threads_.tile[Row], arrays);
  }

private:
  GPURMA_DEVICE std::uint32_t in_block() const {
    return threads_.block[0] * threads_.block[1] * threads_.block[2];
  }
  GPURMA_DEVICE void place() {
    block_ = number_ <= most_short ? static_cast<std::uint32_t>(number_) / in_block()
                                   : number_ / in_block();
    thread_ = static_cast<std::uint32_t>(number_ - block_ * in_block());
  }
  static GPURMA_DEVICE uint3 place_in(std::uint64_t number, const std::uint32_t (&size)[3]) {
    const std::uint64_t next = number / size[0];
    return {static_cast<std::uint32_t>(number % size[0]),
            static_cast<std::uint32_t>(next % size[1]), static_cast<std::uint32_t>(next / size[1])};
  }

  std::uint32_t first_;
  std::uint64_t number_, all_, block_;
  std::uint32_t thread_;
};

// What a thread of a row that is stored into reads for it before; others have no use for it.
template <class Read> GPURMA_DEVICE auto value_if(bool wanted, const Read& read) {
  return wanted ? read() : decltype(read()){};
}

} // namespace gpurma::stages

#endif
