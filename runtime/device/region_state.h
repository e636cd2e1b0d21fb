// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a rank keeps of a persistent region, in shared memory: its stages, the tiles of each, the
// ranks that it waits for, and how far it is.
#ifndef GPURMA_DEVICE_REGION_STATE_H
#define GPURMA_DEVICE_REGION_STATE_H

#include <cstring>
#include <type_traits>

#include <gpurma/device/directives.h>
#include <gpurma/device/stage_plan.h>
#include <gpurma/device/thread_parts.h>

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
// So few that a rank that runs all of them before it puts rows puts them hardly later.
inline constexpr int tiles_before_puts = 4;
// Rows of a thread in the tiles between two times at which a rank waits for all others, in a power
// of two of tiles, at least so many. In columns of fewer tiles, but of half as many, it waits at
// their beginning for ranks that are a stage behind.
inline constexpr int rows_of_piece = 64;
inline constexpr int least_tiles_of_piece = 8;

// Which threads read again for each tile what the kernel is passed, rather than keep it in
// registers, of which they have too few.
enum class rereading { by_none, by_leading, by_all };

// What the threads that follow are to do: to run the stage of this number, or one of these; they
// are at none when they have put rows.
enum order : int { end_of_region = -1, world_barrier = -2, end_of_puts = -3 };

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

// What a launch is passed that runs together with a later one.
template <class Launch> class later {
  static_assert(std::is_trivially_copyable_v<Launch>, "a kernel is passed bytes");

public:
  GPURMA_DEVICE void set(const Launch& launch) { memcpy(bytes, &launch, sizeof(Launch)); }
  GPURMA_DEVICE const Launch& get() const { return *reinterpret_cast<const Launch*>(bytes); }

private:
  alignas(Launch) unsigned char bytes[sizeof(Launch)];
};

// Pointers that a stage is passed.
template <int Count> struct pointers {
  static_assert(Count <= most_arrays_passed,
                "a kernel of a persistent region is passed up to 32 arrays");
  static constexpr int count = Count;
  const volatile void* of[Count];
};

// Arrays of a region do not overlap unless they begin at the same place.
GPURMA_DEVICE bool are_apart(const volatile void* one, const volatile void* other) {
  return one != other;
}

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
  // Numbers of the process's own tiles; before and behind them are ghost tiles.
  std::int64_t own_begin;
  std::int64_t own_end;

  GPURMA_DEVICE std::int64_t range() const {
    return (all / together + ranks - 1) / ranks * together;
  }
  GPURMA_DEVICE std::int64_t distance() const {
    return how == contiguous ? 1 : how == columns ? per_row : ranks;
  }
  GPURMA_SLOW_DEVICE std::int64_t first(int rank) const {
    return how == contiguous ? rank * range()
           : how == columns  ? std::int64_t{rank / per_row} * length * per_row + rank % per_row
                             : rank;
  }
  // Of a rank's tiles, those before a number.
  GPURMA_SLOW_DEVICE int count(int rank, std::int64_t before) const {
    const std::int64_t end = how == contiguous ? first(rank) + range()
                             : how == columns  ? first(rank) + std::int64_t{length} * per_row
                                               : all;
    before = before < end ? before : end;
    before = before < all ? before : all;
    return before <= first(rank) ? 0
                                 : static_cast<int>((before - first(rank) - 1) / distance() + 1);
  }
  // Ranks that have tiles; not contiguous.
  GPURMA_DEVICE int active() const {
    return how == columns ? static_cast<int>((all / per_row + length - 1) / length * per_row)
           : all < ranks  ? static_cast<int>(all)
                          : ranks;
  }
  // The most tiles of a rank, if they lie next to those that others have at the same time.
  GPURMA_DEVICE int most_in_step() const {
    return how == contiguous ? 0
           : how == columns  ? length
                             : static_cast<int>((all + ranks - 1) / ranks);
  }
  GPURMA_SLOW_DEVICE int owner(std::int64_t number) const {
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
  // Those of them that are its process's own: from one to before another.
  std::int32_t own_begin;
  std::int32_t own_end;
  // Of these: those that the process before is concerned with, others that the process after is,
  // those between, and all.
  tile_range part[4];
  std::int32_t concerned[3]; // of the rank's tiles, by side; some with both neighbours
  dealing dealt;
  // In how many pieces the rank with most tiles runs the stage, so as to stay together with others,
  // 0: few tiles; this one all of its tiles, and those between. The tiles of a piece, a power of
  // two. How many ranks have tiles, and how many of them need not have begun a piece for others to
  // go on.
  std::int32_t most_pieces;
  std::int32_t pieces_of_all;
  std::int32_t pieces_between;
  std::int32_t tiles_of_piece;
  std::int32_t active;
  std::int32_t left_behind;
  bool known;
};

