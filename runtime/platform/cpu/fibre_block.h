// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a block whose threads are fibres of one OS thread. Threads run one after the other on one fibre until one waits;
// that one keeps the fibre and its stack, and the rest go on in a new one.
#ifndef GPURMA_PLATFORM_CPU_FIBRE_BLOCK_H
#define GPURMA_PLATFORM_CPU_FIBRE_BLOCK_H

#include <boost/context/detail/fcontext.hpp>

#include "block.h"

namespace gpurma::cpu {

class fibre_block;
extern template class block_with<fibre_block>;

class fibre_block final : public block_with<fibre_block> {
 public:
  ~fibre_block() override;

  // Takes up block number of the launch; the OS thread that calls this is the one that runs the block.
  void start(grid_launch& launch, unsigned number);

  // Lets every thread that can run do so, once, until it waits, yields or returns. Returns whether any thread came
  // further than another yield().
  bool run_round();
  bool finished() const { return live_ == 0; }

  void yield() override;
  bool is_stack_guard(const void* address) const override { return memory_->is_guard(address); }
  [[noreturn]] void end_kernel() override;

 private:
  friend class block_with<fibre_block>;
  using context = boost::context::detail::fcontext_t;
  using transfer = boost::context::detail::transfer_t;

  static constexpr unsigned none = ~0u;

  struct slot {
    context waiting;  // where the thread goes on
    unsigned next;    // in the list that it is in
  };
  // Threads in the order of their arrival, linked through slot::next.
  struct thread_list {
    unsigned first = none;
    unsigned last = none;
  };

  struct guard {  // one OS thread: nothing to guard
    explicit guard(fibre_block&) {}
  };
  void park(guard& held, unsigned thread);
  void park_at_barrier(guard& held, unsigned thread);
  void release(unsigned thread);
  void release_barrier();
  void release_yielding() {}  // yield() returns in the next round

  [[gnu::always_inline]] void append(thread_list& list, unsigned thread);
  [[gnu::always_inline]] void splice(thread_list& to, thread_list& from);

  // Inlined, so that a waiting thread keeps few frames.
  [[gnu::always_inline]] void suspend(unsigned thread);
  [[gnu::always_inline]] void leave(context* save);
  [[gnu::always_inline]] void jump(context to, context* save);
  context new_fibre();
  void run_threads();
  void check_canary() const;
  [[noreturn, gnu::cold, gnu::noinline]] void fail_overflow(const char* how) const;
  static void fibre_main(transfer from);

  std::unique_ptr<block_memory> memory_;
  std::vector<slot> slots_;
  std::vector<unsigned> free_stacks_;
  unsigned used_stacks_ = 0;      // the first stacks, in this block or free_stacks_
  char* running_stack_ = nullptr;  // lowest address
  unsigned next_thread_ = 0;     // the first that has not begun
  uint3 next_index_{};
  thread_list ready_, yielded_, at_barrier_;
  context main_ = nullptr;       // the scheduler, while a fibre runs
  bool progress_ = false;
  unsigned barriers_ = 0;        // in this round
  unsigned released_ = 0;        // threads, by warp operations, in this round
  unsigned rounds_converging_ = 0;  // since threads wait to converge
};

}  // namespace gpurma::cpu

#endif
