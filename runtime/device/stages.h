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
// nothing to do with other processes. Where it is worth it, processes give each other several rows
// at once, and compute them themselves meanwhile (ghost_rows.h).
//
// What a rank does between tiles counts many times in a step. Statements need registers for what
// they keep while tiles run, which in a kernel with few of them are words of local memory: an
// acquire of any rank sends the next load of each to L2, and a release waits for each store. So
// only one warp has them; what a stage's tiles are passed goes through shared memory.
#ifndef GPURMA_DEVICE_STAGES_H
#define GPURMA_DEVICE_STAGES_H

#include <cstdio>
#include <type_traits>
#include <utility>

#include <gpurma/device/checked_reads.h>
#include <gpurma/device/ghost_rows.h>
#include <gpurma/device/host_twins.h>
#include <gpurma/device/pushed_rows.h>
#include <gpurma/device/rank_epochs.h>
#include <gpurma/device/reduced_scalars.h>
#include <gpurma/device/region_state.h>
#include <gpurma/device/thread_parts.h>

namespace gpurma::stages {

// What a kernel's shared memory asks for when a rank goes on to its next tile: nothing, as it has
// none; a barrier; or the other copy of it. With a copy, a thread may be a tile ahead of others,
// since it passes no barrier of the kernel before all have left the tile before.
enum class between_tiles { nothing, barrier, other_copy };

// Threads of a kernel may return before others come to barriers. CUDA counts them no longer; a rank
// goes on with them, so that its own barriers do count them.
struct leaving_threads {
  GPURMA_DEVICE leaving_threads() { platform::begin_leaving(); }
  GPURMA_DEVICE ~leaving_threads() { platform::leave(); }
};
struct barrier_of_staying {
  GPURMA_DEVICE void operator()() const { platform::sync_staying(); }
};
// Of a launch with fewer threads in a block than a rank has: whole warps.
struct barrier_of_first {
  unsigned threads;
  GPURMA_DEVICE void operator()() const { platform::sync_first(threads); } // M28
};

// A rank's state, and what a region's statements ask for.
template <int Stages, int Arrays, int Scalars> class region {
  static_assert(Arrays <= 32, "a persistent region distributes up to 32 arrays");

public:
  using state = region_state<Stages, Arrays, Scalars>;

  // Whether the thread runs the region's statements. The others follow.
  GPURMA_DEVICE static bool leads() {
    return platform::thread_index() < platform::polling_threads();
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
    const plan<Stages, Arrays, Scalars>& plans = shared().plans;
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

  // Whether it is this thread that gives the host the values.
  GPURMA_DEVICE bool reports() const { return shared().rank == 0 && platform::thread_index() == 0; }

  GPURMA_DEVICE static state& shared() { return platform::block_shared<state>(); }

protected:
  // All threads of all ranks.
  GPURMA_SLOW_DEVICE region(const plan<Stages, Arrays, Scalars>& plans, const memory& words) {
    state& r = shared();
    block_state& b = detail::block();
    begin_checked_reads();
    if (platform::thread_index() == 0) {
      r.plans = plans;
      r.words = words;
      r.epoch = 0;
      r.way_taken = 0;
      r.pieces = 0;
      r.rank = b.rank - b.first_rank;
      r.owes_flush = false;
      r.informs[memory::before] = r.informs[memory::after] = false;
      r.is_alone = plans.bands.processes == 1;
      r.expected = -1;
      r.is_late = false;
      r.way = way_of_stage::own_tiles;
      r.discards_parts = false;
      r.puts_lines = false;
      GPURMA_ROLLED
      for (int s = 0; s < Stages; ++s) {
        r.stage[s].known = false;
        r.tells_of_reads[s] = 0;
        r.next_stage[s] = -1;
      }
      GPURMA_ROLLED
      for (int a = 0; a < Arrays; ++a) {
        for (bool& written : r.written_by[a])
          written = false;
        int shape = 0;
        while (!r.plans.array[a].has_extents_of(r.plans.array[shape]))
          ++shape;
        r.shape_of[a] = static_cast<std::int8_t>(shape);
        r.bytes_of[a] = r.plans.array[a].bytes();
        for (int side = 0; side < 3; ++side)
          r.read_at[side][a] = r.written_at[side][a] = 0;
      }
      GPURMA_ROLLED
      for (int k = 0; k < Scalars; ++k) {
        r.meetings[k] = 0;
        for (std::uint64_t& part : r.by_warp[k])
          part = plans.identity[k];
      }
      r.ghosts.own_tiles = 0;
      if (ghost_rows<Stages, Arrays, Scalars>::exist(r))
        ghost_rows<Stages, Arrays, Scalars>::begin(r);
    }
    platform::sync_block();
  }

#if GPURMA_CHECK
  region(const region&) = delete;
  region& operator=(const region&) = delete;
  GPURMA_DEVICE ~region() {
    end_checked_reads();
  }
#endif
};

// Whether there is no other process.
template <process_count Of, int Stages, int Arrays, int Scalars>
GPURMA_DEVICE bool is_single(const region_state<Stages, Arrays, Scalars>& r) {
  return Of == process_count::one || (Of == process_count::any && r.plans.bands.processes == 1);
}

template <process_count Of, int Stages, int Arrays, int Scalars> class tiles;

// A region of so many processes: leads its ranks from stage to stage.
template <process_count Of, int Stages, int Arrays, int Scalars>
class region_of : public region<Stages, Arrays, Scalars> {
  using base = region<Stages, Arrays, Scalars>;

public:
  using typename base::state;

  // All threads of all ranks. Collective over all processes.
  GPURMA_DEVICE region_of(const plan<Stages, Arrays, Scalars>& plans, const memory& words)
      : base(plans, words) {
    if (!is_single<Of>(base::shared()))
      open_windows(plans, words);
  }

  // Runs a stage for the tiles that the rank owns, once it may begin. A Launch is what its kernel
  // is passed; gpurma_run<copy>(logical block, parts) runs the kernel's body, where `copy` says
  // which copy of static shared memory the tile uses. gpurma_parts are the thread's parts of
  // reduced scalars, gpurma_finish(parts) what the threads do together with their parts of several
  // tiles, and gpurma_add_up(parts, of_warps) adds them to those of the warp. gpurma_arrays(): the
  // arrays that it is passed, of which bit k of gpurma_reads and gpurma_writes says what it does
  // with the k-th, and gpurma_boxes()[k] what a tile writes of it; bit k of gpurma_reads_before and
  // gpurma_reads_after, whether it reads rows before or after its own that the region changes, and
  // of gpurma_puts_before and gpurma_puts_after, whether the process before or after needs rows of
  // what it writes. gpurma_rereads: which threads keep nothing that it is passed in registers
  // from tile to tile. The threads that lead.
  template <class Launch>
  GPURMA_DEVICE void launch(const Launch& launch, const dim3& block, site where) {
    tiles<Of, Stages, Arrays, Scalars>::launch(launch, block, where);
  }

  // The same of several launches that may run as one stage, a tile of the first and then the same
  // tile of the next: bit k of gpurma_runs says whether it runs the k-th. gpurma_are_apart(): that
  // none touches what others write but in the same tile. Otherwise one runs after the other, each
  // as if it touched what all do. The threads that lead.
  template <class Launches>
  GPURMA_DEVICE void launch_together(Launches launches, const dim3& block, site where) {
    constexpr unsigned all = (1u << Launches::gpurma_count) - 1;
    launches.gpurma_runs = launches.gpurma_are_apart() ? all : 1;
    GPURMA_ROLLED
    for (; launches.gpurma_runs <= all;
         launches.gpurma_runs = launches.gpurma_runs == all ? all + 1 : launches.gpurma_runs << 1)
      launch(launches, block, where);
  }

  // Before each iteration of the region's loop: whether the kernel runs it, or leaves that to the
  // host. Of one process; all ranks leave before the same iteration. The threads that lead.
  GPURMA_DEVICE static bool goes_on(const loop_part& part, loop_progress& loop) {
    if (Of == process_count::several)
      return true;
    if ((loop.iterations == part.timed_from || loop.iterations == part.decides_at) &&
        !stays(part, loop))
      return false;
    ++loop.iterations;
    return true;
  }

  // Runs what the leading threads launch until they dismiss the others. Those that do not lead.
  template <class... Launches> GPURMA_DEVICE void follow() const {
    tiles<Of, Stages, Arrays, Scalars>::template follow<Launches...>();
  }

  // Ends what the others do in follow. The threads that lead.
  GPURMA_DEVICE void dismiss() const {
    if (platform::thread_index() == 0)
      base::shared().ordered = end_of_region;
    platform::sync_block(); // M4
  }

  // Ends the region: every process gets all rows of the arrays that it holds whole.
  GPURMA_SLOW_DEVICE void end() {
    state& r = base::shared();
    const banding& bands = r.plans.bands;
    if (!is_single<Of>(r)) {
      if (r.rank == 0 && platform::thread_index() == 0)
        r.words.words[r.words.stages_at()] = std::uint64_t{r.way_taken} << 32 | r.epoch;
      barrier(comm::world, r.plans.where); // no stage reads any more
      const std::int64_t begin = bands.begin(bands.process);
      const std::int64_t rows = bands.begin(bands.process + 1) - begin;
      const int ranks = detail::block().device_size;
      const std::int64_t first = begin + rows * r.rank / ranks;
      const std::int64_t last = begin + rows * (r.rank + 1) / ranks;
      GPURMA_ROLLED
      for (int a = 0; a < Arrays; ++a) {
        const array_plan& array = r.plans.array[a];
        const std::int64_t count = (last < array.rows ? last : array.rows) - first;
        bool is_written = false;
        for (const bool written : r.written_by[a])
          is_written |= written;
        if (!is_written || array.banded || count <= 0)
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
      for (int a = Arrays - 1; a >= -1; --a)
        detail::close_window(a < 0 ? r.control : r.windows[a], r.plans.where);
    }
  }

private:
  GPURMA_SLOW_DEVICE static bool stays(const loop_part& part, loop_progress& loop) {
    if (part.decides_at == loop_part::never)
      return true;
    if (loop.iterations == part.timed_from)
      loop.timed_from = platform::clock_ns();
    if (loop.iterations == part.decides_at)
      loop.has_left = part.most_nanoseconds == 0 || decide(part, loop) == loop_decision::leaves;
    return !loop.has_left;
  }

  // Rank 0 decides, by the time when all have come here: some are iterations ahead of others, and
  // rank 0 may be. M29
  GPURMA_DEVICE static loop_decision decide(const loop_part& part, loop_progress& loop) {
    const state& r = base::shared();
    std::uint64_t* const there = r.words.words + r.words.deciding_at();
    std::uint64_t* const decision = r.words.words + r.words.decision_at();
    const auto ranks = static_cast<std::uint64_t>(detail::block().device_size);
    detail::blocked waiting(detail::block(), directive::stage, r.plans.where, any_source, any_tag,
                            detail::no_window_id, ranks);
    if (platform::thread_index() == 0) {
      platform::fetch_add(there, std::uint64_t{1}, platform::scope::device);
      if (r.rank == 0) {
        while (platform::load_relaxed(there) != ranks)
          waiting.pause();
        loop.timed_to = platform::clock_ns();
        const bool leaves = loop.timed_to - loop.timed_from >= part.most_nanoseconds;
        platform::store_relaxed(
            decision,
            static_cast<std::uint64_t>(leaves ? loop_decision::leaves : loop_decision::stays));
      }
    }
    for (;;) {
      const auto decided = static_cast<loop_decision>(platform::load_relaxed(decision));
      if (platform::ballot(decided == loop_decision::none, platform::polling_threads()) == 0)
        return decided;
      if (platform::thread_index() == 0)
        waiting.pause();
    }
  }

  GPURMA_SLOW_DEVICE static void open_windows(const plan<Stages, Arrays, Scalars>& plans,
                                              const memory& words) {
    state& r = base::shared();
    GPURMA_ROLLED
    for (int a = -1; a < Arrays; ++a) {
      const detail::window_handle w =
          a < 0 ? detail::open_window(words.words, words.words_for(Scalars) * sizeof(std::uint64_t),
                                      comm::world, plans.where)
                : detail::open_window(plans.array[a].base, plans.array[a].bytes(), comm::world,
                                      plans.where);
      if (platform::thread_index() == 0)
        (a < 0 ? r.control : r.windows[a]) = w;
    }
    if (platform::thread_index() == 0) {
      for (int side = memory::before; side <= memory::after; ++side)
        find_neighbour(r, side);
      r.arrays_are_alike = are_alike(r);
    }
    platform::sync_block();
  }

  GPURMA_DEVICE static bool are_alike(const state& r) {
    std::uintptr_t bits = 0;
    bool alike = true;
    GPURMA_ROLLED
    for (int a = 0; a < Arrays; ++a) {
      alike &= r.shape_of[a] == 0;
      bits |= reinterpret_cast<std::uintptr_t>(r.plans.array[a].base);
      for (int side = memory::before; side <= memory::after; ++side)
        if (has_process(r.plans.bands, side))
          bits |= reinterpret_cast<std::uintptr_t>(r.arrays_of[side][a]);
    }
    return alike && bits % 16 == 0;
  }

  GPURMA_DEVICE static void find_neighbour(state& r, int side) {
    if (!has_process(r.plans.bands, side))
      return;
    const int rank = r.first_rank[side] = r.words.first_ranks[process_of(r.plans.bands, side)];
    r.control_of[side] = reinterpret_cast<std::uint64_t*>(r.control.rows[rank].reached);
    for (int a = 0; a < Arrays; ++a) {
      r.arrays_of[side][a] = reinterpret_cast<char*>(r.windows[a].rows[rank].reached);
      // An epoch does not overtake rows that go by way of the hosts.
      if (r.arrays_of[side][a] == nullptr)
        r.control_of[side] = nullptr;
    }
    r.puts_lines |= r.control_of[side] == nullptr;
  }
};

// The rank's tiles of a stage, in their order: those that a neighbouring process is concerned with
// first.
template <process_count Of, int Stages, int Arrays, int Scalars> class tiles {
  using state = region_state<Stages, Arrays, Scalars>;
  using rows = pushed_rows<Stages, Arrays, Scalars>;
  using ghosts = ghost_rows<Stages, Arrays, Scalars>;

public:
  // region::launch.
  template <class Launch>
  GPURMA_DEVICE static void launch(const Launch& launch, const dim3& block, site where) {
    state& r = shared();
    if (platform::thread_index_again() == 0) {
      platform::block_shared<passed<Launch>>().set(launch);
      if (!is_single<Of>(r))
        set_call(r.call, launch);
    }
    platform::sync_polling(platform::polling_threads_again());
    if (is_single<Of>(r)) {
      if (const obstacle found = begin_single(r, launched<Launch>()); found != obstacle::none)
        begin_single_behind<Launch>(found, block, where);
    } else {
      find_arrays(r, launched<Launch>());
      for (;;) {
        const obstacle found = r.is_alone         ? begin<concern::own_process>()
                               : ghosts::exist(r) ? begin<concern::ghost_rows>()
                                                  : begin<concern::neighbours>();
        if (found == obstacle::none)
          break;
        note_traits<Launch>(r, found, where);
        overcome(found, block);
        if (found == obstacle::others)
          break;
      }
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
      if (ordered < end_of_region)
        meet_others(ordered);
      else
        static_cast<void>(
            ((ordered == Launches::gpurma_stage && (run<Launches, false>(), true)) || ...));
    }
  }

private:
  GPURMA_DEVICE static state& shared() { return region<Stages, Arrays, Scalars>::shared(); }

  GPURMA_SLOW_DEVICE static void meet_others(int ordered) {
    if (ordered == world_barrier)
      barrier(comm::world, shared().where);
    else
      platform::sync_block();
  }

  // With whom a rank has to do: its own process only (region_state::is_alone); other processes in
  // each stage; or in some stages, as there are ghost rows.
  enum class concern { own_process, neighbours, ghost_rows };

  // What keeps a rank from beginning a stage.
  enum class obstacle { none, unknown_grid, wrong_array, untold, others };

  // Of one process: begins a stage once that is out of the way. The threads that lead.
  template <class Launch>
  GPURMA_SLOW_DEVICE static void begin_single_behind(obstacle found, const dim3& block,
                                                     site where) {
    state& r = shared();
    if (platform::thread_index() == 0)
      set_call(r.call, launched<Launch>());
    while (found != obstacle::none) {
      note_traits<Launch>(r, found, where);
      overcome(found, block);
      if (found == obstacle::others)
        return;
      found = begin_single(r, launched<Launch>());
    }
  }

  template <class Launch>
  GPURMA_DEVICE static void note_traits(state& r, obstacle found, site where) {
    if (found == obstacle::unknown_grid && platform::thread_index() == 0)
      r.traits[Launch::gpurma_stage] = traits_of<Launch>(where);
  }

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
    call.leads_inside = false;
    call.grid = dim3(launch.gpurma_grid[0], launch.gpurma_grid[1], launch.gpurma_grid[2]);
    GPURMA_UNROLLED
    for (int k = 0; k < count_of_arrays<Launch>; ++k)
      const_cast<const volatile void* volatile&>(call.arrays[k]) = arrays.of[k]; // passed::set
  }

  template <class Launch> GPURMA_DEVICE static launch_traits traits_of(site where) {
    return {count_of_arrays<Launch>,
            {Launch::gpurma_reads, Launch::gpurma_reads_before, Launch::gpurma_reads_after},
            {Launch::gpurma_writes, Launch::gpurma_puts_before, Launch::gpurma_puts_after},
            Launch::gpurma_overwrites,
            adds_parts<Launch>,
            Launch::gpurma_boxes(),
            where};
  }

  // As which of its arrays a stage is passed each of the region's, and whether pointers lead into
  // one elsewhere. The threads that lead, each for some arrays; only they look at what is found
  // until the stage has begun.
  template <class Launch> GPURMA_DEVICE static void find_arrays(state& r, const Launch& launch) {
    const unsigned width = platform::polling_threads_again();
    const auto arrays = launch.gpurma_arrays();
    GPURMA_ROLLED
    for (unsigned a = platform::thread_index_again(); a < Arrays; a += width) {
      const passed_array found = find_passed<Launch>(r, a, arrays);
      r.passed_as[a] = found.as;
      if (found.leads_inside)
        r.call.leads_inside = true;
    }
    platform::sync_polling(width);
  }

  // As which arrays one of the region's is passed, and whether any other leads into it.
  struct passed_array {
    std::uint32_t as;
    bool leads_inside;
  };
  template <class Launch, class Pointers>
  GPURMA_DEVICE static passed_array find_passed(const state& r, unsigned a,
                                                const Pointers& arrays) {
    constexpr std::uint32_t used = Launch::gpurma_reads | Launch::gpurma_writes;
    const char* const base = r.plans.array[a].base;
    const std::uint64_t bytes = r.bytes_of[a];
    passed_array found{0, false};
    GPURMA_UNROLLED
    for (int k = 0; k < count_of_arrays<Launch>; ++k) {
      const std::uint64_t offset = offset_from(base, arrays.of[k]);
      found.as |= offset == 0 ? std::uint32_t{1} << k : 0;
      found.leads_inside |= launch_traits::has(used, k) && offset != 0 && offset < bytes;
    }
    return found;
  }

  // Begins a stage, with one process. The rank waits for all that the ranks that conflict with the
  // stage have begun before, whichever arrays that was for: what is to be waited for would take as
  // long to find. Mostly the threads that follow have looked at these when the last stage ended
  // (look_ahead). The threads that lead; steps of small grids wait for each of its instructions.
  template <class Launch>
  GPURMA_DEVICE static obstacle begin_single(state& r, const Launch& launch) {
    constexpr int stage = Launch::gpurma_stage;
    const stage_state& s = r.stage[stage];
    const unsigned width = platform::polling_threads_again();
    const auto arrays = launch.gpurma_arrays();
    bool leads_inside = false;
    std::uint32_t passed = 0;
    GPURMA_ROLLED
    for (unsigned a = platform::thread_index_again(); a < Arrays; a += width) {
      const passed_array found = find_passed<Launch>(r, a, arrays);
      passed |= found.as;
      leads_inside |= found.leads_inside;
    }
    const std::uint32_t epoch = r.epoch;
    const bool has_looked = r.expected == stage;
    if (!s.known || s.grid.x != launch.gpurma_grid[0] || s.grid.y != launch.gpurma_grid[1] ||
        s.grid.z != launch.gpurma_grid[2])
      return obstacle::unknown_grid;
    if ((Launch::gpurma_writes & ~platform::united(passed, width)) != 0 ||
        platform::ballot(leads_inside, width) != 0)
      return obstacle::wrong_array;
    const bool reached = has_looked || look(stage, epoch);
    platform::sync_polling(width); // others have read what is written now
    if (platform::thread_index_again() == 0) {
      r.epoch = epoch + 1;
      r.ordered = stage;
      r.expected = r.next_stage[stage];
      r.now = s.part[3];
      detail::count_directive(detail::block());
    }
    return reached ? obstacle::none : obstacle::others;
  }

  // Looks at the ranks that conflict with a stage. When it comes behind the same stage again, those
  // that follow do. The threads that lead.
  GPURMA_SLOW_DEVICE static bool look(int stage, std::uint32_t epoch) {
    state& r = shared();
    const unsigned width = platform::polling_threads();
    const needed_epochs needed{epoch, 0, 0};
    if (platform::thread_index() == 0) {
      r.needed = needed;
      expect_again(r, stage);
    }
    return epoch == 0 || reach_soon<platform::scope::device, true>(r, stage, needed,
                                                                   platform::thread_index(), width);
  }

  // Whether threads that follow look at other ranks, too. Where there are several processes the
  // code for that makes more of tiles slower than it makes of stages faster (docs/performance.md).
  static constexpr bool looks_ahead = platform::followers_look && Of == process_count::one;

  // From now on those that follow look for a stage when the one before it ends. Thread 0, before it
  // notes that the stage has begun.
  GPURMA_DEVICE static void expect_again(state& r, int stage) {
    if (looks_ahead && r.ordered >= 0 && r.watched_count[stage] >= 0 &&
        platform::block_threads() > platform::polling_threads())
      r.next_stage[r.ordered] = static_cast<std::int16_t>(stage);
  }

  // The first warp that follows, once it has told of its rank's epoch: looks at the ranks that
  // conflict with the stage that is expected next, while the leading threads find out what that is
  // passed, for which all then meet (M4).
  GPURMA_DEVICE static void look_ahead(state& r, int stage, std::uint32_t epoch, unsigned lane) {
    const unsigned width = platform::polling_threads();
    const unsigned followers = platform::block_threads() - width;
    if (!reach_soon<platform::scope::device, false>(r, stage, needed_epochs{epoch, 0, 0}, lane,
                                                    followers < width ? followers : width) &&
        lane == 0)
      r.is_late = true;
  }

  // Those threads have given up. All threads.
  GPURMA_SLOW_DEVICE static void wait_late(int stage) {
    state& r = shared();
    platform::sync_block(); // all have seen that
    if (platform::thread_index() < platform::polling_threads()) {
      const needed_epochs needed{r.epoch - 1, 0, 0};
      wait_for_conflicts(platform::off_fast_path(r), stage, needed, r.traits[stage].where);
      if (platform::thread_index() == 0)
        r.is_late = false;
    }
  }

  // Begins the stage that has been passed, unless something is in the way; if others are, it has
  // begun when they have been waited for. The threads that lead, each for some of the arrays. One
  // function for all stages, because steps of small grids wait for instructions, too; and it calls
  // nothing: registers of a function that calls are those that the called leave, and a region's
  // kernel may have few.
  template <concern With> GPURMA_SLOW_DEVICE static obstacle begin() {
    state& r = platform::in_register(shared());
    const int stage = r.call.stage;
    const dim3& grid = r.call.grid;
    const stage_state& s = r.stage[stage];
    if (!s.known || s.grid.x != grid.x || s.grid.y != grid.y || s.grid.z != grid.z)
      return obstacle::unknown_grid;
    const unsigned width = platform::polling_threads();
    const crossing crosses = crossing_of<With>(r, stage, width);
    const bool apart = With == concern::own_process ||
                       (With == concern::ghost_rows && ghosts::is_apart(r, stage, crosses.missing));
    needed_epochs needed;
    if (!find_needed<With>(r, stage, width, crosses, apart, needed))
      return obstacle::wrong_array;
    if (!apart && r.plans.bands.by_array &&
        (owes_epoch(needed, memory::before) || owes_epoch(needed, memory::after)))
      return obstacle::untold;
    note<With>(r, stage, width, crosses, apart, needed); // before the wait, not behind it
    if (!needed.is_some())
      return obstacle::none;
    const unsigned lane = platform::thread_index();
    const bool reached =
        With == concern::own_process
            ? reach_soon<platform::scope::device, true>(r, stage, needed, lane, width)
        : apart ? reach_soon<platform::scope::device, false>(r, stage, needed, lane, width)
                : reach_soon<platform::scope::system, false>(r, stage, needed, lane, width);
    return reached ? obstacle::none : obstacle::others;
  }

  // The threads that lead.
  GPURMA_SLOW_DEVICE static void overcome(obstacle found, dim3 block) {
    state& r = shared();
    const stage_call& call = r.call;
    const launch_traits& traits = r.traits[call.stage];
    const unsigned width = platform::polling_threads();
    platform::sync_polling(width);
    if (found != obstacle::others)
      await_puts(r);
    if (found == obstacle::unknown_grid) {
      meet_stage(call.stage, call.grid, block, traits.where);
    } else if (found == obstacle::others) {
      wait_for_conflicts(platform::off_fast_path(r), call.stage, r.needed, traits.where);
    } else if (found == obstacle::untold) {
      needed_epochs needed;
      if (ghosts::exist(r))
        find_needed<concern::ghost_rows>(r, call.stage, width,
                                         crossing_of<concern::ghost_rows>(r, call.stage, width),
                                         false, needed);
      else
        find_needed<concern::neighbours>(r, call.stage, width,
                                         crossing_of<concern::neighbours>(r, call.stage, width),
                                         false, needed);
      if (platform::thread_index() == 0)
        tell_late(platform::off_fast_path(r), needed);
    } else if (platform::thread_index() == 0) {
      GPURMA_ROLLED
      for (int k = 0; k < traits.count; ++k) {
        const volatile void* const array = call.arrays[k];
        if (is_distributed(r, array))
          continue;
        if (launch_traits::has(traits.writes[memory::own], k))
          detail::fail(platform::off_fast_path(detail::block()), error_code::not_distributed,
                       directive::stage, traits.where, reinterpret_cast<std::int64_t>(array));
        if (leads_into_array(r, array))
          fail_inside_array(array, traits.where);
      }
    }
    platform::sync_polling(width);
  }

  // Rows of the stage before may be under way (end_stage_and_put): what tells other ranks more than
  // its epoch, or changes what rows are put, comes behind them. The threads that lead.
  GPURMA_DEVICE static void await_puts(state& r) {
    if (platform::thread_index() == 0)
      r.ordered = end_of_puts;
    platform::sync_block(); // M4
    platform::sync_block(); // the others have read it
  }

  // The rank's tiles; then ranks that wait for these may go on. All threads. Around the tiles,
  // which need all registers, nothing is in local memory, which after an acquire is far: where the
  // tiles are run, nothing else is called that needs more than a few.
  // Leads: code for the threads that lead, whose statements keep values in registers meanwhile, and
  // leave the tiles fewer of them.
  template <class Launch, bool Leads> GPURMA_DEVICE static void run() {
    if (looks_ahead && shared().is_late) {
      wait_late(Launch::gpurma_stage);
      platform::sync_block(); // M4; and tiles behind it have uniform registers
    }
    if (const way_of_stage way = shared().way;
        Of != process_count::one && way != way_of_stage::own_tiles) {
      if (way == way_of_stage::telling)
        run_and_tell<Launch, Leads>();
      else
        run_with_ghosts<Launch, Leads>();
      return;
    }
    if (shared().now.count != 0)
      run_part<Launch, Leads>();
    end_stage(shared().stage[Launch::gpurma_stage]);
  }

  // Ghost tiles before the process's own and after them, and then these.
  template <class Launch, bool Leads> GPURMA_SLOW_DEVICE static void run_with_ghosts() {
    state& r = shared();
    const stage_state& s = r.stage[Launch::gpurma_stage];
    const side_work& work = r.sides[Launch::gpurma_stage];
    if (r.ghosts.own_tiles != 0) {
      run_dealt<Launch, false, Leads, adds_parts<Launch>>();
      end_stage(s);
      return;
    }
    if (r.now.count != 0)
      run_without_pieces<Launch, Leads>();
    if (r.ghosts.behind.count != 0) {
      go_on_with(r.ghosts.behind, true);
      run_without_pieces<Launch, Leads>();
    }
    go_on_with(s.part[3], false);
    if (r.now.count != 0)
      run_part<Launch, Leads>();
    else if (s.most_pieces != 0)
      begin_rest(s);
    if (work.by_hosts) {
      platform::sync_block(); // M1
      tell_neighbours(platform::off_fast_path(r), Launch::gpurma_stage);
    }
    if (work.tells_any && !work.by_hosts)
      end_stage_and_tell(s, work);
    else
      end_stage(s);
  }
  // All threads.
  GPURMA_DEVICE static void go_on_with(const tile_range& tiles, bool discards_parts) {
    platform::sync_block(); // also between tiles with shared memory
    if (platform::thread_index_again() == 0) {
      shared().now = tiles;
      shared().discards_parts = discards_parts;
    }
    platform::sync_block();
  }

  // Where a neighbouring process waits: the leading tiles, the trailing ones, what neighbours need
  // of these, and the tiles between.
  template <class Launch, bool Leads> GPURMA_SLOW_DEVICE static void run_and_tell() {
    state& r = shared();
    const stage_state& s = r.stage[Launch::gpurma_stage];
    const bool puts_last = r.sides[Launch::gpurma_stage].puts_last;
    if (r.now.count != 0)
      run_without_pieces<Launch, Leads>();
    if (!puts_last && s.part[1].count != 0) {
      platform::sync_block(); // also between tiles with shared memory
      go_on_to(r, s, 1);
      platform::sync_block();
      run_without_pieces<Launch, Leads>();
    }
    if (puts_last) {
      end_with_puts(Launch::gpurma_stage);
      return;
    }
    put_rows(Launch::gpurma_stage);
    platform::sync_block(); // M1
    // A fence takes as long as the stores before it are under way, and a few tiles take no longer.
    const bool tells_first = s.part[2].count > few_tiles || r.sides[Launch::gpurma_stage].by_hosts;
    if (tells_first) {
      tell_neighbours(platform::off_fast_path(shared()), Launch::gpurma_stage);
      platform::sync_block(); // the compiler makes better code of tiles behind a barrier
    }
    if (s.part[2].count != 0)
      run_part<Launch, Leads>();
    else if (s.most_pieces != 0)
      begin_rest(s);
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
    return platform::thread_index_again() == first_of_warp(warp);
  }
  GPURMA_DEVICE static unsigned first_of_warp(unsigned warp) {
    const unsigned threads = platform::block_threads();
    const unsigned width = platform::polling_threads();
    return warp * width < threads ? warp * width : threads > width ? width : 0;
  }

  // The leading threads may be in the next stage while its epoch is told.
  GPURMA_SLOW_DEVICE static void end_stage(const stage_state& s) {
    state& r = shared();
    if (s.most_pieces != 0 && platform::thread_index_again() == 0)
      count_rest(s);
    const std::uint32_t epoch = r.epoch;
    const int expected = looks_ahead ? r.expected : -1;
    platform::sync_block(); // M1
    const unsigned lane = platform::thread_index_again() - first_of_warp(1);
    if (lane >= platform::polling_threads())
      return;
    if (lane == 0)
      tell_device(r, epoch);
    if (looks_ahead && expected >= 0)
      look_ahead(r, expected, epoch, lane);
  }

  GPURMA_SLOW_DEVICE static void end_stage_and_tell(const stage_state& s, const side_work& work) {
    state& r = shared();
    if (s.most_pieces != 0 && platform::thread_index_again() == 0)
      count_rest(s);
    const std::uint32_t epoch = r.epoch;
    const bool tells_before = work.tells[memory::before];
    const bool tells_after = work.tells[memory::after];
    platform::sync_block(); // M1
    tell(r, epoch, tells_before, tells_after);
  }

  // Behind all tiles. What follows in run_and_tell is for the compiler the same for all threads of
  // a warp, as are the tiles there then: so this is none of its branches.
  GPURMA_DEVICE static void end_with_puts(int stage) {
    state& r = shared();
    if (const unsigned threads = rows::putting_threads(r, stage); threads != 0) {
      end_stage_and_put(stage, threads);
    } else {
      put_rows(stage);
      end_stage_and_tell(r.stage[stage], r.sides[stage]);
    }
  }
  GPURMA_DEVICE static void put_rows(int stage) {
    if (!put_lines(platform::off_fast_path(shared()), stage))
      rows::put_others(platform::off_fast_path(shared()), stage);
  }

  // The same of a rank whose rows are put by some of the threads that follow. Where these are is
  // found before the barrier, behind which the leading threads begin the next stage.
  GPURMA_SLOW_DEVICE static void end_stage_and_put(int stage, unsigned threads) {
    state& r = platform::in_register(shared());
    const std::uint32_t epoch = r.epoch;
    const bool tells_before = r.sides[stage].tells[memory::before];
    const bool tells_after = r.sides[stage].tells[memory::after];
    const unsigned thread = platform::thread_index_again() - platform::polling_threads();
    typename rows::one_word first{}, second{};
    if (thread < threads) {
      first = rows::word_at(r, stage, thread);
      second = rows::word_at(r, stage, thread + threads);
    }
    platform::sync_block(); // M1
    if (thread < threads) {
      rows::put_words(first, second);
      platform::sync_some(threads); // M27
      tell(r, epoch, tells_before, tells_after);
    }
  }

  GPURMA_DEVICE static void tell(const state& r, std::uint32_t epoch, bool before, bool after) {
    if (tells_processes()) {
      platform::fence_release(platform::scope::system); // M22
      if (before)
        store_epoch(r, memory::before, epoch);
      if (after)
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
    if (Launch::gpurma_stored_rows != 0 || s.most_pieces == 0)
      run_without_pieces<Launch, Leads>();
    else
      run_pieces<Launch, Leads>();
  }

  // A function of its own: steps of small grids wait for instructions, and do not come here.
  template <class Launch, bool Leads> GPURMA_SLOW_DEVICE static void run_pieces() {
    begin_rest(shared().stage[Launch::gpurma_stage]);
    run_dealt<Launch, true, Leads>();
  }

  template <class Launch, bool Leads> GPURMA_DEVICE static void run_without_pieces() {
    if constexpr (Launch::gpurma_stored_rows != 0)
      run_tiles_of_rows<Launch, Leads>();
    else
      run_dealt<Launch, false, Leads>();
  }

  // Pieces: whether the rank waits for others now and then.
  template <class Launch, bool Pieces, bool Leads, bool Ghosts = false>
  GPURMA_DEVICE static void run_dealt() {
    if constexpr (!platform::loops_by_way)
      run_tiles<Launch, way::any, Pieces, Leads, !Pieces && adds_parts<Launch>>();
    else if (shared().stage[Launch::gpurma_stage].dealt.how == dealing::columns)
      run_tiles<Launch, way::in_column, Pieces, Leads, Ghosts>();
    else
      run_tiles<Launch, way::apart, Pieces, Leads, Ghosts>();
  }

  // How a rank goes from tile to tile. In a column, each tile is below the one before, so that what
  // a thread computes from their places differs by the row only. any: as the stage's are dealt.
  enum class way { apart, in_column, any };

  // A rank begins a piece of its tiles once all others have come to theirs, or do not come soon:
  // nothing depends on it. Ranks that are far apart read the same lines from memory, and many at a
  // time from distant places of it. All threads.
  GPURMA_DEVICE static void begin_piece(const stage_state& s) {
    if (platform::thread_index_again() == 0) {
      state& r = shared();
      std::uint64_t* const begun = r.words.words + r.words.pieces_at();
      r.pieces += static_cast<unsigned>(s.active);
      const std::uint64_t needed = r.pieces - static_cast<unsigned>(s.left_behind);
      platform::add_relaxed(begun, std::uint64_t{1});
      GPURMA_ROLLED
      for (unsigned looks = 0;
           looks < platform::piece_polls && platform::load_polled(begun) < needed; ++looks)
        platform::back_off(looks);
    }
    platform::sync_block();
  }

  // Nobody waits for a rank to come to pieces that it does not have, as it has fewer tiles than
  // others, or fewer between: it begins them with its first, and counts those of others at the
  // stage's end. All threads, and thread 0.
  GPURMA_DEVICE static int rest_of_pieces(const stage_state& s) {
    return s.most_pieces -
           (shared().way == way_of_stage::telling ? s.pieces_between : s.pieces_of_all);
  }
  GPURMA_DEVICE static void begin_rest(const stage_state& s) {
    if (platform::thread_index_again() != 0)
      return;
    if (const int rest = rest_of_pieces(s); s.tiles != 0 && rest != 0)
      platform::add_relaxed(shared().words.words + shared().words.pieces_at(),
                            static_cast<std::uint64_t>(rest));
  }
  GPURMA_DEVICE static void count_rest(const stage_state& s) {
    shared().pieces +=
        static_cast<std::uint64_t>(rest_of_pieces(s)) * static_cast<unsigned>(s.active);
  }

  template <class Launch>
  static constexpr bool adds_parts = !std::is_empty_v<typename Launch::gpurma_parts>;

  // A function of its own, so that tiles have all registers. Ghosts: tiles come first of which
  // nothing is added up, or may if the way is any.
  template <class Launch, way Way, bool Pieces, bool Leads, bool Ghosts = false>
  GPURMA_SLOW_DEVICE static void run_tiles() {
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
      if (Pieces && ((shared().now.count - left) & (s.tiles_of_piece - 1)) == 0)
        begin_piece(s);
      const uint3 block = place(Launch::gpurma_row_dimension, at);
      check_reads_of(shared().plans, Launch::gpurma_stage, block);
      if constexpr (rereads) {
        platform::forget_memory();
        Launch of_tile = launched<Launch>();
        of_tile.template gpurma_run<decltype(copy)::value>(block, parts);
      } else {
        launch.template gpurma_run<decltype(copy)::value>(block, parts);
      }
    };
    const bool in_column =
        Way == way::any ? s.dealt.how == dealing::columns : Way == way::in_column;
    const auto go_on = [&] {
      if (in_column)
        at.row += rows;
      else
        go_to_next(s, at);
    };
    const bool has_ghosts = Way != way::any || shared().way == way_of_stage::with_ghosts;
    const auto begin_own_tiles = [&] {
      if constexpr (Ghosts)
        if (has_ghosts && left == shared().ghosts.own_tiles) {
          parts = {};
          at = s.part[3].begin;
        }
    };
    constexpr bool alternates = Launch::gpurma_between == between_tiles::other_copy &&
                                platform::shared_memory_of_instantiations;
    GPURMA_ROLLED
    for (;;) {
      run_tile(std::integral_constant<unsigned, 0>());
      if (--left == 0)
        break;
      go_on();
      begin_own_tiles();
      if constexpr (alternates) {
        run_tile(std::integral_constant<unsigned, 1>());
        if (--left == 0)
          break;
        go_on();
        begin_own_tiles();
      } else if constexpr (Launch::gpurma_between != between_tiles::nothing) {
        platform::sync_block();
      }
    }
    if (!discards_parts<Launch>()) {
      launched<Launch>().gpurma_finish(parts);
      launched<Launch>().gpurma_add_up(parts, shared().by_warp);
    }
  }

  template <class Launch> GPURMA_DEVICE static bool discards_parts() {
    if constexpr (adds_parts<Launch>)
      return Of != process_count::one && shared().discards_parts;
    else
      return true;
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
      for (; k < end; ++k, go_to_next(s, at)) {
        const uint3 block = place(Launch::gpurma_row_dimension, at);
        check_reads_of(r.plans, Launch::gpurma_stage, block);
        launch.template gpurma_run<0>(block, parts);
      }
    }
    if (!discards_parts<Launch>())
      launched<Launch>().gpurma_add_up(parts, shared().by_warp);
  }

  // Among the tiles of all processes.
  GPURMA_DEVICE static std::int64_t number_of(const stage_state& s, const tile_position& at) {
    return std::int64_t{at.row} * s.per_row + at.outer * s.inner + at.inner;
  }

  GPURMA_DEVICE static uint3 place(unsigned row_axis, const tile_position& at) {
    const auto i = static_cast<unsigned>(at.inner);
    const auto o = static_cast<unsigned>(at.outer);
    const auto w = static_cast<unsigned>(at.row);
    return row_axis == 2 ? uint3{i, o, w} : row_axis == 1 ? uint3{i, w, o} : uint3{w, i, o};
  }

  GPURMA_DEVICE static bool is_distributed(const state& r, const volatile void* array) {
    for (int a = 0; a < Arrays; ++a)
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
    for (unsigned a = platform::thread_index(); a < Arrays; a += width)
      if (const std::uint32_t passed_as = r.passed_as[a] & used; passed_as != 0)
        use(static_cast<int>(a), passed_as);
  }

  // How far the ranks must be that the stage's tiles conflict with; apart: of the own process.
  // false: an array that is written is none of the region's, or a pointer leads into one. The
  // threads that lead.
  template <concern With>
  GPURMA_DEVICE static bool find_needed(state& r, int stage, unsigned width,
                                        const crossing& crosses, bool apart,
                                        needed_epochs& needed) {
    const launch_traits& traits = r.traits[stage];
    const bool by_array = !apart && (With == concern::ghost_rows || r.plans.bands.by_array);
    std::uint32_t found = 0;
    for_used_arrays(r, traits, width, [&](int a, std::uint32_t passed_as) {
      found |= passed_as;
      needed.own = larger(needed.own, latest(r, a, memory::own, true,
                                             (traits.writes[memory::own] & passed_as) != 0));
      if (by_array) {
        needed.before =
            larger(needed.before, latest_of_side(r, crosses, a, passed_as, memory::before));
        needed.after =
            larger(needed.after, latest_of_side(r, crosses, a, passed_as, memory::after));
      }
    });
    needed.own = platform::largest(needed.own, width);
    if (With == concern::neighbours && !by_array)
      needed.before = needed.after = needed.own;
    if (by_array) {
      needed.before = platform::largest(needed.before, width);
      needed.after = platform::largest(needed.after, width);
    }
    // Later stages need not look whether what has been exchanged is there (ghost_rows::is_apart).
    if (With == concern::ghost_rows && !apart) {
      needed.before = larger(needed.before, r.ghosts.exchanged_at);
      needed.after = larger(needed.after, r.ghosts.exchanged_at);
    }
    return (traits.writes[memory::own] & ~platform::united(found, width)) == 0 &&
           !r.call.leads_inside;
  }

  // The last epoch at which, on a side, a stage wrote an array, if it is read, or read it, if it is
  // written.
  GPURMA_DEVICE static std::uint32_t latest(const state& r, int a, int side, bool is_read,
                                            bool is_written) {
    const std::uint32_t written = is_read ? r.written_at[side][a] : 0;
    return is_written ? larger(written, r.read_at[side][a]) : written;
  }
  GPURMA_DEVICE static std::uint32_t latest_of_side(const state& r, const crossing& crosses, int a,
                                                    std::uint32_t passed_as, int side) {
    return latest(r, a, side, (crosses.reads[side] & passed_as) != 0,
                  (crosses.puts[side] & passed_as) != 0);
  }

  template <concern With>
  GPURMA_DEVICE static crossing crossing_of(const state& r, int stage, unsigned width) {
    if (With == concern::ghost_rows)
      return ghosts::find_crossing(r, stage, ghosts::find_missing(r, stage, width));
    const launch_traits& traits = r.traits[stage];
    crossing all{};
    GPURMA_UNROLLED
    for (int side = memory::before; side <= memory::after; ++side) {
      all.reads[side] = traits.reads[side];
      all.puts[side] = traits.writes[side];
    }
    return all;
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
        r.ghosts.stage[stage].tells_at[side - 1] = r.ghosts.untold_at[side - 1];
        find_side_work(r, stage);
        r.told[side] = r.epoch;
        send_epoch(r, side, r.epoch);
      }
  }