// Pieces of an array at regular distances, which a rank has written and another process reads, and
// the same pieces at other places of the array, since many tiles of a rank are alike. Offsets and
// lengths in bytes.
struct pushed_box {
  std::uint64_t offset; // of the first piece at the first place
  std::uint64_t strides[3];
  std::uint64_t bytes; // of a piece
  std::uint32_t counts[3];
  std::int8_t passed; // the array: which of those that the stage is passed
  std::int8_t side;
  std::uint16_t places;
  std::uint16_t first_place; // of memory::places, if there are several
  std::uint8_t word_bytes;
  // Words in a piece, if all are in a line and each thread has at most one; otherwise 0.
  std::uint32_t line_words;
};

// What a rank pushes when it has run a stage, if that is not much, and for which arrays.
struct pushed_boxes {
  static constexpr int most = 8;
  pushed_box box[most];
  std::int8_t shape[most]; // of each box's array, when it was computed
  std::int8_t count;
  enum : std::int8_t { unknown = -1, too_many = -2 };
};

// How many of the ghost rows (ghost_rows.h) before and after a band are not valid, or of how many
// more something else is.
struct missing_rows {
  std::uint16_t before;
  std::uint16_t after;
};

// Of a stage, where processes have ghost rows.
struct ghost_stage {
  static constexpr std::uint16_t never = UINT16_MAX;

  // Of each array that the kernel is passed: how far what a thread reads is from what it writes.
  missing_rows distance[most_arrays_passed];
  missing_rows least;   // of what it writes, as ghost tiles are dealt for no more rows
  missing_rows most;    // the same, since the process's own tiles write the others
  missing_rows allowed; // more are not left for later stages
  // Of the rank's ghost tiles before and after the process's own, those that are run if so many
  // rows are missing.
  std::uint16_t tiles[2][most_ghost_rows + 1];
  tile_position first;  // of the rank's tiles
  tile_position behind; // those of its process
  // With how many missing rows the stage tells the process before or after its epoch though it puts
  // no rows, since that waits for it.
  std::uint16_t tells_at[2];
  std::uint32_t waited_for; // the last exchange
};

// Of a region.
template <int Stages, int Arrays> struct ghost_state {
  ghost_stage stage[Stages];
  missing_rows missing_of[Arrays][Stages]; // of an array, as far as a stage has written it
  missing_rows missing[Arrays];            // of all of it
  std::uint16_t untold_at[2]; // missing rows of region_state::untold_stage, before and after
  std::uint32_t exchanged_at; // the last epoch in which processes have given each other rows
  // Of the stage that runs: ghost tiles after the process's own; and how many of these come behind
  // ghost tiles in a row, 0: none.
  tile_range behind;
  std::int32_t own_tiles;
};

// Which tiles a rank runs of a stage, and what else: those that are its process's own; the same,
// those that other processes are concerned with first, and tells these; or ghost tiles, then its
// own, and perhaps tells others.
enum class way_of_stage : std::uint8_t { own_tiles, telling, with_ghosts };

// What all launches of a stage have in common. Bit k stands for the k-th array that the kernel is
// passed: whether it reads or writes it; whether it reads rows on a side of its own that the region
// changes; and whether the process on a side needs rows of what it writes.
struct launch_traits {
  GPURMA_DEVICE static bool has(std::uint32_t bits, unsigned k) { return (bits >> k & 1) != 0; }

  int count; // of the arrays
  std::uint32_t reads[3];
  std::uint32_t writes[3];
  std::uint32_t overwrites; // the same elements of it each time
  bool adds_parts;          // of reduced scalars
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
  bool puts_last; // behind all tiles of the rank
  bool tells_any;
  bool by_hosts;
};

