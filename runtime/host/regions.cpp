// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Persistent regions: how rows are banded over the processes, and the memory in which the ranks of
// a region tell each other how far they are.
#include <gpurma/stages.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "host/collected_arrays.h"
#include "host/distributed_arrays.h"
#include "host/environment.h"
#include "host/kernels.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/memory.h"
#include "host/process.h"
#include "host/region_ranks.h"

namespace gpurma::host {

namespace {

using stages::array_plan;
using stages::axis_reach;
using stages::banding;
using stages::stage_plan;

// So that sums of some numbers of rows are integers.
constexpr std::int64_t most_rows_apart = 1 << 28;

std::string block_text(const dim3& block) {
  return text(block.x, " x ", block.y, " x ", block.z);
}

std::int64_t ceiling(std::int64_t a, std::int64_t b) {
  return a >= 0 ? (a + b - 1) / b : -(-a / b);
}

// Kept between regions: freeing waits for the device, and other processes map it once.
struct region_memory {
  memory_block<memory_kind::device> words;
  memory_block<memory_kind::device> places;
  memory_block<memory_kind::device> first_ranks;
  memory_block<memory_kind::device> results;
};
std::unique_ptr<region_memory> kept;

region_memory& memory_of_regions() {
  if (!kept) {
    kept = std::make_unique<region_memory>();
    at_finalize([] { kept.reset(); });
  }
  return *kept;
}

std::string name_of(const region_launch& region) {
  return text("the persistent region at ", source_text(region.where));
}

[[noreturn]] void fail(const region_launch& region, const std::string& what) {
  fatal(text(name_of(region), ": ", what));
}

// Whose blocks are those of the ranks, if there is such a stage; else one whose tiles have many
// elements.
const stage_plan& stage_of_ranks(const region_launch& region) {
  const stage_plan* const first = region.stage;
  const stage_plan* const last = first + region.stages;
  const stage_plan* const found =
      std::find_if(first, last, [](const stage_plan& one) { return !one.renumbered; });
  const auto elements = [](const stage_plan& one) {
    return one.block.x * one.block.y * one.block.z;
  };
  return found != last
             ? *found
             : *std::max_element(first, last, [&](const stage_plan& a, const stage_plan& b) {
                 return elements(a) < elements(b);
               });
}

dim3 block_of_ranks(const region_launch& region) {
  const stage_plan& one = stage_of_ranks(region);
  return one.renumbered ? one.ranks : one.block;
}

void check_stages(const region_launch& region) {
  const stage_plan& first = stage_of_ranks(region);
  for (int s = 0; s < region.stages; ++s) {
    const stage_plan& one = region.stage[s];
    if (!one.renumbered && (one.block.x != first.block.x || one.block.y != first.block.y ||
                            one.block.z != first.block.z))
      fail(region,
           text("kernel '", one.name, "' is launched with blocks of ", block_text(one.block),
                " threads, and '", first.name, "' of ", block_text(first.block),
                "; all launches of a region have blocks of the same size"));
    if (one.written.some && one.written.axis[one.row].low == stages::whole)
      fail(region, text("kernel '", one.name,
                        "' may write to any row, so its blocks cannot be "
                        "dealt to the processes"));
    const bool reads_all =
        one.read.some && one.read.axis[one.row].low == stages::whole && process().size > 1;
    if (reads_all && one.kernel == nullptr)
      fail(region, text("'", one.name,
                        "' may copy from any row, and other processes have most of them; run one "
                        "process, or copy from a row that is a constant number of rows before or "
                        "after the other, where behind the last row of arrays that all have the "
                        "same number of rows the first one comes again"));
    const std::string of = one.any_row == nullptr ? "" : text(" of ", one.any_row);
    if (reads_all && one.far_rows)
      fail(region, text("kernel '", one.name, "' reads rows", of,
                        " far from its own, and other processes have most of them; run one "
                        "process"));
    if (reads_all)
      fail(region, text("kernel '", one.name, "' may read any row", of,
                        ", and other processes have most of them; run one process, or say with "
                        "'halo(array : n)' that it reads up to n rows beyond its own, if it "
                        "does"));
  }
}

// How far accesses of the tiles of a band go beyond it, where bands begin at multiples of a unit;
// and how far they would if launches read no more than their own rows.
void find_needs(const region_launch& region, banding& bands) {
  for (int s = 0; s < region.stages; ++s) {
    const stage_plan& one = region.stage[s];
    const std::int64_t height = one.height();
    const axis_reach written = one.written.some ? one.written.axis[one.row] : axis_reach{0, 0};
    const bool bounded = one.read.some && one.read.axis[one.row].low != stages::whole;
    const axis_reach read = bounded ? one.read.axis[one.row] : axis_reach{0, 0};
    // Its tiles begin at multiples of their height, and the band's first is that which first
    // writes to the band.
    const std::int64_t slack = bands.unit % height == 0 ? 0 : height;
    const std::int64_t first = ceiling(-written.low, height) * height - slack;
    const std::int64_t last = (ceiling(-written.low, height) - 1) * height + height - 1 + slack;
    const auto add = [&](int& rows_before, int& rows_after, const axis_reach& r) {
      rows_before = std::max(rows_before, static_cast<int>(-(first + r.low)));
      rows_after = std::max(rows_after, static_cast<int>(last + 1 + r.high));
    };
    add(bands.touch_before, bands.touch_after, read);
    // The first tiles of all, or the last, may write no rows, and read beyond the array's ends.
    if (one.periodic_rows) {
      bands.touch_before = std::max(bands.touch_before, static_cast<int>(-read.low));
      bands.touch_after = std::max(bands.touch_after, static_cast<int>(read.high));
    }
    add(bands.touch_before, bands.touch_after, written);
    add(bands.own_before, bands.own_after, axis_reach{0, 0});
    add(bands.own_before, bands.own_after, written);
  }
}

// The launch whose tiles reach over the ends of bands most, as they begin at multiples of another
// number of rows.
std::string tiles_across(const region_launch& region, const banding& bands) {
  const stage_plan* found = nullptr;
  for (int s = 0; s < region.stages; ++s) {
    const stage_plan& one = region.stage[s];
    if (bands.unit % one.height() != 0 && (!found || one.height() > found->height()))
      found = &one;
  }
  return found ? text(" (tiles of '", found->name, "' have ", found->height(),
                      " rows and reach over the ends of others)")
               : std::string();
}

bool overlap(const array_plan& one, const array_plan& other) {
  return one.base < other.base + other.bytes() && other.base < one.base + one.bytes();
}

// What launches read of an array is known by the names of variables.
bool share_memory(const region_launch& region) {
  for (int a = 0; a < region.arrays; ++a)
    for (int b = 0; b < a; ++b)
      if (overlap(region.array[a], region.array[b]))
        return true;
  return false;
}

// A process has the rows of one number in all arrays.
void check_common_rows(const region_launch& region) {
  for (int a = 0; a < region.arrays; ++a)
    for (int b = 0; b < a; ++b) {
      const array_plan& one = region.array[a];
      const array_plan& other = region.array[b];
      if (!overlap(one, other))
        continue;
      const std::ptrdiff_t apart = one.base - other.base;
      const bool in_one_place =
          one.components == 1 && other.components == 1
              ? apart == 0
              : one.rows == other.rows &&
                    apart % static_cast<std::ptrdiff_t>(one.component_bytes()) == 0;
      if (one.row_bytes() != other.row_bytes() || !in_one_place)
        fail(region, text("'", other.name, "' and '", one.name,
                          "' share memory in which their rows have different numbers; "
                          "distribute one of them, and let kernels add the offset"));
    }
}

bool has_periodic_rows(const region_launch& region) {
  return std::any_of(region.stage, region.stage + region.stages,
                     [](const stage_plan& one) { return one.periodic_rows; });
}

// In arrays of several lengths a row comes again at several places, and in short ones each row is
// near: any row may be meant. Where a clause says how far launches read, several processes take
// that for rows that do not come again, if such rows would need something else of the program.
void forget_periodic_rows(const region_launch& region) {
  const auto [shortest, longest] =
      std::minmax_element(region.array, region.array + region.arrays,
                          [](const array_plan& a, const array_plan& b) { return a.rows < b.rows; });
  const auto apart = static_cast<int>(std::min(longest->rows - shortest->rows, most_rows_apart));
  const bool writes_end_rows =
      std::any_of(region.stage, region.stage + region.stages,
                  [](const stage_plan& one) { return one.end_rows.some(); });
  for (int s = 0; s < region.stages; ++s) {
    stage_plan& one = region.stage[s];
    axis_reach& read = one.read.axis[one.row];
    const bool any_row = read.low == stages::whole;
    if (!one.periodic_rows)
      continue;
    if (one.perhaps_periodic_rows && !any_row) {
      one.periodic_rows = process().size == 1 || (apart == 0 && !writes_end_rows);
      // The first row comes again behind the last one of the longest array.
      if (one.periodic_rows)
        read = {read.low - apart, read.high + apart};
      continue;
    }
    if (apart != 0 && process().size > 1 && one.kernel != nullptr)
      fail(region,
           text("kernel '", one.name,
                "' reads rows that go on with the first one behind the last, and '", longest->name,
                "' has ", longest->rows, " rows and '", shortest->name, "' ", shortest->rows,
                "; run one process, or distribute arrays of the same number of rows"));
    // Of such short arrays processes have fewer rows than their neighbours need, which is an error.
    const bool is_short =
        process().size == 1 && shortest->rows < 2 * std::max(-read.low, read.high);
    if (apart != 0 || any_row || is_short) {
      one.periodic_rows = false;
      read = {stages::whole, stages::whole};
    }
  }
}

// Rows at the ends of arrays that tiles write beyond their own are neither put to other processes
// nor waited for there: the first and the last process have the tiles, and others read other rows.
void check_end_rows(const region_launch& region) {
  const banding& bands = *region.bands;
  std::int64_t rows = bands.rows;
  for (int a = 0; a < region.arrays; ++a)
    rows = std::min(rows, region.array[a].rows);
  const std::int64_t second = bands.begin(1);
  const std::int64_t last = bands.begin(bands.processes - 1);
  for (int s = 0; s < region.stages; ++s) {
    const stage_plan& one = region.stage[s];
    const stages::written_end_rows& ends = one.end_rows;
    if (!ends.some())
      continue;
    if (bands.periodic)
      fail(region, text("kernel '", one.name,
                        "' writes rows at the ends of an array beyond those of its threads, and "
                        "where rows are periodic the processes at the other end read these; run "
                        "one process, or write them in a kernel of their own"));
    // First row of the first tile whose rows are in a band.
    const auto first_tile = [&](std::int64_t band) {
      const std::int64_t own = one.written.axis[one.row].low;
      return ceiling(band - own, one.height()) * one.height();
    };
    const bool at_first =
        ends.first == 0 || (ends.first - 1 - ends.reach.low < first_tile(second) &&
                            ends.first <= second - bands.touch_before);
    const bool at_last =
        ends.last == 0 || (first_tile(last) <= rows - ends.last - ends.reach.high &&
                           last + bands.touch_after <= rows - ends.last);
    if (!at_first || !at_last)
      fail(region,
           text("kernel '", one.name, "' writes the ", at_first ? "last" : "first",
                " row of an array in threads of other rows, and process ",
                at_first ? bands.processes - 1 : 0, " of ", bands.processes, ", which has ",
                at_first ? rows - last : second, " of ", rows,
                " rows, would have so few that other processes have these threads or read what "
                "they write; use fewer processes, blocks of fewer rows or a larger array"));
  }
}

void make_bands(const region_launch& region) {
  banding& bands = *region.bands;
  const process_info& self = process();
  bands = {};
  bands.processes = self.size;
  bands.process = self.rank;
  bands.contiguous = self.size > 1 && (self.nodes > 1 || environment::route() == "proxy");
  for (int a = 0; a < region.arrays; ++a) {
    const array_plan& array = region.array[a];
    if (array.components < 1)
      fail(region, text("'", array.name, "' has ", array.components, " components"));
    bands.rows = std::max(bands.rows, array.rows);
  }
  if (bands.rows == 0)
    fail(region, "the distributed arrays have no rows");
  check_common_rows(region);
  bands.unit = stage_of_ranks(region).height();
  find_needs(region, bands);
  if (self.size == 1)
    return;
  bands.periodic = has_periodic_rows(region);
  bands.aliased = share_memory(region);
  bands.by_array = bands.own_before == 0 && bands.own_after == 0 && !bands.aliased;
  const int least = bands.touch_before + bands.touch_after;
  const stage_plan& of_ranks = stage_of_ranks(region);
  const std::string have =
      of_ranks.renumbered ? text(", which tiles of '", of_ranks.name, "' have, of the ",
                                 block_text(of_ranks.ranks), " threads that ranks have here")
                          : text(", which a block of '", of_ranks.name, "' has");
  for (int p = 0; p < self.size; ++p) {
    const std::int64_t rows = bands.begin(p + 1) - bands.begin(p);
    if (rows == 0 && least == 0)
      fail(region, text("process ", p, " of ", self.size, " would have none of ", bands.rows,
                        " rows, since those of a process begin at multiples of ", bands.unit, have,
                        "; use fewer processes, blocks of fewer rows or a larger array"));
    if (rows < least)
      fail(region, text("process ", p, " of ", self.size, " would have ", rows, " of ", bands.rows,
                        " rows, but the launches touch ", bands.touch_before, " rows before and ",
                        bands.touch_after, " after those of a process", tiles_across(region, bands),
                        ", which may only be its neighbours', so that it needs ", least,
                        ", and its rows begin at multiples of ",
                        bands.unit, have,
                        "; use fewer processes, blocks of fewer rows or a larger array"));
  }
  check_end_rows(region);
}

// Of the launches' threads, how far one of them reads from the rows that it writes.
int most_thread_rows(const region_launch& region) {
  int most = 0;
  for (int s = 0; s < region.stages; ++s)
    if (const stages::thread_rows& rows = region.stage[s].threads; rows.known)
      most = std::max({most, rows.most.low, rows.most.high});
  return most;
}

// Empty if there may be ghost rows.
std::string obstacle_to_ghost_rows(const region_launch& region) {
  const banding& bands = *region.bands;
  if (bands.periodic)
    return "rows are periodic";
  if (!bands.by_array)
    return "tiles write rows of two processes, or arrays share memory";
  const auto obstacle =
      std::find_if(region.stage, region.stage + region.stages, [](const stage_plan& one) {
        return one.writes_by_itself() && (!one.threads.known || one.end_rows.some());
      });
  return obstacle == region.stage + region.stages
             ? std::string()
             : text("'", obstacle->name,
                    "' has threads that work together or go through rows, stores elsewhere than in "
                    "its threads' rows, or must not find rows that are out of date");
}

// Rows of the ghost tiles on a side, in the stage that has most, if a process gets so many.
int rows_of_ghost_tiles(const region_launch& region, int rows) {
  std::int64_t most = 0;
  for (int s = 0; s < region.stages; ++s) {
    const stage_plan& one = region.stage[s];
    if (!one.writes_by_itself())
      continue;
    const int tiles = std::max(one.tile_rows_before(rows - one.threads.least.low),
                               one.tile_rows_after(rows - one.threads.least.high));
    most = std::max(most, tiles * one.height());
  }
  return static_cast<int>(most);
}

banding with_ghost_rows(const region_launch& region, int rows) {
  banding bands = *region.bands;
  const int beyond = rows == 0 ? 0 : rows_of_ghost_tiles(region, rows);
  bands.ghost_rows = rows;
  bands.held_before = bands.touch_before + beyond;
  bands.held_after = bands.touch_after + beyond;
  return bands;
}

bool bands_hold(const banding& bands, int rows) {
  for (int p = 0; p < bands.processes; ++p)
    if (bands.begin(p + 1) - bands.begin(p) < rows)
      return false;
  return true;
}

// Of the largest array of a region.
struct tile_counts {
  std::int64_t height;
  std::int64_t per_row;
  int ranks;
  std::uint64_t bytes_of_ranks; // of all arrays, if each rank has a tile

