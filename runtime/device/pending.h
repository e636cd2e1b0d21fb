// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Notifications that a rank has taken from its rings and not yet consumed, in the order in which
// they came. Owned by the rank's thread 0.
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
  std::uint32_t first; // entries [first, last) are in use
  std::uint32_t last;

  GPURMA_DEVICE bool full() const { return last - first == capacity; }
  GPURMA_DEVICE std::uint32_t size() const { return last - first; }

  // Precondition: not full().
  GPURMA_DEVICE void append(const notification& n) {
    if (last == capacity) {
      for (std::uint32_t i = first; i < last; ++i)
        entries[i - first] = entries[i];
      last -= first;
      first = 0;
    }
    entries[last++] = n;
  }

  // Number of matching entries, but not more than `most`.
  GPURMA_DEVICE std::uint64_t count(const pattern& p, std::uint64_t most) const {
    std::uint64_t found = 0;
    for (std::uint32_t i = first; i < last && found < most; ++i)
      found += p.matches(entries[i]) ? 1 : 0;
    return found;
  }

  // Removes the earliest matching entries, but not more than `most`; returns how many.
  GPURMA_DEVICE std::uint64_t take(const pattern& p, std::uint64_t most) {
    std::uint64_t found = 0;
    std::uint32_t end = first; // behind the last entry to remove
    for (std::uint32_t i = first; i < last && found < most; ++i) {
      if (p.matches(entries[i])) {
        ++found;
        end = i + 1;
      }
    }
    // What stays in front moves up, so that the (usually longer) rest need not move down.
    std::uint32_t to = end;
    for (std::uint32_t i = end; i > first;) {
      if (!p.matches(entries[--i]))
        entries[--to] = entries[i];
    }
    first = to;
    if (first == last)
      first = last = 0;
    return found;
  }
};

} // namespace gpurma::detail

#endif
