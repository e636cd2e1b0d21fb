// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Commands of a rank to its host, and notifications: delivering them on every route, waiting for
// them. Thread 0 only, but for the waits of the polling threads; the directives around
// (directives.h) bring the block together.
#ifndef GPURMA_DEVICE_NOTIFICATIONS_H
#define GPURMA_DEVICE_NOTIFICATIONS_H

#include <gpurma/device/checks.h>
#include <gpurma/device/polling.h>

namespace gpurma::detail {

// Gives a command to the host, after waiting for a free entry.
GPURMA_SLOW_DEVICE void post(block_state& b, const command& c, directive what) {
  if (b.commands.full()) {
    blocked waiting(b, what, site{c.site_file, c.site_line}, c.target, c.tag, c.window,
                    hindrance::commands);
    do {
      drain(b);
      waiting.pause();
    } while (b.commands.full());
  }
  b.commands.publish(c);
}

GPURMA_DEVICE command make_command(command_kind kind, int target, std::uint32_t window,
                                   site where) {
  command c{};
  c.kind = kind;
  c.target = target;
  c.tag = any_tag;
  c.window = window;
  c.site_file = where.file;
  c.site_line = where.line;
  return c;
}

template <matching Matching> GPURMA_DEVICE std::uint8_t notification_flags() {
  return Matching == matching::counter ? notified_flag | counter_flag : notified_flag;
}

GPURMA_DEVICE platform::scope scope_of(route_kind kind) {
  return kind == route_kind::device ? platform::scope::device : platform::scope::system;
}

// What the rank has of its rings to a target; null: nothing.
GPURMA_DEVICE ring_out* known_ring(block_state& b, int target) {
  unsigned at = static_cast<unsigned>(target) % rings_out;
  GPURMA_ROLLED
  for (unsigned n = 0; n < rings_out; ++n, at = (at + 1) % rings_out) {
    if (b.out[at].target == target)
      return &b.out[at];
    if (b.out[at].target == null_rank)
      return nullptr;
  }
  return nullptr;
}

// Makes the first contact to a target: claims a ring of it, if one is left.
GPURMA_SLOW_DEVICE void open_ring(block_state& b, unsigned at, int target) {
  const route to = b.routes[target];
  ring_out& ring = b.out[at];
  ring = ring_out{};
  ring.target = target;
  ring.kind = to.kind;
  ring.memory = to.memory;
  ring.unreleased = 1; // the target reads the ring's owner when it takes the first message
  if (to.kind == route_kind::proxy)
    return;
  const std::uint32_t number =
      platform::fetch_add(&to.memory->rings_claimed, std::uint32_t{1}, scope_of(to.kind));
  if (number < rings_in) {
    to.memory->owners[number] = ring_owner{b.rank, at}; // released with the first message
    ring.entries = to.rings + std::size_t{number} * ring_entries;
  }
}

// The ring to a target, claimed when it is first asked for; null if the rank has too many. A rank
// that has once sent to a target by its mailbox does so to the end of the launch, for the order.
GPURMA_DEVICE ring_out* ring_to(block_state& b, int target) {
  unsigned at = static_cast<unsigned>(target) % rings_out;
  GPURMA_ROLLED
  for (unsigned n = 0; n < rings_out; ++n, at = (at + 1) % rings_out) {
    if (b.out[at].target == null_rank)
      open_ring(b, at, target);
    if (b.out[at].target == target)
      return &b.out[at];
  }
  return nullptr;
}

// Where the ring to a target is, unless another target's is there.
GPURMA_DEVICE const ring_out& guessed_ring(const block_state& b, int target) {
  return b.out[static_cast<unsigned>(target) % rings_out];
}

GPURMA_DEVICE ring_out& guessed_ring(block_state& b, int target) {
  return b.out[static_cast<unsigned>(target) % rings_out];
}

// A rank that has ended takes no more notifications; those to it are dropped.
GPURMA_DEVICE bool has_ended(const rank_memory& target) {
  return platform::load_relaxed(&target.finished) != 0; // M12
}

GPURMA_DEVICE ring_count& count_of(const block_state& b, const ring_out& ring) {
  return b.self->ring_counts[static_cast<std::size_t>(&ring - b.out)];
}

// Waits until a count of the target has come to a position; false: it has ended.
template <hindrance Why>
GPURMA_SLOW_DEVICE bool wait_for_target(block_state& b, const ring_out& ring,
                                        const std::uint32_t* count, std::uint32_t position, int tag,
                                        std::uint32_t window, directive what, site where) {
  blocked waiting(b, what, where, ring.target, tag, window, Why);
  // Looking anywhere else takes longer than looking at the count, and the target may be far.
  constexpr unsigned looks_between = platform::polls_starve_others ? 1 : 32;
  for (unsigned looks = 1; static_cast<std::int32_t>(position - platform::load_polled(count)) > 0;
       ++looks) { // M18, M20
    if (looks % looks_between == 0) {
      if (has_ended(*ring.memory))
        return false;
      drain(b);
    }
    waiting.pause();
  }
  // Once: an acquire with each look would slow the stores of the whole device down.
  platform::fence_acquire(platform::scope::system); // M18, M20
  return true;
}

// Waits until a full ring has room; false: the target has ended.
GPURMA_DEVICE bool wait_for_room(block_state& b, ring_out& ring, int tag, std::uint32_t window,
                                 directive what, site where) {
  const std::uint32_t* const taken = &count_of(b, ring).taken;
  if (!wait_for_target<hindrance::room>(b, ring, taken, ring.sent - ring_entries + 1, tag, window,
                                        what, where))
    return false;
  ring.taken = platform::load_polled(taken); // M18
  return true;
}

// Waits until all data that the ring's messages have carried is in place.
GPURMA_DEVICE void wait_until_placed(block_state& b, ring_out& ring, std::uint32_t window,
                                     directive what, site where) {
  static_cast<void>(wait_for_target<hindrance::data>(platform::off_fast_path(b), ring,
                                                     &count_of(b, ring).placed, ring.carried,
                                                     any_tag, window, what, where));
  ring.carries = 0;
}

// Sends a message by a ring that is not full. All that the block did before is visible to the
// target once it has taken the message, if it is marked as released (M1, then M17).
GPURMA_SLOW_DEVICE void send(ring_out& ring, message m) {
  m.released |= ring.unreleased != 0;
  if (m.released) {
    platform::fence_release(scope_of(ring.kind)); // M17
    ring.unreleased = 0;
  }
  ring.write(m);
  ++ring.sent;
}

// By the mailbox, which many origins share.
GPURMA_SLOW_DEVICE void deliver_to_mailbox(block_state& b, int target, int tag,
                                           std::uint32_t window, directive what, site where) {
  const route to = b.routes[target];
  const platform::scope s = scope_of(to.kind);
  const mailbox box{to.mailbox, b.box.mask};
  const std::uint64_t position = mailbox::reserve(&to.memory->mailbox_tickets, s);
  if (box.try_publish(position, b.rank, tag, window, s))
    return;
  blocked waiting(b, what, where, target, tag, window, hindrance::room);
  do {
    if (has_ended(*to.memory))
      return;
    drain(b);
    waiting.pause();
  } while (!box.try_publish(position, b.rank, tag, window, s));
}

// The long way of deliver(): makes the first contact, waits for room, takes every route.
template <matching Matching>
GPURMA_SLOW_DEVICE void deliver_at_length(block_state& b, int target, int tag, std::uint32_t window,
                                          directive what, site where) {
  const route to = b.routes[target];
  if (to.kind == route_kind::proxy) {
    command c = make_command(command_kind::notify, target, window, where);
    c.tag = tag;
    c.flags = notification_flags<Matching>();
    post(b, c, what);
  } else if constexpr (Matching == matching::counter) {
    platform::add_release(&to.memory->arrivals[tag], std::uint64_t{1}, scope_of(to.kind)); // M10
    static_cast<void>(ring_to(b, target)); // for the short way, from now on
  } else if (ring_out* const ring = ring_to(b, target);
             ring != nullptr && ring->entries != nullptr) {
    if (!ring->is_full() || wait_for_room(b, *ring, tag, window, what, where))
      send(*ring, message{tag, window, true, false, 0, 0, 0});
  } else {
    deliver_to_mailbox(b, target, tag, window, what, where);
  }
}

// Before a notification that is counted: all data that messages to the target have carried is in
// place, since whoever waits for a count does not take them.
GPURMA_SLOW_DEVICE void await_carried_to(block_state& b, int target, std::uint32_t window,
                                         directive what, site where) {
  ring_out* const ring = known_ring(b, target);
  if (ring != nullptr && ring->carries != 0)
    wait_until_placed(b, *ring, window, what, where);
}

// Delivers a notification. All that the block did before is visible to the target once it has taken
// the notification (M1, then M2, M10 or M17).
template <matching Matching>
GPURMA_DEVICE void deliver(block_state& b, int target, int tag, std::uint32_t window,
                           directive what, site where) {
  if (Matching == matching::counter && b.has_carried)
    await_carried_to(platform::off_fast_path(b), target, window, what, where);
  const ring_out ring = guessed_ring(b, target);
  const bool guessed = ring.target == target;
  const bool has_way = Matching == matching::counter ? ring.kind != route_kind::proxy
                                                     : ring.entries != nullptr && !ring.is_full();
  if (!(guessed && has_way)) {
    deliver_at_length<Matching>(platform::off_fast_path(b), target, tag, window, what, where);
  } else if constexpr (Matching == matching::counter) {
    platform::add_release(&ring.memory->arrivals[tag], std::uint64_t{1},
                          scope_of(ring.kind)); // M10
  } else {
    platform::fence_release(scope_of(ring.kind)); // M17
    ring.write(message{tag, window, true, false, 0, 0, 0});
    ring_out& used = guessed_ring(b, target);
    used.sent = ring.sent + 1;
    used.unreleased = 0;
  }
}

// The rank has stored into the memory of a target, and its data is to be released before what it
// sends next.
GPURMA_DEVICE void note_store(block_state& b, int target) {
  if (ring_out& guessed = guessed_ring(b, target); guessed.target == target)
    guessed.unreleased = 1;
  else if (ring_out* const ring = known_ring(b, target))
    ring->unreleased = 1;
}

// Notes that the message at ring.sent carries bytes to [address, address + 8). `ring` may be a
// copy.
GPURMA_DEVICE void note_carried(block_state& b, const ring_out& ring, ring_out& noted,
                                std::uint64_t address) {
  const auto first = static_cast<std::uint32_t>(address / 8);
  const bool none = ring.carries == 0;
  if (none || static_cast<std::int32_t>(first - ring.carried_begin) < 0)
    noted.carried_begin = first;
  if (none || static_cast<std::int32_t>(first + 2 - ring.carried_end) > 0)
    noted.carried_end = first + 2;
  noted.carried = ring.sent + 1;
  noted.carries = 1;
  b.has_carried = true;
}

// Before a store to [address, address + bytes) of a target's memory: data that an earlier message
// has carried there must be in place, or it would come later. Addresses are those of the target.
GPURMA_SLOW_DEVICE void await_carried(block_state& b, int target, std::uint64_t address,
                                      std::uint64_t bytes, std::uint32_t window, directive what,
                                      site where) {
  ring_out* const ring = known_ring(b, target);
  if (ring == nullptr || ring->carries == 0)
    return;
  const auto first = static_cast<std::uint32_t>(address / 8);
  if (first - ring->carried_begin < ring->carried_end - ring->carried_begin ||
      ring->carried_begin - first < bytes / 8 + 2)
    wait_until_placed(b, *ring, window, what, where);
}

// Before ranks meet: all data that messages have carried is in place.
GPURMA_DEVICE void await_all_carried(block_state& b, directive what, std::uint32_t window,
                                     site where) {
  if (!b.has_carried)
    return;
  GPURMA_ROLLED
  for (ring_out& ring : b.out) {
    if (ring.target != null_rank && ring.carries != 0)
      wait_until_placed(b, ring, window, what, where);
  }
  b.has_carried = false;
}

// Waits until the host has completed all commands of this rank.
GPURMA_SLOW_DEVICE void wait_for_commands_at_length(block_state& b, directive what, site where,
                                                    std::uint32_t window) {
  const std::uint64_t issued = b.commands.issued;
  std::uint64_t completed =
      platform::load_acquire(&b.channel->completed, platform::scope::system); // M8
  if (completed == issued)
    return;
  blocked waiting(b, what, where, any_source, any_tag, window, issued);
  do {
    drain(b);
    waiting.pause(completed);
    completed = platform::load_acquire(&b.channel->completed, platform::scope::system); // M8
  } while (completed != issued);
}

GPURMA_DEVICE void wait_for_commands(block_state& b, directive what, site where,
                                     std::uint32_t window) {
  if (b.commands.issued != 0)
    wait_for_commands_at_length(platform::off_fast_path(b), what, where, window);
}

// Consumes a notification that has been taken before, if one matches. Polling threads.
GPURMA_SLOW_DEVICE bool take_pending(block_state& b, pattern p) {
  return b.pending.take(p, 1, platform::thread_index(), platform::polling_threads()) != 0;
}

// Waits for a while for a notification by the ring from which it is most likely to come, and
// consumes it if it matches. The polling threads, with the same result: all of them look at the
// same place, because a warp that one of its threads has left behind takes longer to come together
// than the look.
GPURMA_DEVICE bool wait_at_ring(block_state& b, const pattern& p) {
  const unsigned width = platform::polling_threads();
  const bool leader = platform::thread_index() == 0;
  platform::sync_polling(width); // behind what thread 0 has done
  if (b.pending.size() != 0 && take_pending(platform::off_fast_path(b), p))
    return true;
  const bool of_any = p.source == any_source;
  const unsigned number =
      of_any ? b.last_ring : b.ring_of[static_cast<unsigned>(p.source) % rings_guessed];
  const ring_in ring = b.in[number];
  if (ring.source == null_rank || (!of_any && ring.source != p.source))
    return false;
  // Before the wait, which leaves time for it.
  if (leader && kept(b, number, ring.position) >= most_kept)
    give_back(platform::off_fast_path(b), number);
  const ring_entry& entry = next_entry(b, number, ring);
  const std::uint32_t turn = turn_of(ring.position);
  packet head;
  packet data;
  // Others may come by other rings.
  const unsigned most_polls = platform::polls_starve_others ? 1 : of_any ? 8 : 128;
  for (unsigned polls = 0;; ++polls) {
    if (polls == most_polls)
      return false;
    head = platform::load_packet(&entry.head); // M16
    data = platform::load_packet(&entry.data); // M16
    if (platform::ballot(head.word[3] != turn, width) == 0)
      break;
  }
  // One condition of bits: comparisons that wait for each other would take longer than all the
  // rest.
  const std::uint32_t bytes = carried_by(head);
  const std::uint32_t wrong_tag =
      p.tag == any_tag ? 0 : head.word[0] ^ static_cast<std::uint32_t>(p.tag);
  const std::uint32_t wrong_window = p.window == any_window_id ? 0 : head.word[1] ^ p.window;
  const std::uint32_t late_data = bytes == 0 ? 0 : data.word[3] ^ turn;
  const std::uint32_t wrong = wrong_tag | wrong_window | late_data | odd_bit(head);
  if (platform::ballot(wrong != 0, width) != 0)
    return false;
  if (is_released(head))
    platform::fence_acquire(platform::scope::system); // M17; no dearer than at device scope
  platform::sync_polling(width);                      // all have read what thread 0 writes now
  if (leader) {
    if (bytes != 0)
      platform::store_word(reinterpret_cast<void*>(address_in(head, data)), data_in(data), bytes);
    static_cast<void>(take(b, number, ring, head));
  }
  return true;
}

// Consumes `count` notifications that match, waiting for them. Polling threads.
GPURMA_SLOW_DEVICE void wait_at_length(block_state& b, pattern p, std::uint32_t count, site where) {
  const bool leader = platform::thread_index() == 0;
  const unsigned width = platform::polling_threads();
  poller<lookers::polling_threads> all(b);
  std::uint32_t arrived = 0;
  if (b.pending.size() != 0)
    arrived = b.pending.take(p, count, platform::thread_index(), width);
  if (arrived == count)
    return;
  blocked waiting(b, directive::wait, where, p.source, p.tag, p.window, count);
  std::uint32_t wanted = count - arrived; // by thread 0, which consumes
  std::uint32_t vain = 0;
  do {
    if (leader)
      b.pending.make_room();
    const look_result result = all.look([&](const notification& got) {
      if (wanted != 0 && p.matches(got))
        return --wanted == 0 ? answer::last : answer::match;
      return keep_for_later(b, got);
    });
    arrived += result.matched;
    vain = result.taken == 0 ? vain + 1 : 0;
    if (result.must_give_back)
      give_back_many(b, platform::thread_index(), width);
    if (vain == looks_before_confirming)
      confirm_data(b, platform::thread_index(), width);
    if (!leader || arrived == count)
      continue;
    if (result.refused && b.pending.full()) {
      fail(b, error_code::pending_full, directive::wait, where, b.pending.capacity);
      return;
    }
    if (result.taken == 0)
      waiting.pause(arrived);
  } while (arrived != count);
}

// Consumes `count` notifications if as many that match have come. Polling threads; the result is
// the same in all of them.
GPURMA_SLOW_DEVICE bool test_in_queue(block_state& b, pattern p, std::uint32_t count) {
  const unsigned thread = platform::thread_index();
  const unsigned width = platform::polling_threads();
  poller<lookers::polling_threads> all(b);
  look_result result;
  do {
    if (thread == 0)
      b.pending.make_room();
    result = all.look_everywhere([&b](const notification& got) { return keep_for_later(b, got); });
    if (result.must_give_back)
      give_back_many(b, thread, width);
  } while (result.taken != 0 || result.found_rings);
  platform::sync_polling(width);
  if (b.pending.count(p, count, thread, width) < count)
    return false;
  static_cast<void>(b.pending.take(p, count, thread, width));
  return true;
}

// Notifications of a tag that have come so far; relaxed, the caller acquires.
GPURMA_DEVICE std::uint64_t arrivals(const block_state& b, int tag) {
  std::uint64_t arrived = platform::load_polled(&b.self->arrivals[tag]); // M10
  if (b.proxied != 0)
    arrived += platform::load_polled(&b.channel->arrivals[tag]); // M7
  return arrived;
}

GPURMA_DEVICE platform::scope scope_of_arrivals(const block_state& b) {
  return b.proxied != 0 ? platform::scope::system : b.reached_from;
}

GPURMA_DEVICE void wait_in_counter(block_state& b, int tag, std::uint64_t count, site where) {
  const std::uint64_t consumed = b.self->consumed[tag];
  std::uint64_t arrived = arrivals(b, tag) - consumed;
  if (arrived < count) {
    blocked waiting(b, directive::wait, where, any_source, tag, any_window_id, count);
    // What counts may be held back by data that earlier notifications carry.
    constexpr unsigned looks_per_drain = 64;
    // Without the bookkeeping of a pause between them.
    constexpr unsigned looks_per_pause = platform::polls_starve_others ? 1 : 8;
    unsigned looks = 0;
    do {
      looks += looks_per_pause;
      if (looks % looks_per_drain == 0)
        drain(platform::off_fast_path(b));
      waiting.has_looked(looks_per_pause - 1);
      waiting.pause(arrived);
      for (unsigned look = 0; look < looks_per_pause && arrived < count; ++look)
        arrived = arrivals(b, tag) - consumed;
    } while (arrived < count);
  }
  platform::fence_acquire(scope_of_arrivals(b)); // M7, M10
  platform::store_relaxed(&b.self->consumed[tag], consumed + count); // M12
}

GPURMA_DEVICE bool test_in_counter(block_state& b, int tag, std::uint64_t count) {
  const std::uint64_t consumed = b.self->consumed[tag];
  if (arrivals(b, tag) - consumed < count)
    return false;
  platform::fence_acquire(scope_of_arrivals(b)); // M7, M10
  platform::store_relaxed(&b.self->consumed[tag], consumed + count); // M12
  return true;
}

} // namespace gpurma::detail

#endif
