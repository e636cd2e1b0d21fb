// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device side of a persistent region: what gpurmacc's text calls in the kernel that a region
// becomes. In each rank the polling threads (the first warp) lead: they run the region's
// statements, all ranks with the same values, and wait for other ranks. The block's other threads
// follow: at a stage, all run the kernel's body for the logical blocks (tiles) that the rank owns.
//
// Tiles are numbered row of tiles by row of tiles. Rows of tiles belong to processes by the band
// of rows in which their first written row lies; the tiles of a process are dealt to its ranks in
// pieces of columns, or one by one, so that all of them are at tiles of the same neighbourhood at
// the same time, or, where rows go by way of the hosts, in contiguous ranges, so that long pieces
// of rows go at once. Which rank owns a tile can thus be computed by everybody, and so can the
// ranks that wrote what a rank is about to read (RAW), and those that read or wrote what it is
// about to overwrite (WAR, WAW). A rank waits until the epochs of those are at or beyond the
// execution that touched any of the stage's arrays last. No rank waits for all others.
//
// Rows that the neighbouring processes read are written into their arrays as soon as the tiles
// that hold them are done, and then the rank's epoch into their copy of it; the tiles at the
// borders of the band come first for that. Which rows of which arrays go in which direction is
// known of each launch; a stage after which none go, and which reads none that have come, has
// nothing to do with other processes.
//
// What a rank does between tiles counts many times in a step. Statements need registers for what
// they keep while tiles run, which in a kernel with few of them are words of local memory: an
// acquire of any rank sends the next load of each to L2, and a release waits for each store. So
// only one warp has them; what a stage's tiles are passed goes through shared memory.
#ifndef GPURMA_DEVICE_STAGES_H
#define GPURMA_DEVICE_STAGES_H

#include <cstdio>
#include <cstring>
#include <type_traits>
#include <utility>

#include <gpurma/device/directives.h>
#include <gpurma/device/meeting_tiles.h>
#include <gpurma/device/stage_plan.h>

namespace gpurma::stages {

using detail::block_state;
using detail::directive;
using detail::error_code;

inline constexpr int most_polling_threads = 32;
inline constexpr int most_watched = 72;
// Ranks of a process that fit as bits where nothing is watched one by one, twice.
inline constexpr int most_informing = most_watched * 32 / 2;
inline constexpr int most_arrays_passed = 32;
// So many that other ranks of a multiprocessor find little in its cache that an acquire takes away.
inline constexpr int few_tiles = 8;
// Tiles of a rank between two looks at how far the others are.
inline constexpr int tiles_of_piece = 32;

// What a kernel's shared memory asks for when a rank goes on to its next tile: nothing, as it has
// none; a barrier; or the other copy of it. With a copy, a thread may be a tile ahead of others,
// since it passes no barrier of the kernel before all have left the tile before.
enum class between_tiles { nothing, barrier, other_copy };

// Threads of a kernel may return before others come to barriers. CUDA counts them no longer; a rank
// goes on with them, so that they take part in barriers until all have left the tile.
struct leaving_threads {
  GPURMA_DEVICE ~leaving_threads() {
    while (platform::sync_block_or(false)) {
    }
  }
};
struct barrier_of_staying {
  GPURMA_DEVICE void operator()() const { platform::sync_block_or(true); }
};

// Which threads read again for each tile what the kernel is passed, rather than keep it in
// registers, of which they have too few.
enum class rereading { by_none, by_leading, by_all };

// What the threads that follow are to do: to run the stage of this number, or one of these.
enum order : int { end_of_region = -1, world_barrier = -2 };

// What a stage's kernel is passed, in shared memory.
template <class Launch> struct passed {
  static_assert(std::is_trivially_copyable_v<Launch>, "a kernel is passed bytes");
  static constexpr std::size_t count =
      (sizeof(Launch) + sizeof(std::uint32_t) - 1) / sizeof(std::uint32_t);
  alignas(16) std::uint32_t words[count];

  // Word by word: of two pointers that change in a loop, are kept in local memory, and are stored
  // at once, ptxas 13.0 forgets one.
  GPURMA_DEVICE void set(const Launch& launch) {
    std::uint32_t values[count] = {};
    memcpy(values, &launch, sizeof(Launch));
    GPURMA_UNROLLED
    for (std::size_t i = 0; i < count; ++i)
      const_cast<volatile std::uint32_t&>(words[i]) = values[i];
  }
  GPURMA_DEVICE const Launch& get() const { return *reinterpret_cast<const Launch*>(words); }
};

// What a thread adds up of a reduced scalar while the tiles of its rank run, in a register: an
// atomic for each update would be one of many that wait for each other.
template <class T, class Operation> class thread_part {
public:
  GPURMA_DEVICE void update(T value) { value_ = Operation::combine(value_, value); }
  GPURMA_DEVICE T value() const { return value_; }

  // All threads of the block, behind their tiles. Warps in which no thread has anything leave the
  // rank's part alone.
  GPURMA_DEVICE void add_to(T* of_rank) const {
    if (!platform::any_of_warp(value_ != Operation::template identity<T>))
      return;
    const T sum =
        platform::combined_in_warp(value_, [](T a, T b) { return Operation::combine(a, b); });
    if (platform::is_first_of_warp())
      update_part(Operation{}, of_rank, sum); // M23
  }

private:
  // Of a flag. What other warps store is the same.
  template <class Any> GPURMA_DEVICE static void update_part(Any, T* of_rank, T value) {
    *of_rank = value;
  }
  // CUDA has no atomics for long, and no sums of long long, which are those of their bits.
  template <bool IsSigned>
  using cuda_type =
      std::conditional_t<std::is_integral_v<T> && sizeof(T) == 8,
                         std::conditional_t<IsSigned, long long, unsigned long long>, T>;

  GPURMA_DEVICE static void update_part(plus, T* of_rank, T value) {
    using type = cuda_type<false>;
    ::atomicAdd(reinterpret_cast<type*>(of_rank), static_cast<type>(value));
  }
  GPURMA_DEVICE static void update_part(maximum, T* of_rank, T value) {
    using type = cuda_type<std::is_signed_v<T>>;
    if constexpr (std::is_floating_point_v<T>)
      update_bits(of_rank, value);
    else
      ::atomicMax(reinterpret_cast<type*>(of_rank), static_cast<type>(value));
  }
  GPURMA_DEVICE static void update_part(minimum, T* of_rank, T value) {
    using type = cuda_type<std::is_signed_v<T>>;
    if constexpr (std::is_floating_point_v<T>)
      update_bits(of_rank, value);
    else
      ::atomicMin(reinterpret_cast<type*>(of_rank), static_cast<type>(value));
  }
  // CUDA has no atomicMax and atomicMin for these types. M23
  GPURMA_DEVICE static void update_bits(T* of_rank, T value) {
    using bits = std::conditional_t<sizeof(T) == 8, unsigned long long, unsigned int>;
    auto* const word = reinterpret_cast<bits*>(of_rank);
    bits seen = ::atomicOr(word, bits{0});
    while (true) {
      const T old = from_bits<T>(seen);
      if (Operation::combine(old, value) == old)
        return;
      const bits before = ::atomicCAS(word, seen, static_cast<bits>(bits_of(value)));
      if (before == seen)
        return;
      seen = before;
    }
  }

  T value_ = Operation::template identity<T>;
};

// `*flag = 1;` and `flag[0] = 1;` of such a pointer.
template <class T, class Operation> struct part_reference {
  thread_part<T, Operation>& part;
  GPURMA_DEVICE void operator=(T value) const { part.update(value); }
};

// What a kernel's text has instead of a pointer to a reduced scalar: CUDA's atomics of these names,
// without a result, and stores to a flag. The value converts as for CUDA's.
template <class T, class Operation> struct part_pointer {
  using value_type = T;
  thread_part<T, Operation>& part;
  GPURMA_DEVICE part_reference<T, Operation> operator*() const { return {part}; }
  GPURMA_DEVICE part_reference<T, Operation> operator[](int) const { return {part}; }
};
template <class T>
GPURMA_DEVICE void atomicAdd(const part_pointer<T, plus>& to,
                             typename part_pointer<T, plus>::value_type value) {
  to.part.update(value);
}
template <class T>
GPURMA_DEVICE void atomicMax(const part_pointer<T, maximum>& to,
                             typename part_pointer<T, maximum>::value_type value) {
  to.part.update(value);
}
template <class T>
GPURMA_DEVICE void atomicMin(const part_pointer<T, minimum>& to,
                             typename part_pointer<T, minimum>::value_type value) {
  to.part.update(value);
}

// Pointers that a stage is passed.
template <int N> struct pointers {
  static_assert(N <= most_arrays_passed,
                "a kernel of a persistent region is passed up to 32 arrays");
  static constexpr int count = N;
  const volatile void* of[N];
};

// Ranks first to last of a process, none if last < first.
struct rank_range {
  std::int32_t first;
  std::int32_t last;
};

// A tile in the grid, as if rows of tiles were the slowest dimension.
struct tile_position {
  std::int32_t row;
  std::int32_t outer;
  std::int32_t inner;
};

// The tiles of a stage that a process has, and those of them that one of its ranks has. Numbers
// count from the first tile of the process.
struct dealing {
  enum order {
    cyclic,     // one tile after the other to one rank after the other
    columns,    // to each rank neighbours in rows of tiles one after the other
    contiguous, // to each rank neighbours
  };

  std::int64_t base; // number of the first tile among those of all processes
  std::int64_t all;
  int ranks;
  int per_row;  // tiles in a row of tiles
  int together; // tiles that are not taken apart; contiguous
  int length;   // rows of tiles of a rank; columns
  order how;

  GPURMA_DEVICE std::int64_t range() const {
    return (all / together + ranks - 1) / ranks * together;
  }
  GPURMA_DEVICE std::int64_t distance() const {
    return how == contiguous ? 1 : how == columns ? per_row : ranks;
  }
  GPURMA_DEVICE std::int64_t first(int rank) const {
    return how == contiguous ? rank * range()
           : how == columns  ? std::int64_t{rank / per_row} * length * per_row + rank % per_row
                             : rank;
  }
  // Of a rank's tiles, those before a number.
  GPURMA_DEVICE int count(int rank, std::int64_t before) const {
    const std::int64_t end = how == contiguous ? first(rank) + range()
                             : how == columns  ? first(rank) + std::int64_t{length} * per_row
                                               : all;
    before = before < end ? before : end;
    before = before < all ? before : all;
    return before <= first(rank) ? 0
                                 : static_cast<int>((before - first(rank) - 1) / distance() + 1);
  }
  // Ranks that have tiles; columns.
  GPURMA_DEVICE int active() const {
    return static_cast<int>((all / per_row + length - 1) / length * per_row);
  }
  GPURMA_DEVICE int owner(std::int64_t number) const {
    return how == contiguous ? static_cast<int>(number / range())
           : how == columns
               ? static_cast<int>(number / per_row / length * per_row + number % per_row)
               : static_cast<int>(number % ranks);
  }
};

// Of a rank: the tiles that it runs one after the other.
struct alignas(16) tile_range {
  tile_position begin;
  std::int32_t count;
};

// How far ranks must be before a stage begins, by the side of their process; 0: anywhere.
struct needed_epochs {
  std::uint32_t own = 0;
  std::uint32_t before = 0;
  std::uint32_t after = 0;

  GPURMA_DEVICE std::uint32_t of(int side) const {
    return side == memory::own ? own : side == memory::before ? before : after;
  }
  GPURMA_DEVICE bool is_some() const { return (own | before | after) != 0; }
};

// Where an epoch is that is looked at, and on which side the rank's process is.
struct watched_epoch {
  std::uint32_t bits;
  static constexpr unsigned side_shift = 30;

  GPURMA_DEVICE static watched_epoch at(std::size_t word, int side) {
    return {static_cast<std::uint32_t>(word) | static_cast<std::uint32_t>(side) << side_shift};
  }
  GPURMA_DEVICE int side() const { return static_cast<int>(bits >> side_shift); }
  GPURMA_DEVICE std::uint32_t word() const { return bits & ((1u << side_shift) - 1); }
};

// What a rank knows of a stage once it has met it.
struct stage_state {
  dim3 grid;
  // Tiles along the faster and the slower of the two dimensions that do not walk rows.
  std::int32_t inner;
  std::int32_t outer;
  tile_position step;   // from a tile of the rank to its next
  std::int32_t per_row; // tiles in a row of tiles
  std::int32_t tiles;   // of the rank
  // Of the rank's tiles: those that the process before is concerned with, others that the process
  // after is, those between, and all.
  tile_range part[4];
  std::int32_t concerned[3]; // of the rank's tiles, by side; some with both neighbours
  dealing dealt;
  // In how many pieces ranks run the stage so as to stay together, and how many have tiles; 0
  // pieces: few tiles.
  std::int32_t pieces;
  std::int32_t active;
  bool known;
};

// Pieces of an array at regular distances, which a rank has written and another process reads: all
// that go to the same place with one pattern. Offsets and lengths in bytes.
struct pushed_box {
  std::uint64_t offset; // of the first piece
  std::uint64_t strides[3];
  std::uint64_t bytes; // of a piece
  std::uint32_t counts[3];
  std::int8_t passed; // the array: which of those that the stage is passed
  std::int8_t side;
  // Words of 16 bytes in a piece, if all are in a line and each thread has at most one; otherwise
  // 0.
  std::uint32_t line_words;
};

// What a rank pushes when it has run a stage, if that is not much, and for which arrays.
struct pushed_boxes {
  static constexpr int most = 4;
  pushed_box box[most];
  std::int8_t shape[most]; // of each box's array, when it was computed
  std::int8_t count;
  enum : std::int8_t { unknown = -1, too_many = -2 };
};

// What all launches of a stage have in common. Bit k stands for the k-th array that the kernel is
// passed: whether it reads or writes it; whether it reads rows on a side of its own that the region
// changes; and whether the process on a side needs rows of what it writes.
struct launch_traits {
  GPURMA_DEVICE static bool has(std::uint32_t bits, unsigned k) { return (bits >> k & 1) != 0; }

