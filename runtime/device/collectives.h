// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What all ranks of a communicator do together: barrier, making and freeing windows. On one device
// the ranks meet in its memory. Over several, the last rank of a device to come asks its host to
// meet the others.
#ifndef GPURMA_DEVICE_COLLECTIVES_H
#define GPURMA_DEVICE_COLLECTIVES_H

#include <gpurma/device/notifications.h>

namespace gpurma::detail {

// Thread 0. kind says what the hosts do when all ranks of all devices have come.
GPURMA_DEVICE void meet(block_state& b, comm over, command_kind kind, directive what,
                        std::uint32_t window, site where) {
  const bool with_host = over == comm::world && b.processes > 1;
  // Puts to other devices are on their way before the hosts count them (docs/runtime.md,
  // quiescing).
  if (with_host)
    wait_for_commands(b, what, where, window);
  meeting_point& point =
      over == comm::world ? *b.context->world_meeting : *b.context->device_meeting;
  const std::uint32_t generation = platform::load_relaxed(&point.generation);
  const std::uint32_t before =
      platform::fetch_add(&point.arrived, std::uint32_t{1}, platform::scope::device); // M9
  b.collectives += with_host ? 1 : 0;
  blocked waiting(b, what, where, any_source, any_tag, window,
                  static_cast<std::uint64_t>(b.device_size));
  if (before + 1 == static_cast<std::uint32_t>(b.device_size)) {
    if (with_host) {
      post(b, make_command(kind, b.rank, window, where), what);
      while (platform::load_acquire(b.context->collectives, platform::scope::system) !=
             b.collectives) { // M8
        drain(b);
        waiting.pause(static_cast<std::uint64_t>(b.device_size));
      }
    }
    platform::store_relaxed(&point.arrived, std::uint32_t{0});
    platform::store_release(&point.generation, generation + 1, platform::scope::device); // M9
  } else {
    while (platform::load_acquire(&point.generation, platform::scope::device) == generation) { // M9
      drain(b);
      waiting.pause(platform::load_relaxed(&point.arrived));
    }
  }
}

// Makes a window of base[0, bytes); all threads.
__device__ inline window_handle open_window(const void* base, std::uint64_t bytes, comm over,
                                            site where) {
  check_uniform(directive::window_create, where, base, bytes, over);
  block_state& b = block();
  const int c = over == comm::device ? 1 : 0;
  unsigned slot = 0;
  while (slot < max_window_slots && (b.open_windows[c] >> slot & 1) != 0)
    ++slot;
  const std::uint32_t generation = b.windows_made[c] + 1;
  const int ranks = c != 0 ? b.device_size : b.world_size;
  const int first = c != 0 ? b.first_rank : 0;
  window_row* rows =
      (c != 0 ? b.context->device_rows : b.context->world_rows) + std::size_t{slot} * ranks;
  const std::uint32_t id = make_window_id(generation, over, slot);
  platform::sync_block(); // M1; all threads have read what thread 0 changes now
  if (platform::thread_index() == 0) {
    if (slot >= b.context->window_slots) {
      fail(b, error_code::too_many_windows, directive::window_create, where,
           b.context->window_slots);
    }
    check_buffer(b, error_code::window_not_allocated, directive::window_create, where, base, bytes);
    window_row& row = rows[b.rank - first];
    row.base = reinterpret_cast<std::uint64_t>(base);
    row.bytes = bytes;
    b.open_windows[c] |= std::uint64_t{1} << slot;
    b.windows_made[c] = generation;
    meet(b, over, command_kind::window_create, directive::window_create, id, where);
    complete_directive(b);
  }
  platform::sync_block(); // M4
  return window_handle{rows, id, ranks, first};
}

// All threads.
__device__ inline void close_window(window_handle& w, site where) {
  block_state& b = block();
  platform::sync_block(); // M1
  if (platform::thread_index() == 0) {
    const comm over = window_comm(w.id);
    meet(b, over, command_kind::window_free, directive::window_free, w.id, where);
    b.open_windows[over == comm::device ? 1 : 0] &= ~(std::uint64_t{1} << window_slot(w.id));
    complete_directive(b);
  }
  w.id = no_window_id;
  platform::sync_block(); // M4
}

} // namespace gpurma::detail

#endif
