// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the host tells the ranks of a persistent region before it begins: the arrays, what a logical
// block of each stage touches, and how rows are banded over the processes. docs/runtime.md has the
// protocol.
#ifndef GPURMA_DEVICE_STAGE_PLAN_H
#define GPURMA_DEVICE_STAGE_PLAN_H

#include <cuda_runtime.h>

#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include <gpurma/types.h>

namespace gpurma::stages {

// As low or high of a reach: any coordinate.
inline constexpr int whole = INT_MIN;

// Rows beyond its band that a process gets at once (ghost_rows.h).
inline constexpr int most_ghost_rows = 32;

// Along one grid dimension d, a logical block touches the coordinates blockIdx.d * blockDim.d + low
// to blockIdx.d * blockDim.d + blockDim.d - 1 + high; along the rows, blockDim.d is the tile's
// height.
struct axis_reach {
  int low;
  int high;
};

// How many of the first and of the last coordinates of a dimension; first < 0: any.
struct ends_of_dimension {
  std::int16_t first = -1;
  std::int16_t last = 0;
};

// What a logical block writes of one dimension of an array.
struct written_axis {
  int walked_by = -1;       // a grid dimension: 0 x, 1 y, 2 z; -1: none
  axis_reach reach{};       // of one that is walked
  ends_of_dimension ends{}; // of one that is not
};

// How far the rows that a thread reads are before and after those that it writes, of all arrays at
// most and at least; not known of threads that work together, or that must not read rows which are
// out of date.
struct thread_rows {
  bool known = false;
  axis_reach most{}; // low: before, high: after
  axis_reach least{};
};

// What a logical block writes of an array, the slowest dimension first, which may be that of the
// components. Along the grid dimensions that walk none of its dimensions, or write any coordinate,
// blocks are not dealt to several ranks (stage_plan::rows_together), so that no other rank writes
// any of it.
struct written_box {
  written_axis axis[4];
  // Of what the array may be, how many rows before and after their own launches of the region read,
  // or a put before the launch says that later ones do; -1: as many as of any array.
  int read_before = -1;
  int read_after = -1;
  // Of an array that the launch reads: thread_rows.
  int thread_before = 0;
  int thread_after = 0;
};

// What a logical block reads or writes of any of its arrays.
struct reach {
  axis_reach axis[3];
  bool some;
  bool along_axes; // no element is beyond the logical block along two grid dimensions

  // Grid dimensions along which something is beyond the logical block.
  __host__ __device__ int dimensions_beyond() const {
    int count = 0;
    for (const axis_reach& one : axis)
      count += one.low != 0 || one.high != 0;
    return count;
  }
};

// Rows that tiles write beyond their own: so many of an array's first and of its last, and how far
// they are from the tile's.
struct written_end_rows {
  int first = 0;
  int last = 0;
  axis_reach reach{};

  __host__ __device__ bool some() const { return first != 0 || last != 0; }
};

// One launch of a region. Made on the host by the text that gpurmacc generates.
struct stage_plan {
  const char* name;   // of the kernel; the host's
  const void* kernel; // as it is launched without a region, null of copies and fills; the host's
  unsigned row;       // the grid dimension that walks the rows: 0 x, 1 y, 2 z
  dim3 block;
  std::size_t shared_bytes;
  // Blocks that have the same rows write what lies between each other's elements.
  bool rows_together = false;
  // Tiles are not the launch's blocks: `block` is a tile (thread_numbers.h, array_copies.h).
  bool renumbered = false;
  dim3 ranks; // of those: the threads that run a tile
  // Along each grid dimension; along `row`, rows.
  int per_thread[3] = {1, 1, 1};
  // In the loop over tiles, of those that the kernel has by itself; the host's.
  int registers_beside = 0;
  // It stores into few rows, which are known; the tiles of others are not run.
  bool few_rows = false;
  // An earlier stage runs it, and touches what it does.
  bool runs_in_another = false;
  // Which grid dimension walks which dimension of the arrays with one to four of them: three bits
  // for each, 1 x, 2 y, 3 z, 4 none; 0 where the stage has no array with so many.
  std::uint32_t walks = 0;
  reach read;
  reach written;
  // Not in `written`: other processes do not read them.
  written_end_rows end_rows;
  // Behind the last row that it reads comes the first.
  bool periodic_rows = false;
  // Only a clause says how far it reads; that it reads such rows is not known.
  bool perhaps_periodic_rows = false;
  // It reads rows far from those of its tiles, whatever a clause says.
  bool far_rows = false;
  // Where it may read any row: the array and the place in the source; the host's. Null: nowhere by
  // itself.
  const char* any_row = nullptr;
  // What it touches of the dimensions of arrays behind the rows that no grid dimension walks.
  ends_of_dimension ends[3];
  thread_rows threads{};

