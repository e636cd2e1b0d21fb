// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What all ranks of a communicator do together: barrier, making and freeing windows. On one device
// the ranks meet in its memory. Over several, the last rank of a device to come asks its host to
// meet the others.
#ifndef GPURMA_DEVICE_COLLECTIVES_H
#define GPURMA_DEVICE_COLLECTIVES_H

#include <gpurma/device/notifications.h>

namespace gpurma::detail {

// What a rank adds where it meets others: 1, and above it a number that tells one collective from
// another.
GPURMA_DEVICE std::uint64_t meeting_mark(command_kind kind, std::uint32_t window) {
  return std::uint64_t{1} | std::uint64_t{static_cast<std::uint32_t>(kind) ^ window << 3} << 32;
}

// The devices of all processes meet, each by one of its ranks; all reach each other's memory.
GPURMA_DEVICE void meet_devices(block_state& b, blocked& waiting) {
  const launch_context& c = *b.context;
  for (int p = 0; p < b.processes; ++p) {
    if (p != c.process)
      platform::add_release(&c.peer_meetings[p]->devices, std::uint64_t{1},
                            platform::scope::system); // M9
  }
  const std::uint64_t wanted =
      ++b.context->world_meeting->devices_met * static_cast<std::uint64_t>(b.processes - 1);
  while (platform::load_acquire(&c.world_meeting->devices, platform::scope::system) <
         wanted) { // M9
    drain(b);
    waiting.pause(static_cast<std::uint64_t>(b.device_size));
  }
}

// The hosts of all processes meet; asked for by one rank of each.
GPURMA_SLOW_DEVICE void meet_hosts(block_state& b, blocked& waiting, command_kind kind,
                                   directive what, std::uint32_t window, site where) {
  const std::uint64_t wanted = ++b.context->world_meeting->hosts_met;
  post(b, make_command(kind, b.rank, window, where), what);
  while (platform::load_acquire(b.context->collectives, platform::scope::system) != wanted) { // M8
    drain(b);
    waiting.pause(static_cast<std::uint64_t>(b.device_size));
  }
}

// Thread 0. kind says what is done when all ranks of all devices have come.
GPURMA_DEVICE void meet(block_state& b, comm over, command_kind kind, directive what,
                        std::uint32_t window, site where) {
  const bool with_others = over == comm::world && b.processes > 1;
  // Puts to other devices are on their way before the hosts count them (docs/runtime.md,
  // quiescing).
  if (with_others)
    wait_for_commands(b, what, where, window);
  confirm_owed_data(b);
  await_all_carried(b, what, window, where);
  meeting_point& point =
      over == comm::world ? *b.context->world_meeting : *b.context->device_meeting;
  const auto ranks = static_cast<std::uint32_t>(b.device_size);
  const std::uint64_t mark = meeting_mark(kind, window);
  std::uint64_t& marks = b.marks[over == comm::world ? 0 : 1];
  marks += mark;
  const std::uint64_t all = marks * ranks; // what `arrived` is when all have come
  const auto goal = static_cast<std::uint32_t>(all);
  const std::uint64_t before =
      platform::fetch_add(&point.arrived, mark, platform::scope::device); // M9
  const bool last = static_cast<std::uint32_t>(before) + 1 == goal;
  if (last && before + mark != all) {
    fail(platform::off_fast_path(b), error_code::different_collectives, what, where);
    return;
  }
  if (last && !with_others)
    return;
  blocked waiting(b, what, where, any_source, any_tag, window, ranks);
  if (last) {
    // Only hosts know the windows of other processes.
    if (b.context->peer_meetings != nullptr && kind != command_kind::window_create)
      meet_devices(b, waiting);
    else
      meet_hosts(platform::off_fast_path(b), waiting, kind, what, window, where);
    platform::store_release(&point.generation, goal, platform::scope::device); // M9
    return;
  }
  // Most meetings are short, and looking for notifications takes as long as looking once here.
  constexpr unsigned polls_per_drain = 64;
  std::uint32_t missing = goal - static_cast<std::uint32_t>(before) - 1;
  for (unsigned polls = 1;; ++polls) {
    const std::uint32_t now =
        with_others ? platform::load_polled(&point.generation)
                    : static_cast<std::uint32_t>(platform::load_polled(&point.arrived)); // M9
    if (static_cast<std::int32_t>(now - goal) >= 0)
      break;
    if (polls % polls_per_drain == 0) {
      drain(platform::off_fast_path(b));
      missing = goal - static_cast<std::uint32_t>(platform::load_relaxed(&point.arrived)); // M12
    }
    waiting.pause(ranks - missing);
  }
  platform::fence_acquire(platform::scope::device); // M9
}

// The hosts may have found memory that processes cannot share, and changed routes (engine.cpp).
GPURMA_SLOW_DEVICE void update_routes(block_state& b) {
  b.routes_changed |= b.proxied != b.context->proxied;
  b.proxied = b.context->proxied; // M13
  for (ring_out& ring : b.out) {
    if (ring.target == null_rank || b.routes[ring.target].kind == ring.kind)
      continue;
    ring.kind = b.routes[ring.target].kind;
    ring.entries = nullptr;
    ring.unreleased = 1;
  }
}

// Makes a window of base[0, bytes); all threads.
GPURMA_SLOW_DEVICE window_handle open_window(const void* base, std::uint64_t bytes, comm over,
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
  const bool with_hosts = over == comm::world && b.processes > 1;
  platform::sync_block(); // M1; all threads have read what thread 0 changes now
  if (platform::thread_index() == 0) {
    if (slot >= b.context->window_slots) {
      fail(b, error_code::too_many_windows, directive::window_create, where,
           b.context->window_slots);
    }
    if (static_cast<std::int64_t>(bytes) < 0) // of a length that is
      fail(b, error_code::window_not_allocated, directive::window_create, where,
           reinterpret_cast<std::int64_t>(base), static_cast<std::int64_t>(bytes));
    check_buffer(b, error_code::window_not_allocated, directive::window_create, where, base, bytes);
    window_row& row = rows[b.rank - first];
    row.base = reinterpret_cast<std::uint64_t>(base);
    row.bytes = bytes;
    row.reached = row.base;
    row.window = id;
    b.open_windows[c] |= std::uint64_t{1} << slot;
    b.windows_made[c] = generation;
    meet(b, over, command_kind::window_create, directive::window_create, id, where);
    if (with_hosts)
      update_routes(b);
    count_directive(b);
  }
  platform::sync_block(); // M4
  return window_handle{rows, id, ranks, first};
}

// All threads.
GPURMA_SLOW_DEVICE void close_window(window_handle w, site where) {
  block_state& b = block();
  platform::sync_block(); // M1
  if (platform::thread_index() == 0) {
    const comm over = window_comm(w.id);
    meet(b, over, command_kind::window_free, directive::window_free, w.id, where);
    b.open_windows[over == comm::device ? 1 : 0] &= ~(std::uint64_t{1} << window_slot(w.id));
    GPURMA_ROLLED
    for (known_row& row : b.rows) {
      if (row.window == w.id)
        row.window = any_window_id;
    }
    count_directive(b);
  }
  platform::sync_block(); // M4
}

} // namespace gpurma::detail

#endif
