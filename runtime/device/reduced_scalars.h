// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalars that the tiles of all ranks reduce: of a rank, of a device, over all processes.
#ifndef GPURMA_DEVICE_REDUCED_SCALARS_H
#define GPURMA_DEVICE_REDUCED_SCALARS_H

#include <gpurma/device/rank_epochs.h>

namespace gpurma::stages {

template <int Stages, int Arrays, int Scalars> class region;

// A scalar that kernels of the region update by atomics, and that the region reads and assigns: of
// the threads that lead. Ranks add up in T, and what all of them have in Total, which may be wider.
template <class T, class Operation, int Stages, int Arrays, int Scalars, class Total = T>
class reduced {
public:
  GPURMA_DEVICE reduced(const region<Stages, Arrays, Scalars>&, int index, Total value)
      : value_(value), index_(index) {}
  reduced(const reduced&) = delete;
  reduced& operator=(const reduced&) = delete;

  // Where the rank's tiles add up by atomics.
  GPURMA_DEVICE T* partial() {
    updated_ = by_atomics_ = true;
    return slot(region<Stages, Arrays, Scalars>::shared(), index_);
  }

  // Each warp does with what its threads have added up (thread_part::add_to).
  GPURMA_DEVICE void adds_by_warp() { updated_ = true; }

  // The scalar over all processes, the same in all threads of all ranks: waits until all ranks have
  // come here, if kernels may have updated it.
  GPURMA_DEVICE Total value() {
    if (updated_)
      value_ = meet(index_, value_);
    updated_ = by_atomics_ = false;
    return value_;
  }

  // Without a meeting: nobody asks for what has been added up so far. What an assignment is, is
  // the value, for *a = *b = 0.
  GPURMA_DEVICE Total operator=(Total value) {
    if (updated_)
      clear(region<Stages, Arrays, Scalars>::shared(), index_, by_atomics_);
    updated_ = by_atomics_ = false;
    value_ = value;
    return value_;
  }
  // In the type of both, as of variables: a count may be halved by *= 0.5.
  template <class Other> GPURMA_DEVICE Total operator+=(Other more) {
    return *this = Total(value() + more);
  }
  template <class Other> GPURMA_DEVICE Total operator-=(Other less) {
    return *this = Total(value() - less);
  }
  template <class Other> GPURMA_DEVICE Total operator*=(Other factor) {
    return *this = Total(value() * factor);
  }
  template <class Other> GPURMA_DEVICE Total operator/=(Other divisor) {
    return *this = Total(value() / divisor);
  }
  template <class Other> GPURMA_DEVICE Total operator%=(Other divisor) {
    return *this = Total(value() % divisor);
  }
  template <class Other> GPURMA_DEVICE Total operator&=(Other mask) {
    return *this = Total(value() & mask);
  }
  template <class Other> GPURMA_DEVICE Total operator|=(Other bits) {
    return *this = Total(value() | bits);
  }
  template <class Other> GPURMA_DEVICE Total operator^=(Other bits) {
    return *this = Total(value() ^ bits);
  }
  template <class Other> GPURMA_DEVICE Total operator<<=(Other places) {
    return *this = Total(value() << places);
  }
  template <class Other> GPURMA_DEVICE Total operator>>=(Other places) {
    return *this = Total(value() >> places);
  }
  GPURMA_DEVICE Total operator++() { return *this += 1; }
  GPURMA_DEVICE Total operator--() { return *this -= 1; }
  GPURMA_DEVICE Total operator++(int) {
    const Total before = value();
    *this = Total(before + 1);
    return before;
  }
  GPURMA_DEVICE Total operator--(int) {
    const Total before = value();
    *this = Total(before - 1);
    return before;
  }

private:
  using state = region_state<Stages, Arrays, Scalars>;

  GPURMA_DEVICE static T* slot(state& r, int index) {
    return reinterpret_cast<T*>(r.words.words + r.words.partial_at(index, r.rank));
  }

