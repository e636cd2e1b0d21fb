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
  static GPURMA_DEVICE std::uint64_t reserve(std::uint64_t* tickets) {
    return platform::fetch_add(tickets, std::uint64_t{1}, platform::scope::device);
  }

  // False: the entry still holds a notification of the lap before.
  GPURMA_DEVICE bool try_publish(std::uint64_t position, std::int32_t source, std::int32_t tag,
                                 std::uint32_t window) const {
    notification& entry = entries[position & mask];
    if (platform::load_acquire(&entry.turn, platform::scope::device) != lap(position))
      return false; // M5
    entry.source = source;
    entry.tag = tag;
    entry.window = window;
    platform::store_release(&entry.turn, lap(position) + 1, platform::scope::device); // M2
    return true;
  }

  // Takes the notification of the consumer's position; false: it has not come.
  GPURMA_DEVICE bool try_take(std::uint64_t position, notification& taken) const {
    notification& entry = entries[position & mask];
    if (platform::load_acquire(&entry.turn, platform::scope::device) != lap(position) + 1)
      return false; // M3
    taken = entry;
    platform::store_release(&entry.turn, lap(position) + mask + 1, platform::scope::device); // M5
    return true;
  }
};

} // namespace gpurma::detail

#endif
