// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Notifications that a rank has taken from its rings and not yet consumed, in the order in which
// they came. Owned by the rank's thread 0, but for take().
#ifndef GPURMA_DEVICE_PENDING_H
#define GPURMA_DEVICE_PENDING_H

#include <gpurma/device/formats.h>
#include <gpurma/platform/platform.h>

namespace gpurma::detail {

// What a wait or test accepts.
struct pattern {
  std::int32_t source;  // world rank or any_source
  std::int32_t tag;     // or any_tag
  std::uint32_t window; // id, no_window_id or any_window_id

  GPURMA_DEVICE bool matches(const notification& n) const {
    return (tag == any_tag || n.tag == tag) && (source == any_source || n.source == source) &&
           (window == any_window_id || n.window == window);
  }
};

struct pending_list {
  notification* entries;
  std::uint32_t capacity;
  std::uint32_t first; // entries [first, last) are in use, or gone
  std::uint32_t last;
  std::uint32_t live; // entries that are not gone

  // What the source of an entry is once it has been taken from between others.
  static constexpr std::int32_t gone = null_rank;

  GPURMA_DEVICE bool full() const { return live == capacity; }
  // Whether append() may be called; if not, make_room() helps unless full().
  GPURMA_DEVICE bool has_room() const { return last != capacity; }
  GPURMA_DEVICE std::uint32_t size() const { return live; }
  // Precondition: size() != 0.
  GPURMA_DEVICE const notification& earliest() const { return entries[first]; }

  GPURMA_DEVICE void make_room() {
    if (!has_room())
      compact();
  }

  // Precondition: has_room().
  GPURMA_DEVICE void append(const notification& n) {
    entries[last++] = n;
    ++live;
  }

  // Number of matching entries, perhaps not more than `most`. By the threads 0 to width - 1
  // together, which have all seen what thread 0 did before.
  GPURMA_DEVICE std::uint32_t count(const pattern& p, std::uint32_t most, unsigned thread = 0,
                                    unsigned width = 1) const {
    std::uint32_t found = 0;
    GPURMA_ROLLED
    for (std::uint32_t begin = first; begin < last && found < most; begin += width) {
      const std::uint32_t mine = begin + thread;
      unsigned matches = platform::ballot(mine < last && is_match(p, entries[mine]), width);
      for (; matches != 0; matches &= matches - 1)
        ++found;
    }
    return found;
  }

  // Removes the earliest matching entries, but not more than `most`; returns how many. By the same
  // threads.
  GPURMA_DEVICE std::uint32_t take(const pattern& p, std::uint32_t most, unsigned thread = 0,
                                   unsigned width = 1) {
    std::uint32_t found = 0;
    GPURMA_ROLLED
    for (std::uint32_t begin = first; begin < last && found < most; begin += width) {
      const std::uint32_t mine = begin + thread;
      unsigned matches = platform::ballot(mine < last && is_match(p, entries[mine]), width);
      GPURMA_ROLLED
      for (unsigned t = 0; matches != 0 && found < most; ++t, matches >>= 1) {
        if ((matches & 1) == 0)
          continue;
        ++found;
        if (t == thread)
          entries[mine].source = gone;
      }
    }
    platform::sync_polling(width);
    if (found != 0 && thread == 0)
      drop(found);
    platform::sync_polling(width);
    return found;
  }

private:
  static GPURMA_DEVICE bool is_match(const pattern& p, const notification& n) {
    return n.source != gone && p.matches(n);
  }

  GPURMA_DEVICE void drop(std::uint32_t taken) {
    live -= taken;
    if (live == 0) {
      first = last = 0;
      return;
    }
    GPURMA_ROLLED
    while (entries[first].source == gone)
      ++first;
  }

  GPURMA_DEVICE void compact() {
    std::uint32_t to = 0;
    GPURMA_ROLLED
    for (std::uint32_t i = first; i < last; ++i) {
      if (entries[i].source != gone)
        entries[to++] = entries[i];
    }
    first = 0;
    last = to;
  }
};

} // namespace gpurma::detail

#endif
