// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host's ends of the rings that it shares with a rank; device/ring.h has the rank's.
#ifndef GPURMA_HOST_RINGS_H
#define GPURMA_HOST_RINGS_H

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>

#include <gpurma/device/formats.h>

namespace gpurma::host {

// Memory that ranks use at the same time.
template <class T> T load(const T& from, std::memory_order order) {
  return std::atomic_ref<T>(const_cast<T&>(from)).load(order);
}
template <class T> void store(T& to, T value, std::memory_order order) {
  std::atomic_ref<T>(to).store(value, order);
}

// A rank reads a packet at once, and takes it by its last word.
inline void publish(detail::packet& to, const detail::packet& value) {
  for (int i = 0; i < 3; ++i)
    store(to.word[i], value.word[i], std::memory_order_relaxed);
  store(to.word[3], value.word[3], std::memory_order_release); // M7
}

// Takes a rank's commands.
struct command_consumer {
  detail::command_entry* entries = nullptr;
  std::uint64_t* taken = nullptr; // where the rank reads how many it may reuse
  std::uint32_t mask = 0;
  std::uint64_t position = 0;

  // The next command, or null. It stays until pop().
  const detail::command_entry* front() const {
    const detail::command_entry& entry = entries[position & mask];
    const bool come = load(entry.what.turn, std::memory_order_acquire) ==
                      static_cast<std::uint32_t>(position + 1); // M6
    return come ? &entry : nullptr;
  }
  void pop() { ++position; }
  // Gives the entries of popped commands back.
  void give_back() { store(*taken, position, std::memory_order_release); } // M8
  // Makes it the ring of a rank that has yet to begin. The last one has ended, which it does only
  // when all of its commands are complete.
  void clear() const {
    for (std::uint64_t i = 0; i <= mask && i < position; ++i)
      entries[i].what.turn = 0;
  }
};

// Delivers notifications to a rank, with small payloads in them.
struct inbox_producer {
  detail::inbox_entry* entries = nullptr;
  const std::uint64_t* taken = nullptr; // written by the rank
  std::uint32_t mask = 0;
  std::uint64_t position = 0;
  std::uint64_t taken_seen = 0;

  bool has_room() {
    if (position - taken_seen <= mask)
      return true;
    taken_seen = load(*taken, std::memory_order_acquire); // M11
    return position - taken_seen <= mask;
  }
  // Precondition: has_room(). The rank puts the payload, of up to inline_bytes, at the address.
  void push(std::int32_t source, std::int32_t tag, std::uint32_t window, std::uint64_t address = 0,
            const void* payload = nullptr, std::uint32_t bytes = 0) {
    detail::inbox_entry& entry = entries[position & mask];
    const std::uint32_t at_first = std::min(bytes, detail::first_bytes);
    std::uint64_t first = 0;
    if (bytes != 0) {
      std::memcpy(&first, payload, at_first);
      std::memcpy(entry.rest, static_cast<const char*>(payload) + at_first, bytes - at_first);
    }
    publish(
        entry.first,
        detail::packet{{static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(first >> 32),
                        static_cast<std::uint32_t>(address),
                        static_cast<std::uint32_t>(address >> 32) |
                            detail::lap_mark(position, mask) << detail::lap_mark_shift}});
    publish(entry.head,
            detail::packet{{static_cast<std::uint32_t>(source), static_cast<std::uint32_t>(tag),
                            window, detail::inbox_turn(position, bytes)}});
    ++position;
  }
  // Makes it the inbox of a rank that has yet to begin. The last one has ended.
  void clear() const {
    for (std::uint64_t i = 0; i <= mask && i < position; ++i)
      entries[i].head.word[3] = entries[i].first.word[3] = 0;
  }
};

} // namespace gpurma::host

#endif
