// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rings with one producer and one consumer between a rank and its host. An entry holds the element
// of position p once its `turn` is p + 1, so the consumer looks at entries only; the producer knows
// from a counter, which the consumer updates now and then, how many entries are free. A zeroed ring
// is empty. Sizes are powers of two, at least 2.
#ifndef GPURMA_DEVICE_RING_H
#define GPURMA_DEVICE_RING_H

#include <gpurma/device/formats.h>
#include <gpurma/platform/platform.h>

namespace gpurma::detail {

// The rank's end of its ring of commands.
struct command_producer {
  command* entries;
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
    command& entry = entries[issued & mask];
    entry.address = what.address;
    entry.offset = what.offset;
    entry.bytes = what.bytes;
    entry.target = what.target;
    entry.tag = what.tag;
    entry.window = what.window;
    entry.site_file = what.site_file;
    entry.site_line = what.site_line;
    entry.kind = what.kind;
    entry.flags = what.flags;
    ++issued;
    platform::store_release(&entry.turn, static_cast<std::uint32_t>(issued),
                            platform::scope::system); // M6
  }
};

// The rank's end of the ring in which its host delivers notifications of other devices.
struct inbox_consumer {
  const notification* entries;
  std::uint64_t* taken; // read by the host
  std::uint32_t mask;
  std::uint64_t position;

  // Reads the next notification; false: it has not come.
  GPURMA_DEVICE bool try_read(notification& got) const {
    const notification& entry = entries[position & mask];
    if (platform::load_acquire(&entry.turn, platform::scope::system) !=
        static_cast<std::uint32_t>(position + 1)) { // M7
      return false;
    }
    got = entry;
    return true;
  }

  // Gives the entry that has been read back.
  GPURMA_DEVICE void release() {
    ++position;
    // Twice per lap is enough to keep the host going, and spares the way to its memory.
    if ((position & (mask >> 1)) == 0)
      platform::store_release(taken, position, platform::scope::system); // M11
  }
};

} // namespace gpurma::detail

#endif