// A launch, as far as it is the same for all kernels.
struct stage_call {
  int stage;
  bool leads_inside; // a pointer, into one of the region's arrays, of which it is none
  dim3 grid;
  const volatile void* arrays[most_arrays_passed];
};

// What a rank of a region keeps in shared memory. Thread 0 writes, between two block barriers.
template <int Stages, int Arrays, int Scalars> struct region_state {
  plan<Stages, Arrays, Scalars> plans;
  memory words;
  detail::window_handle control;
  detail::window_handle windows[Arrays];
  // By side: the first rank of the neighbouring process, and where its arrays and its control
  // memory are; null if only the hosts reach them.
  int first_rank[3];
  char* arrays_of[3][Arrays];
  std::uint64_t* control_of[3];
  int ordered; // of the threads that follow; thread 0 writes it before the barrier that starts it
  site where;  // the stage or barrier that it belongs to
  std::uint32_t epoch;  // stages that the rank has begun
  std::int32_t rank;    // of the device
  std::uint32_t way_taken; // a hash of the stages that the rank has begun
  std::uint64_t pieces; // that all ranks of the device have begun when this one goes on
  bool owes_flush;      // the host may still read rows that the stage has put
  bool informs[3];      // the process on this side of the rank's epochs
  // By side, while it informs: the epoch that it has told last; which stage has last read rows from
  // there, and put none; and, a bit for each side, which of such stages tell all the same.
  std::uint32_t told[3];
  std::int32_t untold_stage[3];
  std::uint8_t tells_of_reads[Stages];
  bool written_by[Arrays][Stages];
  // What the rank puts of a dimension that is not walked is all of it, with what other ranks of the
  // process write, so that it waits for these: each element by itself would be a command to the
  // hosts.
  bool puts_lines;
  // Whether the rank has to do with ranks of its own process only: it waits for no others in any
  // stage, and none wait for it.
  bool is_alone;
  // The stage that has come behind each, whose ranks the first warp that follows looks at when that
  // one ends (stages.h), and the one behind the stage that runs; -1: the leading threads look. And
  // whether those that looked have given up.
  std::int16_t next_stage[Stages];
  std::int16_t expected;
  bool is_late;
  way_of_stage way;    // of the stage that runs
  bool discards_parts; // what threads add up in the tiles that run
  tile_range now;
  launch_traits traits[Stages]; // of stages that are known, as the next
  side_work sides[Stages];
  stage_call call;
  std::int8_t shape_of[Arrays]; // the first of the arrays with the same extents
  std::uint64_t bytes_of[Arrays];
  // Of the stage that runs: as which arrays it is passed each of the region's, a bit for each;
  // which of the region's each is; and how far others must be.
  std::uint32_t passed_as[Arrays];
  std::int8_t array_of[most_arrays_passed];
  needed_epochs needed;
  stage_state stage[Stages];
  // The epoch at which any stage has last read and written an array: on this process; and on the
  // one on a side, what comes from here or goes to here.
  std::uint32_t read_at[3][Arrays];
  std::uint32_t written_at[3][Arrays];
  // The ranks with tiles of any stage that conflict with the rank's tiles of this one: where their
  // epochs are, if they are not too many.
  watched_epoch watched[Stages][most_watched];
  std::int32_t watched_count[Stages]; // -1: too many
  bool watches[Stages][3];            // ranks of the process on a side
  bool informed_is_known[Stages];     // find_informed
  pushed_boxes pushed[Stages];
  // Of each reduced scalar: what warps have added up of their threads' parts; and meetings.
  parts_of_warps by_warp[Scalars];
  std::uint32_t meetings[Scalars];
  std::uint64_t result[Scalars]; // of the last meeting
  std::uint64_t parts[most_polling_threads];
  // How many threads put what is pushed while others begin the next stage; 0: all put it.
  std::uint16_t putting_threads[Stages];
  ghost_state<Stages, Arrays> ghosts;
  // Whether all arrays have the same extents, begin at multiples of 16 bytes and are so reached in
  // other processes: what is a line in one of them is one in all.
  bool arrays_are_alike;
};

} // namespace gpurma::stages

#endif