  stage_plan() = default;
  stage_plan(const char* kernel_name, const void* launched, unsigned row_dimension, dim3 threads,
             std::size_t dynamic_bytes)
      : name(kernel_name), kernel(launched), row(row_dimension), block(threads),
        shared_bytes(dynamic_bytes), read{}, written{} {}

  stage_plan with_walks(std::uint32_t code, int rows_of_thread, bool together) const {
    stage_plan more = *this;
    more.walks = code;
    more.per_thread[row] = rows_of_thread;
    more.rows_together = together;
    return more;
  }
  stage_plan with_registers_beside(int more_registers) const {
    stage_plan more = *this;
    more.registers_beside = more_registers;
    return more;
  }
  // Along the dimensions that do not walk the rows.
  stage_plan with_columns_per_thread(int x, int y, int z) const {
    const int columns[] = {x, y, z};
    stage_plan more = *this;
    for (unsigned d = 0; d < 3; ++d)
      more.per_thread[d] = d == row ? per_thread[d] : columns[d];
    return more;
  }
  stage_plan with_renumbered_threads(const dim3& block_of_ranks) const {
    stage_plan more = *this;
    more.renumbered = true;
    more.ranks = block_of_ranks;
    return more;
  }
  stage_plan with_periodic_rows() const {
    stage_plan more = *this;
    more.periodic_rows = true;
    return more;
  }
  stage_plan with_perhaps_periodic_rows() const {
    stage_plan more = with_periodic_rows();
    more.perhaps_periodic_rows = true;
    return more;
  }
  stage_plan with_far_rows() const {
    stage_plan more = *this;
    more.far_rows = true;
    return more;
  }
  stage_plan with_read_of_any_row(const char* place) const {
    stage_plan more = *this;
    more.any_row = place;
    return more;
  }
  // Of a dimension behind the rows, the first of which is 1.
  stage_plan touches_ends(int dimension, int first, int last) const {
    stage_plan more = *this;
    more.ends[dimension - 1] = {static_cast<std::int16_t>(first), static_cast<std::int16_t>(last)};
    return more;
  }
  // Rows before and after those that a thread writes, at most and at least.
  stage_plan with_thread_rows(int most_before, int most_after, int least_before,
                              int least_after) const {
    stage_plan more = *this;
    more.threads = {true, {most_before, most_after}, {least_before, least_after}};
    return more;
  }
  stage_plan run_in_another() const {
    stage_plan more = *this;
    more.runs_in_another = true;
    return more;
  }
  __host__ __device__ bool writes_by_itself() const { return written.some && !runs_in_another; }
  stage_plan with_few_rows() const {
    stage_plan more = *this;
    more.few_rows = true;
    return more;
  }
  // An array more, by lows and highs of x, y and z.
  stage_plan reads(int xl, int xh, int yl, int yh, int zl, int zh) const {
    stage_plan more = *this;
    add(more.read, {{{xl, xh}, {yl, yh}, {zl, zh}}, true, false});
    return more;
  }
  stage_plan reads_along_axes(int xl, int xh, int yl, int yh, int zl, int zh) const {
    stage_plan more = *this;
    add(more.read, {{{xl, xh}, {yl, yh}, {zl, zh}}, true, true});
    return more;
  }
  stage_plan writes(int xl, int xh, int yl, int yh, int zl, int zh) const {
    stage_plan more = *this;
    add(more.written, {{{xl, xh}, {yl, yh}, {zl, zh}}, true, false});
    return more;
  }

