// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fibre_block.h"

#include <unwind.h>

#include <algorithm>

#include "host/log.h"
#include "settings.h"
#include "stack_fault.h"

namespace gpurma::cpu {

namespace {

// The lowest bytes of a stack stay zero, as the system hands them out; reading them makes no page.
constexpr std::size_t canary_bytes = 128;
// A waiting thread must have left this much of its stack.
constexpr std::size_t stack_reserve = 512;
// The running block if its threads are fibres.
__thread fibre_block* running_fibres = nullptr;

// A block whose threads only meet, at barriers or in warp operations, lets other blocks run after so many times.
constexpr unsigned meetings_per_round = 64;
// So many rounds may go by in which threads wait to converge while others come further: those may be polling.
constexpr unsigned rounds_to_converge = 16;

}  // namespace

inline void fibre_block::append(thread_list& list, unsigned thread) {
  slots_[thread].next = none;
  if (list.first == none)
    list.first = thread;
  else
    slots_[list.last].next = thread;
  list.last = thread;
}

inline void fibre_block::splice(thread_list& to, thread_list& from) {
  if (from.first == none) return;
  if (to.first == none)
    to = from;
  else {
    slots_[to.last].next = from.first;
    to.last = from.last;
  }
  from = thread_list{};
}

inline void fibre_block::jump(context to, context* save) {
  context ended = nullptr;
  const transfer from = boost::context::detail::jump_fcontext(to, save != nullptr ? save : &ended);
  *static_cast<context*>(from.data) = from.fctx;
}

// Goes to the next thread that can run, or back to the scheduler; save is where the caller goes on, null if never.
inline void fibre_block::leave(context* save) {
  context to = main_;
  if (next_thread_ < launch_->threads && save != nullptr) {
    to = new_fibre();
  } else if (ready_.first != none) {
    const slot& next = slots_[ready_.first];
    to = next.waiting;
    ready_.first = next.next;
    // While this thread runs, what the one after it needs comes nearer.
    if (next.next != none) {
      const char* const after = static_cast<const char*>(slots_[next.next].waiting);
      for (unsigned line = 0; line < 4; ++line) __builtin_prefetch(after + 64 * line);
    }
  } else if (save == &main_) {
    return;
  }
  jump(to, save);
}

inline void fibre_block::suspend(unsigned thread) {
  char* const stack = running_stack_;
  const uint3 index = thread_index;
  if (static_cast<char*>(__builtin_frame_address(0)) < stack + stack_reserve) [[unlikely]]
    fail_overflow("has used up its stack");
  leave(&slots_[thread].waiting);
  running_stack_ = stack;
  enter_thread(thread, index);
}

inline void fibre_block::park(guard&, unsigned thread) { suspend(thread); }

inline void fibre_block::park_at_barrier(guard&, unsigned thread) {
  append(at_barrier_, thread);
  suspend(thread);
}

inline void fibre_block::release(unsigned thread) {
  progress_ = true;
  append(++released_ < meetings_per_round * launch_->threads ? ready_ : yielded_, thread);
}

inline void fibre_block::release_barrier() {
  progress_ = true;
  splice(++barriers_ < meetings_per_round ? ready_ : yielded_, at_barrier_);
}

template class block_with<fibre_block>;

fibre_block::~fibre_block() {
  if (memory_ != nullptr) keep_memory(std::move(memory_));
}

void fibre_block::start(grid_launch& launch, unsigned number) {
  begin(launch, number);
  if (memory_ == nullptr) {
    memory_ = take_memory(launch, settings().stack);
    watch_stack_faults();
  }
  memory_->zero();
  if (slots_.size() < launch.threads) slots_.resize(launch.threads);
  free_stacks_.clear();
  used_stacks_ = 0;
  next_thread_ = 0;
  next_index_ = uint3{0, 0, 0};
  ready_ = yielded_ = at_barrier_ = thread_list{};
  rounds_converging_ = 0;
}

bool fibre_block::run_round() {
  progress_ = false;
  barriers_ = released_ = 0;
  splice(ready_, yielded_);
  enter_block(*this, number_, *memory_);
  running_fibres = this;
  leave(&main_);
  running_fibres = nullptr;
  leave_block();
  if (ready_.first == none && live_ != 0) {
    const bool only_yields = yielded_.first != none;
    rounds_converging_ = converging_ == 0 ? 0 : rounds_converging_ + 1;
    // Nobody comes to those who wait to converge while the rest waits or spins.
    if ((!only_yields || !progress_ || rounds_converging_ > rounds_to_converge) && converge()) {
      rounds_converging_ = 0;
      return true;
    }
    if (!only_yields && launch_->error.load(std::memory_order_relaxed) == 0) host::fatal(describe_waiting());
  }
  return progress_;
}

fibre_block::context fibre_block::new_fibre() {
  unsigned number = used_stacks_;
  if (free_stacks_.empty()) {
    ++used_stacks_;
  } else {
    number = free_stacks_.back();
    free_stacks_.pop_back();
  }
  running_stack_ = memory_->stacks + number * memory_->stride;
  // Neighbouring stacks begin at different lines of a page, again for the caches.
  const std::size_t usable = memory_->stack - number % 16 * 256;
  return boost::context::detail::make_fcontext(running_stack_ + usable, usable, fibre_main);
}

void fibre_block::yield() {
  const unsigned thread = current.thread;
  append(yielded_, thread);
  suspend(thread);
}

void fibre_block::fibre_main(transfer from) {
  *static_cast<context*>(from.data) = from.fctx;
  running_fibres->run_threads();
}

void fibre_block::run_threads() {
  const dim3 extent = launch_->block;
  while (next_thread_ < launch_->threads) {
    const unsigned thread = next_thread_++;
    enter_thread(thread, next_index_);
    if (++next_index_.x == extent.x) {
      next_index_.x = 0;
      if (++next_index_.y == extent.y) {
        next_index_.y = 0;
        ++next_index_.z;
      }
    }
    progress_ = true;
    launch_->kernel->run_thread();
    finish(thread);
  }
  check_canary();
  free_stacks_.push_back(static_cast<unsigned>(static_cast<std::size_t>(running_stack_ - memory_->stacks) / memory_->stride));
  leave(nullptr);
  __builtin_unreachable();
}

void fibre_block::check_canary() const {
  if (std::any_of(running_stack_, running_stack_ + canary_bytes, [](char byte) { return byte != 0; }))
    fail_overflow("has written past the end of its stack");
}

void fibre_block::fail_overflow(const char* how) const {
  const uint3 at = thread_index;
  host::fatal(host::text(describe(*launch_, number_), ", thread (", at.x, ", ", at.y, ", ", at.z, ") ", how, " of ",
                         memory_->stack, " bytes; set GPURMA_CPU_STACK higher"));
}

void fibre_block::end_kernel() {
  // The fibre is never entered again; the scheduler drops the block.
  jump(main_, nullptr);
  __builtin_unreachable();
}

// The operations of execution.h that a kernel does often stand here, where the compiler sees through them to the switch of
// fibres: a waiting thread then keeps few frames, and the caches hold more threads.
void sync_block() { sync_block_count(false); }

unsigned sync_block_count(bool predicate) {
  if (running_fibres != nullptr) [[likely]]
    return running_fibres->sync(predicate);
  return require_block("__syncthreads").sync(predicate);
}

void yield() {
  if (running_fibres != nullptr) [[likely]]
    return running_fibres->yield();
  require_block("__nanosleep").yield();
}

void exchange_lanes(unsigned mask, lane_exchange& mine, combine_lanes combine) {
  if (running_fibres != nullptr) [[likely]]
    return running_fibres->exchange(mask, mine, combine);
  require_block("a warp operation").exchange(mask, mine, combine);
}

namespace {

// Tells calls apart by all functions on the way from the kernel: the same one may be called in both
// branches of an `if`.
_Unwind_Reason_Code add_caller(_Unwind_Context* frame, void* call_site) {
  auto& hash = *static_cast<std::uintptr_t*>(call_site);
  hash = (hash ^ static_cast<std::uintptr_t>(_Unwind_GetIP(frame))) * 0x100000001b3u; // FNV-1a
  return _URC_NO_REASON;
}

} // namespace

unsigned active_lanes() {
  block& here = require_block("__activemask");
  std::uintptr_t call_site = 0xcbf29ce484222325u;
  _Unwind_Backtrace(add_caller, &call_site);
  return here.converged(reinterpret_cast<const void*>(call_site));
}

}  // namespace gpurma::cpu
