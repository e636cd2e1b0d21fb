// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state that a block keeps in shared memory while it is a rank. Thread 0 works for the block
// and alone changes it, but for `in`, of which each polling thread has its part. The polling
// threads read it between barriers of theirs, the others the constant part, and what a block
// barrier has passed on to them.
#ifndef GPURMA_DEVICE_BLOCK_H
#define GPURMA_DEVICE_BLOCK_H

#include <cstdint>

#include <gpurma/device/formats.h>
#include <gpurma/device/mailbox.h>
#include <gpurma/device/origin_ring.h>
#include <gpurma/device/pending.h>
#include <gpurma/device/ring.h>
#include <gpurma/platform/platform.h>

namespace gpurma::detail {

// Arguments of a directive that GPURMA_CHECK compares between threads, at most.
inline constexpr int max_checked_values = 8;

struct block_state {
  // Constant from the end of rank_scope's constructor.
  const launch_context* context;
  const route* routes;
  rank_memory* self;
  rank_channel* channel;
  const ring_entry* own_rings;
  std::int32_t rank;
  std::int32_t world_size;
  std::int32_t first_rank;
  std::int32_t device_size;
  std::int32_t processes;
  std::int32_t proxied;
  platform::scope reached_from; // system if ranks of other processes store into this one's memory

  // Thread 0's.
  mailbox box;
  std::uint64_t box_position;
  std::uint32_t rings;    // of `in` that have an origin
  bool routes_changed;    // from stores to hosts, since the rank began
  bool has_carried;       // data that may not be in place
  bool owes;              // origins may not know that data is in place; polling threads set it
  std::uint8_t last_ring; // of `in`, from which a notification was taken; polling threads write it,
  std::uint8_t ring_of[rings_guessed];   // and this: by source, or what was there before
  std::uint8_t ring_at_origin[rings_in]; // its number there; by number here
  std::uint8_t given_back[rings_in];     // the lowest byte of the position last given back
  inbox_consumer inbox;
  pending_list pending;
  command_producer commands;
  std::uint64_t directives;
  std::uint32_t polls;
  std::uint32_t works;     // as in rank_memory
  std::uint32_t polled_at; // platform::work_time() of the last test that found nothing
  std::uint32_t begun;     // directives that had to wait
  bool polling;            // the status is that of the test at polled, which found nothing
  site polled;
#if GPURMA_TARGET_CPU
  std::uint64_t buffer_begin; // the allocation in which the last checked buffer lies
  std::uint64_t buffer_end;
#endif
  ring_out out[rings_out];

  // By known_row_at(). All threads read it between the barrier at the start of a put or get and the
  // next one, thread 0 writes it behind the latter.
  known_row rows[known_rows];

  // Each polling thread reads and writes those that are its own (polling.h).
  ring_in in[rings_in];

  std::uint64_t marks[2]; // sum of the marks of the rank's meetings. Index 0: world, 1: device

  // Thread 0 writes, all read after a block barrier. Indices as above.
  std::uint64_t open_windows[2]; // a bit for each slot
  std::uint32_t windows_made[2];
  bool result;
#if GPURMA_CHECK
  std::int64_t checked[max_checked_values];
#endif
};
#if GPURMA_TARGET_CUDA && !GPURMA_CHECK
static_assert(sizeof(block_state) <= 1024);
#endif

GPURMA_DEVICE block_state& block() {
  return platform::block_shared<block_state>();
}

// Where the row of a window's target (world rank) is, unless another's is there.
GPURMA_DEVICE unsigned known_row_at(std::uint32_t window, int target) {
  return (static_cast<unsigned>(target) + window_slot(window)) % known_rows;
}

GPURMA_DEVICE void count_directive(block_state& b) {
  platform::store_relaxed(&b.self->directives, ++b.directives); // M12
}

// Tells the host what has come that the rank does not wait for now; all M12.
GPURMA_SLOW_DEVICE void publish_kept(block_state& b) {
  kept_status& kept = b.channel->kept;
  if (b.pending.size() != 0) {
    const notification& first = b.pending.earliest();
    platform::store_relaxed(&kept.source, first.source);
    platform::store_relaxed(&kept.tag, first.tag);
    platform::store_relaxed(&kept.window, first.window);
  }
  platform::store_relaxed(&kept.count, b.pending.size());
}

// Tells the host what the rank waits or polls for; all M12.
GPURMA_SLOW_DEVICE void publish_status(block_state& b, directive what, site where,
                                       std::int32_t peer, std::int32_t tag, std::uint32_t window,
                                       std::uint64_t wanted, std::uint64_t arrived) {
  wait_status& status = b.channel->status;
  platform::store_relaxed(&status.peer, peer);
  platform::store_relaxed(&status.tag, tag);
  platform::store_relaxed(&status.window, window);
  platform::store_relaxed(&status.site_file, where.file);
  platform::store_relaxed(&status.site_line, where.line);
  platform::store_relaxed(&status.wanted, wanted);
  platform::store_relaxed(&status.arrived, arrived);
  publish_kept(b);
  platform::store_relaxed(&status.begun, std::uint64_t{++b.begun});
  platform::store_relaxed(&status.what, static_cast<std::uint32_t>(what));
}

// Counts a test that found nothing. One that comes long after the one before comes after work: the
// rank does more than to poll.
GPURMA_SLOW_DEVICE void count_poll(block_state& b) {
  const std::uint32_t now = platform::work_time();
  if (now - b.polled_at >= platform::least_work())
    platform::store_relaxed(&b.self->works, ++b.works); // M12
  b.polled_at = now;
  platform::store_relaxed(&b.self->polls, std::uint64_t{++b.polls}); // M12
}

// A directive of thread 0 that cannot go on at once. Tells the host what it waits for when it has
// paused for a while.
class blocked {
public:
  GPURMA_DEVICE blocked(block_state& b, directive what, site where, std::int32_t peer,
                        std::int32_t tag, std::uint32_t window, std::uint64_t wanted)
      : b_(b), where_(where), wanted_(wanted), peer_(peer), tag_(tag), window_(window),
        what_(what) {}
  GPURMA_DEVICE blocked(block_state& b, directive what, site where, std::int32_t peer,
                        std::int32_t tag, std::uint32_t window, hindrance why)
      : blocked(b, what, where, peer, tag, window,
                is_sending(what) ? static_cast<std::uint64_t>(why) : 1) {}
  blocked(const blocked&) = delete;
  blocked& operator=(const blocked&) = delete;

