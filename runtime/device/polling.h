// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a rank looks for notifications. They come by its origin rings, its mailbox (from origins
// without a ring) and its inbox (from its host). The polling threads (the first warp of the block
// on GPUs) look at one source each, all at the same time; a source belongs to the same thread for
// the whole launch, so that it alone keeps the source's position. Thread 0 alone looks at all of
// them while the other threads wait for it at a barrier.
#ifndef GPURMA_DEVICE_POLLING_H
#define GPURMA_DEVICE_POLLING_H

#include <gpurma/device/block.h>

namespace gpurma::detail {

// Entries of a ring that are given back together: half a lap keeps the origin going.
inline constexpr std::uint32_t most_kept = ring_entries / 2;
// Looks in vain after which a wait confirms the data that it has taken.
inline constexpr std::uint32_t looks_before_confirming = 8;
// Of the looks by several threads, those that include the sources after the rings.
inline constexpr std::uint32_t looks_per_mailbox = 4;

// Entries of a ring that have been taken and not given back.
GPURMA_DEVICE std::uint32_t kept(const block_state& b, unsigned number, std::uint32_t position) {
  return (position - b.given_back[number]) & 0xff;
}

GPURMA_DEVICE ring_count& count_at_origin(const block_state& b, unsigned number) {
  return b.routes[b.in[number].source].memory->ring_counts[b.ring_at_origin[number]];
}

// Tells the origin of a ring which entries it may reuse: all that have been read. No fence: what
// their data is needed for waits for confirm_data.
GPURMA_SLOW_DEVICE void give_back(block_state& b, unsigned number) {
  const std::uint32_t position = b.in[number].position;
  platform::store_after_load(&count_at_origin(b, number).taken, position); // M18
  b.given_back[number] = static_cast<std::uint8_t>(position);
}

// Takes the message of a ring's position. True: it is time to give entries back.
GPURMA_DEVICE bool take(block_state& b, unsigned number, const ring_in& ring, const packet& head) {
  if (carried_by(head) != 0)
    b.owes = true;
  const std::uint32_t position = ring.position + 1;
  b.in[number].position = position;
  b.last_ring = static_cast<std::uint8_t>(number);
  return kept(b, number, position) >= most_kept;
}

// The same for rings first, first + step, ... from which many entries are kept.
GPURMA_DEVICE void give_back_many(block_state& b, unsigned first, unsigned step) {
  GPURMA_ROLLED
  for (unsigned number = first; number < b.rings; number += step) {
    if (kept(b, number, b.in[number].position) >= most_kept)
      give_back(b, number);
  }
}

// Tells the origins of rings first, first + step, ... that the data of all messages that have been
// taken is in place: an origin may wait for that.
GPURMA_SLOW_DEVICE void confirm_data(block_state& b, unsigned first, unsigned step) {
  if (first == 0)
    b.inbox.give_back();
  platform::fence_release(b.reached_from); // M20
  GPURMA_ROLLED
  for (unsigned number = first; number < b.rings; number += step) {
    if (b.in[number].source == null_rank)
      continue;
    platform::store_released(&count_at_origin(b, number).placed, b.in[number].position); // M20
    give_back(b, number);
  }
}

// The same for all rings, if data has been taken. Thread 0.
GPURMA_DEVICE void confirm_owed_data(block_state& b) {
  if (!b.owes)
    return;
  confirm_data(platform::off_fast_path(b), 0, 1);
  b.owes = false;
}

GPURMA_DEVICE bool has_come(const ring_in& ring, const packet& head, const packet& data) {
  const std::uint32_t turn = turn_of(ring.position);
  const std::uint32_t data_turn = carried_by(head) != 0 ? data.word[3] : turn;
  return ((head.word[3] ^ turn) | (data_turn ^ turn)) == 0;
}

GPURMA_DEVICE const ring_entry& next_entry(const block_state& b, unsigned number,
                                           const ring_in& ring) {
  return b.own_rings[number * ring_entries + ring.position % ring_entries];
}

// What is done with a notification that has come.
enum class answer : int {
  refuse, // it stays where it is, with all that its origin has sent since
  keep,   // it is in the pending list
  match,  // it is consumed
  last    // and no more of its kind are wanted
};

// Puts a notification that is not wanted yet into the pending list. Thread 0.
GPURMA_DEVICE answer keep_for_later(block_state& b, const notification& got) {
  if (!b.pending.has_room())
    return answer::refuse;
  b.pending.append(got);
  return answer::keep;
}

struct look_result {
  std::uint32_t taken;
  std::uint32_t matched;
  bool refused;
  bool found_rings;    // which have not been looked at yet
  bool must_give_back; // of the thread's own rings
};

// Who looks: the polling threads, together, or thread 0 alone.
enum class lookers { polling_threads, thread_0 };

template <lookers Who> class poller {
public:
  // The lookers make one each, together.
  GPURMA_DEVICE explicit poller(block_state& b)
      : b_(b), self_(alone ? 0 : platform::thread_index()),
        width_(alone ? 1 : platform::polling_threads()) {
    sync();
    rings_ = b.rings;
  }

  // Looks once; accept(notification), which thread 0 runs, gives the answer. The result is the same
  // in all threads.
  template <class Accept> GPURMA_DEVICE look_result look(Accept accept) {
    return look_at(width_ == 1 || looks_++ % looks_per_mailbox == 0, accept);
  }
  // The same, at the mailbox and the inbox in any case.
  template <class Accept> GPURMA_DEVICE look_result look_everywhere(Accept accept) {
    return look_at(true, accept);
  }

private:
  static constexpr bool alone = Who == lookers::thread_0;

  GPURMA_DEVICE void sync() const {
    if constexpr (!alone)
      platform::sync_polling(width_);
  }
  GPURMA_DEVICE unsigned ballot(bool flag) const {
    if constexpr (alone)
      return flag ? 1 : 0;
    else
      return platform::ballot(flag, width_);
  }
  template <class T> GPURMA_DEVICE T broadcast(T value, [[maybe_unused]] unsigned thread) const {
    if constexpr (alone)
      return value;
    else
      return platform::broadcast(value, thread, width_);
  }

  template <class Accept> GPURMA_DEVICE look_result look_at(bool all, Accept& accept) {
    look_result result{};
    GPURMA_ROLLED
    for (unsigned first = 0; first < (all ? sources : rings_); first += width_)
      look_from(first, all, accept, result);
    // Last: a pair of ranks may change from stores to hosts, never back (engine.cpp).
    // A rank that no other reaches by stores looks there each time.
    if ((all || (rings_ == 0 && !b_.routes_changed)) && b_.proxied != 0 && result.taken == 0 &&
        !result.refused)
      look_at_inbox(accept, result);
    return result;
  }

  // The sources: rings, then these.
  static constexpr unsigned mailbox_source = rings_in;
  static constexpr unsigned claims_source = rings_in + 1;
  static constexpr unsigned sources = rings_in + 2;

  template <class Accept>
  GPURMA_DEVICE void look_from(unsigned first, bool all, Accept& accept, look_result& result) {
    const unsigned source = first + self_;
    const bool is_ring = source < rings_;
    const bool is_other = all && source >= mailbox_source && source < sources;
    // All threads load at the same time, whatever their source is.
    const ring_in ring = b_.in[is_ring ? source : 0];
    const ring_entry& entry = next_entry(b_, is_ring ? source : 0, ring);
    const packet* const head_at = is_ring ? &entry.head
                                  : source == mailbox_source
                                      ? b_.box.at(b_.box_position)
                                      : reinterpret_cast<const packet*>(b_.self);
    packet head{};
    packet data{};
    if (is_ring || is_other) {
      head = platform::load_packet(head_at);                         // M3, M16
      data = platform::load_packet(is_ring ? &entry.data : head_at); // M16
    }
    bool come = is_ring && has_come(ring, head, data);
    bool released = true;
    notification got{};
    if (is_ring) {
      released = is_released(head);
      got.tag = static_cast<std::int32_t>(head.word[0]);
      got.window = head.word[1];
    } else if (is_other && source == mailbox_source) {
      come = b_.box.has_come(b_.box_position, head);
      got = mailbox::notification_of(head);
    } else if (is_other) {
      come = head.word[2] > rings_ && rings_ < rings_in;
    }
    unsigned ready = ballot(come);
    if (ready == 0)
      return;
    // In all threads: what one has read orders what another does next.
    if (ballot(come && released) != 0)
      platform::fence_acquire(b_.reached_from); // M3, M17
    if (is_ring)
      got.source = ring.source;
    GPURMA_ROLLED
    for (unsigned thread = 0; ready != 0; ++thread, ready >>= 1) {
      if ((ready & 1) == 0)
        continue;
      sync(); // threads write the same words of the block's state in turn
      if (self_ == thread && is_ring && ring.position == 0) {
        meet_origin(source);
        got.source = b_.in[source].source;
      }
      if (first + thread == claims_source) {
        const std::uint32_t claimed = broadcast(head.word[2], thread);
        rings_ = claimed < rings_in ? claimed : rings_in;
        result.found_rings = true;
        if (self_ == 0)
          b_.rings = rings_;
        continue;
      }
      notification one;
      one.source = broadcast(got.source, thread);
      one.tag = broadcast(got.tag, thread);
      one.window = broadcast(got.window, thread);
      one.turn = 0;
      if (count(self_ == 0 ? accept(one) : answer::refuse, result) == answer::refuse)
        continue;
      if (self_ != thread)
        continue;
      if (is_ring)
        take_from_ring(source, head, data, result);
      else
        b_.box.release(b_.box_position++);
    }
    sync(); // the next look reads what threads have written
  }

  template <class Accept> GPURMA_DEVICE void look_at_inbox(Accept& accept, look_result& result) {
    for (;;) {
      inbox_notification got{};
      if (!read_inbox(got))
        return;
      const answer given = count(self_ == 0 ? accept(got.head) : answer::refuse, result);
      if (given == answer::refuse)
        return;
      if (self_ == 0) {
        b_.inbox.release(got);
        b_.owes |= b_.inbox.owes != 0;
      }
      if (given == answer::last)
        return;
    }
  }

  // Reads the inbox's next notification, for thread 0; the result is the same in all threads.
  GPURMA_DEVICE bool read_inbox(inbox_notification& got) const {
    sync(); // behind what thread 0 has taken
    const inbox_entry& entry = b_.inbox.at(b_.inbox.position);
    // One access for both: the way to the host's memory is long.
    packet mine{};
    if (self_ < 2)
      mine = platform::load_packet(self_ == 0 ? &entry.head : &entry.first); // M7
    if (broadcast(static_cast<int>(inbox_consumer::has_come(b_.inbox.position, mine)), 0) == 0)
      return false;
    packet first{};
    if (width_ > 1)
      for (int i = 0; i < 4; ++i)
        first.word[i] = broadcast(mine.word[i], 1);
    if (self_ == 0)
      got = b_.inbox.notification_at(b_.inbox.position, mine, first);
    return true;
  }

  GPURMA_DEVICE void take_from_ring(unsigned number, const packet& head, const packet& data,
                                    look_result& result) {
    if (const std::uint32_t bytes = carried_by(head); bytes != 0)
      platform::store_bytes(reinterpret_cast<void*>(address_in(head, data)), data_in(data), bytes);
    result.must_give_back |= take(b_, number, b_.in[number], head);
  }

  // Tells all threads thread 0's answer.
  GPURMA_DEVICE answer count(answer mine, look_result& result) {
    const auto common = static_cast<answer>(broadcast(static_cast<int>(mine), 0));
    result.refused |= common == answer::refuse;
    result.taken += common != answer::refuse ? 1 : 0;
    result.matched += common >= answer::match ? 1 : 0;
    return common;
  }

  // The first message of a ring is released after its owner is written.
  GPURMA_DEVICE void meet_origin(unsigned number) {
    ring_in& ring = b_.in[number];
    const ring_owner owner = b_.self->owners[number];
    ring.source = owner.source;
    b_.ring_at_origin[number] = static_cast<std::uint8_t>(owner.out);
    b_.ring_of[static_cast<unsigned>(owner.source) % rings_guessed] =
        static_cast<std::uint8_t>(number);
  }

  block_state& b_;
  const unsigned self_;
  const unsigned width_;
  std::uint32_t rings_; // that have an origin
  std::uint32_t looks_ = 0;
};

// Makes room in the rank's rings, so that ranks that wait for it go on. A full pending list leaves
// them waiting. Thread 0.
GPURMA_SLOW_DEVICE void drain(block_state& b) {
  poller<lookers::thread_0> alone(b);
  look_result result;
  do {
    b.pending.make_room();
    result = alone.look([&b](const notification& got) { return keep_for_later(b, got); });
    if (result.must_give_back)
      give_back_many(b, 0, 1);
  } while (result.taken != 0 || result.found_rings);
  // Its host may wait for the data behind a notification that finds no room.
  if (result.refused && b.proxied != 0) {
    b.inbox.place_ahead();
    b.owes |= b.inbox.owes != 0;
  }
  confirm_owed_data(b);
}

} // namespace gpurma::detail

#endif
