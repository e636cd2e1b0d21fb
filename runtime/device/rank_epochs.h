// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the ranks of a persistent region tell each other: how far they are, and packets of reduced
// scalars; and how a rank waits for others to be as far as its next stage needs.
#ifndef GPURMA_DEVICE_RANK_EPOCHS_H
#define GPURMA_DEVICE_RANK_EPOCHS_H

#include <gpurma/device/tile_owners.h>

namespace gpurma::stages {

// Stores a word into the control memory of another process by way of the hosts, after all that the
// rank has put there before. Thread 0.
template <int Stages, int Arrays, int Scalars>
GPURMA_SLOW_DEVICE void post_word(const region_state<Stages, Arrays, Scalars>& r, int target,
                                  std::size_t at, std::uint64_t value) {
  block_state& b = detail::block();
  detail::command c =
      detail::make_command(detail::command_kind::put, target, r.control.id, r.plans.where);
  c.address = reinterpret_cast<std::uint64_t>(&value);
  c.offset = at * sizeof(value);
  c.bytes = sizeof(value);
  c.flags = detail::inline_flag | detail::ordered_flag | detail::region_flag; // M22, M24
  detail::post(b, c, directive::stage);
}

// Stores a packet there, or directly. What comes by the hosts comes in two stores, in this order.
template <int Stages, int Arrays, int Scalars>
GPURMA_SLOW_DEVICE void send_packet(region_state<Stages, Arrays, Scalars>& r, int process,
                                    std::size_t at, const detail::packet& value) {
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

GPURMA_DEVICE int mirror(int side) {
  return side == memory::before ? memory::after : memory::before;
}

// The rank's epoch, to the process on a side. Both behind a release fence at system scope. Where
// the hosts take it there, thread 0.
template <int Stages, int Arrays, int Scalars>
GPURMA_DEVICE void store_epoch(const region_state<Stages, Arrays, Scalars>& r, int side,
                               std::uint32_t epoch) {
  platform::store_released(r.control_of[side] + r.words.epoch_at(mirror(side), r.rank),
                           std::uint64_t{epoch}); // M22
}
template <int Stages, int Arrays, int Scalars>
GPURMA_DEVICE void send_epoch(const region_state<Stages, Arrays, Scalars>& r, int side,
                              std::uint32_t epoch) {
  if (r.control_of[side] != nullptr)
    store_epoch(r, side, epoch);
  else
    post_word(r, r.first_rank[side], r.words.epoch_at(mirror(side), r.rank), epoch);
}

// Whether a rank of the process on a side tells this process of its epochs: it does if it has a
// tile of any stage that this process is concerned with.
template <int Stages, int Arrays, int Scalars>
GPURMA_SLOW_DEVICE bool is_informed(const region_state<Stages, Arrays, Scalars>& r, int side,
                                    int rank) {
  const int process = process_of(r.plans.bands, side);
  const int towards = mirror(side);
  GPURMA_ROLLED
  for (int s = 0; s < Stages; ++s) {
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
template <int Stages, int Arrays, int Scalars>
GPURMA_DEVICE std::uint32_t& informed_bits(region_state<Stages, Arrays, Scalars>& r, int stage,
                                           int side, int rank) {
  const int half = side == memory::before ? 0 : most_watched / 2;
  return r.watched[stage][half + rank / 32].bits;
}

// Notes there of which ranks that is true. The polling threads.
template <int Stages, int Arrays, int Scalars>
GPURMA_SLOW_DEVICE void find_informed(region_state<Stages, Arrays, Scalars>& r, int stage) {
  const unsigned width = platform::polling_threads();
  GPURMA_ROLLED
  for (int side = memory::before; side <= memory::after; ++side) {
    if (!has_process(r.plans.bands, side))
      continue;
    const int all = ranks_of(r, process_of(r.plans.bands, side));
    const int ranks = all < most_informing ? all : most_informing;
    GPURMA_ROLLED
    for (int first = 0; first < ranks; first += 32) {
      std::uint32_t bits = 0;
      GPURMA_ROLLED
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
  int next; // rank
};

// Whether those of the thread are as far as needed. Epochs grow, so that one that is needs no
// second look. The polling threads.
template <int Stages, int Arrays, int Scalars>
GPURMA_SLOW_DEVICE bool all_epochs_reached(region_state<Stages, Arrays, Scalars>& r, int stage,
                                           const needed_epochs& needed, looked_at& at) {
  constexpr int at_once = 8; // loads that are under way
  const auto width = static_cast<int>(platform::polling_threads());
  for (; at.side < 3; ++at.side, at.next = static_cast<int>(platform::thread_index())) {
    const std::uint32_t wanted = needed.of(at.side);
    if (!r.watches[stage][at.side] || wanted == 0)
      continue;
    const int ranks = ranks_of(r, process_of(r.plans.bands, at.side));
    for (; at.next < ranks; at.next += at_once * width) {
      std::uint64_t epochs[at_once];
      GPURMA_UNROLLED
      for (int i = 0; i < at_once; ++i) {
        const int rank = at.next + i * width;
        epochs[i] = rank < ranks
                        ? platform::load_polled(r.words.words + r.words.epoch_at(at.side, rank))
                        : wanted; // M21, M22
      }
      GPURMA_UNROLLED
      for (int i = 0; i < at_once; ++i) {
        const int rank = at.next + i * width;
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
// where ranks have many tiles there is one, once all are as far. The threads of a warp, `width`
// lanes. OwnProcess: all of the ranks are of this one's process.
template <platform::scope Reach, bool OwnProcess, int Stages, int Arrays, int Scalars>
GPURMA_DEVICE bool reach_soon(const region_state<Stages, Arrays, Scalars>& r, int stage,
                              const needed_epochs& needed, unsigned lane, unsigned width) {
  const int count = r.watched_count[stage];
  const bool few = r.stage[stage].tiles <= few_tiles;
  // Epochs grow, so that a rank that is far enough needs no second look.
  auto next = static_cast<int>(lane);
  std::uint32_t wanted = 0;
  const auto find = [&]() -> const std::uint64_t* {
    for (; next < count; next += static_cast<int>(width)) {
      const watched_epoch watched = r.watched[stage][next];
      wanted = OwnProcess ? needed.own : needed.of(watched.side());
      if (wanted != 0)
        return r.words.words + watched.word();
    }
    return nullptr;
  };
  const auto is_reached = [&](const std::uint64_t* word) {
    return (few ? platform::load_acquire(word, Reach) // M21, M22
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
        platform::fence_acquire(Reach); // M21, M22
      return true;
    }
    platform::back_off(looks);
  }
  return false;
}

// Waits until they are, and says so where it takes long. The polling threads.
template <int Stages, int Arrays, int Scalars>
GPURMA_SLOW_DEVICE void wait_for_conflicts(region_state<Stages, Arrays, Scalars>& r, int stage,
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
  while (!reach_soon<platform::scope::system, false>(r, stage, needed, platform::thread_index(),
                                                     width) &&
         (r.watched_count[stage] >= 0 ||
          platform::ballot(!all_epochs_reached(platform::off_fast_path(r), stage, needed, at),
                           width) != 0))
    if (platform::thread_index() == 0)
      waiting.pause();
  if (r.watched_count[stage] < 0)
    platform::fence_acquire(r.plans.bands.processes > 1 ? platform::scope::system
                                                        : platform::scope::device); // M21, M22
}

} // namespace gpurma::stages

#endif