  int count; // of the arrays
  std::uint32_t reads[3];
  std::uint32_t writes[3];
  const written_box* boxes; // what a tile writes of each array
  site where;
};

// What a rank does in a stage for the processes on its sides: of which of the arrays that the
// kernel is passed (bit k of the k-th) it puts rows there; whether it tells its epoch there when
// they are done; whether it reads rows from there, puts none, and does not say so; and whether the
// hosts take any of it there.
struct side_work {
  std::uint32_t puts[3];
  bool tells[3];
  bool leaves_untold[3];
  bool tells_any;
  bool by_hosts;
};

// A launch, as far as it is the same for all kernels.
struct stage_call {
  int stage;
  dim3 grid;
  const volatile void* arrays[most_arrays_passed];
};

// What a rank of a region keeps in shared memory. Thread 0 writes, between two block barriers.
template <int S, int A, int R> struct region_state {
  plan<S, A, R> plans;
  memory words;
  detail::window_handle control;
  detail::window_handle windows[A];
  // By side: the first rank of the neighbouring process, and where its arrays and its control
  // memory are; null if only the hosts reach them.
  int first_rank[3];
  char* arrays_of[3][A];
  std::uint64_t* control_of[3];
  int ordered; // of the threads that follow; thread 0 writes it before the barrier that starts it
  site where;  // the stage or barrier that it belongs to
  std::uint32_t epoch;  // stages that the rank has begun
  std::int32_t rank;    // of the device
  std::uint64_t pieces; // that all ranks of the device have in the stages that this one has run
  bool owes_flush;      // the host may still read rows that the stage has put
  bool informs[3];      // the process on this side of the rank's epochs
  // By side, while it informs: the epoch that it has told last; which stage has last read rows from
  // there, and put none; and, a bit for each side, which of such stages tell all the same.
  std::uint32_t told[3];
  std::int32_t untold_stage[3];
  std::uint8_t tells_of_reads[S];
  bool array_written[A];
  // What the rank puts of a dimension that is not walked is all of it, with what other ranks of the
  // process write, so that it waits for these: each element by itself would be a command to the
  // hosts.
  bool puts_lines;
  // Whether the rank has to do with ranks of its own process only: it waits for no others in any
  // stage, and none wait for it.
  bool is_alone;
  bool is_telling; // other processes of the stage that runs: tells of any side
  tile_range now;
  launch_traits traits[S]; // of stages that are known, as the next
  side_work sides[S];
  stage_call call;
  std::int8_t shape_of[A]; // the first of the arrays with the same extents
  // Of the stage that runs: as which arrays it is passed each of the region's, a bit for each;
  // which of the region's each is; and how far others must be.
  std::uint32_t passed_as[A];
  std::int8_t array_of[most_arrays_passed];
  needed_epochs needed;
  stage_state stage[S];
  // The epoch at which any stage has last read and written an array: on this process; and on the
  // one on a side, what comes from here or goes to here.
  std::uint32_t read_at[3][A];
  std::uint32_t written_at[3][A];
  // The ranks with tiles of any stage that conflict with the rank's tiles of this one: where their
  // epochs are, if they are not too many.
  watched_epoch watched[S][most_watched];
  std::int32_t watched_count[S]; // -1: too many
  bool watches[S][3];            // ranks of the process on a side
  bool informed_is_known[S];     // find_informed
  pushed_boxes pushed[S];
  std::uint32_t meetings[R]; // of each reduced scalar
  std::uint64_t result[R];   // of the last meeting
  std::uint64_t parts[most_polling_threads];
};

// --- Where tiles belong

// First row of tiles of a process; of `processes`: how many there are.
GPURMA_DEVICE std::int64_t first_tile_row(const banding& bands, const stage_plan& s,
                                          const dim3& grid, int process) {
  const std::int64_t all = has_blocks(grid) ? of_dim(grid, s.row) : 0;
  if (process <= 0)
    return 0;
  if (process >= bands.processes)
    return all;
  const std::int64_t height = s.height();
  const std::int64_t low =
      s.written.some && s.written.axis[s.row].low != whole ? s.written.axis[s.row].low : 0;
  const std::int64_t row = -floor_divide(low - bands.begin(process), height); // rounded up
  return row < 0 ? 0 : row < all ? row : all;
}

GPURMA_DEVICE int process_of(const banding& bands, int side) {
  const int process = bands.process + (side == memory::own ? 0 : side == memory::before ? -1 : 1);
  return !bands.periodic ? process : process < 0 ? bands.processes - 1 : process % bands.processes;
}

// Whether there is a process on a side.
GPURMA_DEVICE bool has_process(const banding& bands, int side) {
  const int process = process_of(bands, side);
  return process >= 0 && process < bands.processes;
}

// Where rows are periodic, those of the process on a side are so many rows further on, for it to be
// on that side.
GPURMA_DEVICE std::int64_t turned_by(const banding& bands, int side) {
  return !bands.periodic || side == memory::own ? 0
         : side == memory::before               ? (bands.process == 0 ? bands.rows : 0)
         : bands.process == bands.processes - 1 ? -bands.rows
                                                : 0;
}

template <int S, int A, int R>
GPURMA_DEVICE int ranks_of(const region_state<S, A, R>& r, int process) {
  return process == r.plans.bands.process
             ? detail::block().device_size
             : r.words.first_ranks[process + 1] - r.words.first_ranks[process];
}

// How a process deals the tiles of a stage: in columns if that leaves few ranks without tiles. A
// rank then finds rows beyond its tile in the multiprocessor's cache, and computes less for each.
template <int S, int A, int R>
GPURMA_SLOW_DEVICE dealing dealing_of(const region_state<S, A, R>& r, int stage, int process) {
  const banding& bands = r.plans.bands;
  const stage_state& s = r.stage[stage];
  const std::int64_t first = first_tile_row(bands, r.plans.stage[stage], s.grid, process);
  const std::int64_t last = first_tile_row(bands, r.plans.stage[stage], s.grid, process + 1);
  const bool together = r.plans.stage[stage].rows_together && bands.processes > 1;
  dealing d{first * s.per_row, (last - first) * s.per_row, ranks_of(r, process),
            s.per_row,         together ? s.per_row : 1,   1,
            dealing::cyclic};
  const int columns = d.ranks / s.per_row; // of tiles one below the other, for each of a row
  if (bands.contiguous || together) {
    d.how = dealing::contiguous;
  } else if (columns > 0) {
    d.length = static_cast<int>((last - first + columns - 1) / columns);
    const std::int64_t most = (d.all + d.ranks - 1) / d.ranks; // of a rank, if dealt one by one
    if (d.length > 1 && d.length <= most + most / 16)
      d.how = dealing::columns;
  }
  return d;
}

// Of the tiles of a process, numbers [first, last) touch rows that the process on a side touches.
template <int S, int A, int R>
GPURMA_SLOW_DEVICE rank_range concerned_tiles(const region_state<S, A, R>& r, int stage,
                                              const dealing& tiles, int process, int side) {
  const banding& bands = r.plans.bands;
  const stage_plan& plan = r.plans.stage[stage];
  const std::int64_t per_row = r.stage[stage].per_row;
  const std::int64_t height = plan.height();
  const axis_reach read = plan.read.some ? plan.read.axis[plan.row] : axis_reach{0, 0};
  const axis_reach written = plan.written.some ? plan.written.axis[plan.row] : axis_reach{0, 0};
  const std::int64_t low = read.low < written.low ? read.low : written.low;
  const std::int64_t high = read.high > written.high ? read.high : written.high;
  std::int64_t first = 0;
  std::int64_t last = tiles.all;
  if (side == memory::before) {
    const std::int64_t before = bands.begin(process) + bands.touch_after;
    last =
        -floor_divide(-(before - low), height) * per_row - tiles.base; // rows of tiles below this
    last = last < tiles.all ? last : tiles.all;
  } else {
    const std::int64_t after = bands.begin(process + 1) - bands.touch_before;
    first = -floor_divide(high + height - 1 - after, height) * per_row - tiles.base;
    first = first > 0 ? first : 0;
  }
  return {static_cast<std::int32_t>(first), static_cast<std::int32_t>(last)};
}

// --- Which ranks conflict

// Calls visit(tiles) for the tiles of stage b, touched as `theirs`, that may meet what the tiles
// `at` of stage a touch as `mine`, `turn` rows further on.
template <int S, int A, int R, class Visit>
GPURMA_DEVICE void visit_meeting_tiles(const region_state<S, A, R>& r, int a, const reach& mine,
                                       const grid_tiles& at, std::int64_t turn, int b,
                                       const reach& theirs, const Visit& visit) {
  const stage_plan& of_a = r.plans.stage[a];
  const stage_plan& of_b = r.plans.stage[b];
  inner_extents extents{{INT64_MAX, INT64_MAX, INT64_MAX}, {1, 1, 1}};
  for (const array_plan& array : r.plans.array)
    for (int j = 0; j < 3; ++j) {
      const std::int64_t extent = array.inner[j];
      extents.least[j] = extent < extents.least[j] ? extent : extents.least[j];
      extents.most[j] = extent > extents.most[j] ? extent : extents.most[j];
    }
  const auto find = [&](int dimensions, unsigned last) {
    grid_tiles found;
    if (find_meeting_tiles(of_a, mine, at, turn, of_b, theirs, r.stage[b].grid, extents, dimensions,
                           last, found))
      visit(found);
  };
  // Arrays that share memory may have elements in different places of it.
  if (r.plans.bands.aliased || r.puts_lines) {
    find(1, 0);
    return;
  }
  for (int dimensions = 1; dimensions <= 4; ++dimensions) {
    if (walking_dimension(of_a, dimensions, 0) == no_array ||
        walking_dimension(of_b, dimensions, 0) == no_array)
      continue;
    for (unsigned last = 0; last < 1u << (dimensions - 1); ++last) {
      bool exists = true;
      for (int j = 1; j < dimensions; ++j)
        exists &= (last >> (j - 1) & 1) == 0 || is_touched_at_ends(of_a, dimensions, j);
      if (exists)
        find(dimensions, last);
    }
  }
}

// The grid dimensions that do not walk the rows, the one along which tiles are numbered faster
// first.
GPURMA_DEVICE unsigned inner_axis(const stage_plan& plan) {
  return plan.row == 0 ? 1 : 0;
}
GPURMA_DEVICE unsigned outer_axis(const stage_plan& plan) {
  return plan.row == 2 ? 1 : 2;
}

// Calls visit_tiles(low, high), by the numbers of a process's tiles, for some of a grid; for more,
// where these are many.
template <class VisitTiles>
GPURMA_DEVICE void visit_tiles_of_grid(const dealing& tiles, const stage_plan& plan,
                                       const stage_state& s, const grid_tiles& some,
                                       const VisitTiles& visit_tiles) {
  constexpr std::int64_t most_lines = 1024;
  const tile_offsets& rows = some.axis[plan.row];
  const tile_offsets& inner = some.axis[inner_axis(plan)];
  const tile_offsets& outer = some.axis[outer_axis(plan)];
  const std::int64_t first_row = tiles.base / s.per_row;
  const std::int64_t last_row = first_row + tiles.all / s.per_row - 1;
  const std::int64_t low = rows.low > first_row ? rows.low : first_row;
  const std::int64_t high = rows.high < last_row ? rows.high : last_row;
  if (low > high)
    return;
  const bool whole_rows =
      inner.low == 0 && inner.high == s.inner - 1 && outer.low == 0 && outer.high == s.outer - 1;
  // Of rows that a rank has one below the other, one is enough.
  const std::int64_t step = tiles.how == dealing::columns ? tiles.length : 1;
  if (whole_rows || tiles.how == dealing::contiguous ||
      ((high - low) / step + 2) * (outer.high - outer.low + 1) > most_lines) {
    visit_tiles(low * s.per_row - tiles.base, (high + 1) * s.per_row - 1 - tiles.base);
    return;
  }
  for (std::int64_t o = outer.low; o <= outer.high; ++o)
    for (std::int64_t row = low;;) {
      const std::int64_t line = row * s.per_row + o * s.inner - tiles.base;
      visit_tiles(line + inner.low, line + inner.high);
      if (row == high)
        break;
      row = row + step < high ? row + step : high;
    }
}

// Calls visit(ranks) for the ranks of the process on a side that own tiles of stage b, touched as
// `theirs`, which meet what the rank's tiles of stage a touch as `mine`, `turn` rows further on;
// for some more, perhaps, and some twice. Of another process, only those that own tiles which the
// rank's process is concerned with.
template <int S, int A, int R, class Visit>
GPURMA_DEVICE void visit_conflicts(const region_state<S, A, R>& r, int a, const reach& mine, int b,
                                   const reach& theirs, int side, std::int64_t turn,
                                   const Visit& visit) {
  const stage_plan& of_a = r.plans.stage[a];
  const stage_plan& of_b = r.plans.stage[b];
  const stage_state& here = r.stage[a];
  const stage_state& there = r.stage[b];
  if (!mine.some || !theirs.some || here.tiles == 0)
    return;
  const int process = process_of(r.plans.bands, side);
  const dealing tiles = dealing_of(r, b, process);
  // Ranks that have none of these do not say how far they are. A grid may go on behind the last
  // row, by more than a tile; where rows are periodic, such tiles seem to meet others than these.
  rank_range told{0, static_cast<std::int32_t>(tiles.all)};
  if (side != memory::own)
    told = concerned_tiles(r, b, tiles, process,
                           side == memory::before ? memory::after : memory::before);
  const auto visit_tiles = [&](std::int64_t low, std::int64_t high) {
    low = low > told.first ? low : told.first;
    high = high < told.last - 1 ? high : told.last - 1;
    if (low > high)
      return;
    const int first = tiles.owner(low);
    const int last = tiles.owner(high);
    if (tiles.how == dealing::columns && low / tiles.per_row != high / tiles.per_row) {
      visit(rank_range{first - first % tiles.per_row,
                       last - last % tiles.per_row + tiles.per_row - 1});
    } else if (tiles.how == dealing::cyclic && high - low >= tiles.ranks - 1) {
      visit(rank_range{0, tiles.ranks - 1});
    } else if (first <= last) {
      visit(rank_range{first, last});
    } else {
      visit(rank_range{first, tiles.ranks - 1});
      visit(rank_range{0, last});
    }
  };
  // Where both stages number their tiles alike, the neighbours of a tile are at fixed distances:
  // from[0] to to[0] along the rows of tiles, then along the slower and the faster other dimension.
  const std::int64_t height = of_a.height();
  bool alike = of_a.row == of_b.row && here.per_row == there.per_row && here.inner == there.inner &&
               height == of_b.height() && of_a.walks_like(of_b) && here.dealt.how == tiles.how &&
               turn == 0;
  // Those of a star-shaped stencil are in line with it.
  const bool in_line = (mine.along_axes && theirs.dimensions_beyond() == 0) ||
                       (theirs.along_axes && mine.dimensions_beyond() == 0);
  std::int64_t from[3] = {0, 0, 0};
  std::int64_t to[3] = {0, 0, 0};
  int place = 2;
  for (unsigned axis = 0; axis < 3; ++axis) {
    const int at = axis == of_a.row ? 0 : place--;
    if (of_dim(here.grid, axis) == 1 && of_dim(there.grid, axis) == 1)
      continue;
    alike &= mine.axis[axis].low != whole && theirs.axis[axis].low != whole;
    const std::int64_t size = axis == of_a.row ? height : of_dim(of_a.block, axis);
    const tile_offsets one =
        tiles_at(mine.axis[axis].low, size - 1 + mine.axis[axis].high, theirs.axis[axis], size);
    from[at] = one.low;
    to[at] = one.high;
  }
  // The rank's tiles that matter: all of them as a range, or each of those near the other process.
  const std::int64_t offset = here.dealt.base - tiles.base;
  const std::int64_t begin = here.dealt.first(r.rank);
  const int count = side == memory::own ? here.tiles : here.concerned[side];
  const int first = side == memory::after ? here.tiles - count : 0;
  if (count == 0)
    return;
  const std::int64_t distance = here.dealt.distance();
  const std::int64_t low_tile = offset + begin + first * distance;
  const std::int64_t high_tile = low_tile + (count - 1) * distance;
  const auto row_of = [&](std::int64_t tile) { return (tile + tiles.base) / here.per_row; };
  if (!alike) {
    grid_tiles at;
    at.axis[of_a.row] = {row_of(low_tile), row_of(high_tile)};
    tile_offsets& inner = at.axis[inner_axis(of_a)];
    tile_offsets& outer = at.axis[outer_axis(of_a)];
    inner = {0, here.inner - 1};
    outer = {0, here.outer - 1};
    if (here.dealt.how == dealing::columns || count == 1) {
      const std::int64_t in_row = (low_tile + tiles.base) % here.per_row;
      inner = {in_row % here.inner, in_row % here.inner};
      outer = {in_row / here.inner, in_row / here.inner};
    }
    visit_meeting_tiles(r, a, mine, at, turn, b, theirs, [&](const grid_tiles& found) {
      visit_tiles_of_grid(tiles, of_b, there, found, visit_tiles);
    });
    return;
  }
  // Tiles low to high, and what is at a distance from them but not beyond the rows of tiles there:
  // ranks farther away do not inform other processes.
  const auto visit_around = [&](std::int64_t low, std::int64_t high) {
    for (std::int64_t row = from[0]; row <= to[0]; ++row)
      for (std::int64_t outer = from[1]; outer <= to[1]; ++outer) {
        if (in_line && row != 0 && outer != 0)
          continue;
        const bool fixed = in_line && (row != 0 || outer != 0);
        const std::int64_t away = row * here.per_row + outer * here.inner;
        const std::int64_t least = (row_of(low) + row) * here.per_row - tiles.base;
        const std::int64_t most = (row_of(high) + row + 1) * here.per_row - 1 - tiles.base;
        const std::int64_t left = low + away + (fixed ? 0 : from[2]);
        const std::int64_t right = high + away + (fixed ? 0 : to[2]);
        visit_tiles(left > least ? left : least, right < most ? right : most);
      }
  };
  if (tiles.how == dealing::contiguous) {
    visit_around(low_tile, high_tile);
  } else if (side != memory::own) {
    for (std::int64_t tile = low_tile; tile <= high_tile; tile += distance)
      visit_around(tile, tile);
  } else {
    for (std::int64_t row = from[0]; row <= to[0]; ++row)
      for (std::int64_t outer = from[1]; outer <= to[1]; ++outer)
        for (std::int64_t inner = from[2]; inner <= to[2]; ++inner) {
          if (in_line && (row != 0) + (outer != 0) + (inner != 0) > 1)
            continue;
          const std::int64_t away = row * here.per_row + outer * here.inner + inner;
          if (tiles.how == dealing::columns) {
            // Tiles one below the other: of no more than two ranks.
            const std::int64_t beyond =
                -floor_divide(tiles.all - 1 - high_tile - away, here.per_row);
            const std::int64_t before = -floor_divide(low_tile + away, here.per_row);
            const std::int64_t low = low_tile + away + (before > 0 ? before : 0) * here.per_row;
            const std::int64_t high = high_tile + away - (beyond > 0 ? beyond : 0) * here.per_row;
            if (low <= high) {
              visit_tiles(low, low);
              visit_tiles(high, high);
            }
            continue;
          }
          // All ranks have as many tiles, but for one, and each of them the same neighbours.
          const std::int64_t number = low_tile + away;
          const auto owner =
              static_cast<int>(number - floor_divide(number, tiles.ranks) * tiles.ranks);
          if (owner < tiles.all)
            visit(rank_range{owner, owner});
        }
  }
}

// --- Pointers that lead to none of the region's arrays

template <int S, int A, int R>
GPURMA_DEVICE bool leads_into_array(const region_state<S, A, R>& r, const volatile void* pointer) {
  const auto* const address = static_cast<const volatile char*>(pointer);
  bool leads = false;
  GPURMA_ROLLED
  for (int a = 0; a < A; ++a) {
    const array_plan& array = r.plans.array[a];
    leads |= address >= array.base && address < array.base + array.bytes();
  }
  return leads;
}
GPURMA_DEVICE void fail_inside_array(const volatile void* pointer, site where) {
  detail::fail(platform::off_fast_path(detail::block()), error_code::inside_array,
               directive::stage, where, reinterpret_cast<std::int64_t>(pointer));
}

// --- The region

template <int S, int A, int R> class tiles;

template <int S, int A, int R> class region {
  static_assert(A <= 32, "a persistent region distributes up to 32 arrays");

public:
  using state = region_state<S, A, R>;

  // All threads of all ranks. Collective over all processes.
  GPURMA_SLOW_DEVICE region(const plan<S, A, R>& plans, const memory& words) {
    state& r = shared();
    block_state& b = detail::block();
    if (platform::thread_index() == 0) {
      r.plans = plans;
      r.words = words;
      r.epoch = 0;
      r.pieces = 0;
      r.rank = b.rank - b.first_rank;
      r.owes_flush = false;
      r.informs[memory::before] = r.informs[memory::after] = false;
      r.is_alone = plans.bands.processes == 1;
      r.is_telling = false;
      r.puts_lines = false;
      GPURMA_ROLLED
      for (int s = 0; s < S; ++s) {
        r.stage[s].known = false;
        r.tells_of_reads[s] = 0;
      }
      GPURMA_ROLLED
      for (int a = 0; a < A; ++a) {
        r.array_written[a] = false;
        int shape = 0;
        while (!r.plans.array[a].has_extents_of(r.plans.array[shape]))
          ++shape;
        r.shape_of[a] = static_cast<std::int8_t>(shape);
        for (int side = 0; side < 3; ++side)
          r.read_at[side][a] = r.written_at[side][a] = 0;
      }
      for (int k = 0; k < R; ++k)
        r.meetings[k] = 0;
    }
    platform::sync_block();
    if (plans.bands.processes == 1)
      return;
    GPURMA_ROLLED
    for (int a = -1; a < A; ++a) {
      const detail::window_handle w =
          a < 0 ? detail::open_window(words.words, words.words_for(R) * sizeof(std::uint64_t),
                                      comm::world, plans.where)
                : detail::open_window(plans.array[a].base, plans.array[a].bytes(), comm::world,
                                      plans.where);
      if (platform::thread_index() == 0)
        (a < 0 ? r.control : r.windows[a]) = w;
    }
    if (platform::thread_index() == 0)
      for (int side = memory::before; side <= memory::after; ++side)
        find_neighbour(r, side);
    platform::sync_block();
  }

  // Whether the thread runs the region's statements. The others follow.
  GPURMA_DEVICE static bool leads() {
    return platform::thread_index() < platform::polling_threads();
  }

  // Runs a stage for the tiles that the rank owns, once it may begin. A Launch is what its kernel
  // is passed; gpurma_run<copy>(logical block, parts) runs the kernel's body, where `copy` says
  // which copy of static shared memory the tile uses. gpurma_parts are the thread's parts of
  // reduced scalars, gpurma_finish(parts) what the threads do together with their parts of several
  // tiles, and gpurma_add_up(parts) adds them to those of the rank. gpurma_arrays(): the arrays
  // that it is passed, of which bit k of gpurma_reads and gpurma_writes says what it does with the
  // k-th, and gpurma_boxes()[k] what a tile writes of it; bit k of gpurma_reads_before and
  // gpurma_reads_after, whether it reads rows before or after its own that the region changes, and
  // of gpurma_puts_before and gpurma_puts_after, whether the process before or after needs rows of
  // what it writes. gpurma_rereads: which threads keep nothing that it is passed in registers
  // from tile to tile. The threads that lead.
  template <class Launch>
  GPURMA_DEVICE void launch(const Launch& launch, const dim3& block, site where) {
    tiles<S, A, R>::launch(launch, block, where);
  }

  // Runs what the leading threads launch until they dismiss the others. Those that do not lead.
  template <class... Launches> GPURMA_DEVICE void follow() const {
    tiles<S, A, R>::template follow<Launches...>();
  }

  // Ends what the others do in follow. The threads that lead.
  GPURMA_DEVICE void dismiss() const {
    if (platform::thread_index() == 0)
      shared().ordered = end_of_region;
    platform::sync_block(); // M4
  }

  // printf, by one thread of one rank.
  template <class... Arguments>
  GPURMA_DEVICE int print(const char* format, Arguments... arguments) const {
    if (platform::thread_index() != 0 || detail::block().rank != 0)
      return 0;
    return printf(format, arguments...);
  }

  GPURMA_DEVICE static std::int64_t rows_of(int array) { return shared().plans.array[array].rows; }

  // The grid of a launch whose kernel goes on through the rows by whole grids, so that it needs no
  // second iteration.
  GPURMA_DEVICE static dim3 covering_rows(dim3 grid, int stage) {
    const plan<S, A, R>& plans = shared().plans;
    const stage_plan& s = plans.stage[stage];
    const int low = s.written.some ? s.written.axis[s.row].low : s.read.axis[s.row].low;
    const std::int64_t needed =
        -floor_divide((low == whole ? 0 : low) - plans.bands.rows, s.height());
    unsigned& blocks = s.row == 0 ? grid.x : s.row == 1 ? grid.y : grid.z;
    if (has_blocks(grid))
      blocks = blocks < needed ? static_cast<unsigned>(needed) : blocks;
    return grid;
  }

  // A pointer that a kernel is to read through as it is must not lead into an array of the region.
  // The threads that lead.
  GPURMA_SLOW_DEVICE static void check_undistributed(const volatile void* pointer, site where) {
    if (leads_into_array(shared(), pointer))
      fail_inside_array(pointer, where);
  }

  // Ends the region: every process gets all rows of the arrays that it holds whole.
  GPURMA_SLOW_DEVICE void end() {
    state& r = shared();
    const banding& bands = r.plans.bands;
    if (bands.processes > 1) {
      barrier(comm::world, r.plans.where); // no stage reads any more
      const std::int64_t begin = bands.begin(bands.process);
      const std::int64_t rows = bands.begin(bands.process + 1) - begin;
      const int ranks = detail::block().device_size;
      const std::int64_t first = begin + rows * r.rank / ranks;
      const std::int64_t last = begin + rows * (r.rank + 1) / ranks;
      GPURMA_ROLLED
      for (int a = 0; a < A; ++a) {
        const array_plan& array = r.plans.array[a];
        const std::int64_t count = (last < array.rows ? last : array.rows) - first;
        if (!r.array_written[a] || array.banded || count <= 0)
          continue;
        std::uint64_t offset = static_cast<std::uint64_t>(first) * array.row_bytes();
        GPURMA_ROLLED
        for (std::int64_t c = 0; c < array.components; ++c, offset += array.component_bytes())
          for (int p = 0; p < bands.processes; ++p)
            if (p != bands.process)
              detail::put_bytes<false, matching::queue>(
                  array.base + offset, static_cast<std::uint64_t>(count) * array.row_bytes(), 1, 1,
                  r.words.first_ranks[p], r.windows[a], offset, 0, r.plans.where);
      }
      GPURMA_ROLLED
      for (int a = A - 1; a >= -1; --a)
        detail::close_window(a < 0 ? r.control : r.windows[a], r.plans.where);
    }
  }

  // Whether it is this thread that gives the host the values.
  GPURMA_DEVICE bool reports() const { return shared().rank == 0 && platform::thread_index() == 0; }

  GPURMA_DEVICE static state& shared() { return platform::block_shared<state>(); }

private:
  GPURMA_DEVICE static void find_neighbour(state& r, int side) {
    if (!has_process(r.plans.bands, side))
      return;
    const int rank = r.first_rank[side] = r.words.first_ranks[process_of(r.plans.bands, side)];
    r.control_of[side] = reinterpret_cast<std::uint64_t*>(r.control.rows[rank].reached);
    for (int a = 0; a < A; ++a) {
      r.arrays_of[side][a] = reinterpret_cast<char*>(r.windows[a].rows[rank].reached);
      // An epoch does not overtake rows that go by way of the hosts.
      if (r.arrays_of[side][a] == nullptr)
        r.control_of[side] = nullptr;
    }
    r.puts_lines |= r.control_of[side] == nullptr;
  }
};

// --- What ranks tell each other

// Stores a word into the control memory of another process by way of the hosts, after all that the
// rank has put there before. Thread 0.
template <int S, int A, int R>
GPURMA_SLOW_DEVICE void post_word(const region_state<S, A, R>& r, int target, std::size_t at,
                                  std::uint64_t value) {
  block_state& b = detail::block();
  detail::command c =
      detail::make_command(detail::command_kind::put, target, r.control.id, r.plans.where);
  c.address = reinterpret_cast<std::uint64_t>(&value);
  c.offset = at * sizeof(value);
  c.bytes = sizeof(value);
  c.flags = detail::inline_flag | detail::ordered_flag; // M22, M24
  detail::post(b, c, directive::stage);
}

// Stores a packet there, or directly. What comes by the hosts comes in two stores, in this order.
template <int S, int A, int R>
GPURMA_SLOW_DEVICE void send_packet(region_state<S, A, R>& r, int process, std::size_t at,
                                    const detail::packet& value) {
  const int target = r.words.first_ranks[process];
  const std::uint64_t reached = r.control.rows[target].reached;
  if (reached != 0) {
    auto* const to =
        reinterpret_cast<detail::packet*>(reinterpret_cast<std::uint64_t*>(reached) + at);
    platform::store_packet(to, value); // M24
    return;
  }
  post_word(r, target, at, value.word[0] | std::uint64_t{value.word[1]} << 32);
  post_word(r, target, at + 1, value.word[2] | std::uint64_t{value.word[3]} << 32); // M24
}

// Whether a rank of the process on a side tells this process of its epochs: it does if it has a
// tile of any stage that this process is concerned with.
template <int S, int A, int R>
GPURMA_DEVICE bool is_informed(const region_state<S, A, R>& r, int side, int rank) {
  const int process = process_of(r.plans.bands, side);
  const int towards = side == memory::before ? memory::after : memory::before;
  for (int s = 0; s < S; ++s) {
    if (!r.stage[s].known)
      continue;
    const dealing tiles = dealing_of(r, s, process);
    const rank_range concerned = concerned_tiles(r, s, tiles, process, towards);
    if (tiles.count(rank, concerned.last) > tiles.count(rank, concerned.first))
      return true;
  }
  return false;
}

// Where a rank before or after has its bit, of a stage with too many ranks to watch one by one: it
// needs no list of them. More than most_informing have none.
template <int S, int A, int R>
GPURMA_DEVICE std::uint32_t& informed_bits(region_state<S, A, R>& r, int stage, int side,
                                           int rank) {
  const int half = side == memory::before ? 0 : most_watched / 2;
  return r.watched[stage][half + rank / 32].bits;
}

// Notes there of which ranks that is true. The polling threads.
template <int S, int A, int R>
GPURMA_SLOW_DEVICE void find_informed(region_state<S, A, R>& r, int stage) {
  const unsigned width = platform::polling_threads();
  for (int side = memory::before; side <= memory::after; ++side) {
    if (!has_process(r.plans.bands, side))
      continue;
    const int all = ranks_of(r, process_of(r.plans.bands, side));
    const int ranks = all < most_informing ? all : most_informing;
    for (int first = 0; first < ranks; first += 32) {
      std::uint32_t bits = 0;
      for (unsigned k = platform::thread_index(); k < 32; k += width)
        if (const int rank = first + static_cast<int>(k);
            rank < ranks && is_informed(r, side, rank))
          bits |= std::uint32_t{1} << k;
      bits = platform::united(bits, width);
      if (platform::thread_index() == 0)
        informed_bits(r, stage, side, first) = bits;
    }
  }
  if (platform::thread_index() == 0)
    r.informed_is_known[stage] = true;
  platform::sync_polling(width);
}

// How far a thread has come that looks at the epochs of all ranks.
struct looked_at {
  int side;
  int rank;
};

// Whether those of the thread are as far as needed. Epochs grow, so that one that is needs no
// second look. The polling threads.
template <int S, int A, int R>
GPURMA_SLOW_DEVICE bool all_epochs_reached(region_state<S, A, R>& r, int stage,
                                           const needed_epochs& needed, looked_at& at) {
  constexpr int at_once = 8; // loads that are under way
  const auto width = static_cast<int>(platform::polling_threads());
  for (; at.side < 3; ++at.side, at.rank = static_cast<int>(platform::thread_index())) {
    const std::uint32_t wanted = needed.of(at.side);
    if (!r.watches[stage][at.side] || wanted == 0)
      continue;
    const int ranks = ranks_of(r, process_of(r.plans.bands, at.side));
    for (; at.rank < ranks; at.rank += at_once * width) {
      std::uint64_t epochs[at_once];
      GPURMA_UNROLLED
      for (int i = 0; i < at_once; ++i) {
        const int rank = at.rank + i * width;
        epochs[i] = rank < ranks
                        ? platform::load_polled(r.words.words + r.words.epoch_at(at.side, rank))
                        : wanted; // M21, M22
      }
      GPURMA_UNROLLED
      for (int i = 0; i < at_once; ++i) {
        const int rank = at.rank + i * width;
        if (epochs[i] < wanted &&
            (at.side == memory::own ||
             (rank < most_informing ? (informed_bits(r, stage, at.side, rank) >> rank % 32 & 1) != 0
                                    : is_informed(r, at.side, rank))))
          return false;
      }
    }
  }
  return true;
}

// Looks, a few times, whether the ranks that conflict with a stage are as far as `needed`; what
// they did is visible then. An acquire sends all later loads of the multiprocessor to L2, so that
// where ranks have many tiles there is one, once all are as far. The polling threads.
template <bool Alone, int S, int A, int R>
GPURMA_DEVICE bool reach_soon(const region_state<S, A, R>& r, int stage,
                              const needed_epochs& needed) {
  constexpr platform::scope reach = Alone ? platform::scope::device : platform::scope::system;
  const unsigned width = platform::polling_threads();
  const int count = r.watched_count[stage];
  const bool few = r.stage[stage].tiles <= few_tiles;
  // Epochs grow, so that a rank that is far enough needs no second look.
  auto next = static_cast<int>(platform::thread_index());
  std::uint32_t wanted = 0;
  const auto find = [&]() -> const std::uint64_t* {
    for (; next < count; next += static_cast<int>(width)) {
      const watched_epoch watched = r.watched[stage][next];
      wanted = Alone ? needed.own : needed.of(watched.side());
      if (wanted != 0)
        return r.words.words + watched.word();
    }
    return nullptr;
  };
  const auto is_reached = [&](const std::uint64_t* word) {
    return (few ? platform::load_acquire(word, reach) // M21, M22
                : platform::load_polled(word)) >= wanted;
  };
  const std::uint64_t* word = find();
  for (unsigned looks = 0; looks < platform::quiet_polls && count >= 0; ++looks) {
    while (word != nullptr && is_reached(word)) {
      next += static_cast<int>(width);
      word = find();
    }
    if (platform::ballot(word != nullptr, width) == 0) {
      if (!few)
        platform::fence_acquire(reach); // M21, M22
      return true;
    }
    platform::back_off(looks);
  }
  return false;
}

// Waits until they are, and says so where it takes long. The polling threads.
template <int S, int A, int R>
GPURMA_SLOW_DEVICE void wait_for_conflicts(region_state<S, A, R>& r, int stage,
                                           const needed_epochs& needed, site where) {
  const unsigned width = platform::polling_threads();
  // One process has none to find; and where there are others, no thread goes on before all are
  // there.
  if (r.plans.bands.processes > 1 && r.watched_count[stage] < 0 && !r.informed_is_known[stage])
    find_informed(r, stage);
  const std::uint32_t of_others = needed.before > needed.after ? needed.before : needed.after;
  detail::blocked waiting(detail::block(), directive::stage, where, any_source, any_tag,
                          detail::no_window_id, needed.own > of_others ? needed.own : of_others);
  waiting.has_looked(platform::quiet_polls);
  looked_at at{0, static_cast<int>(platform::thread_index())};
  while (!reach_soon<false>(r, stage, needed) &&
         (r.watched_count[stage] >= 0 ||
          platform::ballot(!all_epochs_reached(platform::off_fast_path(r), stage, needed, at),
                           width) != 0))
    if (platform::thread_index() == 0)
      waiting.pause();
  if (r.watched_count[stage] < 0)
    platform::fence_acquire(r.plans.bands.processes > 1 ? platform::scope::system
                                                        : platform::scope::device); // M21, M22
}

// --- Stages

// The rank's tiles of a stage, in their order: those that a neighbouring process is concerned with
// first.
template <int S, int A, int R> class tiles {
  using state = region_state<S, A, R>;

public:
  // region::launch.
  template <class Launch>
  GPURMA_DEVICE static void launch(const Launch& launch, const dim3& block, site where) {
    state& r = shared();
    if (platform::thread_index() == 0) {
      platform::block_shared<passed<Launch>>().set(launch);
      set_call(r.call, launch);
    }
    platform::sync_polling(platform::polling_threads());
    find_arrays(r, launched<Launch>());
    for (;;) {
      const obstacle found = r.is_alone ? begin<true>() : begin<false>();
      if (found == obstacle::none)
        break;
      if (found == obstacle::unknown_grid && platform::thread_index() == 0)
        r.traits[Launch::gpurma_stage] = traits_of<Launch>(where);
      overcome(found, block);
      if (found == obstacle::others)
        break;
    }
    platform::sync_block(); // M4
    run<Launch, platform::callers_take_registers>();
  }

  // region::follow; a function of its own, since it needs no local memory then.
  template <class... Launches> GPURMA_SLOW_DEVICE static void follow() {
    const state& r = shared();
    for (;;) {
      platform::sync_block(); // M4
      const int ordered = r.ordered;
      if (ordered == end_of_region)
        return;
      if (ordered == world_barrier)
        barrier(comm::world, r.where);
      else
        static_cast<void>(
            ((ordered == Launches::gpurma_stage && (run<Launches, false>(), true)) || ...));
    }
  }

private:
  GPURMA_DEVICE static state& shared() { return region<S, A, R>::shared(); }

  // What keeps a rank from beginning a stage.
  enum class obstacle { none, unknown_grid, wrong_array, untold, others };

  template <class Launch>
  static constexpr int count_of_arrays =
      decltype(std::declval<const Launch&>().gpurma_arrays())::count;

  template <class Launch> GPURMA_DEVICE static const Launch& launched() {
    return platform::block_shared<passed<Launch>>().get();
  }

  // Thread 0.
  template <class Launch>
  GPURMA_DEVICE static void set_call(stage_call& call, const Launch& launch) {
    const auto arrays = launch.gpurma_arrays();
    call.stage = Launch::gpurma_stage;
    call.grid = dim3(launch.gpurma_grid[0], launch.gpurma_grid[1], launch.gpurma_grid[2]);
    GPURMA_UNROLLED
    for (int k = 0; k < count_of_arrays<Launch>; ++k)
      const_cast<const volatile void* volatile&>(call.arrays[k]) = arrays.of[k]; // passed::set
  }

  template <class Launch> GPURMA_DEVICE static launch_traits traits_of(site where) {
    return {count_of_arrays<Launch>,
            {Launch::gpurma_reads, Launch::gpurma_reads_before, Launch::gpurma_reads_after},
            {Launch::gpurma_writes, Launch::gpurma_puts_before, Launch::gpurma_puts_after},
            Launch::gpurma_boxes(),
            where};
  }

  // As which of its arrays a stage is passed each of the region's. The threads that lead, each for
  // some arrays; only they look at them until the stage has begun.
  template <class Launch> GPURMA_DEVICE static void find_arrays(state& r, const Launch& launch) {
    const auto arrays = launch.gpurma_arrays();
    GPURMA_ROLLED
    for (unsigned a = platform::thread_index(); a < A; a += platform::polling_threads()) {
      const void* const base = r.plans.array[a].base;
      std::uint32_t passed_as = 0;
      GPURMA_UNROLLED
      for (int k = 0; k < count_of_arrays<Launch>; ++k)
        passed_as |= arrays.of[k] == base ? std::uint32_t{1} << k : 0;
      r.passed_as[a] = passed_as;
    }
  }

  // Begins the stage that has been passed, unless something is in the way; if others are, it has
  // begun when they have been waited for. The threads that lead, each for some of the arrays. One
  // function for all stages, because steps of small grids wait for instructions, too; and it calls
  // nothing: registers of a function that calls are those that the called leave, and a region's
  // kernel may have few. Alone: region_state::is_alone.
  template <bool Alone> GPURMA_SLOW_DEVICE static obstacle begin() {
    state& r = platform::in_register(shared());
    const int stage = r.call.stage;
    const dim3& grid = r.call.grid;
    const stage_state& s = r.stage[stage];
    if (!s.known || s.grid.x != grid.x || s.grid.y != grid.y || s.grid.z != grid.z)
      return obstacle::unknown_grid;
    const unsigned width = platform::polling_threads();
    needed_epochs needed;
    if (!find_needed<Alone>(r, stage, width, needed))
      return obstacle::wrong_array;
    if (!Alone && r.plans.bands.by_array &&
        (owes_epoch(needed, memory::before) || owes_epoch(needed, memory::after)))
      return obstacle::untold;
    note<Alone>(r, stage, width, needed); // before the wait, not behind it
    return needed.is_some() && !reach_soon<Alone>(r, stage, needed) ? obstacle::others
                                                                    : obstacle::none;
  }

  // The threads that lead.
  GPURMA_SLOW_DEVICE static void overcome(obstacle found, dim3 block) {
    state& r = shared();
    const stage_call& call = r.call;
    const launch_traits& traits = r.traits[call.stage];
    const unsigned width = platform::polling_threads();
    platform::sync_polling(width);
    if (found == obstacle::unknown_grid) {
      meet_stage(call.stage, call.grid, block, traits.where);
    } else if (found == obstacle::others) {
      wait_for_conflicts(platform::off_fast_path(r), call.stage, r.needed, traits.where);
    } else if (found == obstacle::untold) {
      needed_epochs needed;
      find_needed<false>(r, call.stage, width, needed);
      if (platform::thread_index() == 0)
        tell_late(platform::off_fast_path(r), needed);
    } else if (platform::thread_index() == 0) {
      GPURMA_ROLLED
      for (int k = 0; k < traits.count; ++k)
        if (launch_traits::has(traits.writes[memory::own], k) && !is_distributed(r, call.arrays[k]))
          detail::fail(platform::off_fast_path(detail::block()), error_code::not_distributed,
                       directive::stage, traits.where,
                       reinterpret_cast<std::int64_t>(call.arrays[k]));
        else if (leads_into_array(r, call.arrays[k]) && !is_distributed(r, call.arrays[k]))
          fail_inside_array(call.arrays[k], traits.where);
    }
    platform::sync_polling(width);
  }

  // The rank's tiles; then ranks that wait for these may go on. All threads. Around the tiles,
  // which need all registers, nothing is in local memory, which after an acquire is far: where the
  // tiles are run, nothing else is called that needs more than a few.
  // Leads: code for the threads that lead, whose statements keep values in registers meanwhile, and
  // leave the tiles fewer of them.
  template <class Launch, bool Leads> GPURMA_DEVICE static void run() {
    if (shared().is_telling) {
      run_and_tell<Launch, Leads>();
      return;
    }
    if (shared().now.count != 0)
      run_part<Launch, Leads>();
    end_stage(shared().stage[Launch::gpurma_stage]);
  }

  // Where a neighbouring process waits: the leading tiles, the trailing ones, what neighbours need
  // of these, and the tiles between.
  template <class Launch, bool Leads> GPURMA_SLOW_DEVICE static void run_and_tell() {
    state& r = shared();
    const stage_state& s = r.stage[Launch::gpurma_stage];
    if (s.part[0].count != 0)
      run_part<Launch, Leads>();
    if (s.part[1].count != 0) {
      platform::sync_block(); // also between tiles with shared memory
      go_on_to(r, s, 1);
      platform::sync_block();
      run_part<Launch, Leads>();
    }
    if (!put_lines(platform::off_fast_path(shared()), Launch::gpurma_stage))
      put_others(platform::off_fast_path(shared()), Launch::gpurma_stage);
    platform::sync_block(); // M1
    // A fence takes as long as the stores before it are under way, and a few tiles take no longer.
    const bool tells_first = s.part[2].count > few_tiles || r.sides[Launch::gpurma_stage].by_hosts;
    if (tells_first) {
      tell_neighbours(platform::off_fast_path(shared()), Launch::gpurma_stage);
      platform::sync_block(); // the compiler makes better code of tiles behind a barrier
    }
    if (s.part[2].count != 0)
      run_part<Launch, Leads>();
    if (r.owes_flush)
      flush_rows(platform::off_fast_path(r));
    if (tells_first)
      end_stage(s);
    else
      end_stage_and_tell(s, r.sides[Launch::gpurma_stage]);
  }

  // Between two barriers. All threads.
  GPURMA_DEVICE static void go_on_to(state& r, const stage_state& s, int part) {
    if (platform::thread_index_again() == 0)
      r.now = s.part[part];
  }

  // Threads that tell other ranks of an epoch: the first of two warps that follow, where there are
  // so many, since a release waits for what was stored before. The others need not wait for it.
  GPURMA_DEVICE static bool tells_device() { return begins_warp(1); }
  GPURMA_DEVICE static bool tells_processes() { return begins_warp(2); }
  GPURMA_DEVICE static bool begins_warp(unsigned warp) {
    const unsigned threads = platform::block_threads();
    const unsigned width = platform::polling_threads();
    const unsigned first = warp * width < threads ? warp * width : threads > width ? width : 0;
    return platform::thread_index_again() == first;
  }

  // The leading threads may be in the next stage while its epoch is told.
  GPURMA_SLOW_DEVICE static void end_stage(const stage_state& s) {
    state& r = shared();
    if (s.pieces != 0 && platform::thread_index_again() == 0)
      count_rest(s);
    const std::uint32_t epoch = r.epoch;
    platform::sync_block(); // M1
    if (tells_device())
      tell_device(r, epoch);
  }

  GPURMA_SLOW_DEVICE static void end_stage_and_tell(const stage_state& s, const side_work& work) {
    state& r = shared();
    if (s.pieces != 0 && platform::thread_index_again() == 0)
      count_rest(s);
    const std::uint32_t epoch = r.epoch;
    const bool tells_before = work.tells[memory::before];
    const bool tells_after = work.tells[memory::after];
    platform::sync_block(); // M1
    if (tells_processes()) {
      platform::fence_release(platform::scope::system); // M22
      if (tells_before)
        store_epoch(r, memory::before, epoch);
      if (tells_after)
        store_epoch(r, memory::after, epoch);
    }
    if (tells_device())
      tell_device(r, epoch);
  }

  GPURMA_DEVICE static void tell_device(const state& r, std::uint32_t epoch) {
    platform::store_release(r.words.words + r.words.epoch_at(memory::own, r.rank),
                            std::uint64_t{epoch}, platform::scope::device); // M21
  }

  // The hosts read rows that have been put, which another rank may own the tiles of in a launch
  // with another grid: it overwrites them once this rank's epoch has come.
  GPURMA_SLOW_DEVICE static void flush_rows(state& r) {
    platform::sync_block();
    if (platform::thread_index() == 0) {
      detail::wait_for_commands(detail::block(), directive::stage, r.traits[r.ordered].where,
                                detail::any_window_id);
      r.owes_flush = false;
    }
  }

  template <class Launch, bool Leads> GPURMA_DEVICE static void run_part() {
    const stage_state& s = shared().stage[Launch::gpurma_stage];
    if constexpr (Launch::gpurma_stored_rows != 0)
      run_tiles_of_rows<Launch, Leads>();
    else if (s.pieces != 0)
      run_tiles<Launch, way::in_pieces, Leads>();
    else if (s.dealt.how == dealing::columns)
      run_tiles<Launch, way::in_column, Leads>();
    else
      run_tiles<Launch, way::apart, Leads>();
  }

  // How a rank goes from tile to tile. In columns, each tile is below the one before, so that what
  // a thread computes from their places differs by the row only; in pieces, it looks at others now
  // and then.
  enum class way { apart, in_column, in_pieces };

  // A rank begins a piece of its tiles once the others are there, or do not come soon: nothing
  // depends on it. Ranks that are far apart read the same lines from memory, and many at a time
  // from distant places of it. All threads.
  GPURMA_DEVICE static void begin_piece(const stage_state& s) {
    if (platform::thread_index_again() == 0) {
      state& r = shared();
      std::uint64_t* const begun = r.words.words + r.words.pieces_at();
      const std::uint64_t needed = r.pieces;
      r.pieces = needed + static_cast<unsigned>(s.active);
      platform::add_relaxed(begun, std::uint64_t{1});
      GPURMA_ROLLED
      for (unsigned looks = 0;
           looks < platform::piece_polls && platform::load_polled(begun) < needed; ++looks)
        platform::back_off(looks);
    }
    platform::sync_block();
  }

  // Pieces that others have more. Thread 0.
  GPURMA_DEVICE static void count_rest(const stage_state& s) {
    state& r = shared();
    int rest = s.pieces;
    if (r.is_telling) {
      for (int part = 0; part < 3; ++part)
        rest -= s.part[part].count / tiles_of_piece;
    } else {
      rest -= s.tiles / tiles_of_piece;
    }
    r.pieces += static_cast<std::uint64_t>(rest) * static_cast<unsigned>(s.active);
    if (s.tiles != 0 && rest != 0)
      platform::add_relaxed(r.words.words + r.words.pieces_at(), static_cast<std::uint64_t>(rest));
  }

  // A function of its own, so that tiles have all registers.
  template <class Launch, way Way, bool Leads> GPURMA_SLOW_DEVICE static void run_tiles() {
    const stage_state& s = shared().stage[Launch::gpurma_stage];
    // Not passed: what comes from a known place of shared memory is the same in all threads of a
    // warp for the compiler, too, and so are the ends of this loop.
    tile_position at = shared().now.begin;
    int left = shared().now.count;
    const int rows = s.step.row;
    // Of the thread: what tiles store does not change it.
    Launch launch = launched<Launch>();
    typename Launch::gpurma_parts parts;
    constexpr bool rereads = Launch::gpurma_rereads == rereading::by_all ||
                             (Leads && Launch::gpurma_rereads == rereading::by_leading);
    const auto run_tile = [&](auto copy) {
      if (Way == way::in_pieces && left % tiles_of_piece == 0)
        begin_piece(s);
      const uint3 block = place(Launch::gpurma_row_dimension, at);
      if constexpr (rereads) {
        platform::forget_memory();
        Launch of_tile = launched<Launch>();
        of_tile.template gpurma_run<decltype(copy)::value>(block, parts);
      } else {
        launch.template gpurma_run<decltype(copy)::value>(block, parts);
      }
    };
    const auto go_on = [&] {
      if constexpr (Way == way::apart)
        tiles::go_on(s, at);
      else
        at.row += rows;
    };
    constexpr bool alternates = Launch::gpurma_between == between_tiles::other_copy &&
                                platform::shared_memory_of_instantiations;
    GPURMA_ROLLED
    for (;;) {
      run_tile(std::integral_constant<unsigned, 0>());
      if (--left == 0)
        break;
      go_on();
      if constexpr (alternates) {
        run_tile(std::integral_constant<unsigned, 1>());
        if (--left == 0)
          break;
        go_on();
      } else if constexpr (Launch::gpurma_between != between_tiles::nothing) {
        platform::sync_block();
      }
    }
    launched<Launch>().gpurma_finish(parts);
    launched<Launch>().gpurma_add_up(parts);
  }

  // Of a stage that stores into few rows: of the rank's tiles those that have one of them. Divides
  // 32 bits, as the compiler calls a function to divide 64, and has the tiles' registers in local
  // memory meanwhile.
  template <class Launch, bool Leads> GPURMA_SLOW_DEVICE static void run_tiles_of_rows() {
    const state& r = shared();
    const stage_state& s = r.stage[Launch::gpurma_stage];
    const std::int64_t first = number_of(s, r.now.begin);
    const auto distance = static_cast<std::uint32_t>(number_of(s, s.step));
    const auto count = static_cast<std::uint32_t>(r.now.count);
    const auto first_from = [&](std::int64_t tile) { // of the rank's tiles from that number on
      const std::int64_t ahead = tile - first;
      return ahead <= 0 ? 0
             : ahead > std::int64_t{count} * distance
                 ? count
                 : (static_cast<std::uint32_t>(ahead) + distance - 1) / distance;
    };
    Launch launch = launched<Launch>();
    typename Launch::gpurma_parts parts;
    GPURMA_ROLLED
    for (int stored = 0; stored < Launch::gpurma_stored_rows; ++stored) {
      const int row = launch.gpurma_tile_rows.row[stored];
      if (row < 0)
        continue;
      const std::int64_t tile = std::int64_t{row} * s.per_row;
      std::uint32_t k = first_from(tile);
      const std::uint32_t end = first_from(tile + s.per_row);
      if (k == end)
        continue;
      const auto in_row = static_cast<int>(first + std::int64_t{k} * distance - tile);
      tile_position at{row, in_row / s.inner, in_row % s.inner};
      GPURMA_ROLLED
      for (; k < end; ++k, go_on(s, at))
        launch.template gpurma_run<0>(place(Launch::gpurma_row_dimension, at), parts);
    }
    launched<Launch>().gpurma_add_up(parts);
  }

  // Among the tiles of all processes.
  GPURMA_DEVICE static std::int64_t number_of(const stage_state& s, const tile_position& at) {
    return std::int64_t{at.row} * s.per_row + at.outer * s.inner + at.inner;
  }

  // To the rank's next tile.
  GPURMA_DEVICE static void go_on(const stage_state& s, tile_position& at) {
    at.inner += s.step.inner;
    at.outer += s.step.outer;
    at.row += s.step.row;
    if (at.inner >= s.inner) {
      at.inner -= s.inner;
      ++at.outer;
    }
    if (at.outer >= s.outer) {
      at.outer -= s.outer;
      ++at.row;
    }
  }

  GPURMA_DEVICE static uint3 place(unsigned row_axis, const tile_position& at) {
    const auto i = static_cast<unsigned>(at.inner);
    const auto o = static_cast<unsigned>(at.outer);
    const auto w = static_cast<unsigned>(at.row);
    return row_axis == 2 ? uint3{i, o, w} : row_axis == 1 ? uint3{i, w, o} : uint3{w, i, o};
  }

  GPURMA_DEVICE static bool is_distributed(const state& r, const volatile void* array) {
    for (int a = 0; a < A; ++a)
      if (r.plans.array[a].base == array)
        return true;
    return false;
  }

  // Calls use(a, passed_as) for the region's arrays that the stage uses. The threads that lead,
  // each for some of them: one after the other would take longer.
  template <class Use>
  GPURMA_DEVICE static void for_used_arrays(const state& r, const launch_traits& traits,
                                            unsigned width, const Use& use) {
    const std::uint32_t used = traits.reads[memory::own] | traits.writes[memory::own];
    GPURMA_ROLLED
    for (unsigned a = platform::thread_index(); a < A; a += width)
      if (const std::uint32_t passed_as = r.passed_as[a] & used; passed_as != 0)
        use(static_cast<int>(a), passed_as);
  }

  // Whether the stage may have those of its arrays that are not where one of the region's begins:
  // it writes none of them, and they lead into none.
  GPURMA_DEVICE static bool may_have(const state& r, const launch_traits& traits,
                                     std::uint32_t others) {
    if ((traits.writes[memory::own] & others) != 0)
      return false;
    GPURMA_ROLLED
    for (int k = 0; k < traits.count; ++k)
      if (launch_traits::has(others, k) && leads_into_array(r, r.call.arrays[k]))
        return false;
    return true;
  }

  // How far the ranks must be that the stage's tiles conflict with. false: the stage may not have
  // one of its arrays. The threads that lead.
  template <bool Alone>
  GPURMA_DEVICE static bool find_needed(state& r, int stage, unsigned width,
                                        needed_epochs& needed) {
    const launch_traits& traits = r.traits[stage];
    const bool by_array = !Alone && r.plans.bands.by_array;
    std::uint32_t found = 0;
    for_used_arrays(r, traits, width, [&](int a, std::uint32_t passed_as) {
      found |= passed_as;
      needed.own = larger(needed.own, latest(r, a, memory::own, true,
                                             (traits.writes[memory::own] & passed_as) != 0));
      if (by_array) {
        needed.before =
            larger(needed.before, latest_of_side(r, traits, a, passed_as, memory::before));
        needed.after = larger(needed.after, latest_of_side(r, traits, a, passed_as, memory::after));
      }
    });
    needed.own = platform::largest(needed.own, width);
    needed.before = by_array ? platform::largest(needed.before, width) : needed.own;
    needed.after = by_array ? platform::largest(needed.after, width) : needed.own;
    const std::uint32_t used = traits.reads[memory::own] | traits.writes[memory::own];
    const std::uint32_t others = used & ~platform::united(found, width);
    return others == 0 || may_have(r, traits, others);
  }

  // The last epoch at which, on a side, a stage wrote an array, if it is read, or read it, if it is
  // written.
  GPURMA_DEVICE static std::uint32_t latest(const state& r, int a, int side, bool is_read,
                                            bool is_written) {
    const std::uint32_t written = is_read ? r.written_at[side][a] : 0;
    return is_written ? larger(written, r.read_at[side][a]) : written;
  }
  GPURMA_DEVICE static std::uint32_t latest_of_side(const state& r, const launch_traits& traits,
                                                    int a, std::uint32_t passed_as, int side) {
    return latest(r, a, side, (traits.reads[side] & passed_as) != 0,
                  (traits.writes[side] & passed_as) != 0);
  }

  GPURMA_DEVICE static int mirror(int side) {
    return side == memory::before ? memory::after : memory::before;
  }

  // Whether the process on a side may wait in this stage for an epoch that the rank has not told:
  // it needs as much of this process as this one does of the process on the other side.
  GPURMA_DEVICE static bool owes_epoch(const needed_epochs& needed, int side) {
    const state& r = shared();
    return r.informs[side] && needed.of(mirror(side)) > r.told[side];
  }

  // A process that reads rows, and puts none where they came from, does not say that it has read
  // them, since it mostly puts some there before others come. Here that was not so; from now on the
  // stage says it. Thread 0.
  GPURMA_SLOW_DEVICE static void tell_late(state& r, const needed_epochs& needed) {
    platform::fence_release(platform::scope::system); // M22
    for (int side = memory::before; side <= memory::after; ++side)
      if (owes_epoch(needed, side)) {
        const int stage = r.untold_stage[side];
        r.tells_of_reads[stage] |= static_cast<std::uint8_t>(1 << side);
        find_side_work(r, stage);
        r.told[side] = r.epoch;
        send_epoch(r, side, r.epoch);
      }
  }

  // The rank has begun the stage. The threads that lead; the next stage looks at it behind a
  // barrier.
  template <bool Alone>
  GPURMA_DEVICE static void note(state& r, int stage, unsigned width, const needed_epochs& needed) {
    const launch_traits& traits = r.traits[stage];
    const std::uint32_t epoch = r.epoch + 1;
    platform::sync_polling(width); // others have read what is written now
    for_used_arrays(r, traits, width, [&](int a, std::uint32_t passed_as) {
      const bool is_written = (traits.writes[memory::own] & passed_as) != 0;
      if (is_written)
        r.array_written[a] = true;
      note_epoch(r, a, memory::own, (traits.reads[memory::own] & passed_as) != 0, is_written,
                 epoch);
      if (Alone)
        return;
      if (r.plans.bands.by_array) {
        GPURMA_UNROLLED
        for (int side = memory::before; side <= memory::after; ++side)
          // The process on the other side does the same with rows of this one.
          note_epoch(r, a, mirror(side), (traits.reads[side] & passed_as) != 0,
                     (traits.writes[side] & passed_as) != 0, epoch);
      }
      GPURMA_ROLLED
      for (int k = 0; passed_as != 0; ++k, passed_as >>= 1)
        if ((passed_as & 1) != 0)
          r.array_of[k] = static_cast<std::int8_t>(a);
    });
    if (platform::thread_index() != 0)
      return;
    r.epoch = epoch;
    r.ordered = stage;
    r.needed = needed;
    int part = 3;
    if (!Alone) {
      const side_work& work = r.sides[stage];
      GPURMA_UNROLLED
      for (int side = memory::before; side <= memory::after; ++side) {
        if (work.leaves_untold[side])
          r.untold_stage[side] = stage;
        if (work.tells[side])
          r.told[side] = epoch; // by another thread, before it takes part in the next stage
      }
      r.is_telling = work.tells_any;
      part = work.tells_any ? 0 : 3;
    }
    r.now = r.stage[stage].part[part];
    detail::count_directive(detail::block());
  }

  // Thread 0.
  GPURMA_SLOW_DEVICE static void find_side_work(state& r, int stage) {
    const launch_traits& traits = r.traits[stage];
    const bool by_array = r.plans.bands.by_array;
    side_work& work = r.sides[stage];
    for (int side = memory::before; side <= memory::after; ++side) {
      const bool puts_none = by_array && traits.writes[side] == 0;
      const bool says_so = (r.tells_of_reads[stage] >> side & 1) != 0;
      work.puts[side] = traits.writes[by_array ? side : static_cast<int>(memory::own)];
      work.leaves_untold[side] = puts_none && traits.reads[side] != 0;
      work.tells[side] = r.informs[side] && (!puts_none || (work.leaves_untold[side] && says_so));
    }
    work.tells_any = work.tells[memory::before] || work.tells[memory::after];
    work.by_hosts = false;
    for (int side = memory::before; side <= memory::after; ++side)
      work.by_hosts |= work.tells[side] && r.control_of[side] == nullptr;
  }

  GPURMA_DEVICE static void note_epoch(state& r, int a, int side, bool is_read, bool is_written,
                                       std::uint32_t epoch) {
    if (is_read)
      r.read_at[side][a] = epoch;
    if (is_written)
      r.written_at[side][a] = epoch;
  }

  GPURMA_DEVICE static std::uint32_t larger(std::uint32_t a, std::uint32_t b) {
    return a > b ? a : b;
  }

  // Finds out which tiles the rank owns and which ranks they depend on: when a stage is met for
  // the first time, or with another grid. The threads that lead.
  GPURMA_SLOW_DEVICE static void meet_stage(int stage, dim3 grid, dim3 block, site where) {
    state& r = shared();
    const unsigned width = platform::polling_threads();
    const bool other_grid = r.stage[stage].known;
    // The tiles that were touched under the old grid belong to other ranks now.
    if (other_grid) {
      if (platform::thread_index() == 0) {
        r.where = where;
        r.ordered = world_barrier;
      }
      platform::sync_block();
      barrier(comm::world, where);
    }
    platform::sync_polling(width);
    if (platform::thread_index() == 0) {
      const stage_plan& plan = r.plans.stage[stage];
      if (block.x != blockDim.x || block.y != blockDim.y || block.z != blockDim.z)
        detail::fail(detail::block(), error_code::other_block_size, directive::stage, where,
                     block.x, block.y, block.z);
      if (other_grid)
        for (int side = 0; side < 3; ++side)
          for (int a = 0; a < A; ++a)
            r.read_at[side][a] = r.written_at[side][a] = 0;
      set_up(r, stage, plan, grid);
      for (int one = 0; one < S; ++one) {
        if (!r.stage[one].known)
          continue;
        if (other_grid || one == stage) {
          r.watched_count[one] = 0;
          for (bool& watches : r.watches[one])
            watches = false;
        }
        for (int other = 0; other < S; ++other)
          if (r.stage[other].known && (other_grid || one == stage || other == stage))
            for (int side = 0; side < 3; ++side)
              watch_conflicts(r, one, other, side);
      }
      for (int known = 0; known < S; ++known)
        if (r.stage[known].known)
          find_side_work(r, known);
      r.is_alone = is_alone(r);
      r.is_telling = false;
      for (bool& known : r.informed_is_known)
        known = false;
    }
    platform::sync_polling(width);
  }

  // With stages that are not known yet, other ranks may come in.
  GPURMA_DEVICE static bool is_alone(const state& r) {
    if (r.plans.bands.processes == 1)
      return true;
    for (int s = 0; s < S; ++s)
      for (int side = memory::before; side <= memory::after; ++side)
        if (!r.stage[s].known || r.watches[s][side] || r.informs[side])
          return false;
    return true;
  }

  GPURMA_DEVICE static void set_up(state& r, int stage, const stage_plan& plan, const dim3& grid) {
    const banding& bands = r.plans.bands;
    stage_state& s = r.stage[stage];
    r.pushed[stage].count = pushed_boxes::unknown;
    s.known = true;
    s.grid = grid;
    const unsigned inner = plan.row == 0 ? grid.y : grid.x, outer = plan.row == 2 ? grid.y : grid.z;
    s.inner = static_cast<int>(inner > 0 ? inner : 1);
    s.outer = static_cast<int>(outer > 0 ? outer : 1);
    s.per_row = s.inner * s.outer;
    s.dealt = dealing_of(r, stage, bands.process);
    s.tiles = s.dealt.count(r.rank, s.dealt.all);
    for (int side = memory::before; side <= memory::after; ++side) {
      s.concerned[side] = 0;
      if (!has_process(bands, side))
        continue;
      const rank_range range = concerned_tiles(r, stage, s.dealt, bands.process, side);
      s.concerned[side] = s.dealt.count(r.rank, range.last) - s.dealt.count(r.rank, range.first);
      // The neighbour may wait for the rank's epochs from now on, and for those of earlier stages.
      if (s.concerned[side] > 0 && !r.informs[side]) {
        r.informs[side] = true;
        platform::fence_release(platform::scope::system); // M22
        r.told[side] = r.epoch;
        send_epoch(r, side, r.epoch);
      }
    }
    s.part[0].count = s.concerned[memory::before];
    const int left = s.tiles - s.part[0].count;
    s.part[1].count = s.concerned[memory::after] < left ? s.concerned[memory::after] : left;
    s.part[2].count = left - s.part[1].count;
    s.part[3].count = s.tiles;
    s.step = position(s, s.dealt.distance());
    s.part[0].begin = position(s, tile_number(s, r.rank, 0));
    s.part[1].begin = position(s, tile_number(s, r.rank, s.tiles - s.part[1].count));
    s.part[2].begin = position(s, tile_number(s, r.rank, s.part[0].count));
    s.part[3].begin = position(s, tile_number(s, r.rank, 0));
    const bool together = s.dealt.how == dealing::columns;
    s.pieces = together && !plan.few_rows ? s.dealt.length / tiles_of_piece : 0;
    s.active = together ? s.dealt.active() : 0;
  }

  // Among the tiles of all processes.
  GPURMA_DEVICE static std::int64_t tile_number(const stage_state& s, int rank, int k) {
    return s.dealt.base + s.dealt.first(rank) + k * s.dealt.distance();
  }

  GPURMA_DEVICE static tile_position position(const stage_state& s, std::int64_t tile) {
    const auto row = static_cast<int>(tile / s.per_row);
    const auto in_row = static_cast<int>(tile - std::int64_t{row} * s.per_row);
    return {row, in_row / s.inner, in_row % s.inner};
  }

  // Both behind a release fence at system scope. Where the hosts take it there, thread 0.
  GPURMA_DEVICE static void send_epoch(const state& r, int side, std::uint32_t epoch) {
    if (r.control_of[side] != nullptr)
      store_epoch(r, side, epoch);
    else
      post_word(r, r.first_rank[side], r.words.epoch_at(mirror(side), r.rank), epoch);
  }
  GPURMA_DEVICE static void store_epoch(const state& r, int side, std::uint32_t epoch) {
    platform::store_released(r.control_of[side] + r.words.epoch_at(mirror(side), r.rank),
                             std::uint64_t{epoch}); // M22
  }

  // Before its tiles of stage a, the rank waits for ranks of a process whose tiles of stage b
  // conflict with them.
  GPURMA_DEVICE static void watch_conflicts(state& r, int a, int b, int side) {
    if (!has_process(r.plans.bands, side))
      return;
    const stage_plan& mine = r.plans.stage[a];
    const stage_plan& theirs = r.plans.stage[b];
    const auto watch = [&](const rank_range& found) { watch_ranks(r, a, found, side); };
    const banding& bands = r.plans.bands;
    // Of one process, rows at one end are the neighbours of those at the other.
    const bool turns =
        side == memory::own && bands.processes == 1 && (mine.periodic_rows || theirs.periodic_rows);
    GPURMA_ROLLED
    for (int turn = turns ? -1 : 0; turn <= (turns ? 1 : 0); ++turn)
      GPURMA_ROLLED
    for (int pair = 0; pair < 3; ++pair)
      visit_conflicts(r, a, pair == 0 ? mine.read : mine.written, b,
                      pair == 1 ? theirs.read : theirs.written, side,
                      turn * bands.rows + turned_by(bands, side), watch);
  }

  GPURMA_SLOW_DEVICE static void watch_ranks(state& r, int a, rank_range found, int side) {
    r.watches[a][side] = true;
    for (int k = found.first; k <= found.last && r.watched_count[a] >= 0; ++k)
      if (side != memory::own || k != r.rank)
        watch_epoch(r, a, watched_epoch::at(r.words.epoch_at(side, k), side));
  }

  GPURMA_DEVICE static void watch_epoch(state& r, int stage, const watched_epoch& one) {
    const int count = r.watched_count[stage];
    for (int k = 0; k < count; ++k)
      if (r.watched[stage][k].bits == one.bits)
        return;
    if (count < most_watched)
      r.watched[stage][count] = one;
    r.watched_count[stage] = count < most_watched ? count + 1 : -1;
  }

  // The tiles that neighbouring processes are concerned with are done. Writes the rows that they
  // read into their arrays, if that is as little as mostly: false, if put_others is to write the
  // rest. All threads. It calls nothing, so that it needs no local memory, and steps of small grids
  // wait for its instructions.
  GPURMA_SLOW_DEVICE static bool put_lines(state& r, int stage) {
    platform::sync_block(); // M1
    go_on_to(r, r.stage[stage], 2);
    const pushed_boxes& known = r.pushed[stage];
    if (!are_valid(r, known))
      return false;
    bool all = true;
    GPURMA_ROLLED
    for (int k = 0; k < known.count; ++k)
      all &= put_line(r, known.box[k]);
    return all;
  }

  GPURMA_SLOW_DEVICE static void put_others(state& r, int stage) {
    const pushed_boxes& known = r.pushed[stage];
    // Those that are too many are not kept.
    const bool lines_are_put = are_valid(r, known);
    if (known.count != pushed_boxes::too_many && !lines_are_put)
      find_boxes(r, stage);
    if (known.count == pushed_boxes::too_many)
      visit_boxes(r, stage, [&](const pushed_box& box) { put(r, box, stage); });
    GPURMA_ROLLED
    for (int k = 0; k < known.count; ++k)
      if (!lines_are_put || !is_line(r, known.box[k]))
        put(r, known.box[k], stage);
  }

  // The rank's epoch, behind that and a barrier. All threads.
  GPURMA_SLOW_DEVICE static void tell_neighbours(const state& r, int stage) {
    const side_work& work = r.sides[stage];
    // Thread 0 gives the host its commands.
    if (work.by_hosts ? platform::thread_index_again() == 0 : tells_processes()) {
      platform::fence_release(platform::scope::system); // M22
      for (int side = memory::before; side <= memory::after; ++side)
        if (work.tells[side])
          send_epoch(r, side, r.epoch);
    }
  }

  // Boxes depend on the extents of the arrays, which are the same for arrays that take turns.
  GPURMA_DEVICE static bool are_valid(const state& r, const pushed_boxes& known) {
    bool valid = known.count >= 0;
    GPURMA_ROLLED
    for (int k = 0; k < known.count; ++k)
      valid &= r.shape_of[r.array_of[known.box[k].passed]] == known.shape[k];
    return valid;
  }

  GPURMA_SLOW_DEVICE static void find_boxes(state& r, int stage) {
    platform::sync_block();
    if (platform::thread_index() == 0) {
      pushed_boxes& known = r.pushed[stage];
      int count = 0;
      visit_boxes(r, stage, [&](const pushed_box& box) {
        if (count < pushed_boxes::most) {
          known.box[count] = box;
          known.shape[count] = r.shape_of[r.array_of[box.passed]];
        }
        ++count;
      });
      known.count =
          static_cast<std::int8_t>(count <= pushed_boxes::most ? count : pushed_boxes::too_many);
    }
    platform::sync_block();
  }

  // Calls visit(box) for what the rank's tiles of a stage have written of rows that neighbouring
  // processes read.
  template <class Visit>
  GPURMA_DEVICE static void visit_boxes(state& r, int stage, const Visit& visit) {
    const banding& bands = r.plans.bands;
    const stage_state& s = r.stage[stage];
    for (int side = memory::before; side <= memory::after; ++side) {
      if (!r.informs[side])
        continue;
      GPURMA_ROLLED
      for (int k = 0; k < most_arrays_passed; ++k) {
        if (!launch_traits::has(r.sides[stage].puts[side], k))
          continue;
        const written_box& written = r.traits[stage].boxes[k];
        const extent needed =
            side == memory::before
                ? extent{0, bands.begin(bands.process) + bands.put_at_begin(written.read_after) - 1}
                : extent{bands.begin(bands.process + 1) - bands.put_at_end(written.read_before),
                         bands.rows - 1};
        for (int part = 0; part < 2; ++part)
          visit_tiles(r, stage, k, part == 0 ? 0 : s.tiles - s.part[1].count,
                      part == 0 ? s.part[0].count : s.tiles, side, needed, visit);
      }
    }
  }

  struct extent {
    std::int64_t first;
    std::int64_t last;
  };

  // Neighbouring tiles, by grid dimension.
  struct tile_box {
    extent axis[3];
  };

  // The dimensions of an array of which tiles write the ends only: a bit for each.
  GPURMA_DEVICE static unsigned dimensions_with_ends(const state& r, const written_box& written) {
    unsigned found = 0;
    for (unsigned j = 0; j < 4; ++j)
      found |= unsigned{!r.puts_lines && written.axis[j].walked_by < 0 &&
                        written.axis[j].ends.first >= 0}
               << j;
    return found;
  }

  // What tiles write along a dimension of an array, of `size` coordinates: of one with ends, at the
  // first or at the last of these.
  GPURMA_DEVICE static extent written_along(const stage_plan& plan, const tile_box& tiles,
                                            const written_axis& axis, std::int64_t size,
                                            bool has_ends, bool at_last) {
    if (has_ends) {
      const std::int64_t first = size - axis.ends.last;
      const std::int64_t last = std::int64_t{axis.ends.first} - 1;
      return at_last ? extent{first > 0 ? first : 0, size - 1}
                     : extent{0, last < size - 1 ? last : size - 1};
    }
    if (axis.walked_by < 0)
      return {0, size - 1};
    const auto walked_by = static_cast<unsigned>(axis.walked_by);
    const std::int64_t length =
        walked_by == plan.row ? plan.height() : of_dim(plan.block, walked_by);
    const extent& at = tiles.axis[walked_by];
    const std::int64_t low = at.first * length + axis.reach.low;
    const std::int64_t high = at.last * length + length - 1 + axis.reach.high;
    return {low > 0 ? low : 0, high < size - 1 ? high : size - 1};
  }

  // The boxes of what the rank's tiles [begin, end) have written of the needed rows of the stage's
  // k-th array.
  template <class Visit>
  GPURMA_DEVICE static void visit_tiles(state& r, int stage, int k, int begin, int end, int side,
                                        const extent& needed, const Visit& visit) {
    const stage_plan& plan = r.plans.stage[stage];
    const stage_state& s = r.stage[stage];
    const written_box& written = r.traits[stage].boxes[k];
    const unsigned with_ends = dimensions_with_ends(r, written);
    // What lies between tiles may belong to others.
    bool neighbours = s.dealt.how == dealing::contiguous;
    for (const written_axis& axis : written.axis)
      neighbours &= axis.reach.low <= axis.reach.high;
    const unsigned inner = plan.row == 0 ? 1 : 0;
    const unsigned outer = plan.row == 2 ? 1 : 2;
    while (begin < end) {
      const std::int64_t number = tile_number(s, r.rank, begin);
      const auto row = static_cast<int>(number / s.per_row);
      const auto from = static_cast<int>(number - std::int64_t{row} * s.per_row);
      const int most = neighbours ? end - begin : 1;
      const int to = from + most < s.per_row ? from + most : s.per_row;
      begin += to - from;
      // Of the lines of tiles, the first and the last may be incomplete.
      for (int at = from; at < to;) {
        const int line = at / s.inner;
        const int first = at - line * s.inner;
        const int lines = first == 0 && to - at >= s.inner ? (to - at) / s.inner : 1;
        const int width = lines > 1 || to - at >= s.inner - first ? s.inner - first : to - at;
        tile_box tiles;
        tiles.axis[plan.row] = {row, row};
        tiles.axis[outer] = {line, line + lines - 1};
        tiles.axis[inner] = {first, first + width - 1};
        unsigned at_last = with_ends; // each part of these
        for (bool more = true; more; at_last = (at_last - 1) & with_ends) {
          more = at_last != 0;
          pushed_box box;
          if (find_box(r, stage, k, tiles, needed, with_ends, at_last, box)) {
            box.passed = static_cast<std::int8_t>(k);
            box.side = static_cast<std::int8_t>(side);
            visit(box);
          }
        }
        at = lines > 1 ? at + lines * s.inner : at + width;
      }
    }
  }

  // What neighbouring tiles have written; false: nothing. By dimension, a bit: whether they write
  // its ends only, and whether it is the last coordinates of these.
  GPURMA_SLOW_DEVICE static bool find_box(const state& r, int stage, int k, const tile_box& tiles,
                                          const extent& needed, unsigned with_ends,
                                          unsigned at_last, pushed_box& box) {
    const stage_plan& plan = r.plans.stage[stage];
    const array_plan& array = r.plans.array[r.array_of[k]];
    const written_box* const boxes = r.traits[stage].boxes;
    box = {0, {0, 0, 0}, array.element_bytes, {1, 1, 1}, 0, 0, 0};
    std::uint64_t stride = array.element_bytes;
    bool gap = false;
    int place = 2; // of the next dimension that pieces are apart along
    for (int j = 3; j >= 0; --j) {
      const std::int64_t size = array.extent(j);
      extent span = written_along(plan, tiles, boxes[k].axis[j], size, (with_ends >> j & 1) != 0,
                                  (at_last >> j & 1) != 0);
      if (j == array.row_dimension()) {
        span.first = span.first > needed.first ? span.first : needed.first;
        span.last = span.last < needed.last ? span.last : needed.last;
      }
      const std::int64_t count = span.last - span.first + 1;
      if (count <= 0)
        return false;
      box.offset += static_cast<std::uint64_t>(span.first) * stride;
      // Elements of the fastest dimensions lie next to each other.
      if (!gap) {
        box.bytes *= static_cast<std::uint64_t>(count);
      } else if (count != 1) {
        box.strides[place] = stride;
        box.counts[place--] = static_cast<std::uint32_t>(count);
      }
      gap |= count != size;
      stride *= static_cast<std::uint64_t>(size);
    }
    if (box.counts[0] * box.counts[1] == 1 &&
        (box.offset | box.bytes | box.strides[2]) % sizeof(sixteen_bytes) == 0 &&
        box.bytes / sizeof(sixteen_bytes) * box.counts[2] <= platform::block_threads())
      box.line_words = static_cast<std::uint32_t>(box.bytes / sizeof(sixteen_bytes));
    return true;
  }

  // Whether a box is in a line for these arrays.
  GPURMA_DEVICE static bool is_line(const state& r, const pushed_box& box) {
    const int a = r.array_of[box.passed];
    const char* const there = r.arrays_of[box.side][a];
    const auto bits = reinterpret_cast<std::uintptr_t>(r.plans.array[a].base) |
                      reinterpret_cast<std::uintptr_t>(there);
    return there != nullptr && box.line_words != 0 && bits % sizeof(sixteen_bytes) == 0;
  }

  // Writes it into another process's array, if it is. All threads.
  GPURMA_DEVICE static bool put_line(const state& r, const pushed_box& box) {
    if (!is_line(r, box))
      return false;
    const int a = r.array_of[box.passed];
    const unsigned thread = platform::thread_index_again();
    if (thread >= box.line_words * box.counts[2])
      return true;
    const unsigned piece = box.counts[2] == 1 ? 0 : thread / box.line_words;
    const std::uint64_t offset = box.offset + piece * box.strides[2] +
                                 (thread - piece * box.line_words) * sizeof(sixteen_bytes);
    *reinterpret_cast<sixteen_bytes*>(r.arrays_of[box.side][a] + offset) =
        *reinterpret_cast<const sixteen_bytes*>(r.plans.array[a].base + offset);
    return true;
  }

  // Writes a box of the rank's array into another process's. All threads.
  GPURMA_SLOW_DEVICE static void put(state& r, const pushed_box& box, int stage) {
    const int a = r.array_of[box.passed];
    const array_plan& array = r.plans.array[a];
    char* const there = r.arrays_of[box.side][a];
    if (there != nullptr) {
      const auto bits = reinterpret_cast<std::uintptr_t>(array.base) |
                        reinterpret_cast<std::uintptr_t>(there) | box.offset | box.bytes |
                        box.strides[0] | box.strides[1] | box.strides[2];
      if (bits % sizeof(sixteen_bytes) == 0)
        copy_box<sixteen_bytes>(there, array.base, box);
      else if (bits % sizeof(std::uint32_t) == 0)
        copy_box<std::uint32_t>(there, array.base, box);
      else
        copy_box<char>(there, array.base, box);
    } else if (platform::thread_index() == 0) {
      const int target = r.first_rank[box.side];
      const std::uint64_t base = r.windows[a].rows[target].base;
      for (std::uint32_t i = 0; i < box.counts[0]; ++i)
        for (std::uint32_t j = 0; j < box.counts[1]; ++j)
          for (std::uint32_t k = 0; k < box.counts[2]; ++k) {
            const std::uint64_t offset =
                box.offset + i * box.strides[0] + j * box.strides[1] + k * box.strides[2];
            const detail::destination d{nullptr, base + offset, offset, box.bytes, target, true};
            detail::post_transfer(detail::block(), detail::command_kind::put, directive::stage,
                                  r.traits[stage].where, array.base + offset, d, r.windows[a].id, 0,
                                  0);
          }
      r.owes_flush = true;
    }
  }

  struct alignas(16) sixteen_bytes {
    std::uint64_t words[2];
  };

  // By all threads: each takes every block_threads()-th word of all pieces.
  template <class Word>
  GPURMA_DEVICE static void copy_box(char* to, const char* from, const pushed_box& box) {
    const std::uint64_t words = box.bytes / sizeof(Word);
    const std::uint32_t pieces = box.counts[0] * box.counts[1] * box.counts[2];
    const unsigned threads = platform::block_threads();
    const unsigned thread = platform::thread_index();
    // Mostly a line of pieces, and no more than a word for each thread.
    if (box.counts[0] * box.counts[1] == 1 && words <= threads && words * pieces <= threads) {
      const std::uint32_t piece = pieces == 1 ? 0 : thread / static_cast<unsigned>(words);
      const std::uint64_t offset = box.offset + piece * box.strides[2] +
                                   (thread - piece * static_cast<unsigned>(words)) * sizeof(Word);
      if (thread < words * pieces)
        *reinterpret_cast<Word*>(to + offset) = *reinterpret_cast<const Word*>(from + offset);
      return;
    }
    // Without a division for each word.
    const unsigned pieces_on = words < threads ? threads / static_cast<unsigned>(words) : 0;
    const std::uint64_t words_on = threads - pieces_on * words;
    std::uint32_t piece = words < threads ? thread / static_cast<unsigned>(words) : 0;
    std::uint64_t word = thread - piece * words;
    while (piece < pieces) {
      const std::uint32_t line = piece / box.counts[2];
      const std::uint32_t plane = line / box.counts[1];
      const std::uint64_t offset =
          box.offset + plane * box.strides[0] + (line - plane * box.counts[1]) * box.strides[1] +
          (piece - line * box.counts[2]) * box.strides[2] + word * sizeof(Word);
      *reinterpret_cast<Word*>(to + offset) = *reinterpret_cast<const Word*>(from + offset);
      piece += pieces_on;
      word += words_on;
      if (word >= words) {
        word -= words;
        ++piece;
      }
    }
  }
};

// --- Reduced scalars

// A scalar that kernels of the region update by atomics, and that the region reads and assigns: of
// the threads that lead.
template <class T, class Operation, int S, int A, int R> class reduced {
public:
  GPURMA_DEVICE reduced(region<S, A, R>&, int index, T value) : value_(value), index_(index) {}
  reduced(const reduced&) = delete;
  reduced& operator=(const reduced&) = delete;

  // Where the rank's tiles add up.
  GPURMA_DEVICE T* partial() {
    updated_ = true;
    return slot(region<S, A, R>::shared(), index_);
  }

  // The scalar over all processes, the same in all threads of all ranks: waits until all ranks have
  // come here, if kernels may have updated it.
  GPURMA_DEVICE T value() {
    if (updated_)
      value_ = meet(index_, value_);
    updated_ = false;
    return value_;
  }

  // Without a meeting: nobody asks for what has been added up so far. What an assignment is, is
  // the value, for *a = *b = 0.
  GPURMA_DEVICE T operator=(T value) {
    if (updated_ && platform::thread_index() == 0)
      clear(region<S, A, R>::shared(), index_);
    updated_ = false;
    value_ = value;
    return value_;
  }
  GPURMA_DEVICE T operator+=(T more) { return *this = value() + more; }
  GPURMA_DEVICE T operator-=(T less) { return *this = value() - less; }
  GPURMA_DEVICE T operator*=(T factor) { return *this = value() * factor; }
  GPURMA_DEVICE T operator/=(T divisor) { return *this = value() / divisor; }

private:
  using state = region_state<S, A, R>;

  GPURMA_DEVICE static T* slot(state& r, int index) {
    return reinterpret_cast<T*>(r.words.words + r.words.partial_at(index, r.rank));
  }

  // Thread 0, between the block barriers of stages that update the scalar. M23
  GPURMA_DEVICE static void clear(state& r, int index) {
    platform::store_relaxed(r.words.words + r.words.partial_at(index, r.rank),
                            r.plans.identity[index]);
  }

  GPURMA_DEVICE static T nothing(const state& r, int index) {
    return from_bits<T>(r.plans.identity[index]);
  }

  GPURMA_DEVICE static detail::packet* packets(state& r, std::size_t at) {
    return reinterpret_cast<detail::packet*>(r.words.words + at);
  }

  GPURMA_DEVICE static detail::packet pack(T value, std::uint32_t meeting) {
    const std::uint64_t bits = bits_of(value);
    return {{static_cast<std::uint32_t>(bits), meeting, static_cast<std::uint32_t>(bits >> 32),
             meeting}};
  }

  // Waits for packets of a meeting and combines them, always in the same order: in thread 0. The
  // polling threads.
  GPURMA_DEVICE static T combined(state& r, int index, const detail::packet* from, int count,
                                  std::uint32_t meeting, detail::blocked& waiting) {
    constexpr int together = 4; // looks of a thread that do not wait for each other
    const auto width = static_cast<int>(platform::polling_threads());
    const auto thread = static_cast<int>(platform::thread_index());
    T sum = nothing(r, index);
    for (int first = 0; first < count; first += together * width) {
      detail::packet got[together];
      for (;;) {
        bool all = true;
        for (int k = 0; k < together; ++k) {
          const int i = first + k * width + thread;
          got[k] = i < count ? platform::load_packet(from + i) : pack(nothing(r, index), meeting);
        }
        for (int k = 0; k < together; ++k)
          all &= got[k].word[1] == meeting && got[k].word[3] == meeting; // M24
        if (platform::ballot(!all, platform::polling_threads()) == 0)
          break;
        if (thread == 0)
          waiting.pause();
      }
      for (int k = 0; k < together; ++k)
        sum = Operation::combine(
            sum, from_bits<T>(got[k].word[0] | std::uint64_t{got[k].word[2]} << 32));
    }
    platform::sync_polling(platform::polling_threads()); // thread 0 has read those of the last time
    r.parts[thread] = bits_of(sum);
    platform::sync_polling(platform::polling_threads());
    if (thread == 0)
      for (int other = 1; other < width; ++other)
        sum = Operation::combine(sum, from_bits<T>(r.parts[other]));
    return sum;
  }

  // A rank gives its part to the leader of its group, which gives the group's part to all
  // processes; each rank combines those of all groups. So it takes two steps, and the result does
  // not depend on who comes first.
  GPURMA_SLOW_DEVICE static T meet(int index, T value) {
    state& r = region<S, A, R>::shared();
    exchange(r, index, value);
    platform::sync_polling(platform::polling_threads());
    return from_bits<T>(r.result[index]);
  }

  GPURMA_DEVICE static void exchange(state& r, int index, T value) {
    const banding& bands = r.plans.bands;
    const bool is_first = platform::thread_index() == 0;
    const std::uint32_t meeting = r.meetings[index] + 1;
    detail::blocked waiting(detail::block(), directive::reduce, r.plans.where, any_source, any_tag,
                            detail::no_window_id, meeting);
    if (is_first) {
      const auto part = from_bits<T>(
          platform::load_relaxed(r.words.words + r.words.partial_at(index, r.rank))); // M23
      clear(r, index);
      platform::store_packet(packets(r, r.words.rank_part_at(index, r.rank)),
                             pack(part, meeting)); // M24
    }
    const int ranks = detail::block().device_size;
    constexpr int size = memory::group_size;
    if (r.rank % size == 0) {
      const int left = ranks - r.rank;
      const T sum = combined(r, index, packets(r, r.words.rank_part_at(index, r.rank)),
                             left < size ? left : size, meeting, waiting);
      // The last group speaks for those that only other processes have.
      const int end = left <= size ? r.words.groups() : r.rank / size + 1;
      if (is_first)
        for (int group = r.rank / size; group < end; ++group) {
          const detail::packet part =
              pack(group == r.rank / size ? sum : nothing(r, index), meeting);
          const std::size_t at = r.words.group_part_at(index, meeting, bands.process, group);
          platform::store_packet(packets(r, at), part); // M24
          for (int p = 0; p < bands.processes; ++p)
            if (p != bands.process)
              send_packet(r, p, at, part);
        }
    }
    const T sum = combined(r, index, packets(r, r.words.group_part_at(index, meeting, 0, 0)),
                           bands.processes * r.words.groups(), meeting, waiting);
    if (is_first) {
      r.meetings[index] = meeting;
      r.result[index] = bits_of(Operation::combine(value, sum));
    }
  }

  T value_;
  int index_;
  bool updated_ = false;
};

// --- Twins of what the standard library has for the host

template <class T> GPURMA_DEVICE void swap(T& a, T& b) {
  const T c = a;
  a = b;
  b = c;
}
template <class T> GPURMA_DEVICE const T& max(const T& a, const T& b) {
  return a < b ? b : a;
}
template <class T> GPURMA_DEVICE const T& min(const T& a, const T& b) {
  return b < a ? b : a;
}
template <class T> GPURMA_DEVICE const T& clamp(const T& v, const T& low, const T& high) {
  return v < low ? low : high < v ? high : v;
}
// __ldg, of memory that changes while the kernel runs.
template <class T> GPURMA_DEVICE T load(const T* address) {
  return *address;
}
template <class T> GPURMA_DEVICE T& move(T& value) {
  return value;
}
template <class T, class U> GPURMA_DEVICE T exchange(T& object, U&& value) {
  const T old = object;
  object = value;
  return old;
}

} // namespace gpurma::stages

#endif
