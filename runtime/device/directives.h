// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The directives: definitions of what <gpurma/device.h> declares.
#ifndef GPURMA_DEVICE_DIRECTIVES_H
#define GPURMA_DEVICE_DIRECTIVES_H

#include <cstdint>
#include <cstring>
#include <type_traits>
#if GPURMA_TARGET_CUDA
#include <cstdio>
#endif

#include <gpurma/device.h>
#include <gpurma/device/collectives.h>
#include <gpurma/device/context.h>
#include <gpurma/device/notifications.h>

namespace gpurma {

namespace detail {

// Where a put or get goes.
struct destination {
  char* reached;        // null if only the hosts reach it, or for no bytes
  std::uint64_t owner;  // address in the target's process
  std::uint64_t offset; // in bytes
  std::uint64_t bytes;
  int world;  // the target's world rank
  bool valid; // false: an error has been reported
};

// Whether elements [offset, offset + count) lie in the `bytes` that a target exposes; thread 0
// reports if not.
GPURMA_DEVICE bool check_range(block_state& b, directive what, site where, int target,
                               std::size_t offset, std::size_t count, std::size_t element_bytes,
                               std::uint64_t bytes) {
  const std::size_t exposed = bytes / element_bytes;
  const bool valid = offset <= exposed && count <= exposed - offset;
  if (!valid && platform::thread_index() == 0) {
    fail(platform::off_fast_path(b), error_code::outside_window, what, where, target,
         static_cast<std::int64_t>(offset), static_cast<std::int64_t>(count),
         static_cast<std::int64_t>(exposed), static_cast<std::int64_t>(element_bytes));
  }
  return valid;
}

GPURMA_DEVICE bool is_row_of(const known_row& row, std::uint32_t window, int world) {
  return row.window == window && row.target == world;
}

// Loads a row and remembers it. Thread 0, while the others do not read it.
GPURMA_DEVICE void learn_row(block_state& b, const window_handle& w, int target) {
  const window_row row = w.rows[target];
  b.rows[known_row_at(w.id, w.first + target)] =
      known_row{w.id, w.first + target, row.base, row.bytes, row.reached};
}

// The same after a check; all threads. False: an error has been reported.
GPURMA_SLOW_DEVICE bool look_up_row(block_state& b, directive what, site where, window_handle w,
                                    int target) {
  if (!check_row(b, what, where, w) || !check_rank(b, what, where, target, w.ranks))
    return false;
  platform::sync_block(); // all have seen that the row is not known
  if (platform::thread_index() == 0)
    learn_row(b, w, target);
  platform::sync_block();
  return true;
}

// Finds and checks elements [offset, offset + count) of the target's part of a window; all threads,
// behind a block barrier.
GPURMA_DEVICE destination locate(block_state& b, directive what, site where, const window_handle& w,
                                 int target, std::size_t offset, std::size_t count,
                                 std::size_t element_bytes) {
  destination d{};
  d.world = w.first + target;
  const known_row& known = b.rows[known_row_at(w.id, d.world)];
  if (!is_row_of(known, w.id, d.world) &&
      !look_up_row(platform::off_fast_path(b), what, where, w, target))
    return d;
  const known_row row = known;
  if (!check_range(b, what, where, target, offset, count, element_bytes, row.bytes))
    return d;
  d.offset = offset * element_bytes;
  d.bytes = count * element_bytes;
  if (row.reached != 0 && d.bytes != 0)
    d.reached = reinterpret_cast<char*>(row.reached) + d.offset;
  d.owner = row.base + d.offset;
  d.valid = true;
  return d;
}

GPURMA_SLOW_DEVICE void post_transfer(block_state& b, command_kind kind, directive what, site where,
                                      const void* buffer, const destination& d,
                                      std::uint32_t window, int tag, std::uint8_t flags) {
  command c = make_command(kind, d.world, window, where);
  c.address = reinterpret_cast<std::uint64_t>(buffer);
  c.offset = d.offset;
  c.bytes = d.bytes;
  c.tag = tag;
  c.flags = flags;
  if (kind == command_kind::put && d.bytes <= inline_bytes)
    c.flags |= inline_flag;
  post(b, c, what);
}

// The long way of put_carried(): checks everything, makes the first contact, takes every route.
GPURMA_SLOW_DEVICE void put_carried_at_length(block_state& b, const void* source, std::size_t count,
                                              std::size_t element_bytes, int target,
                                              window_handle w, std::size_t offset, int tag,
                                              site where) {
  constexpr directive what = directive::put;
  if (!check_row(b, what, where, w) || !check_rank(b, what, where, target, w.ranks))
    return;
  const int world = w.first + target;
  if (!is_row_of(b.rows[known_row_at(w.id, world)], w.id, world))
    learn_row(b, w, target);
  const known_row& row = b.rows[known_row_at(w.id, world)];
  if (!check_range(b, what, where, target, offset, count, element_bytes, row.bytes))
    return;
  const std::size_t bytes = count * element_bytes;
  check_buffer(b, error_code::source_not_allocated, what, where, source, bytes);
  if (row.reached == 0) {
    const std::size_t begin = offset * element_bytes;
    const destination d{nullptr, row.base + begin, begin, bytes, world, true};
    post_transfer(platform::off_fast_path(b), command_kind::put, what, where, source, d, w.id, tag,
                  notification_flags<matching::queue>());
    return;
  }
  // First of all: the less is known by now, the fewer registers it takes.
  ring_out* const ring = ring_to(b, world);
  const bool has_ring = ring != nullptr && ring->entries != nullptr;
  if (has_ring && ring->is_full() && !wait_for_room(b, *ring, tag, w.id, what, where))
    return;
  const auto length = static_cast<std::uint32_t>(bytes);
  const std::uint64_t owner = row.base + offset * element_bytes;
  const bool in_place = b.routes[world].kind == route_kind::device &&
                        owner == reinterpret_cast<std::uint64_t>(source);
  if (!in_place && has_ring && owner >> address_bits == 0) {
    note_carried(b, *ring, *ring, owner);
    const bool odd = !platform::is_word(reinterpret_cast<const void*>(owner), length);
    send(*ring,
         message{tag, w.id, false, odd, length, owner, platform::load_bytes(source, length)});
    return;
  }
  if (!in_place) {
    await_carried(b, world, owner, bytes, w.id, what, where);
    auto* const to = reinterpret_cast<char*>(row.reached) + offset * element_bytes;
    platform::store_bytes(to, platform::load_bytes(source, length), length);
    note_store(b, world);
  }
  deliver_at_length<matching::queue>(b, world, tag, w.id, what, where);
}

// A notified put of 1 to carried_bytes bytes, which travel inside the notification. The polling
// threads, as in wait_at_ring(), behind a block barrier.
GPURMA_DEVICE void put_carried(block_state& b, const void* source, std::size_t count,
                               std::size_t element_bytes, std::size_t alignment, int target,
                               const window_handle& w, std::size_t offset, int tag, site where) {
  const unsigned width = platform::polling_threads();
  const bool leader = platform::thread_index() == 0;
  const int world = w.first + target;
  const ring_out ring = guessed_ring(b, world);
  const known_row row = b.rows[known_row_at(w.id, world)];
  const std::uint64_t begin = offset * element_bytes;
  const std::uint64_t bytes = count * element_bytes;
  const std::uint64_t owner = row.base + begin;
  const auto address = reinterpret_cast<std::uint64_t>(source);
  const auto length = static_cast<std::uint32_t>(bytes);
  const bool is_word =
      alignment >= bytes
          ? bytes == 8 || bytes == 4
          : platform::is_word(reinterpret_cast<const void*>(address | owner), length);
  // While it comes, all else is checked.
  std::uint64_t data = 0;
  if (is_word) {
    if (leader)
      check_buffer(b, error_code::source_not_allocated, directive::put, where, source, length);
    data = platform::load_word(source, length);
  }
  // The message can go at once, and alone. One condition of bits: comparisons that wait for each
  // other would take longer than all the rest.
  const std::uint32_t other_target = (ring.target ^ world) | (row.target ^ world);
  const std::uint32_t other_window = row.window ^ w.id;
  const std::uint32_t is_full = (ring.sent - ring.taken) & ring_entries;
  const auto too_high = static_cast<std::uint32_t>(owner >> address_bits);
  const bool in_window = (offset <= row.bytes) & (begin + bytes <= row.bytes);
  const bool in_place = (owner == address) & (ring.kind == route_kind::device);
  const bool goes_at_once =
      ((other_target | other_window | is_full | too_high | ring.unreleased) == 0) & in_window &
      !in_place & is_word;
  const bool takes_longer = platform::ballot(!goes_at_once, width) != 0;
  platform::sync_polling(width); // all have read what thread 0 writes now
  if (takes_longer) {
    if (leader)
      put_carried_at_length(platform::off_fast_path(b), source, count, element_bytes, target, w,
                            offset, tag, where);
  } else if (leader) {
    ring.write(message{tag, w.id, false, false, length, owner, data});
    ring_out& used = guessed_ring(b, world);
    used.sent = ring.sent + 1;
    note_carried(b, ring, used, owner);
  }
  if (leader)
    count_directive(b);
}

// Before a block's store to, or load from, [d.owner, d.owner + d.bytes) of a target; all threads.
GPURMA_DEVICE void await_carried_before_copy(block_state& b, const destination& d,
                                             std::uint32_t window, directive what, site where) {
  if (!b.has_carried)
    return;
  if (platform::thread_index() == 0)
    await_carried(platform::off_fast_path(b), d.world, d.owner, d.bytes, window, what, where);
  platform::sync_block();
}

template <bool Notified, matching Matching>
GPURMA_DEVICE void put_bytes(const void* source, std::size_t count, std::size_t element_bytes,
                             std::size_t alignment, int target, const window_handle& w,
                             std::size_t offset, int tag, site where) {
  if (target == null_rank)
    return;
  check_uniform(directive::put, where, source, count, target, w.id, offset, tag);
  // What a loop could compute beforehand, it would keep in local memory.
  target = platform::computed_here(target);
  source = platform::computed_here(source);
  block_state& b = platform::in_register(block());
  if (Notified && !check_tag<Matching>(b, directive::put, where, tag))
    return;
  const bool leader = platform::thread_index() == 0;
  platform::sync_block(); // M1
  if (Notified && Matching == matching::queue && count != 0 &&
      count <= carried_bytes / element_bytes) {
    if (platform::thread_index() < platform::polling_threads())
      put_carried(b, source, count, element_bytes, alignment, target, w, offset, tag, where);
    return;
  }
  const destination d = locate(b, directive::put, where, w, target, offset, count, element_bytes);
  if (!d.valid)
    return;
  if (leader)
    check_buffer(b, error_code::source_not_allocated, directive::put, where, source, d.bytes);
  const bool stores = d.reached != nullptr && d.reached != source;
  if (stores) {
    await_carried_before_copy(b, d, w.id, directive::put, where);
    if (!platform::copy_block(d.reached, source, d.bytes) && Notified)
      platform::sync_block(); // M1
  }
  if (!leader)
    return;
  if (stores)
    note_store(b, d.world);
  if (d.bytes != 0 && d.reached == nullptr) {
    post_transfer(platform::off_fast_path(b), command_kind::put, directive::put, where, source, d,
                  w.id, tag, Notified ? notification_flags<Matching>() : std::uint8_t{0});
  } else if (Notified) {
    deliver<Matching>(b, d.world, tag, w.id, directive::put, where);
  }
  count_directive(b);
}

template <bool Notified, matching Matching>
GPURMA_DEVICE void get_bytes(void* destination_buffer, std::size_t count, std::size_t element_bytes,
                             int target, const window_handle& w, std::size_t offset, int tag,
                             site where) {
  if (target == null_rank)
    return;
  check_uniform(directive::get, where, destination_buffer, count, target, w.id, offset, tag);
  block_state& b = platform::in_register(block());
  if (Notified && !check_tag<Matching>(b, directive::get, where, tag))
    return;
  platform::sync_block(); // M1
  const destination d = locate(b, directive::get, where, w, target, offset, count, element_bytes);
  if (!d.valid)
    return;
  const bool leader = platform::thread_index() == 0;
  if (leader)
    check_buffer(b, error_code::destination_not_allocated, directive::get, where,
                 destination_buffer, d.bytes);
  if (d.reached != nullptr && d.reached != destination_buffer) {
    await_carried_before_copy(b, d, w.id, directive::get, where);
    if (!platform::copy_block(destination_buffer, d.reached, d.bytes) && Notified)
      platform::sync_block(); // M1
  }
  if (!leader)
    return;
  if (d.bytes != 0 && d.reached == nullptr) {
    post_transfer(platform::off_fast_path(b), command_kind::get, directive::get, where,
                  destination_buffer, d, w.id, tag,
                  Notified ? notification_flags<Matching>() : std::uint8_t{0});
  } else if (Notified) {
    deliver<Matching>(b, d.world, tag, w.id, directive::get, where);
  }
  count_directive(b);
}

// target: world rank once `first` is added.
template <matching Matching>
GPURMA_DEVICE void notify_rank(int target, int ranks, int first, int tag, std::uint32_t window,
                               site where) {
  if (target == null_rank)
    return;
  check_uniform(directive::notify, where, target, tag, window);
  block_state& b = platform::in_register(block());
  if (!check_tag<Matching>(b, directive::notify, where, tag) ||
      !check_rank(b, directive::notify, where, target, ranks))
    return;
  platform::sync_block(); // M1
  if (platform::thread_index() != 0)
    return;
  deliver<Matching>(b, first + target, tag, window, directive::notify, where);
  count_directive(b);
}

// Turns the arguments of a wait or test into a pattern of world ranks; false: an error has been
// reported.
template <matching Matching>
GPURMA_DEVICE bool make_pattern(block_state& b, directive what, site where, int tag, int source,
                                int ranks, int first, std::uint32_t window, int count, pattern& p) {
  if (tag != any_tag || Matching == matching::counter) {
    if (!check_tag<Matching>(b, what, where, tag))
      return false;
  }
  if (source != any_source) {
    if (Matching == matching::counter) {
      if (platform::thread_index() == 0)
        fail(platform::off_fast_path(b), error_code::source_with_counter, what, where, source);
      return false;
    }
    if (!check_rank(b, what, where, source, ranks))
      return false;
  }
  if (count < 0) {
    if (platform::thread_index() == 0)
      fail(platform::off_fast_path(b), error_code::bad_count, what, where, count);
    return false;
  }
  p = pattern{source == any_source ? any_source : first + source, tag, window};
  return true;
}

template <matching Matching>
GPURMA_DEVICE void wait_for(int tag, int source, int ranks, int first, std::uint32_t window,
                            int count, site where) {
  if (source == null_rank)
    return;
  check_uniform(directive::wait, where, tag, source, window, count);
  block_state& b = platform::in_register(block());
  pattern p;
  if (!make_pattern<Matching>(b, directive::wait, where, tag, source, ranks, first, window, count,
                              p))
    return;
  const bool leader = platform::thread_index() == 0;
  if (leader)
    count_directive(b); // before the wait, which leaves time for it
  if constexpr (Matching == matching::counter) {
    if (leader)
      wait_in_counter(b, tag, static_cast<std::uint64_t>(count), where);
    platform::sync_block(); // M4
  } else {
    if (platform::thread_index() < platform::polling_threads() &&
        !(count == 1 && wait_at_ring(b, p)))
      wait_at_length(platform::off_fast_path(b), p, static_cast<std::uint32_t>(count), where);
    platform::sync_block(); // M4
  }
}

template <matching Matching>
GPURMA_DEVICE bool test_for(int tag, int source, int ranks, int first, std::uint32_t window,
                            int count, site where) {
  if (source == null_rank)
    return true;
  check_uniform(directive::test, where, tag, source, window, count);
  block_state& b = platform::in_register(block());
  pattern p;
  if (!make_pattern<Matching>(b, directive::test, where, tag, source, ranks, first, window, count,
                              p))
    return false;
  bool found = false;
  if constexpr (Matching == matching::counter)
    found =
        platform::thread_index() == 0 && test_in_counter(b, tag, static_cast<std::uint64_t>(count));
  else if (platform::thread_index() < platform::polling_threads())
    found = test_in_queue(platform::off_fast_path(b), p, static_cast<std::uint32_t>(count));
  if (platform::thread_index() == 0) {
    b.result = found;
    if (b.result) {
      count_directive(b);
      if (b.polling) {
        b.polling = false;
        platform::store_relaxed(&b.channel->status.what,
                                static_cast<std::uint32_t>(directive::none)); // M12
      }
    } else {
      if (!b.polling || b.polled.line != where.line || b.polled.file != where.file) {
        b.polling = true;
        b.polled = where;
        publish_status(platform::off_fast_path(b), directive::test, where, p.source, tag, window,
                       static_cast<std::uint64_t>(count), 0);
      }
      count_poll(platform::off_fast_path(b));
      // The rank may poll for what depends on it.
      constexpr unsigned polls_per_drain = platform::polls_starve_others ? 1 : 16;
      if (Matching == matching::counter && b.polls % polls_per_drain == 0)
        drain(platform::off_fast_path(b));
      else
        confirm_owed_data(b);
      platform::yield();
    }
  }
  platform::sync_block(); // M4
  const bool result = b.result;
  platform::sync_block(); // all have read it before the next test
  return result;
}

// Ends a rank; thread 0.
GPURMA_SLOW_DEVICE void close_block(block_state& b) {
  wait_for_commands(b, directive::end, site{}, no_window_id);
  drain(b);
  b.self->left = b.pending.size();
  b.self->mailbox_taken = b.box_position;
  b.self->inbox_taken = b.inbox.position;
  platform::store_release(&b.self->finished, std::uint32_t{1}, platform::scope::system); // M12
}

GPURMA_DEVICE void flush_commands(std::uint32_t window, site where) {
  check_uniform(directive::flush, where, window);
  block_state& b = block();
  if (platform::thread_index() == 0) {
    wait_for_commands(b, directive::flush, where, window);
    count_directive(b);
  }
  platform::sync_block(); // M4
}

} // namespace detail

GPURMA_DEVICE int rank() {
  return detail::block().rank;
}
GPURMA_DEVICE int size() {
  return detail::block().world_size;
}
GPURMA_DEVICE int device_rank() {
  return detail::block().rank - detail::block().first_rank;
}
GPURMA_DEVICE int device_size() {
  return detail::block().device_size;
}

__device__ inline rank_scope::rank_scope() {
  if (platform::thread_index() == 0) {
    const detail::launch_context* context = detail::context_pointer;
    const bool launched = context != nullptr && context->open != 0;
#if GPURMA_TARGET_CPU
    if (!launched) {
      detail::fail(detail::block(), detail::error_code::no_context, detail::directive::none,
                   site{});
    }
#else
    if (!launched) {
      printf("gpurma: error: the rank kernel was launched without gpurma::launch, so it has no "
             "ranks; compile the file that launches it with gpurmacc, and link the program with "
             "it, or call gpurma::launch\n");
      platform::trap();
    }
    if (context->version != detail::format_version) {
      detail::block().context = context;
      detail::fail(detail::block(), detail::error_code::wrong_version, detail::directive::none,
                   site{}, detail::format_version, context->version);
    }
#endif
    detail::open_block(detail::block(), context);
  }
  platform::sync_block();
}

__device__ inline rank_scope::~rank_scope() {
  if (platform::thread_index() == 0)
    detail::close_block(detail::block());
}

template <class T>
__device__ inline window<T>::window(T* base, std::size_t length, comm over, site where)
    : base_(base), length_(length), where_(where),
      handle_(detail::open_window(
          base, length <= SIZE_MAX / sizeof(T) ? length * sizeof(T) : SIZE_MAX, over, where)) {}

template <class T> __device__ inline window<T>::~window() {
  detail::close_window(handle_, where_);
}

template <class T> __device__ inline std::size_t window<T>::size(int rank) const {
  if (rank < 0 || rank >= handle_.ranks) {
    // Not block-collective: any thread may be the one.
    detail::fail(detail::block(), detail::error_code::rank_out_of_range,
                 detail::directive::window_create, where_, rank, handle_.ranks);
    return 0;
  }
  return handle_.rows[rank].bytes / sizeof(T);
}

template <class Source, class T>
__device__ inline void put(Source* source, std::size_t count, int target, const window<T>& w,
                           std::size_t offset, site where) {
  static_assert(std::is_same_v<std::remove_cv_t<Source>, T>,
                "the section of a put has the element type of the window");
  detail::put_bytes<false, matching::queue>(source, count, sizeof(T), alignof(T), target,
                                            w.handle(), offset, 0, where);
}

template <matching Matching, class Source, class T>
__device__ inline void put_notify(Source* source, std::size_t count, int target, const window<T>& w,
                                  std::size_t offset, int tag, site where) {
  static_assert(std::is_same_v<std::remove_cv_t<Source>, T>,
                "the section of a put has the element type of the window");
  detail::put_bytes<true, Matching>(source, count, sizeof(T), alignof(T), target, w.handle(),
                                    offset, tag, where);
}

template <class T>
__device__ inline void get(T* destination, std::size_t count, int target, const window<T>& w,
                           std::size_t offset, site where) {
  detail::get_bytes<false, matching::queue>(destination, count, sizeof(T), target, w.handle(),
                                            offset, 0, where);
}

template <matching Matching, class T>
__device__ inline void get_notify(T* destination, std::size_t count, int target, const window<T>& w,
                                  std::size_t offset, int tag, site where) {
  detail::get_bytes<true, Matching>(destination, count, sizeof(T), target, w.handle(), offset, tag,
                                    where);
}

template <matching Matching, class T>
__device__ inline void notify(int target, int tag, const window<T>& w, site where) {
  const detail::window_handle& h = w.handle();
  if (!detail::check_window(detail::block(), detail::directive::notify, where, h))
    return;
  detail::notify_rank<Matching>(target, h.ranks, h.first, tag, h.id, where);
}

template <matching Matching>
__device__ inline void notify(int target, int tag, no_window_t, site where) {
  detail::notify_rank<Matching>(target, size(), 0, tag, detail::no_window_id, where);
}

template <matching Matching, class T>
__device__ inline void wait(int tag, int source, const window<T>& w, int count, site where) {
  static_assert(Matching == matching::queue, "counter matching does not know windows");
  const detail::window_handle& h = w.handle();
  if (!detail::check_window(detail::block(), detail::directive::wait, where, h))
    return;
  detail::wait_for<Matching>(tag, source, h.ranks, h.first, h.id, count, where);
}

template <matching Matching>
__device__ inline void wait(int tag, int source, any_window_t, int count, site where) {
  detail::wait_for<Matching>(tag, source, size(), 0, detail::any_window_id, count, where);
}

template <matching Matching, class T>
__device__ inline bool test(int tag, int source, const window<T>& w, int count, site where) {
  static_assert(Matching == matching::queue, "counter matching does not know windows");
  const detail::window_handle& h = w.handle();
  if (!detail::check_window(detail::block(), detail::directive::test, where, h))
    return false;
  return detail::test_for<Matching>(tag, source, h.ranks, h.first, h.id, count, where);
}

template <matching Matching>
__device__ inline bool test(int tag, int source, any_window_t, int count, site where) {
  return detail::test_for<Matching>(tag, source, size(), 0, detail::any_window_id, count, where);
}

template <class T> __device__ inline void flush(const window<T>& w, site where) {
  if (!detail::check_window(detail::block(), detail::directive::flush, where, w.handle()))
    return;
  detail::flush_commands(w.handle().id, where);
}

__device__ inline void flush(any_window_t, site where) {
  detail::flush_commands(detail::any_window_id, where);
}

__device__ inline void barrier(comm over, site where) {
  detail::check_uniform(detail::directive::barrier, where, over);
  detail::block_state& b = platform::in_register(detail::block());
  platform::sync_block(); // M1
  if (platform::thread_index() == 0) {
    detail::meet(b, over, detail::command_kind::barrier, detail::directive::barrier,
                 detail::communicator_id(over), where);
    detail::count_directive(b);
  }
  platform::sync_block(); // M4
}

template <class T>
__device__ inline T uniform(T value, [[maybe_unused]] const char* file,
                            [[maybe_unused]] unsigned line) {
  static_assert(std::is_trivially_copyable_v<T>,
                "gpurma::uniform compares values as bytes: they are trivially copyable");
#if GPURMA_CHECK
  // Of structures with padding, whose bytes are anything, and of floating-point members nothing is
  // compared.
  if constexpr ((std::is_scalar_v<T> && sizeof(T) <= sizeof(std::int64_t)) ||
                std::has_unique_object_representations_v<T>)
    for (std::size_t at = 0; at < sizeof(T); at += sizeof(std::int64_t)) {
      std::int64_t bits = 0;
      const std::size_t left = sizeof(T) - at;
      std::memcpy(&bits, reinterpret_cast<const char*>(&value) + at,
                  left < sizeof bits ? left : sizeof bits);
      detail::check_uniform(detail::directive::uniform, site{hash_file_name(file), line}, bits);
    }
#endif
  return value;
}

namespace detail {

// A loop may poll what is read next, for a block that this thread keeps from running, or for a put
// that waits until data which this rank has taken is in place.
GPURMA_DEVICE void before_polled_read() {
#if GPURMA_TARGET_CPU
  platform::yield();
#endif
  if (platform::thread_index() == 0)
    confirm_owed_data(block()); // M20
}

template <class T> __host__ __device__ inline T polled(const T& object) {
#if GPURMA_TARGET_CPU
  if (!cpu::in_kernel())
    return object;
#endif
#if GPURMA_TARGET_CPU || defined(__CUDA_ARCH__)
  before_polled_read();
  return platform::load_volatile(&object);
#else
  return object;
#endif
}

} // namespace detail

// Functions that are both a kernel's and the host's have it too, and such that give constants.
template <class T> __host__ __device__ constexpr read_result<T> read_volatile(const T& object) {
  if constexpr (std::is_reference_v<read_result<T>>)
    return object;
  else if (__builtin_is_constant_evaluated())
    return object;
  else
    return detail::polled(object);
}

template <class T> __host__ __device__ inline volatile T& volatile_place(T& object) {
#if GPURMA_TARGET_CPU
  if (!cpu::in_kernel())
    return object;
#endif
#if GPURMA_TARGET_CPU || defined(__CUDA_ARCH__)
  detail::before_polled_read();
#endif
  return object;
}

__device__ inline void sync_reg(const volatile void* pointer) {
#if defined(__CUDA_ARCH__)
  asm volatile("" ::"l"(pointer) : "memory");
#else
  asm volatile("" ::"r"(pointer) : "memory");
#endif
}

} // namespace gpurma

#endif
