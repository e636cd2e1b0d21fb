// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks of a directive's arguments. An error ends all processes with a message that the host
// writes: on the CPU target at once, on the CUDA target from a record in memory that the host sees,
// after the kernel has been stopped.
#ifndef GPURMA_DEVICE_CHECKS_H
#define GPURMA_DEVICE_CHECKS_H

#include <cstdint>
#include <cstring>

#include <gpurma/device/block.h>

#if GPURMA_TARGET_CPU
namespace gpurma::host {
[[noreturn]] __host__ __device__ void device_error(const detail::error_record& error);
// The allocation (or the static variables of a loaded file) that holds an address; false: none.
__host__ __device__ bool find_buffer(std::uint64_t address, std::uint64_t& begin,
                                     std::uint64_t& end);
} // namespace gpurma::host
#endif

namespace gpurma::detail {

// Reports an error of the calling thread's rank. On the CUDA target it returns on the threads that
// did not stop the kernel.
GPURMA_SLOW_DEVICE void fail(block_state& b, error_code code, directive what, site where,
                             std::int64_t v0 = 0, std::int64_t v1 = 0, std::int64_t v2 = 0,
                             std::int64_t v3 = 0, std::int64_t v4 = 0) {
#if GPURMA_TARGET_CPU
  host::device_error(error_record{1,
                                  static_cast<std::uint32_t>(code),
                                  what,
                                  b.rank,
                                  where.file,
                                  where.line,
                                  {v0, v1, v2, v3, v4}});
#else
  error_record& error = *b.context->error;
  std::uint32_t unclaimed = 0;
  if (platform::compare_exchange(&error.claimed, unclaimed, std::uint32_t{1},
                                 platform::scope::system)) {
    error.what = what;
    error.rank = b.rank;
    error.site_file = where.file;
    error.site_line = where.line;
    error.values[0] = v0;
    error.values[1] = v1;
    error.values[2] = v2;
    error.values[3] = v3;
    error.values[4] = v4;
    platform::store_release(&error.code, static_cast<std::uint32_t>(code),
                            platform::scope::system); // M14
    platform::trap();
  }
#endif
}

// Compares the arguments of a directive between the threads of the block. The number in the message
// counts the arguments as the host names them for the directive, from 1; 0 is the source line.
template <class... Values>
GPURMA_DEVICE void check_uniform([[maybe_unused]] directive what, [[maybe_unused]] site where,
                                 [[maybe_unused]] const Values&... values) {
#if GPURMA_CHECK
  static_assert(sizeof...(Values) < max_checked_values);
  constexpr int count = 1 + static_cast<int>(sizeof...(Values));
  const std::int64_t mine[] = {static_cast<std::int64_t>(where.line), (std::int64_t)values...};
  block_state& b = block();
  if (platform::thread_index() == 0) {
    for (int i = 0; i < count; ++i)
      b.checked[i] = mine[i];
  }
  platform::sync_block();
  for (int i = 0; i < count; ++i) {
    if (b.checked[i] != mine[i]) {
      fail(platform::off_fast_path(b), error_code::not_uniform, what, where,
           platform::thread_index(), mine[i], b.checked[i], i);
      return;
    }
  }
  platform::sync_block();
#endif
}

// Thread 0. The buffers of puts, gets and windows lie in device memory. The CUDA target cannot ask
// from a kernel.
GPURMA_DEVICE void check_buffer([[maybe_unused]] block_state& b, [[maybe_unused]] error_code code,
                                [[maybe_unused]] directive what, [[maybe_unused]] site where,
                                [[maybe_unused]] const void* buffer,
                                [[maybe_unused]] std::uint64_t bytes) {
#if GPURMA_TARGET_CPU
  const std::uint64_t begin = reinterpret_cast<std::uint64_t>(buffer);
  if (bytes == 0 ||
      (begin >= b.buffer_begin && bytes <= b.buffer_end - begin && begin < b.buffer_end))
    return;
  std::uint64_t found_begin = 0;
  std::uint64_t found_end = 0;
  if (!host::find_buffer(begin, found_begin, found_end) || bytes > found_end - begin) {
    fail(platform::off_fast_path(b), code, what, where, static_cast<std::int64_t>(begin),
         static_cast<std::int64_t>(bytes));
  }
  b.buffer_begin = found_begin;
  b.buffer_end = found_end;
#endif
}

// Whether a tag may be sent or waited for; thread 0 reports if not.
template <matching Matching>
GPURMA_DEVICE bool check_tag(block_state& b, directive what, site where, int tag) {
  const bool valid = tag >= 0 && (Matching == matching::queue || tag < counter_tags);
  if (!valid && platform::thread_index() == 0) {
    fail(platform::off_fast_path(b),
         tag < 0 ? error_code::negative_tag : error_code::tag_without_counter, what, where, tag);
  }
  return valid;
}

// Whether a rank belongs to the communicator; thread 0 reports if not.
GPURMA_DEVICE bool check_rank(block_state& b, directive what, site where, int rank, int ranks) {
  const bool valid = rank >= 0 && rank < ranks;
  if (!valid && platform::thread_index() == 0)
    fail(platform::off_fast_path(b), error_code::rank_out_of_range, what, where, rank, ranks);
  return valid;
}

// Whether the window, or one that has been made in its place, is there; thread 0 reports if not.
GPURMA_DEVICE bool check_window(block_state& b, directive what, site where,
                                const window_handle& w) {
  const std::uint64_t open = b.open_windows[window_comm(w.id) == comm::device ? 1 : 0];
  const bool valid = (open >> window_slot(w.id) & 1) != 0;
  if (!valid && platform::thread_index() == 0)
    fail(platform::off_fast_path(b), error_code::freed_window, what, where);
  return valid;
}

// The same, and that it is this one.
GPURMA_DEVICE bool check_row(block_state& b, directive what, site where, const window_handle& w) {
  if (!check_window(b, what, where, w))
    return false;
  const bool valid = w.rows[b.rank - w.first].window == w.id;
  if (!valid && platform::thread_index() == 0)
    fail(platform::off_fast_path(b), error_code::freed_window, what, where);
  return valid;
}

} // namespace gpurma::detail

#endif
