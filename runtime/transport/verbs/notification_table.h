// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the 32 bits of immediate data of an RDMA write mean.
//
// A notification is a source rank, a target rank, a window, flags and a tag, and does not fit. So
// each queue pair has a table at either end: the origin defines an entry by a message, and from
// then on names it by its number. A queue pair delivers in order, so a definition is there before
// its first use, and an entry may be defined anew at any time. Tags that fit in 16 bits are not
// part of the entry, so that a tag that changes from step to step needs no new entries.
//
//   bit 31     the tag is the entry's
//   bits 16-30 number of the entry; all ones: none, see seal_immediate
//   bits 0-15  tag
#ifndef GPURMA_TRANSPORT_VERBS_NOTIFICATION_TABLE_H
#define GPURMA_TRANSPORT_VERBS_NOTIFICATION_TABLE_H

#include <cstdint>
#include <vector>

#include "../transport.h"

namespace gpurma::host::verbs {

inline constexpr std::uint32_t table_entries = 4096; // a power of two
inline constexpr std::uint32_t tag_in_entry = 1u << 31;

// Of a message that says nothing but that the writes before it are in place.
inline constexpr std::uint32_t seal_immediate = 0xffff0000u;
static_assert(table_entries < 0x7fffu);

struct notification_entry {
  std::int32_t source = -1;
  std::int32_t target = -1;
  std::uint32_t window = 0;
  std::int32_t tag = 0; // 0 if it travels in the immediate data
  std::uint32_t flags = 0;

  bool operator==(const notification_entry&) const = default;
};

// The origin's end.
class outgoing_notifications {
public:
  struct found {
    std::uint32_t immediate;
    std::uint32_t number;
    bool defined; // false: entry `number` must be defined as `entry` before
    notification_entry entry;
  };

  found find(const message_header& header) const {
    const bool small = header.tag >= 0 && header.tag <= 0xffff;
    const notification_entry entry{header.source, header.target, header.window,
                                   small ? 0 : header.tag, header.flags};
    const std::uint32_t number = slot(entry);
    const std::uint32_t tag = small ? static_cast<std::uint32_t>(header.tag) : tag_in_entry;
    return {number << 16 | tag, number, entries_[number] == entry, entry};
  }
  void define(std::uint32_t number, const notification_entry& entry) { entries_[number] = entry; }

private:
  // Entries that share a slot replace each other.
  static std::uint32_t slot(const notification_entry& entry) {
    std::uint64_t hash = static_cast<std::uint32_t>(entry.source);
    for (const std::uint32_t part : {static_cast<std::uint32_t>(entry.target), entry.window,
                                     static_cast<std::uint32_t>(entry.tag), entry.flags})
      hash = (hash ^ part) * 0x9e3779b97f4a7c15ull; // Fibonacci hashing: its high bits are mixed
    return static_cast<std::uint32_t>(hash >> 32) % table_entries;
  }

  std::vector<notification_entry> entries_ = std::vector<notification_entry>(table_entries);
};

// The target's end.
class incoming_notifications {
public:
  void define(std::uint32_t number, const notification_entry& entry) {
    if (number < table_entries)
      entries_[number] = entry;
  }

  // False: no such entry has been defined, which no origin asks for.
  bool read(std::uint32_t immediate, message_header& header) const {
    const std::uint32_t number = immediate >> 16 & 0x7fffu;
    if (number >= table_entries || entries_[number].source < 0)
      return false;
    const notification_entry& entry = entries_[number];
    header.kind = message_kind::notify;
    header.flags = static_cast<std::uint8_t>(entry.flags);
    header.source = entry.source;
    header.target = entry.target;
    header.window = entry.window;
    header.tag = (immediate & tag_in_entry) != 0 ? entry.tag
                                                 : static_cast<std::int32_t>(immediate & 0xffffu);
    return true;
  }

private:
  std::vector<notification_entry> entries_ = std::vector<notification_entry>(table_entries);
};

} // namespace gpurma::host::verbs

#endif