  stage_plan writes_end_rows(int first, int last, int low, int high) const {
    stage_plan more = *this;
    more.end_rows = {first, last, {low, high}};
    return more;
  }

  // All that is written where its tiles are the process's own.
  __host__ __device__ reach written_with_end_rows() const {
    reach all = written;
    axis_reach& rows = all.axis[row];
    if (end_rows.some() && rows.low != whole) {
      rows.low = rows.low < end_rows.reach.low ? rows.low : end_rows.reach.low;
      rows.high = rows.high > end_rows.reach.high ? rows.high : end_rows.reach.high;
    }
    return all;
  }
  // Of a tile, along a grid dimension, in coordinates of arrays.
  __host__ __device__ std::int64_t extent(unsigned axis) const {
    return std::int64_t{axis == 0 ? block.x : axis == 1 ? block.y : block.z} * per_thread[axis];
  }
  __host__ __device__ std::int64_t height() const { return extent(row); }

  // Of a process whose band begins and ends at multiples of the height: how many rows before it,
  // and after it, are among those that its own tiles write.
  __host__ __device__ int own_rows_before() const {
    return -rows_to_first_tile() - written_rows().low;
  }
  __host__ __device__ int own_rows_after() const {
    return rows_to_first_tile() + written_rows().high;
  }
  // How many rows of tiles before those, or after them, write any of as many rows before or after
  // the band.
  __host__ __device__ int tile_rows_before(int rows) const {
    return tile_rows_beyond(rows - own_rows_before());
  }
  __host__ __device__ int tile_rows_after(int rows) const {
    return tile_rows_beyond(rows - own_rows_after());
  }
  // True if x, y and z mean the same in arrays that both stages touch.
  __host__ __device__ bool walks_like(const stage_plan& other) const {
    constexpr std::uint32_t dimensions[] = {07u, 0770u, 0777000u, 07777000000u}; // of one to four
    bool same = true;
    for (const std::uint32_t mask : dimensions)
      same &=
          (walks & mask) == 0 || (other.walks & mask) == 0 || ((walks ^ other.walks) & mask) == 0;
    return same;
  }

private:
  __host__ __device__ const axis_reach& written_rows() const { return written.axis[row]; }
  // From the band's first row to that of the first tile which writes to the band.
  __host__ __device__ int rows_to_first_tile() const {
    const int low = written_rows().low;
    const auto tile = static_cast<int>(height());
    return low > 0 ? -(low / tile) * tile : (-low + tile - 1) / tile * tile;
  }
  __host__ __device__ int tile_rows_beyond(int rows) const {
    const auto tile = static_cast<int>(height());
    const int reached = rows + written_rows().high - written_rows().low + tile - 1;
    return reached > 0 ? reached / tile : 0;
  }
  static void add(reach& all, const reach& one) {
    for (int d = 0; d < 3; ++d) {
      axis_reach& to = all.axis[d];
      const axis_reach& from = one.axis[d];
      if (!all.some)
        to = from;
      else if (to.low == whole || from.low == whole)
        to = {whole, whole};
      else
        to = {to.low < from.low ? to.low : from.low, to.high > from.high ? to.high : from.high};
    }
    all.along_axes =
        (!all.some || all.along_axes) && (one.along_axes || one.dimensions_beyond() <= 1);
    all.some = true;
  }
};

// A distributed array: `rows` rows, and its other extents, 1 where it has fewer. One with
// components is so many of these, one behind the other; a process has its rows of each.
struct array_plan {
  const char* name; // the host's
  char* base;
  std::uint64_t element_bytes;
  std::int64_t rows;
  std::int64_t inner[3];
  bool banded = false; // each process holds its band and what it touches; filled in by the host
  bool has_components = false; // a dimension before the rows
  int dimensions = 1;          // the rows and those behind them
  std::int64_t components = 1;

