// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one description of what ranks and their host exchange in memory: notifications, commands,
// window rows, status and error records, and the context of a launch. Included by device and host
// code of both targets. Who writes a field, and with which order, is in docs/memory-model.md.
#ifndef GPURMA_DEVICE_FORMATS_H
#define GPURMA_DEVICE_FORMATS_H

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <gpurma/types.h>

namespace gpurma::detail {

// Grows with every change of this file; the host compares it with the one that a program was
// compiled with.
inline constexpr std::uint32_t format_version = 9;

// An entry of a notification ring. `turn` says whose turn it is with the entry: see mailbox.h and
// ring.h.
struct alignas(16) notification {
  std::int32_t source; // world rank
  std::int32_t tag;
  std::uint32_t window; // window id, or no_window_id
  std::uint32_t turn;
};
static_assert(sizeof(notification) == 16 && std::is_trivially_copyable_v<notification>);

// Payloads of up to so many bytes travel inside commands, and inside notifications of the inbox.
inline constexpr std::uint32_t inline_bytes = 64;

// Memory that is written and read at once.
struct alignas(16) packet {
  std::uint32_t word[4];
};

// An entry of an inbox. The turn of its head also says how many bytes the entry carries. All of its
// first 8 bytes of data is in one packet, so that the rank reads it together with the head.
struct alignas(32) inbox_entry {
  packet head;  // source, tag, window, turn
  packet first; // of the data; where all of it belongs in the rank's window memory; the lap's mark
  std::uint64_t rest[inline_bytes / 8 - 1];
};
static_assert(sizeof(inbox_entry) == 96);
inline constexpr std::uint32_t first_bytes = 8;
inline constexpr unsigned inbox_turn_bits = 24; // more than a lap of the largest inbox
__host__ __device__ constexpr std::uint32_t inbox_turn(std::uint64_t position,
                                                       std::uint32_t carried) {
  return (static_cast<std::uint32_t>(position + 1) & ((1u << inbox_turn_bits) - 1)) |
         carried << inbox_turn_bits;
}
static_assert(inline_bytes < 1u << (32 - inbox_turn_bits));
// In the upper bits of the packet's last word, which each lap writes: that of the lap before is
// another one, and so is that of an empty inbox.
inline constexpr unsigned lap_mark_shift = 30;
__host__ __device__ constexpr std::uint32_t lap_mark(std::uint64_t position, std::uint32_t mask) {
  return (position & (std::uint64_t{mask} + 1)) != 0 ? 2 : 1;
}

// An entry of an origin ring: see origin_ring.h. Word 3 of each packet is its turn.
struct alignas(32) ring_entry {
  packet head; // tag, window, and what else the target must know
  packet data; // 8 bytes, and the low half of the address to which they belong
};
static_assert(sizeof(ring_entry) == 32);

inline constexpr std::uint32_t ring_entries = 32; // of each origin ring; a power of two
inline constexpr unsigned rings_in = 8;           // of each rank, from different origins
inline constexpr unsigned rings_guessed = 8;      // see block_state::ring_of
inline constexpr unsigned rings_out = 8;          // targets to which a rank has a ring

// A window id is generation * 128 + (device window ? 64 : 0) + slot; generations start at 1. Equal
// on all ranks of the window's communicator, because windows are made in the same order on all of
// them.
inline constexpr std::uint32_t no_window_id = 0;
inline constexpr std::uint32_t any_window_id = 0xffffffffu;
inline constexpr unsigned max_window_slots = 64;
__host__ __device__ constexpr std::uint32_t make_window_id(std::uint32_t generation, comm over,
                                                           unsigned slot) {
  return generation * 2 * max_window_slots + (over == comm::device ? max_window_slots : 0) + slot;
}
// Instead of a window's, where a directive has a communicator alone; of the world it is
// no_window_id.
__host__ __device__ constexpr std::uint32_t communicator_id(comm over) {
  return make_window_id(0, over, 0);
}
static_assert(communicator_id(comm::world) == no_window_id);
__host__ __device__ constexpr unsigned window_slot(std::uint32_t id) {
  return id % max_window_slots;
}
__host__ __device__ constexpr comm window_comm(std::uint32_t id) {
  return id / max_window_slots % 2 != 0 ? comm::device : comm::world;
}

// What one rank exposes in one window.
struct alignas(32) window_row {
  std::uint64_t base; // address in the rank's own process
  std::uint64_t bytes;
  std::uint64_t reached; // address here; 0 if only the host reaches it, or for nothing exposed
  std::uint32_t window;  // id
  std::uint32_t reserved;
};

// What a rank remembers of the rows that it has used last.
struct alignas(16) known_row {
  std::uint32_t window; // id, or any_window_id for no row
  std::int32_t target;  // world rank
  std::uint64_t base;   // as in window_row
  std::uint64_t bytes;
  std::uint64_t reached;
};
inline constexpr unsigned known_rows = 8;

// What a rank is doing, for error messages and the watchdog.
enum class directive : std::uint8_t {
  none,
  window_create,
  window_free,
  put,
  get,
  notify,
  wait,
  test,
  flush,
  barrier,
  uniform,
  end,
  stage, // of a persistent region
  reduce // likewise
};

enum class command_kind : std::uint8_t { put, get, notify, barrier, window_create, window_free };

// Bits of command::flags.
inline constexpr std::uint8_t notified_flag = 1; // deliver a notification
inline constexpr std::uint8_t counter_flag = 2;  // to the counters, not the queue
inline constexpr std::uint8_t inline_flag = 4;   // of a put: its payload is in the command's entry
// Of a put of 8 bytes: others poll them, and see then what the rank has put to the target before.
inline constexpr std::uint8_t ordered_flag = 8;
// Of a persistent region: what ranks of one process put to one place of another, one after the
// other, comes there in this order.
inline constexpr std::uint8_t region_flag = 16;

// What a rank asks its host to do: one cache line, its position in the ring in the entry itself.
struct alignas(64) command {
  std::uint64_t address; // put: source; get: destination; device memory of the rank
  std::uint64_t offset;  // in the target's part of the window, in bytes
  std::uint64_t bytes;
  std::int32_t target; // world rank
  std::int32_t tag;
  std::uint32_t window;
  std::uint32_t site_file;
  std::uint32_t site_line;
  command_kind kind;
  std::uint8_t flags;
  std::uint16_t reserved;
  std::uint64_t reserved_2;
  std::uint32_t reserved_3;
  std::uint32_t turn; // position + 1 (modulo 2^32) once the entry is complete; written last
};
static_assert(sizeof(command) == 64 && std::is_trivially_copyable_v<command>);

// An entry of a command ring.
struct command_entry {
  command what;
  std::uint64_t data[inline_bytes / 8];
};
static_assert(sizeof(command_entry) == 128);

__host__ __device__ constexpr bool is_sending(directive what) {
  return what == directive::put || what == directive::get || what == directive::notify;
}

// What holds a directive that is_sending() back.
enum class hindrance : std::uint64_t {
  data = 1, // earlier data for the target that is not in place
  room,     // the target has none for a notification
  commands  // the rank's host has not taken earlier ones
};

// What a rank is blocked in. Written when a directive has to wait, never on the way through.
struct alignas(64) wait_status {
  std::uint32_t what; // directive, as a number
  std::int32_t peer;  // rank waited for, or target
  std::int32_t tag;
  std::uint32_t window;
  std::uint32_t site_file;
  std::uint32_t site_line;
  std::uint64_t wanted; // notifications; where is_sending(), a hindrance, as a number
  std::uint64_t arrived;
  std::uint64_t begun; // grows by one with each directive that has to wait
};
static_assert(sizeof(wait_status) == 64);

// What a rank that waits has taken from its rings for later waits: how many, and the first. Written
// when a directive has to wait, and while it does.
struct alignas(16) kept_status {
  std::uint32_t count;
  std::int32_t source; // world rank
  std::int32_t tag;
  std::uint32_t window;
};

// Which rank fills an origin ring.
struct ring_owner {
  std::int32_t source; // world rank
  std::uint32_t
      out; // its number for the ring: where in its ring_counts the target tells how far it is
};

// How far the target is with a ring; both may lag behind.
struct alignas(8) ring_count {
  std::uint32_t taken;  // messages whose entries may be reused
  std::uint32_t placed; // messages whose data is in place
};

// A rank's part of device memory.
struct alignas(64) rank_memory {
  // Written by ranks that reach this one.
  std::uint64_t mailbox_tickets; // entries of the mailbox that producers have reserved
  std::uint32_t rings_claimed;   // may exceed rings_in
  std::uint32_t reserved_1;
  ring_owner owners[rings_in];
  alignas(64) std::uint64_t arrivals[counter_tags];
  alignas(64) ring_count ring_counts[rings_out]; // of the rank's rings to targets
  // Written by the rank.
  alignas(64) std::uint64_t directives; // that the rank has completed
  std::uint64_t polls;                  // tests that found nothing
  std::uint64_t left;                   // taken from its rings and not consumed, when it ended
  std::uint64_t mailbox_taken;          // when it ended, as the next
  std::uint64_t inbox_taken;
  std::uint32_t finished;
  std::uint32_t works; // of `polls`, those that came after work
  alignas(64) std::uint64_t consumed[counter_tags];
};

// How far a rank is with its inbox; both may lag behind.
struct inbox_counts {
  std::uint64_t taken;  // entries that may be reused
  std::uint64_t placed; // entries whose data is in place
};

// A rank's part of memory that host and device reach.
struct alignas(64) rank_channel {
  // Written by the host.
  std::uint64_t taken;     // commands whose entries may be reused
  std::uint64_t completed; // commands complete at the origin
  alignas(64) std::uint64_t arrivals[counter_tags];
  // Written by the rank.
  alignas(64) inbox_counts inbox;
  std::uint32_t opened; // its kernel runs, and rank_memory is this launch's
  std::uint32_t reserved;
  kept_status kept;
  wait_status status;
};

// How a rank gets data and notifications to another.
enum class route_kind : std::uint16_t {
  proxy,  // through the hosts
  device, // by stores: the same device
  peer    // by stores: a device of another process
};

// The pointers are addresses here, null for route_kind::proxy.
struct alignas(32) route {
  rank_memory* memory;
  notification* mailbox;
  ring_entry* rings; // rings_in * ring_entries
  route_kind kind;
  std::uint16_t reserved_1;
  std::uint32_t reserved_2;
};

// Where ranks of a device meet, and devices.
struct alignas(64) meeting_point {
  std::uint64_t arrived; // sum of the marks (collectives.h) of all arrivals so far
  // The lower half of `arrived` of the last meeting with other devices.
  alignas(64) std::uint32_t generation;
  alignas(64) std::uint64_t devices; // arrivals of other devices, of all meetings so far
  // Of the rank that comes last.
  alignas(64) std::uint64_t devices_met; // meetings of the devices so far
  std::uint64_t hosts_met;               // meetings of the hosts so far
};

enum class error_code : std::uint32_t {
  none,
  rank_out_of_range,         // values: rank, ranks
  negative_tag,              // values: tag
  tag_without_counter,       // values: tag
  outside_window,            // values: target, offset, length, elements exposed, element size
  freed_window,              // values: none
  source_not_allocated,      // values: address, bytes
  destination_not_allocated, // values: address, bytes
  window_not_allocated,      // values: address, bytes
  pending_full,              // values: entries
  too_many_windows,          // values: slots
  bad_count,                 // values: count
  source_with_counter,       // values: source
  not_uniform,               // values: thread, its value, value of thread 0, number of the argument
  no_context,                // values: none
  different_collectives,     // values: none
  wrong_version,             // values: version of the program, version of the library
  not_distributed,           // values: address
  other_block_size,          // values: x, y, z
  same_array,                // values: address
  not_in_one_dimension,      // values: y and z of the grid, y and z of the block
  not_whole_array,           // values: address, whether it is filled rather than copied
  other_bytes,               // values: bytes given, bytes of the array, whether it is filled
  threads_along_rows,        // values: a bit for each of some dimensions, threads along them
  rows_out_of_order,         // values: least rows
  not_whole_rows,            // values: address, bytes, rows that these are to be, whether filled
  rows_elsewhere,            // values: row that is copied, row that it becomes
  rows_overlap,              // values: row that is copied, row that it becomes, how many of each
  numbers_of_blocks,         // values: numbers stored, blocks, combined, threads that combine
  inside_array,              // values: address
  threads_beyond,            // values: name of the array, dimension, threads, most threads, whether it has to be as many
  rows_before_first,         // values: first row of a launch
  no_element,                // values: element, how many there are
  outside_reach,             // values: name of the array, dimension, coordinate, first and last
  beyond_halo                // values: rows from a block's own that are read, depth of the clause
};

// An error found by a rank; its host prints it.
struct alignas(64) error_record {
  std::uint32_t claimed; // the first rank to set it fills the record
  std::uint32_t code;    // an error_code; written last
  directive what;
  std::int32_t rank; // world rank
  std::uint32_t site_file;
  std::uint32_t site_line;
  std::int64_t values[5];
};
static_assert(sizeof(error_record) == 64);

// All that the ranks of a device know of a launch; in device memory, constant while the kernel
// runs.
struct launch_context {
  std::uint32_t version;
  std::uint32_t open; // 0 between launches
  std::int32_t world_size;
  std::int32_t first_rank; // world rank of the device's rank 0
  std::int32_t device_size;
  std::int32_t processes;
  std::int32_t proxied; // other processes that only the host reaches
  std::int32_t process;

  // Entries of each rank's queues; powers of two, but for pending.
  std::uint32_t mailbox_entries;
  std::uint32_t pending_entries;
  std::uint32_t command_entries;
  std::uint32_t inbox_entries;
  std::uint32_t window_slots; // per communicator

  const route* routes; // by world rank
  rank_memory* ranks;  // by device rank, as all that follow
  notification* pending;
  rank_channel* channels;
  command_entry* commands;
  inbox_entry* inboxes;

  window_row* world_rows;  // [slot][world rank]
  window_row* device_rows; // [slot][device rank]
  meeting_point* world_meeting;
  meeting_point* device_meeting;
  meeting_point* const* peer_meetings; // world meetings by process; null if proxied is not 0
  std::uint64_t* collectives;          // collective commands that the host has completed
  error_record* error;
};

// What a window object knows of its window.
struct window_handle {
  const window_row* rows; // by rank of the window's communicator
  std::uint32_t id;
  std::int32_t ranks; // of the communicator
  std::int32_t first; // world rank of its rank 0
};

} // namespace gpurma::detail

#endif
