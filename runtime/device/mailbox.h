// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ring in which a rank gets notifications from ranks that reach its memory: many producers, one
// consumer. A producer takes a ticket, which is a position in the endless sequence of entries, and
// waits until the entry of that position is free. `turn` of an entry counts up by laps: with `lap`
// the position rounded down to a multiple of the ring's size, the entry is free for that lap while
// turn == lap, and holds the lap's notification while turn == lap + 1. A zeroed ring is empty.
// Sizes are powers of two, at least 2.
#ifndef GPURMA_DEVICE_MAILBOX_H
#define GPURMA_DEVICE_MAILBOX_H

#include <gpurma/device/formats.h>
#include <gpurma/platform/platform.h>

namespace gpurma::detail {

struct mailbox {
  notification* entries;
  std::uint32_t mask; // entries - 1

  GPURMA_DEVICE std::uint32_t lap(std::uint64_t position) const {
    return static_cast<std::uint32_t>(position) & ~mask;
  }

  // The position that the caller alone may publish.
  static GPURMA_DEVICE std::uint64_t reserve(std::uint64_t* tickets, platform::scope s) {
    return platform::fetch_add(tickets, std::uint64_t{1}, s);
  }

  // False: the entry still holds a notification of the lap before.
  GPURMA_DEVICE bool try_publish(std::uint64_t position, std::int32_t source, std::int32_t tag,
                                 std::uint32_t window, platform::scope s) const {
    notification& entry = entries[position & mask];
    if (platform::load_acquire(&entry.turn, s) != lap(position))
      return false;             // M5
    platform::fence_release(s); // M2
    platform::store_packet(reinterpret_cast<packet*>(&entry),
                           packet{{static_cast<std::uint32_t>(source),
                                   static_cast<std::uint32_t>(tag), window, lap(position) + 1}});
    return true;
  }

  // The entry of the consumer's position, and whether what has been read of it is the position's
  // notification. The caller acquires (M3).
  GPURMA_DEVICE const packet* at(std::uint64_t position) const {
    return reinterpret_cast<const packet*>(&entries[position & mask]);
  }
  GPURMA_DEVICE bool has_come(std::uint64_t position, const packet& entry) const {
    return entry.word[3] == lap(position) + 1;
  }
  static GPURMA_DEVICE notification notification_of(const packet& entry) {
    return notification{static_cast<std::int32_t>(entry.word[0]),
                        static_cast<std::int32_t>(entry.word[1]), entry.word[2], entry.word[3]};
  }

  // Gives the entry that has been read to the producers of the next lap.
  GPURMA_DEVICE void release(std::uint64_t position) const {
    platform::store_after_load(&entries[position & mask].turn, lap(position) + mask + 1); // M5
  }
};

} // namespace gpurma::detail

#endif