  array_plan() = default;
  // A pointer to rows, `float (*pointer)[nx]`, has the elements of these: extents count them.
  template <class T, class... Extents>
  array_plan(const char* variable, T* pointer, std::int64_t n0, Extents... extents)
      : name(variable), base(const_cast<char*>(reinterpret_cast<const volatile char*>(pointer))),
        element_bytes(sizeof(std::remove_all_extents_t<T>)), rows(n0), inner{1, 1, 1},
        dimensions(1 + sizeof...(Extents)) {
    static_assert(sizeof...(Extents) < 4);
    int d = 0;
    ((inner[d++] = static_cast<std::int64_t>(extents)), ...);
  }
  // Of rows with up to two other extents.
  array_plan with_components(std::int64_t count) const {
    array_plan more = *this;
    more.has_components = true;
    more.components = count;
    return more;
  }

  // Of four, the slowest first; and which of them is that of the rows.
  __host__ __device__ std::int64_t extent(int dimension) const {
    const int inside = dimension - row_dimension();
    return inside < 0 ? components : inside == 0 ? rows : inner[inside - 1];
  }
  __host__ __device__ int row_dimension() const { return has_components ? 1 : 0; }

  __host__ __device__ std::uint64_t row_bytes() const {
    return static_cast<std::uint64_t>(inner[0] * inner[1] * inner[2]) * element_bytes;
  }
  __host__ __device__ std::uint64_t component_bytes() const {
    return static_cast<std::uint64_t>(rows) * row_bytes();
  }
  __host__ __device__ std::uint64_t bytes() const {
    return static_cast<std::uint64_t>(components) * component_bytes();
  }
  __host__ __device__ bool has_extents_of(const array_plan& other) const {
    return element_bytes == other.element_bytes && has_components == other.has_components &&
           components == other.components && rows == other.rows && inner[0] == other.inner[0] &&
           inner[1] == other.inner[1] && inner[2] == other.inner[2];
  }
};

// An array that is collected: each process has it whole, and behind the region what any rank has
// stored. ranks[i] is the rank that has stored element i, from 1, 0 for none; of the element behind
// the last one, whether one that is not there was stored.
struct collected_plan {
  static constexpr std::uint32_t several = UINT32_MAX; // as a rank

  const char* name; // the host's
  char* base;
  std::uint64_t element_bytes;
  std::int64_t count;
  std::uint32_t* ranks = nullptr; // filled in by the host

  collected_plan() = default;
  template <class T>
  collected_plan(const char* variable, T* pointer, std::int64_t elements)
      : name(variable), base(reinterpret_cast<char*>(pointer)), element_bytes(sizeof(T)),
        count(elements) {}

  std::uint64_t bytes() const { return static_cast<std::uint64_t>(count) * element_bytes; }
};

// For how many processes a region's kernel is: only one has code for less (docs/runtime.md).
enum class process_count { any, one, several };

// Rows in contiguous bands over the processes; bands begin at multiples of `unit`.
struct banding {
  std::int64_t rows;
  std::int64_t unit;
  int processes;
  int process;
  bool contiguous; // the tiles of a rank, for rows go by way of the hosts
  // Rows of a band's neighbour that are read or written beyond the band: before it, after it. The
  // neighbour keeps them up to date, also those that tiles may write and do not.
  int touch_before;
  int touch_after;
  // The same of tiles that read their own rows only: since bands begin in the middle of tiles, or
  // tiles write some rows further on.
  int own_before;
  int own_after;
  bool aliased; // two of the arrays share memory
  // With several processes: no tile touches rows of another process but those that its launch reads
  // beyond its own, of arrays whose variables say what they may be.
  bool by_array;
  // The process before the first one is the last.
  bool periodic;
  // Where tiles of a process's neighbours are run by itself as well (ghost_rows.h): how many rows
  // before and after its band it gets of theirs in a stage, as that was not so; 0: nowhere.
  int ghost_rows;
  // All rows before and after a band that tiles touch which its process runs.
  int held_before;
  int held_after;