  // The rank has begun the stage. The threads that lead; the next stage looks at it behind a
  // barrier.
  template <concern With>
  GPURMA_DEVICE static void note(state& r, int stage, unsigned width, const crossing& crosses,
                                 bool apart, const needed_epochs& needed) {
    const launch_traits& traits = r.traits[stage];
    const std::uint32_t epoch = r.epoch + 1;
    platform::sync_polling(width); // others have read what is written now
    for_used_arrays(r, traits, width, [&](int a, std::uint32_t passed_as) {
      const std::uint32_t written = traits.writes[memory::own] & passed_as;
      if (written != 0)
        r.written_by[a][stage] = true;
      note_epoch(r, a, memory::own, (traits.reads[memory::own] & passed_as) != 0, written != 0,
                 epoch);
      if (With == concern::own_process)
        return;
      if (With == concern::ghost_rows && written != 0)
        ghosts::note_written(r, stage, a, written, crosses);
      if (With == concern::ghost_rows || r.plans.bands.by_array) {
        GPURMA_UNROLLED
        for (int side = memory::before; side <= memory::after; ++side)
          // The process on the other side does the same with rows of this one.
          note_epoch(r, a, mirror(side), (crosses.reads[side] & passed_as) != 0,
                     (crosses.puts[side] & passed_as) != 0, epoch);
      }
      if (With == concern::ghost_rows && apart)
        return;
      GPURMA_ROLLED
      for (int k = 0; passed_as != 0; ++k, passed_as >>= 1)
        if ((passed_as & 1) != 0)
          r.array_of[k] = static_cast<std::int8_t>(a);
    });
    if (platform::thread_index() != 0)
      return;
    r.epoch = epoch;
    r.way_taken = r.way_taken * 31 + stage + 1;
    r.ordered = stage;
    r.needed = needed;
    if (With == concern::ghost_rows && apart) {
      ghosts::begin_apart(r, stage, crosses.missing);
    } else if (With == concern::own_process) {
      r.now = r.stage[stage].part[3];
    } else {
      if (With == concern::ghost_rows)
        ghosts::find_work(r, stage, crosses);
      const side_work& work = r.sides[stage];
      GPURMA_UNROLLED
      for (int side = memory::before; side <= memory::after; ++side) {
        if (work.leaves_untold[side])
          r.untold_stage[side] = stage;
        if (work.tells[side])
          r.told[side] = epoch; // by another thread, before it takes part in the next stage
      }
      if (With == concern::neighbours) {
        r.way = work.tells_any ? way_of_stage::telling : way_of_stage::own_tiles;
        r.now = r.stage[stage].part[work.tells_any && !work.puts_last ? 0 : 3];
      }
    }
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
    complete_side_work(r, stage);
  }