  // The most of a rank that runs so many rows, if each has neighbours one after the other.
  std::int64_t of_rank(std::int64_t rows) const {
    const std::int64_t tile_rows = ceiling(rows, height);
    return per_row > ranks ? ceiling(tile_rows * per_row, ranks)
                           : ceiling(tile_rows, ranks / per_row);
  }
};

unsigned threads_of_rank(const region_launch& region) {
  const dim3 block = block_of_ranks(region);
  return block.x * block.y * block.z;
}

std::int64_t elements_of_row(const array_plan& array) {
  return static_cast<std::int64_t>(array.row_bytes() / array.element_bytes);
}

tile_counts count_tiles(const region_launch& region, int ranks) {
  const std::int64_t threads = threads_of_rank(region);
  const std::int64_t height = stage_of_ranks(region).height();
  std::int64_t points_of_row = 0;
  std::uint64_t bytes = 0;
  for (const array_plan* a = region.array; a != region.array + region.arrays; ++a) {
    points_of_row = std::max(points_of_row, elements_of_row(*a));
    bytes += a->element_bytes;
  }
  return {height, std::max<std::int64_t>(ceiling(points_of_row * height, threads), 1), ranks,
          bytes * static_cast<std::uint64_t>(threads) * static_cast<std::uint64_t>(ranks)};
}

// How many ghost rows are worth their tiles (ghost_rows.h). To wait for another process takes about
// as long as a microsecond more of a stage's loads and stores, and less where ranks have other
// tiles meanwhile (docs/performance.md); by way of the hosts, as long as an eighth of a band, or as
// several tiles.
int worthwhile_ghost_rows(const region_launch& region, int ranks) {
  constexpr int most_stages_apart = 16;
  constexpr std::uint64_t bytes_in_wait = 4 << 20;
#if GPURMA_TARGET_CUDA
  const bool by_hosts = region.bands->contiguous;
#else
  constexpr bool by_hosts = true;
#endif
  const int apart = most_thread_rows(region);
  const int sides = region.bands->processes > 2 ? 2 : 1;
  const tile_counts count = count_tiles(region, ranks);
  const std::int64_t rows_of_band = region.bands->begin(1);
  const std::int64_t tiles = count.of_rank(rows_of_band);
  const auto is_worth = [&](int stages_apart) {
    const std::int64_t rows = rows_of_ghost_tiles(region, stages_apart * apart);
    const std::int64_t more = count.of_rank(rows_of_band + sides * rows) - tiles;
    if (by_hosts)
      return more <= std::max<std::int64_t>(tiles / 8, 4);
    // Of all ranks, in all stages between two exchanges.
    std::int64_t ghost_rows = 0;
    for (int stage = 1; stage < stages_apart; ++stage)
      ghost_rows += sides * rows_of_ghost_tiles(region, (stage + 1) * apart);
    const std::int64_t ghost_tiles = ceiling(ghost_rows, count.height) * count.per_row;
    if (ghost_tiles * 4 > std::int64_t{ranks} * stages_apart)
      return false;
    return more == 0 || (static_cast<std::uint64_t>(more) * count.bytes_of_ranks <= bytes_in_wait &&
                         (tiles > 2 ? more <= tiles / 8 : more == 1 && rows <= count.height));
  };
  for (int stages_apart = most_stages_apart; stages_apart > 1; --stages_apart) {
    const int rows = stages_apart * apart;
    const banding bands = with_ghost_rows(region, rows);
    if (rows <= stages::most_ghost_rows && is_worth(stages_apart) &&
        bands_hold(bands, 4 * (bands.held_before + bands.held_after)))
      return rows;
  }
  return 0;
}

// All processes know how many ranks any has, and have the same settings.
void find_ghost_rows(const region_launch& region, int most_ranks) {
  *region.bands = with_ghost_rows(region, 0);
  const environment::count wanted = environment::ghost_rows();
  if (region.bands->processes == 1 || wanted == 0)
    return;
  std::string obstacle = obstacle_to_ghost_rows(region);
  if (obstacle.empty()) {
    if (most_thread_rows(region) == 0) // no process needs rows of another
      return;
    const int rows = wanted == environment::automatic ? worthwhile_ghost_rows(region, most_ranks)
                                                      : static_cast<int>(wanted);
    const banding bands = with_ghost_rows(region, rows);
    if (rows == 0)
      obstacle = "they are not worth what they cost";
    else if (rows < std::max(bands.touch_before, bands.touch_after))
      obstacle = text(rows, " are fewer than launches read");
    else if (!bands_hold(bands, bands.held_before + bands.held_after))
      obstacle = text(rows, " are too many for what each process has of ", bands.rows);
    else
      *region.bands = bands;
  }
  log(log_level::info,
      obstacle.empty()
          ? text(name_of(region), ": each process gets ", region.bands->ghost_rows,
                 " rows of its neighbours at once, and computes them itself until it needs others")
          : text(name_of(region), ": processes have no ghost rows, since ", obstacle));
}

// Adds the bytes of an array's rows, in all of its components.
void add_rows(byte_ranges& to, const array_plan& array, std::int64_t first, std::int64_t last) {
  const auto at = [&](std::int64_t row) {
    return static_cast<std::uint64_t>(std::clamp<std::int64_t>(row, 0, array.rows)) *
           array.row_bytes();
  };
  std::uint64_t component = 0;
  for (std::int64_t c = 0; c < array.components; ++c, component += array.component_bytes())
    to.add({component + at(first), component + at(last)});
}

// Those that the process touches: of periodic rows, also at the other end.
byte_ranges touched_bytes(const banding& bands, const array_plan& array, int process) {
  const std::int64_t first = bands.begin(process) - bands.held_before;
  const std::int64_t last = bands.begin(process + 1) + bands.held_after;
  byte_ranges found;
  for (const std::int64_t turn : {-bands.rows, std::int64_t{0}, bands.rows})
    if (turn == 0 || bands.periodic)
      add_rows(found, array, first + turn, last + turn);
  return found;
}

void hold_bands(const region_launch& region) {
  const banding& bands = *region.bands;
  std::vector<banded_array> all;
  for (int a = 0; a < region.arrays; ++a) {
    const array_plan& array = region.array[a];
    banded_array& one = all.emplace_back();
    one.base = array.base;
    one.bytes = array.bytes();
    for (int p = 0; p < bands.processes; ++p) {
      add_rows(one.bands.emplace_back(), array, bands.begin(p), bands.begin(p + 1));
      one.touched.push_back(touched_bytes(bands, array, p));
    }
  }
  hold_bands(name_of(region), all, region.values, region.value_bytes);
  for (int a = 0; a < region.arrays; ++a)
    region.array[a].banded = all[static_cast<std::size_t>(a)].banded;
}

// What all processes must agree on.
struct agreement {
  int ranks;
  std::int64_t rows;
  std::uint64_t bytes;
  std::int64_t collected; // elements
};

// More registers for the threads of a multiprocessor are fewer ranks, which hide less latency;
// fewer than the kernels have without the region, and the loop over tiles beside them, are spilled
// (docs/performance.md).
const void* kernel_of(const region_launch& region) {
#if GPURMA_TARGET_CUDA
  const dim3 block = block_of_ranks(region);
  const unsigned threads = block.x * block.y * block.z;
  int registers = 0;
  for (int s = 0; s < region.stages; ++s) {
    if (region.stage[s].kernel == nullptr) // a copy or fill
      continue;
    cudaFuncAttributes attributes{};
    check_cuda(cudaFuncGetAttributes(&attributes, region.stage[s].kernel), "load a kernel");
    registers = std::max(registers, attributes.numRegs + region.stage[s].registers_beside);
  }
  constexpr int last = host::register_limit_count - 1;
  int most = last;
  while (most > 0 && threads * static_cast<unsigned>(host::register_limits[most]) >
                         host::registers_of_multiprocessor)
    --most;
  int chosen = 0;
  while (chosen < most && registers > host::register_limits[chosen])
    ++chosen;
  // Not all are compiled (GPURMA_REGION_REGISTERS): the next one with more, or with less; or one
  // that CUDA says does not fit.
  const auto compiled = [&](int k) { return region.kernels[k][0] != nullptr; };
  while (chosen < most && !compiled(chosen))
    ++chosen;
  while (chosen > 0 && !compiled(chosen))
    --chosen;
  while (chosen < last && !compiled(chosen))
    ++chosen;
#else
  constexpr int chosen = 0;
#endif
  return region.kernels[chosen][start_process().size > 1 ? 1 : 0];
}

std::size_t shared_bytes_of(const region_launch& region) {
  std::size_t most = 0;
  for (int s = 0; s < region.stages; ++s)
    most = std::max(most, region.stage[s].shared_bytes);
  return most;
}

// As many as are resident, or fewer. The CPU target has as many as the user says.
int worthwhile_ranks([[maybe_unused]] const region_launch& region, int resident) {
#if GPURMA_TARGET_CUDA
  const banding& bands = *region.bands;
  const std::int64_t rows = bands.begin(bands.process + 1) - bands.begin(bands.process);
  const unsigned threads = threads_of_rank(region);
  // Of kernels with a thread for each point; others have fewer tiles.
  std::int64_t points = 0;
  for (int a = 0; a < region.arrays; ++a) {
    const array_plan& array = region.array[a];
    points = std::max(points, elements_of_row(array) * std::min(rows, array.rows));
  }
  return ranks_of_region(resident, (points + threads - 1) / threads, threads,
                         count_multiprocessors());
#else
  return resident;
#endif
}

// Makes the bands, and the memory in which the ranks tell each other how far they are; returns how
// many there are on this device, of as many as are resident. Collective.
int prepare_region(const region_launch& region, int resident) {
  // Launches before the region may be on other streams.
  check_cuda(cudaDeviceSynchronize(), "begin a persistent region");
  make_bands(region);
  const int device_ranks = worthwhile_ranks(region, resident);
  agreement mine{device_ranks, region.bands->rows, 0, begin_collecting(region, name_of(region))};
  for (int a = 0; a < region.arrays; ++a)
    mine.bytes += region.array[a].bytes();
  const std::vector<agreement> all = allgather(channel::query, name_of(region).c_str(), mine);
  std::vector<int> first_ranks(1, 0);
  stages::memory& words = *region.words;
  for (std::size_t p = 0; p < all.size(); ++p) {
    if (all[p].rows != mine.rows || all[p].bytes != mine.bytes)
      fail(region, text("the distributed arrays have ", mine.bytes, " bytes on process ",
                        process().rank, " and ", all[p].bytes, " on process ", p,
                        "; all processes run the region with the same extents"));
    if (all[p].collected != mine.collected)
      fail(region, text("arrays with ", mine.collected, " elements are collected on process ",
                        process().rank, " and with ", all[p].collected, " on process ", p,
                        "; all processes run the region with the same numbers"));
    words.most_ranks = std::max(words.most_ranks, all[p].ranks);
    first_ranks.push_back(first_ranks.back() + all[p].ranks);
  }
  words.processes = process().size;
  find_ghost_rows(region, words.most_ranks);
  hold_bands(region);

  region_memory& memory = memory_of_regions();
  std::vector<std::uint64_t> content(words.words_for(region.scalars), 0);
  for (int k = 0; k < region.scalars; ++k)
    for (int rank = 0; rank < words.most_ranks; ++rank)
      content[words.partial_at(k, rank)] = region.identity[k];
  words.words =
      static_cast<std::uint64_t*>(memory.words.resize(content.size() * sizeof(content[0])));
  const std::size_t places = words.processes > 1 ? words.place_at(region.stages, 0) : 0;
  words.places = static_cast<std::int32_t*>(memory.places.resize(places * sizeof(words.places[0])));
  auto* const on_device =
      static_cast<int*>(memory.first_ranks.resize(first_ranks.size() * sizeof(int)));
  words.first_ranks = on_device;
  *region.results = memory.results.resize(region.value_bytes);
  copy_bytes(words.words, content.data(), content.size() * sizeof(content[0]));
  copy_bytes(on_device, first_ranks.data(), first_ranks.size() * sizeof(int));
  return device_ranks;
}

// Of its largest array.
std::uint64_t most_bytes(const region_launch& region) {
  std::uint64_t most = 0;
  for (int a = 0; a < region.arrays; ++a)
    most = std::max(most, region.array[a].bytes());
  return most;
}

// Variables of the host that differ between processes may have led them different ways.
void check_ways(const region_launch& region) {
  const stages::memory& words = *region.words;
  if (words.processes == 1)
    return;
  std::uint64_t mine = 0;
  copy_bytes(&mine, words.words + words.stages_at(), sizeof(mine));
  const std::vector<std::uint64_t> all = allgather(channel::query, name_of(region).c_str(), mine);
  for (std::size_t p = 0; p < all.size(); ++p) {
    if (all[p] == mine)
      continue;
    const auto launches = static_cast<std::uint32_t>(mine), others = static_cast<std::uint32_t>(all[p]);
    fail(region,
         text("process ", process().rank, " has run ", launches, " launches, and process ", p, " ",
              launches == others ? "as many, but not the same" : std::to_string(others),
              "; the variables that lead through the region are to have the same values in all "
              "processes"));
  }
}

} // namespace

bool run_region(const region_launch& region, void** arguments) {
  const dim3 block = block_of_ranks(region);
  const std::size_t bytes = shared_bytes_of(region);
  const void* const kernel = kernel_of(region);
  const layout found = query(kernel, block, bytes);
  forget_periodic_rows(region);
  check_stages(region); // behind the start, which says how many processes there are
  if (found.device_ranks == 0)
    fail(region, text("no block of ", block_text(block), " threads with ", bytes,
                      " bytes of dynamic shared memory fits on a multiprocessor; make the block "
                      "or its memory smaller"));
  if (region.choice != nullptr && process().size == 1) {
    *region.loop = region.choice->begin(
        text(name_of(region), ", with arrays of ", most_bytes(region), " bytes,"));
    if (region.choice->begins_on_host())
      return false;
  }
  const int device_ranks = prepare_region(region, found.device_ranks);
  const region_runs distributed_arrays_as_they_are;
  const cudaError_t result =
      run_to_end(kernel, name_of(region), device_ranks, block, arguments, bytes);
  // The progress thread, which ends the process too, says what a rank has found wrong.
  if (result != cudaSuccess)
    std::this_thread::sleep_for(std::chrono::seconds(1));
  check_cuda(result, "run a persistent region");
  check_ways(region);
  end_collecting(region, name_of(region));
  return true;
}

int halo_depth(long long depth, site where) {
  if (depth < 0)
    fatal(text("the persistent region at ", source_text(where), ": 'halo' has a depth of ", depth,
               " rows, which is negative"));
  return static_cast<int>(std::min<long long>(depth, most_rows_apart));
}

void check_halo(const char* array, int depth, int reads, const char* kernel, site where) {
  if (depth < reads)
    fatal(text("the persistent region at ", source_text(where), ": 'halo' says ", depth, ", but '",
               kernel, "' reads rows of '", array, "' that are up to ", reads,
               " away from its own; it would read old values of other processes' rows"));
}

void check_put(const char* array, int halo, const char* kernel, int reads, site where) {
  if (reads > halo)
    fatal(text("the persistent region at ", source_text(where), ": '", array, "' is put with halo ",
               halo, ", but a later launch of '", kernel, "' reads it with halo ", reads,
               "; it would read old values of other processes' rows"));
}

void check_rows(const char* array, std::int64_t rows, std::int64_t least, const char* kernel,
                site where) {
  if (rows < least)
    fatal(text("the persistent region at ", source_text(where), ": '", kernel,
               "' takes a component of '", array, "' to have at least ", least,
               " rows, and it has ", rows, "; others would be rows of the next component"));
}

void check_extent(const char* array, std::int64_t extent, std::int64_t least, const char* kernel,
                  site where) {
  if (extent < least)
    fatal(text("the persistent region at ", source_text(where), ": '", kernel,
               "' takes an extent of '", array, "' to be at least ", least, ", and it is ", extent,
               "; some of what it touches would be in the next row"));
}

void check_row_length(const char* array, std::int64_t length, std::int64_t multiple,
                      const char* kernel, site where) {
  if (length % multiple != 0)
    fatal(text("the persistent region at ", source_text(where), ": '", kernel, "' loads or stores ",
               multiple, " elements of '", array, "' at a time, and its rows have ", length,
               ", so that some would be of two rows; let rows have a multiple of ", multiple,
               " elements"));
}

void check_alike(const char* one, const char* other, bool equal, site where) {
  if (!equal)
    fatal(
        text("the persistent region at ", source_text(where), " takes '", one, "' and '", other,
             "' to be the same, as their arrays are in one clause or change places; they are not: "
             "pass variables of the host"));
}

void check_number(const char* variable, std::int64_t value, std::int64_t expected, site where) {
  if (value != expected)
    fatal(text("the persistent region at ", source_text(where), " takes '", variable, "' to be ",
               expected, ", which is what that file gives it, and it is ", value,
               ": let kernels and 'rows' have their sizes from the same variables, and distances "
               "between rows from constants"));
}

void check_swapped(const char* one, const char* other, bool swapped, site where) {
  if (!swapped)
    fatal(text("the persistent region at ", source_text(where), " has swapped '", one, "' and '",
               other,
               "', and the program's own swap of these objects does not, as one that copies their "
               "elements: swap pointers, or give the class a swap that exchanges them"));
}

void check_constant(const char* name, std::size_t index, bool array, long long value,
                    long long expected, site where) {
  if (value != expected)
    fatal(text("the persistent region at ", source_text(where), " takes '", name,
               array ? text("[", index, "]") : std::string(), "' to be ", expected,
               ", as the program copies that to this __constant__ variable somewhere, and it is ",
               value, ": copy it before the region, or pass it to the kernels as a parameter"));
}

void check_symbol(cudaError_t result, const char* name) {
  check_cuda(result, text("look at '", name, "' for a persistent region").c_str());
}

namespace {

bool overlap(const named_memory& one, const volatile char* first, std::size_t bytes) {
  return one.first < first + bytes && first < one.first + one.bytes;
}

} // namespace

void check_undistributed(const named_memory& read, const array_plan* arrays, int count,
                         const stages::collected_plan* collected, int collections, site where) {
  for (const stages::collected_plan* c = collected; c != collected + collections; ++c)
    if (overlap(read, c->base, c->bytes()))
      fatal(text("the persistent region at ", source_text(where), ": '", read.name,
                 "' shares memory with '", c->name,
                 "', which the region collects: kernels store there and read nothing"));
  for (const array_plan* a = arrays; a != arrays + count; ++a)
    if (overlap(read, a->base, a->bytes()))
      fatal(text("the persistent region at ", source_text(where), ": '", read.name,
                 "' shares memory with '", a->name,
                 "', which the region distributes: kernels would not see there what others change; "
                 "name the same variable in 'distribute' and at the launches"));
}

void check_unreduced(const named_memory& read, std::initializer_list<named_memory> scalars,
                     site where) {
  for (const named_memory& one : scalars)
    if (overlap(read, one.first, one.bytes))
      fatal(text("the persistent region at ", source_text(where), ": kernels read '", one.name,
                 "', which the region reduces, as '", read.name,
                 "', and would not see there what others add; pass them '", one.name, "'"));
}

void check_scalars(std::initializer_list<named_memory> scalars, site where) {
  for (const named_memory& one : scalars)
    for (const named_memory* other = scalars.begin(); other != &one; ++other)
      if (overlap(one, other->first, other->bytes))
        fatal(text("the persistent region at ", source_text(where), " reduces '", other->name,
                   "' and '", one.name,
                   "', which are one scalar: what kernels add to one would be "
                   "lost for the other; use one name of it"));
}

void check_variables(std::initializer_list<named_memory> changed,
                     std::initializer_list<named_memory> others, site where) {
  const auto check = [&](const named_memory& one, const named_memory& other) {
    if (overlap(one, other.first, other.bytes))
      fatal(text("the persistent region at ", source_text(where), " has '", one.name, "' and '",
                 other.name,
                 "', which are one variable: what it does to one would be lost for the other; use "
                 "one name of it"));
  };
  for (const named_memory& one : changed) {
    for (const named_memory* other = changed.begin(); other != &one; ++other)
      check(*other, one);
    for (const named_memory& other : others)
      check(one, other);
  }
}

void* copy_table(const void* from, std::size_t bytes) {
  void* table = nullptr;
  if (bytes != 0) {
    check_cuda(cudaMalloc(&table, bytes), "allocate a table for a persistent region");
    check_cuda(cudaMemcpy(table, from, bytes, cudaMemcpyHostToDevice),
               "copy a table for a persistent region");
  }
  return table;
}

void free_table(void* table) {
  check_cuda(cudaFree(table), "free a table of a persistent region");
}

void copy_scalar(void* to, const void* from, std::size_t bytes) {
  check_cuda(cudaMemcpy(to, from, bytes, cudaMemcpyDefault),
             "copy a scalar of a persistent region");
}

} // namespace gpurma::host