  GPURMA_DEVICE ~blocked() {
    if (paused_)
      platform::store_relaxed(&b_.channel->status.what,
                              static_cast<std::uint32_t>(directive::none)); // M12
  }

  // The caller has looked as often in vain without a pause.
  GPURMA_DEVICE void has_looked(unsigned times) { polls_ += times; }

  // arrived: of the notifications wanted.
  GPURMA_DEVICE void pause(std::uint64_t arrived = 0) {
    if (!paused_) {
      if (++polls_ < platform::quiet_polls)
        return;
      paused_ = true;
      arrived_ = arrived;
      kept_ = b_.pending.size();
      b_.polling = false;
      publish_status(platform::off_fast_path(b_), what_, where_, peer_, tag_, window_, wanted_,
                     arrived);
    } else if (arrived != arrived_ || kept_ != b_.pending.size()) {
      arrived_ = arrived;
      kept_ = b_.pending.size();
      platform::store_relaxed(&b_.channel->status.arrived, arrived); // M12
      publish_kept(platform::off_fast_path(b_));
    }
    platform::yield();
  }

private:
  block_state& b_;
  site where_;
  std::uint64_t wanted_;
  std::uint64_t arrived_ = 0;
  std::uint32_t kept_ = 0;
  std::int32_t peer_;
  std::int32_t tag_;
  std::uint32_t window_;
  directive what_;
  unsigned polls_ = 0;
  bool paused_ = false;
};

// Sets the state up for a rank; thread 0.
GPURMA_DEVICE void open_block(block_state& b, const launch_context* context) {
  const unsigned index = platform::block_rank();
  b.context = context;
  b.routes = context->routes;
  b.self = context->ranks + index;
  b.channel = context->channels + index;
  b.own_rings = context->routes[context->first_rank + static_cast<std::int32_t>(index)].rings;
  b.rank = context->first_rank + static_cast<std::int32_t>(index);
  b.world_size = context->world_size;
  b.first_rank = context->first_rank;
  b.device_size = context->device_size;
  b.processes = context->processes;
  b.proxied = context->proxied;
  b.reached_from =
      context->processes - 1 > context->proxied ? platform::scope::system : platform::scope::device;
  b.box = mailbox{context->routes[b.rank].mailbox, context->mailbox_entries - 1};
  b.box_position = 0;
  b.rings = 0;
  b.has_carried = b.owes = b.routes_changed = false;
  GPURMA_ROLLED
  for (ring_out& ring : b.out)
    ring.target = null_rank;
  GPURMA_ROLLED
  for (ring_in& ring : b.in) {
    ring.position = 0;
    ring.source = null_rank;
  }
  for (std::uint8_t& position : b.given_back)
    position = 0;
  b.last_ring = 0;
  for (std::uint8_t& ring : b.ring_of)
    ring = 0;
  GPURMA_ROLLED
  for (known_row& row : b.rows)
    row.window = any_window_id;
  b.marks[0] = b.marks[1] = 0;
  b.inbox = inbox_consumer{context->inboxes + std::size_t{index} * context->inbox_entries,
                           &b.channel->inbox,
                           context->inbox_entries - 1,
                           0,
                           0,
                           0};
  b.pending = pending_list{context->pending + std::size_t{index} * context->pending_entries,
                           context->pending_entries, 0, 0, 0};
  b.commands = command_producer{context->commands + std::size_t{index} * context->command_entries,
                                &b.channel->taken, context->command_entries - 1, 0, 0};
  b.directives = 0;
  b.polls = b.works = 0;
  b.polled_at = platform::work_time();
  b.begun = 0;
  b.polling = false;
#if GPURMA_TARGET_CPU
  b.buffer_begin = 0;
  b.buffer_end = 0;
#endif
  b.open_windows[0] = b.open_windows[1] = 0;
  b.windows_made[0] = b.windows_made[1] = 0;
  platform::store_release(&b.channel->opened, std::uint32_t{1}, platform::scope::system); // M15
}

} // namespace gpurma::detail

#endif