  GPURMA_DEVICE static void note_epoch(state& r, int a, int side, bool is_read, bool is_written,
                                       std::uint32_t epoch) {
    if (is_read)
      r.read_at[side][a] = epoch;
    if (is_written)
      r.written_at[side][a] = epoch;
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
          for (int a = 0; a < Arrays; ++a)
            r.read_at[side][a] = r.written_at[side][a] = 0;
      set_up(r, stage, plan, grid);
      for (int one = 0; one < Stages; ++one) {
        if (!r.stage[one].known)
          continue;
        if (other_grid || one == stage) {
          r.watched_count[one] = 0;
          for (bool& watches : r.watches[one])
            watches = false;
        }
        for (int other = 0; other < Stages; ++other)
          if (r.stage[other].known && (other_grid || one == stage || other == stage))
            for (int side = 0; side < 3; ++side)
              watch_conflicts(r, one, other, side);
      }
      for (int known = 0; known < Stages; ++known)
        if (r.stage[known].known)
          find_side_work(r, known);
      if (ghosts::exist(r))
        ghosts::set_up(r, stage);
      r.is_alone = is_alone(r);
      r.way = way_of_stage::own_tiles;
      r.expected = -1; // ranks that conflict may be too many now
      for (std::int16_t& next : r.next_stage)
        next = -1;
      for (bool& known : r.informed_is_known)
        known = false;
    }
    platform::sync_polling(width);
  }

  // With stages that are not known yet, other ranks may come in.
  GPURMA_DEVICE static bool is_alone(const state& r) {
    if (r.plans.bands.processes == 1)
      return true;
    for (int s = 0; s < Stages; ++s)
      for (int side = memory::before; side <= memory::after; ++side)
        if (!r.plans.stage[s].runs_in_another &&
            (!r.stage[s].known || r.watches[s][side] || r.informs[side]))
          return false;
    return true;
  }

  GPURMA_SLOW_DEVICE static void set_up(state& r, int stage, const stage_plan& plan,
                                        const dim3& grid) {
    const banding& bands = r.plans.bands;
    stage_state& s = r.stage[stage];
    r.pushed[stage].count = pushed_boxes::unknown;
    r.putting_threads[stage] = 0;
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
    s.own_begin = s.dealt.count(r.rank, s.dealt.own_begin);
    s.own_end = s.dealt.count(r.rank, s.dealt.own_end);
    const auto own = [&](int begin, int end) {
      begin = begin > s.own_begin ? begin : s.own_begin;
      end = end < s.own_end ? end : s.own_end;
      return tile_range{position(s, tile_number(s, r.rank, begin)), begin < end ? end - begin : 0};
    };
    const int begin = s.concerned[memory::before];
    const int end = s.tiles - s.concerned[memory::after];
    s.part[0] = own(0, begin);
    s.part[1] = own(begin > end ? begin : end, s.tiles);
    s.part[2] = own(begin, end);
    s.part[3] = own(0, s.tiles);
    s.step = position(s, s.dealt.distance());
    divide_into_pieces(s, plan);
  }

  // Before its tiles of stage a, the rank waits for ranks of a process whose tiles of stage b
  // conflict with them.
  GPURMA_SLOW_DEVICE static void watch_conflicts(state& r, int a, int b, int side) {
    if (!has_process(r.plans.bands, side))
      return;
    const stage_plan& mine = r.plans.stage[a];
    const stage_plan& theirs = r.plans.stage[b];
    const bool is_own = side == memory::own;
    const reach writes = is_own ? mine.written_with_end_rows() : mine.written;
    const reach they_write = is_own ? theirs.written_with_end_rows() : theirs.written;
    const auto watch = [&](const rank_range& found) { watch_ranks(r, a, found, side); };
    const banding& bands = r.plans.bands;
    // Of one process, rows at one end are the neighbours of those at the other.
    const bool turns =
        is_own && bands.processes == 1 && (mine.periodic_rows || theirs.periodic_rows);
    GPURMA_ROLLED
    for (int turn = turns ? -1 : 0; turn <= (turns ? 1 : 0); ++turn)
      GPURMA_ROLLED
    for (int pair = 0; pair < 3; ++pair)
      visit_conflicts(r, a, pair == 0 ? mine.read : writes, b, pair == 1 ? theirs.read : they_write,
                      side, turn * bands.rows + turned_by(bands, side), watch);
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
    return rows::put_lines(r, stage);
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
};

} // namespace gpurma::stages

#endif
