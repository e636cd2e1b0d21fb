// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a block whose threads are OS threads: slow, but debuggers and sanitizers see threads. GPURMA_CPU_THREADS=os.
#ifndef GPURMA_PLATFORM_CPU_OS_BLOCK_H
#define GPURMA_PLATFORM_CPU_OS_BLOCK_H

#include <condition_variable>
#include <mutex>

#include "block.h"

namespace gpurma::cpu {

class os_block final : public block_with<os_block> {
 public:
  ~os_block() override;

  // Takes up block number of the launch, before any of its threads runs.
  void start(grid_launch& launch, unsigned number);
  // The whole life of one thread of the block, on the OS thread that calls.
  void run_thread(unsigned thread);

  void yield() override;
  bool is_stack_guard(const void*) const override { return false; }
  [[noreturn]] void end_kernel() override;

 private:
  friend class block_with<os_block>;

  struct guard : std::unique_lock<std::mutex> {
    explicit guard(os_block& block) : std::unique_lock<std::mutex>(block.mutex_) {}
  };
  void park(guard& held, unsigned thread);
  void park_at_barrier(guard& held, unsigned thread);
  void release(unsigned thread);
  void release_barrier();
  void release_yielding();
  void check_stuck();

  std::unique_ptr<block_memory> memory_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<char> parked_;         // by thread
  std::vector<unsigned> barrier_;    // threads parked in sync()
  std::vector<unsigned> yielding_;   // threads parked in yield(), while others wait to converge
  unsigned parked_count_ = 0;
};

}  // namespace gpurma::cpu

#endif
