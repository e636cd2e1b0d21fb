// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Commands of a rank to its host, and notifications: delivering them on either route, waiting for
// them. Thread 0 only; the directives around (directives.h) bring the block together.
#ifndef GPURMA_DEVICE_NOTIFICATIONS_H
#define GPURMA_DEVICE_NOTIFICATIONS_H

#include <gpurma/device/checks.h>

namespace gpurma::detail {

// Gives a command to the host, after waiting for a free entry.
GPURMA_DEVICE void post(block_state& b, const command& c, directive what) {
  if (b.commands.full()) {
    blocked waiting(b, what, site{c.site_file, c.site_line}, c.target, c.tag, c.window, 1);
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

template <matching M> GPURMA_DEVICE std::uint8_t notification_flags() {
  return M == matching::counter ? notified_flag | counter_flag : notified_flag;
}

// Delivers a notification to a rank whose memory this one reaches. All that the block did before is
// visible to the target once it has taken the notification (M1, then M2 or M10).
template <matching M>
GPURMA_DEVICE void deliver(block_state& b, const route& to, int target, int tag,
                           std::uint32_t window, directive what, site where) {
  if constexpr (M == matching::counter) {
    platform::fetch_add(&to.memory->arrivals[tag], std::uint64_t{1},
                        platform::scope::device); // M10
  } else {
    const mailbox box{to.mailbox, b.box.mask};
    const std::uint64_t position = mailbox::reserve(&to.memory->mailbox_tickets);
    if (!box.try_publish(position, b.rank, tag, window)) {
      blocked waiting(b, what, where, target, tag, window, 1);
      do {
        drain(b);
        waiting.pause();
      } while (!box.try_publish(position, b.rank, tag, window));
    }
  }
}

// Waits until the host has completed all commands of this rank.
GPURMA_DEVICE void wait_for_commands(block_state& b, directive what, site where,
                                     std::uint32_t window) {
  const std::uint64_t issued = b.commands.issued;
  if (issued == 0)
    return;
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

// Consumes `count` notifications that match, waiting for them.
GPURMA_DEVICE void wait_in_queue(block_state& b, const pattern& p, std::uint64_t count,
                                 site where) {
  std::uint64_t arrived = b.pending.size() != 0 ? b.pending.take(p, count) : 0;
  blocked waiting(b, directive::wait, where, p.source, p.tag, p.window, count);
  while (arrived < count) {
    notification got;
    if (!take_notification(b, got)) {
      waiting.pause(arrived);
    } else if (p.matches(got)) {
      ++arrived;
    } else if (!b.pending.full()) {
      b.pending.append(got);
    } else {
      fail(b, error_code::pending_full, directive::wait, where, b.pending.capacity);
      return;
    }
  }
  b.matched += count;
}

GPURMA_DEVICE bool test_in_queue(block_state& b, const pattern& p, std::uint64_t count) {
  drain(b);
  if (b.pending.count(p, count) < count)
    return false;
  b.pending.take(p, count);
  b.matched += count;
  return true;
}

// Notifications of a tag that have come and are not consumed.
GPURMA_DEVICE std::uint64_t counted(block_state& b, int tag) {
  std::uint64_t arrived =
      platform::load_acquire(&b.self->arrivals[tag], platform::scope::device); // M10
  if (b.processes > 1)
    arrived += platform::load_acquire(&b.channel->arrivals[tag], platform::scope::system); // M7
  return arrived - b.self->consumed[tag];
}

GPURMA_DEVICE void wait_in_counter(block_state& b, int tag, std::uint64_t count, site where) {
  std::uint64_t arrived = counted(b, tag);
  if (arrived < count) {
    blocked waiting(b, directive::wait, where, any_source, tag, any_window_id, count);
    do {
      waiting.pause(arrived);
      arrived = counted(b, tag);
    } while (arrived < count);
  }
  b.self->consumed[tag] += count;
  b.matched += count;
}

GPURMA_DEVICE bool test_in_counter(block_state& b, int tag, std::uint64_t count) {
  if (counted(b, tag) < count)
    return false;
  b.self->consumed[tag] += count;
  b.matched += count;
  return true;
}

} // namespace gpurma::detail

#endif
