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

// Where a put or get goes. address is in the target's device memory, valid here if `to` reaches it.
struct destination {
  route to;
  char* address;
  std::uint64_t offset; // in bytes
  std::uint64_t bytes;
  int world;  // the target's world rank
  bool valid; // false: an error has been reported
};

// Finds and checks elements [offset, offset + count) of the target's part of a window; all threads.
GPURMA_DEVICE destination locate(block_state& b, directive what, site where, const window_handle& w,
                                 int target, std::size_t offset, std::size_t count,
                                 std::size_t element_bytes) {
  destination d{};
  if (!check_window(b, what, where, w) || !check_rank(b, what, where, target, w.ranks))
    return d;
  const window_row row = w.rows[target];
  const std::size_t exposed = row.bytes / element_bytes;
  if (offset > exposed || count > exposed - offset) {
    if (platform::thread_index() == 0) {
      fail(b, error_code::outside_window, what, where, target, static_cast<std::int64_t>(offset),
           static_cast<std::int64_t>(count), static_cast<std::int64_t>(exposed),
           static_cast<std::int64_t>(element_bytes));
    }
    return d;
  }
  d.world = w.first + target;
  d.to = b.routes[d.world];
  d.offset = offset * element_bytes;
  d.bytes = count * element_bytes;
  d.address = reinterpret_cast<char*>(row.base) + d.offset;
  d.valid = true;
  return d;
}

GPURMA_DEVICE void post_transfer(block_state& b, command_kind kind, directive what, site where,
                                 const void* buffer, const destination& d, std::uint32_t window,
                                 int tag, std::uint8_t flags) {
  command c = make_command(kind, d.world, window, where);
  c.address = reinterpret_cast<std::uint64_t>(buffer);
  c.offset = d.offset;
  c.bytes = d.bytes;
  c.tag = tag;
  c.flags = flags;
  post(b, c, what);
}

template <bool Notified, matching M>
__device__ inline void put_bytes(const void* source, std::size_t count, std::size_t element_bytes,
                                 int target, const window_handle& w, std::size_t offset, int tag,
                                 site where) {
  if (target == null_rank)
    return;
  check_uniform(directive::put, where, source, count, target, w.id, offset, tag);
  block_state& b = block();
  if (Notified && !check_tag<M>(b, directive::put, where, tag))
    return;
  const destination d = locate(b, directive::put, where, w, target, offset, count, element_bytes);
  if (!d.valid)
    return;
  platform::sync_block(); // M1
  const bool leader = platform::thread_index() == 0;
  if (leader)
    check_buffer(b, error_code::source_not_allocated, directive::put, where, source, d.bytes);
  if (d.to.memory != nullptr) {
    if (d.address != source && !platform::copy_block(d.address, source, d.bytes) && Notified)
      platform::sync_block(); // M1
    if (Notified && leader)
      deliver<M>(b, d.to, d.world, tag, w.id, directive::put, where);
  } else if (leader) {
    post_transfer(b, command_kind::put, directive::put, where, source, d, w.id, tag,
                  Notified ? notification_flags<M>() : std::uint8_t{0});
  }
  if (leader)
    complete_directive(b);
}

template <bool Notified, matching M>
__device__ inline void get_bytes(void* destination_buffer, std::size_t count,
                                 std::size_t element_bytes, int target, const window_handle& w,
                                 std::size_t offset, int tag, site where) {
  if (target == null_rank)
    return;
  check_uniform(directive::get, where, destination_buffer, count, target, w.id, offset, tag);
  block_state& b = block();
  if (Notified && !check_tag<M>(b, directive::get, where, tag))
    return;
  const destination d = locate(b, directive::get, where, w, target, offset, count, element_bytes);
  if (!d.valid)
    return;
  platform::sync_block(); // M1
  const bool leader = platform::thread_index() == 0;
  if (leader)
    check_buffer(b, error_code::destination_not_allocated, directive::get, where,
                 destination_buffer, d.bytes);
  if (d.to.memory != nullptr) {
    if (d.address != destination_buffer && !platform::copy_block(destination_buffer, d.address, d.bytes) && Notified)
      platform::sync_block(); // M1
    if (Notified && leader)
      deliver<M>(b, d.to, d.world, tag, w.id, directive::get, where);
  } else if (leader) {
    post_transfer(b, command_kind::get, directive::get, where, destination_buffer, d, w.id, tag,
                  Notified ? notification_flags<M>() : std::uint8_t{0});
  }
  if (leader)
    complete_directive(b);
}

