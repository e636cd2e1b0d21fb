// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rings in which one rank alone sends notifications to another: no ticket to take, so a
// notification is one store on its way, and up to carried_bytes of data travel inside it. A rank
// has rings_in of them; the first origins to notify it claim one each, for the whole launch, and
// the others use its mailbox. An entry holds the message of position p while the turns of its
// packets are p / ring_entries + 1. The target gives entries back by a count in the origin's
// memory. Zeroed memory is an empty ring.
//
// Data inside the flag's own store: the LL protocol of NCCL. Lazily updated free count: GPU RMA
// (ETH Zurich, 2015), section 3.2.4.
#ifndef GPURMA_DEVICE_ORIGIN_RING_H
#define GPURMA_DEVICE_ORIGIN_RING_H

#include <cstdint>

#include <gpurma/device/formats.h>
#include <gpurma/platform/platform.h>

namespace gpurma::detail {

inline constexpr std::uint32_t carried_bytes = 8;

struct message {
  std::int32_t tag;
  std::uint32_t window;
  bool released;         // the target must acquire before it uses what the origin had written
  bool odd;              // data that is not one aligned word at the target
  std::uint32_t bytes;   // of data, up to carried_bytes
  std::uint64_t address; // of the data in the target's memory; below 2^address_bits
  std::uint64_t data;
};
inline constexpr unsigned address_bits = 48;

// Of the packets at a position of a ring.
GPURMA_DEVICE std::uint32_t turn_of(std::uint32_t position) {
  return position / ring_entries + 1;
}

GPURMA_DEVICE packet head_of(const message& m, std::uint32_t turn) {
  const std::uint32_t rest = static_cast<std::uint32_t>(m.address >> 32) | m.bytes << 16 |
                             (m.released ? 1u << 20 : 0u) | (m.odd ? 1u << 21 : 0u);
  return packet{{static_cast<std::uint32_t>(m.tag), m.window, rest, turn}};
}
GPURMA_DEVICE packet data_of(const message& m, std::uint32_t turn) {
  return packet{{static_cast<std::uint32_t>(m.data), static_cast<std::uint32_t>(m.data >> 32),
                 static_cast<std::uint32_t>(m.address), turn}};
}

GPURMA_DEVICE std::uint32_t carried_by(const packet& head) {
  return head.word[2] >> 16 & 15;
}
GPURMA_DEVICE bool is_released(const packet& head) {
  return (head.word[2] >> 20 & 1) != 0;
}
GPURMA_DEVICE std::uint32_t odd_bit(const packet& head) {
  return head.word[2] & 1u << 21;
}
GPURMA_DEVICE std::uint64_t address_in(const packet& head, const packet& data) {
  return std::uint64_t{head.word[2] & 0xffff} << 32 | data.word[2];
}
GPURMA_DEVICE std::uint64_t data_in(const packet& data) {
  return data.word[0] | std::uint64_t{data.word[1]} << 32;
}

// The origin's end of a ring.
struct alignas(16) ring_out {
  std::int32_t target;     // world rank, or null_rank
  std::uint8_t carries;    // whether messages before `carried` may have data that is not in place
  std::uint8_t unreleased; // the next message must be marked as released: the first one must, and
                           // one behind stores into the target's memory
  route_kind kind;
  std::uint32_t sent;
  std::uint32_t taken; // as last read
  ring_entry* entries; // null: the target has no ring for this origin
  rank_memory* memory; // the target's; null for route_kind::proxy
  // These messages have carried data to addresses in [begin, end) * 8, modulo 2^35.
  std::uint32_t carried;
  std::uint32_t carried_begin;
  std::uint32_t carried_end;

  GPURMA_DEVICE bool is_full() const { return sent - taken == ring_entries; }

  // Writes the message of position `sent`. Precondition: not is_full().
  GPURMA_DEVICE void write(const message& m) const {
    const std::uint32_t turn = turn_of(sent);
    ring_entry& entry = entries[sent % ring_entries];
    if (m.bytes != 0)
      platform::store_packet(&entry.data, data_of(m, turn)); // M16
    platform::store_packet(&entry.head, head_of(m, turn));   // M16
  }
};

// The target's end; its messages are read in polling.h.
struct ring_in {
  std::uint32_t position;
  std::int32_t source; // world rank, or null_rank
};

} // namespace gpurma::detail

#endif
