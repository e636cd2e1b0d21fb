// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "os_block.h"

#include <cstdlib>
#include <thread>

#include "host/log.h"

namespace gpurma::cpu {

os_block::~os_block() {
  if (memory_ != nullptr) keep_memory(std::move(memory_));
}

void os_block::start(grid_launch& launch, unsigned number) {
  begin(launch, number);
  if (memory_ == nullptr) memory_ = take_memory(launch, 0);
  memory_->zero();
  parked_.assign(launch.threads, 0);
  barrier_.clear();
  yielding_.clear();
  parked_count_ = 0;
}

void os_block::run_thread(unsigned thread) {
  enter_block(*this, number_, *memory_);
  enter_thread(thread, coordinates(thread, launch_->block));
  launch_->kernel->run_thread();
  leave_block();
  const guard held(*this);
  finish(thread);
  check_stuck();
}

void os_block::park(guard& held, unsigned thread) {
  parked_[thread] = 1;
  ++parked_count_;
  check_stuck();
  changed_.wait(held, [&] { return parked_[thread] == 0; });
}

void os_block::park_at_barrier(guard& held, unsigned thread) {
  barrier_.push_back(thread);
  park(held, thread);
}

void os_block::release(unsigned thread) {
  parked_[thread] = 0;
  --parked_count_;
  changed_.notify_all();
}

void os_block::release_barrier() {
  for (const unsigned thread : barrier_) release(thread);
  barrier_.clear();
}

void os_block::release_yielding() {
  for (const unsigned thread : yielding_) release(thread);
  yielding_.clear();
}

// Called whenever a thread stops running: if it was the last, only those who wait to converge can be helped.
void os_block::check_stuck() {
  if (parked_count_ == 0 || parked_count_ != live_) return;
  if (!converge()) host::fatal(describe_waiting());
}

void os_block::yield() {
  {
    guard held(*this);
    if (converging_ != 0) {
      yielding_.push_back(current.thread);
      park(held, current.thread);
      return;
    }
  }
  std::this_thread::yield();
}

void os_block::end_kernel() {
  // The stacks of the block's other threads cannot be dropped, so neither can the kernel.
  host::fatal(host::text(describe(*launch_, number_), ": ended by a failed assertion or a trap"));
}

}  // namespace gpurma::cpu