// target: world rank once `first` is added.
template <matching M>
__device__ inline void notify_rank(int target, int ranks, int first, int tag, std::uint32_t window,
                                   site where) {
  if (target == null_rank)
    return;
  check_uniform(directive::notify, where, target, tag, window);
  block_state& b = block();
  if (!check_tag<M>(b, directive::notify, where, tag) ||
      !check_rank(b, directive::notify, where, target, ranks))
    return;
  platform::sync_block(); // M1
  if (platform::thread_index() != 0)
    return;
  const int world = first + target;
  const route to = b.routes[world];
  if (to.memory != nullptr) {
    deliver<M>(b, to, world, tag, window, directive::notify, where);
  } else {
    command c = make_command(command_kind::notify, world, window, where);
    c.tag = tag;
    c.flags = notification_flags<M>();
    post(b, c, directive::notify);
  }
  complete_directive(b);
}

// Turns the arguments of a wait or test into a pattern of world ranks; false: an error has been
// reported.
template <matching M>
GPURMA_DEVICE bool make_pattern(block_state& b, directive what, site where, int tag, int source,
                                int ranks, int first, std::uint32_t window, int count, pattern& p) {
  if (tag != any_tag || M == matching::counter) {
    if (!check_tag<M>(b, what, where, tag))
      return false;
  }
  if (source != any_source) {
    if (M == matching::counter) {
      if (platform::thread_index() == 0)
        fail(b, error_code::source_with_counter, what, where, source);
      return false;
    }
    if (!check_rank(b, what, where, source, ranks))
      return false;
  }
  if (count < 0) {
    if (platform::thread_index() == 0)
      fail(b, error_code::bad_count, what, where, count);
    return false;
  }
  p = pattern{source == any_source ? any_source : first + source, tag, window};
  return true;
}

template <matching M>
__device__ inline void wait_for(int tag, int source, int ranks, int first, std::uint32_t window,
                                int count, site where) {
  if (source == null_rank)
    return;
  check_uniform(directive::wait, where, tag, source, window, count);
  block_state& b = block();
  pattern p;
  if (!make_pattern<M>(b, directive::wait, where, tag, source, ranks, first, window, count, p))
    return;
  if (platform::thread_index() == 0) {
    if constexpr (M == matching::counter) {
      wait_in_counter(b, tag, static_cast<std::uint64_t>(count), where);
    } else {
      wait_in_queue(b, p, static_cast<std::uint64_t>(count), where);
    }
    complete_directive(b);
  }
  platform::sync_block(); // M4
}

template <matching M>
__device__ inline bool test_for(int tag, int source, int ranks, int first, std::uint32_t window,
                                int count, site where) {
  if (source == null_rank)
    return true;
  check_uniform(directive::test, where, tag, source, window, count);
  block_state& b = block();
  pattern p;
  if (!make_pattern<M>(b, directive::test, where, tag, source, ranks, first, window, count, p))
    return false;
  if (platform::thread_index() == 0) {
    if constexpr (M == matching::counter) {
      b.result = test_in_counter(b, tag, static_cast<std::uint64_t>(count));
    } else {
      b.result = test_in_queue(b, p, static_cast<std::uint64_t>(count));
    }
    if (b.result) {
      complete_directive(b);
      if (b.polling) {
        b.polling = false;
        platform::store_relaxed(&b.channel->status.what,
                                static_cast<std::uint32_t>(directive::none)); // M12
      }
    } else {
      if (!b.polling || b.polled.line != where.line || b.polled.file != where.file) {
        b.polling = true;
        b.polled = where;
        publish_status(b, directive::test, where, p.source, tag, window,
                       static_cast<std::uint64_t>(count), 0);
      }
      platform::store_relaxed(&b.self->polls, ++b.polls); // M12
      platform::yield();
    }
  }
  platform::sync_block(); // M4
  const bool result = b.result;
  platform::sync_block(); // all have read it before the next test
  return result;
}

__device__ inline void flush_commands(std::uint32_t window, site where) {
  check_uniform(directive::flush, where, window);
  block_state& b = block();
  if (platform::thread_index() == 0) {
    wait_for_commands(b, directive::flush, where, window);
    complete_directive(b);
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
             "ranks; compile the file that "
             "launches it with gpurmacc, or call gpurma::launch\n");
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
  if (platform::thread_index() != 0)
    return;
  detail::block_state& b = detail::block();
  detail::wait_for_commands(b, detail::directive::end, site{}, detail::no_window_id);
  b.self->matched = b.matched;
  platform::store_release(&b.self->finished, std::uint32_t{1}, platform::scope::system); // M12
}

