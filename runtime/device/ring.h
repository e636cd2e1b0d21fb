// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rings with one producer and one consumer between a rank and its host. An entry holds the element
// of position p once its `turn` is p + 1, so the consumer looks at entries only; the producer knows
// from a counter, which the consumer updates now and then, how many entries are free. A zeroed ring
// is empty. Sizes are powers of two, at least 2.
#ifndef GPURMA_DEVICE_RING_H
#define GPURMA_DEVICE_RING_H

#include <cstddef>
#include <cstring>

#include <gpurma/device/formats.h>
#include <gpurma/platform/platform.h>

namespace gpurma::detail {

// Copies up to inline_bytes; thread 0. Two loads at a time: each takes its while.
GPURMA_SLOW_DEVICE void copy_small(void* to, const void* from, std::uint32_t bytes) {
  auto* const end = static_cast<char*>(to);
  const auto* const begin = static_cast<const char*>(from);
  GPURMA_ROLLED
  for (std::uint32_t at = 0; at < bytes; at += 16) {
    const std::uint32_t rest = bytes - at;
    const std::uint32_t first = rest < 8 ? rest : 8;
    const std::uint32_t second = rest < 16 ? rest - first : 8;
    const std::uint64_t word0 = platform::load_bytes(begin + at, first);
    const std::uint64_t word1 = second != 0 ? platform::load_bytes(begin + at + 8, second) : 0;
    platform::store_bytes(end + at, word0, first);
    if (second != 0)
      platform::store_bytes(end + at + 8, word1, second);
  }
}

// The rank's end of its ring of commands.
struct command_producer {
  command_entry* entries;
  const std::uint64_t* taken; // written by the host
  std::uint32_t mask;
  std::uint64_t issued;     // commands published
  std::uint64_t taken_seen; // what `taken` was when it was last read: it lies in the host's memory

  GPURMA_DEVICE bool full() {
    if (issued - taken_seen <= mask)
      return false;
    taken_seen = platform::load_acquire(taken, platform::scope::system); // M8
    return issued - taken_seen > mask;
  }

  // Precondition: not full(). Ignores what.turn.
  GPURMA_DEVICE void publish(const command& what) {
    command_entry& whole = entries[issued & mask];
    if ((what.flags & inline_flag) != 0)
      copy_small(whole.data, reinterpret_cast<const void*>(what.address),
                 static_cast<std::uint32_t>(what.bytes));
    // All but the turn, in as few stores as can be: each is a write to the host's memory.
    constexpr std::size_t used = offsetof(command, reserved_2);
    static_assert(used % sizeof(packet) == 0);
    auto* const to = reinterpret_cast<packet*>(&whole.what);
    GPURMA_ROLLED
    for (std::size_t i = 0; i < used / sizeof(packet); ++i) {
      packet part;
      std::memcpy(&part, reinterpret_cast<const char*>(&what) + i * sizeof(packet), sizeof(packet));
      platform::store_packet(to + i, part);
    }
    ++issued;
    platform::store_release(&whole.what.turn, static_cast<std::uint32_t>(issued),
                            platform::scope::system); // M6
  }
};

// A notification of the inbox.
struct inbox_notification {
  notification head;
  std::uint32_t carried; // bytes
  packet first;          // of an inbox_entry, if there are any
};

// The rank's end of the ring in which its host delivers notifications of other devices, with up to
// inline_bytes of data each. Both lie in the host's memory, so that a look at an entry is one load.
struct inbox_consumer {
  const inbox_entry* entries;
  inbox_counts* counts; // read by the host
  std::uint32_t mask;
  std::uint32_t ahead : 31; // entries, from position on, whose data is in place
  std::uint32_t owes : 1;   // the host may not know which data is in place
  std::uint64_t position;

  static GPURMA_DEVICE std::uint32_t carried_by(const packet& head) {
    return head.word[3] >> inbox_turn_bits;
  }
  GPURMA_DEVICE const inbox_entry& at(std::uint64_t entry) const { return entries[entry & mask]; }
  // Whether what has been read of an entry is a position's notification.
  static GPURMA_DEVICE bool has_come(std::uint64_t at, const packet& head) {
    return head.word[3] == inbox_turn(at, carried_by(head));
  }

  // Takes what has been read of the entry of a position whose notification has come, and reads the
  // rest. `first` may have been read too early, but not in an earlier lap's stead.
  GPURMA_DEVICE inbox_notification notification_at(std::uint64_t at, const packet& head,
                                                   packet first) const {
    platform::fence_acquire(platform::scope::system); // M7
    const std::uint32_t carried = carried_by(head);
    if (carried != 0 && first.word[3] >> lap_mark_shift != lap_mark(at, mask))
      first = platform::load_packet(&this->at(at).first);
    return {notification{static_cast<std::int32_t>(head.word[0]),
                         static_cast<std::int32_t>(head.word[1]), head.word[2], 0},
            carried, first};
  }

  // Reads the notification of a position; false: it has not come.
  GPURMA_DEVICE bool try_read(std::uint64_t at, inbox_notification& got) const {
    const packet head = platform::load_packet(&this->at(at).head); // M7
    if (!has_come(at, head))
      return false;
    got = notification_at(at, head, packet{});
    return true;
  }

  // Puts the data of the notification at a position in its place.
  GPURMA_DEVICE void place(std::uint64_t at, const inbox_notification& got) {
    const std::uint32_t upper = got.first.word[3] & ((1u << lap_mark_shift) - 1);
    auto* const to = reinterpret_cast<char*>(std::uint64_t{upper} << 32 | got.first.word[2]);
    const std::uint32_t first = got.carried < first_bytes ? got.carried : first_bytes;
    platform::store_bytes(to, got.first.word[0] | std::uint64_t{got.first.word[1]} << 32, first);
    if (got.carried > first_bytes)
      copy_small(to + first_bytes, this->at(at).rest, got.carried - first_bytes);
    owes = 1;
  }

  // Takes the entry that has been read, and gives it back.
  GPURMA_DEVICE void release(const inbox_notification& got) {
    if (ahead != 0)
      --ahead;
    else if (got.carried != 0)
      place(position, got);
    ++position;
    // Twice per lap is enough to keep the host going, and spares the way to its memory.
    if ((position & (mask >> 1)) == 0)
      platform::store_release(&counts->taken, position, platform::scope::system); // M11, M19
  }

  // Puts the data of all entries that have come in its place, without taking their notifications.
  GPURMA_SLOW_DEVICE void place_ahead() {
    inbox_notification got;
    for (; try_read(position + ahead, got); ++ahead) {
      if (got.carried != 0)
        place(position + ahead, got);
    }
  }

  // Tells the host which data is in place.
  GPURMA_DEVICE void give_back() {
    if (owes == 0)
      return;
    platform::store_release(&counts->placed, position + ahead, platform::scope::system); // M19
    owes = 0;
  }
};

} // namespace gpurma::detail

#endif