  // First row of a process's band; of `processes`: all rows.
  __host__ __device__ std::int64_t begin(int p) const {
    const std::int64_t units = (rows + unit - 1) / unit;
    const std::int64_t row = p * units / processes * unit;
    return row < rows ? row : rows;
  }

  // Rows at the end of a band that the process after it needs of an array, and at the beginning
  // that the process before needs, where launches read so many rows before and after their own; a
  // negative number: as many as of any array.
  __host__ __device__ std::int64_t put_at_end(int read_before) const {
    const std::int64_t rows_put = std::int64_t{read_before} + own_before;
    return read_before < 0 || aliased || rows_put > touch_before ? touch_before : rows_put;
  }
  __host__ __device__ std::int64_t put_at_begin(int read_after) const {
    const std::int64_t rows_put = std::int64_t{read_after} + own_after;
    return read_after < 0 || aliased || rows_put > touch_after ? touch_after : rows_put;
  }
};

// How far the kernel of a region of one process goes in its loop, so that the host can go on with
// the loop by the program's own launches (gpurma/loop_choice.h): to its end, but that it decides
// once, before an iteration. If those from timed_from on took as long as most_nanoseconds or
// longer, it leaves the loop.
struct loop_part {
  static constexpr std::uint32_t never = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t timed_from = never;
  std::uint32_t decides_at = never;
  std::uint64_t most_nanoseconds = 0;
};

// How far it has come. A kernel that goes on begins where the last one has left the loop.
struct loop_progress {
  bool goes_on;
  bool has_left;
  std::uint32_t iterations; // that the kernel has begun
  std::uint64_t timed_from; // nanoseconds
  std::uint64_t timed_to;
};

enum class loop_decision : std::uint64_t { none, stays, leaves };

// For up to S stages, A arrays and R reduced scalars.
template <int Stages, int Arrays, int Scalars> struct plan {
  stage_plan stage[Stages];
  array_plan array[Arrays];
  std::uint64_t identity[Scalars]; // bits of each operation's neutral element
  banding bands{};
  loop_part loop{};
  site where{};
};

// Device memory of a region. All processes divide theirs in the same way.
struct memory {
  std::uint64_t* words;
  std::int32_t* places;
  const int* first_ranks; // of each process and, last, of all
  int most_ranks;         // of any process
  int processes;