template <class T>
__device__ inline window<T>::window(T* base, std::size_t length, comm over, site where)
    : base_(base), length_(length), where_(where),
      handle_(detail::open_window(base, length * sizeof(T), over, where)) {}

template <class T> __device__ inline window<T>::~window() {
  detail::close_window(handle_, where_);
}

template <class T> __device__ inline std::size_t window<T>::size(int rank) const {
  return handle_.rows[rank].bytes / sizeof(T);
}

template <class S, class T>
__device__ inline void put(S* source, std::size_t count, int target, const window<T>& w,
                           std::size_t offset, site where) {
  static_assert(std::is_same_v<std::remove_cv_t<S>, T>,
                "the section of a put has the element type of the window");
  detail::put_bytes<false, matching::queue>(source, count, sizeof(T), target, w.handle(), offset, 0,
                                            where);
}

template <matching M, class S, class T>
__device__ inline void put_notify(S* source, std::size_t count, int target, const window<T>& w,
                                  std::size_t offset, int tag, site where) {
  static_assert(std::is_same_v<std::remove_cv_t<S>, T>,
                "the section of a put has the element type of the window");
  detail::put_bytes<true, M>(source, count, sizeof(T), target, w.handle(), offset, tag, where);
}

template <class T>
__device__ inline void get(T* destination, std::size_t count, int target, const window<T>& w,
                           std::size_t offset, site where) {
  detail::get_bytes<false, matching::queue>(destination, count, sizeof(T), target, w.handle(),
                                            offset, 0, where);
}

template <matching M, class T>
__device__ inline void get_notify(T* destination, std::size_t count, int target, const window<T>& w,
                                  std::size_t offset, int tag, site where) {
  detail::get_bytes<true, M>(destination, count, sizeof(T), target, w.handle(), offset, tag, where);
}

template <matching M, class T>
__device__ inline void notify(int target, int tag, const window<T>& w, site where) {
  const detail::window_handle& h = w.handle();
  if (!detail::check_window(detail::block(), detail::directive::notify, where, h))
    return;
  detail::notify_rank<M>(target, h.ranks, h.first, tag, h.id, where);
}

template <matching M> __device__ inline void notify(int target, int tag, no_window_t, site where) {
  detail::notify_rank<M>(target, size(), 0, tag, detail::no_window_id, where);
}

template <matching M, class T>
__device__ inline void wait(int tag, int source, const window<T>& w, int count, site where) {
  static_assert(M == matching::queue, "counter matching does not know windows");
  const detail::window_handle& h = w.handle();
  if (!detail::check_window(detail::block(), detail::directive::wait, where, h))
    return;
  detail::wait_for<M>(tag, source, h.ranks, h.first, h.id, count, where);
}

template <matching M>
__device__ inline void wait(int tag, int source, any_window_t, int count, site where) {
  detail::wait_for<M>(tag, source, size(), 0, detail::any_window_id, count, where);
}

template <matching M, class T>
__device__ inline bool test(int tag, int source, const window<T>& w, int count, site where) {
  static_assert(M == matching::queue, "counter matching does not know windows");
  const detail::window_handle& h = w.handle();
  if (!detail::check_window(detail::block(), detail::directive::test, where, h))
    return false;
  return detail::test_for<M>(tag, source, h.ranks, h.first, h.id, count, where);
}

template <matching M>
__device__ inline bool test(int tag, int source, any_window_t, int count, site where) {
  return detail::test_for<M>(tag, source, size(), 0, detail::any_window_id, count, where);
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
  detail::block_state& b = detail::block();
  platform::sync_block(); // M1
  if (platform::thread_index() == 0) {
    detail::meet(b, over, detail::command_kind::barrier, detail::directive::barrier,
                 detail::no_window_id, where);
    detail::complete_directive(b);
  }
  platform::sync_block(); // M4
}

template <class T>
__device__ inline T uniform(T value, [[maybe_unused]] const char* file,
                            [[maybe_unused]] unsigned line) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(std::int64_t));
#if GPURMA_CHECK
  std::int64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  detail::check_uniform(detail::directive::uniform, site{hash_file_name(file), line}, bits);
#endif
  return value;
}

template <class T> __device__ inline T read_volatile(const T& object) {
#if GPURMA_TARGET_CPU
  platform::yield(); // a loop may poll it, for a block that this thread keeps from running
#endif
  return platform::load_volatile(&object);
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