  // The polling threads, between the block barriers of stages that update the scalar. M23
  GPURMA_DEVICE static void clear(state& r, int index, bool by_atomics) {
    const std::uint64_t identity = r.plans.identity[index];
    if (const unsigned warp = platform::thread_index(); warp < platform::most_warps)
      r.by_warp[index][warp] = identity;
    if (by_atomics && platform::thread_index() == 0)
      platform::store_relaxed(r.words.words + r.words.partial_at(index, r.rank), identity);
  }

  GPURMA_DEVICE static Total nothing(const state& r, int index) {
    return static_cast<Total>(from_bits<T>(r.plans.identity[index]));
  }

  GPURMA_DEVICE static detail::packet* packets(state& r, std::size_t at) {
    return reinterpret_cast<detail::packet*>(r.words.words + at);
  }

  GPURMA_DEVICE static detail::packet pack(Total value, std::uint32_t meeting) {
    const std::uint64_t bits = bits_of(value);
    return {{static_cast<std::uint32_t>(bits), meeting, static_cast<std::uint32_t>(bits >> 32),
             meeting}};
  }

  // Waits for packets of a meeting and combines them, always in the same order: in thread 0. The
  // polling threads.
  GPURMA_DEVICE static Total combined(state& r, int index, const detail::packet* from, int count,
                                      std::uint32_t meeting, detail::blocked& waiting) {
    constexpr int together = 4; // looks of a thread that do not wait for each other
    const auto width = static_cast<int>(platform::polling_threads());
    const auto thread = static_cast<int>(platform::thread_index());
    Total sum = nothing(r, index);
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
            sum, from_bits<Total>(got[k].word[0] | std::uint64_t{got[k].word[2]} << 32));
    }
    platform::sync_polling(platform::polling_threads()); // thread 0 has read those of the last time
    r.parts[thread] = bits_of(sum);
    platform::sync_polling(platform::polling_threads());
    if (thread == 0)
      for (int other = 1; other < width; ++other)
        sum = Operation::combine(sum, from_bits<Total>(r.parts[other]));
    return sum;
  }

  // A rank gives its part to the leader of its group, which gives the group's part to all
  // processes; each rank combines those of all groups. So it takes two steps, and the result does
  // not depend on who comes first.
  GPURMA_SLOW_DEVICE static Total meet(int index, Total value) {
    state& r = region<Stages, Arrays, Scalars>::shared();
    exchange(r, index, value);
    platform::sync_polling(platform::polling_threads());
    return from_bits<Total>(r.result[index]);
  }

  GPURMA_DEVICE static void exchange(state& r, int index, Total value) {
    const banding& bands = r.plans.bands;
    const bool is_first = platform::thread_index() == 0;
    const std::uint32_t meeting = r.meetings[index] + 1;
    detail::blocked waiting(detail::block(), directive::reduce, r.plans.where, any_source, any_tag,
                            detail::no_window_id, meeting);
    const T of_warps =
        platform::combined_in_warp(from_bits<T>(r.by_warp[index][platform::thread_index()]), // M23
                                   [](T a, T b) { return Operation::combine(a, b); });
    if (is_first) {
      const T by_atomics = from_bits<T>(
          platform::load_relaxed(r.words.words + r.words.partial_at(index, r.rank))); // M23
      platform::store_packet(
          packets(r, r.words.rank_part_at(index, r.rank)),
          pack(static_cast<Total>(Operation::combine(by_atomics, of_warps)), meeting)); // M24
    }
    clear(r, index, true);
    const int ranks = detail::block().device_size;
    constexpr int size = memory::group_size;
    if (r.rank % size == 0) {
      const int left = ranks - r.rank;
      const Total sum = combined(r, index, packets(r, r.words.rank_part_at(index, r.rank)),
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
    const Total sum = combined(r, index, packets(r, r.words.group_part_at(index, meeting, 0, 0)),
                               bands.processes * r.words.groups(), meeting, waiting);
    if (is_first) {
      r.meetings[index] = meeting;
      r.result[index] = bits_of(Operation::combine(value, sum));
    }
  }

  Total value_;
  int index_;
  bool updated_ = false;
  bool by_atomics_ = false;
};

} // namespace gpurma::stages

#endif