  // Epochs: stages that a rank has completed; of the device's own ranks, of those of the process
  // before, and of those of the process after; each in a sector of its own, since looks at others
  // in it would wait for a rank that stores its own.
  enum side : int { own, before, after };
  static constexpr std::size_t sector_words = 4;
  __host__ __device__ std::size_t epoch_at(int of, int rank) const {
    return sector_words * (static_cast<std::size_t>(of) * most_ranks + rank);
  }
  // Pieces of stages that the device's ranks have begun; in a cache line of its own.
  static constexpr std::size_t line_words = 16;
  __host__ __device__ std::size_t pieces_at() const { return epoch_at(3, 0) + line_words; }
  // How many stages rank 0 of the device has run when the region ends, and a hash of which, in the
  // upper half, for the host; beside it.
  __host__ __device__ std::size_t stages_at() const { return pieces_at() + 1; }
  // Beside these: how many ranks have come to where rank 0 decides as loop_part says, and what it
  // has decided, a loop_decision.
  __host__ __device__ std::size_t deciding_at() const { return stages_at() + 1; }
  __host__ __device__ std::size_t decision_at() const { return stages_at() + 2; }
  // Of a reduced scalar: what each rank of the device has added up; packets with what it gave to a
  // meeting; and, for odd and even meetings, with what each group of ranks of each process gave.
  static constexpr int group_size = 32;
  __host__ __device__ int groups() const { return (most_ranks + group_size - 1) / group_size; }
  static constexpr std::size_t packet_words = 2;
  __host__ __device__ std::size_t scalar_at(int scalar) const {
    return even(pieces_at() + line_words) + scalar * (even(most_ranks) + packet_words * most_ranks +
                                                      2 * packet_words * processes * groups());
  }
  __host__ __device__ std::size_t partial_at(int scalar, int rank) const {
    return scalar_at(scalar) + rank;
  }
  __host__ __device__ std::size_t rank_part_at(int scalar, int rank) const {
    return scalar_at(scalar) + even(most_ranks) + packet_words * rank;
  }
  __host__ __device__ std::size_t group_part_at(int scalar, std::uint32_t meeting, int process,
                                                int group) const {
    return rank_part_at(scalar, most_ranks) +
           packet_words *
               ((meeting % 2 * static_cast<std::size_t>(processes) + process) * groups() + group);
  }
  __host__ __device__ std::size_t words_for(int scalars) const { return scalar_at(scalars); }

  // Of each rank of the device and stage: how many elements the places of a pushed_box are behind
  // its first one.
  static constexpr int most_places = 256;
  __host__ __device__ std::size_t place_at(int stage, int rank) const {
    return (static_cast<std::size_t>(stage) * most_ranks + rank) * most_places;
  }

private:
  __host__ __device__ static std::size_t even(std::size_t words) { return (words + 1) / 2 * 2; }
};

// Operations of reduce.
struct plus {
  // Integers wrap around, as by CUDA's atomicAdd.
  template <class T> __host__ __device__ static T combine(T a, T b) {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) +
                            static_cast<std::make_unsigned_t<T>>(b));
    else
      return a + b;
  }
  template <class T> static constexpr T identity = T(0);
};
struct maximum {
  template <class T> __host__ __device__ static T combine(T a, T b) { return a < b ? b : a; }
  template <class T>
  static constexpr T identity = std::numeric_limits<T>::has_infinity
                                    ? -std::numeric_limits<T>::infinity()
                                    : std::numeric_limits<T>::lowest();
};
struct minimum {
  template <class T> __host__ __device__ static T combine(T a, T b) { return b < a ? b : a; }
  template <class T>
  static constexpr T identity = std::numeric_limits<T>::has_infinity
                                    ? std::numeric_limits<T>::infinity()
                                    : std::numeric_limits<T>::max();
};
// Of flags into which all that store store the same: something else than 0, or 0. What nobody has
// stored into keeps its value, whatever it is, as it does by plain stores.
struct logical_or {
  template <class T> __host__ __device__ static T combine(T a, T b) { return b != T(0) ? b : a; }
  template <class T> static constexpr T identity = T(0);
};
struct logical_and {
  template <class T> __host__ __device__ static T combine(T a, T b) { return b == T(0) ? b : a; }
  template <class T> static constexpr T identity = T(1);
};

template <class T> __host__ __device__ std::uint64_t bits_of(T value) {
  static_assert(std::is_arithmetic_v<T> && sizeof(T) <= sizeof(std::uint64_t));
  std::uint64_t bits = 0;
  memcpy(&bits, &value, sizeof(T));
  return bits;
}
template <class T> __host__ __device__ T from_bits(std::uint64_t bits) {
  T value;
  memcpy(&value, &bits, sizeof(T));
  return value;
}
template <class T, class Operation> std::uint64_t identity_bits() {
  return bits_of<T>(Operation::template identity<T>);
}

} // namespace gpurma::stages

#endif
