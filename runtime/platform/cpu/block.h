// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch of a kernel, and a running block of it. The barrier and the warp operations are written once, in
// block_with<Threads>; how a thread waits and goes on is what fibre_block.cpp and os_block.cpp add.
#ifndef GPURMA_PLATFORM_CPU_BLOCK_H
#define GPURMA_PLATFORM_CPU_BLOCK_H

#include <atomic>
#include <bit>
#include <memory>
#include <string>
#include <vector>

#include "cuda_shim/vector_types.h"
#include "execution.h"
#include "kernel.h"

namespace gpurma::cpu {

struct grid_launch {
  std::unique_ptr<bound_kernel> kernel;
  const char* name = "";
  dim3 grid;
  dim3 block;
  std::size_t dynamic_shared = 0;  // bytes
  bool cooperative = false;

  unsigned blocks = 0;   // of the grid
  unsigned threads = 0;  // of a block

  // Set by the first thread that ends the kernel (a cudaError_t); the others are abandoned.
  std::atomic<int> error{0};

  // Barrier of the grid.
  std::atomic<unsigned> blocks_arrived{0};
  std::atomic<unsigned> phase{0};
};

// What the threads of one warp wait for.
struct warp_state {
  unsigned live;        // lanes that have not returned
  unsigned exchanging;  // lanes in exchange_lanes
  unsigned converging;  // lanes in active_lanes
  lane_exchange* exchanges[32];
  combine_lanes combines[32];
  unsigned masks[32];          // what the lane gave to exchange_lanes, or what active_lanes will return
  const void* call_sites[32];  // of active_lanes
};

class block {
 public:
  virtual ~block() = default;
  virtual unsigned sync(bool predicate) = 0;
  virtual void exchange(unsigned mask, lane_exchange& mine, combine_lanes combine) = 0;
  virtual unsigned converged(const void* call_site) = 0;
  virtual void yield() = 0;
  [[noreturn]] virtual void end_kernel() = 0;

  grid_launch& launch() const { return *launch_; }
  // Whether a thread that touches this address has run over the end of its stack.
  virtual bool is_stack_guard(const void* address) const = 0;
  // The lowest thread that has not returned.
  unsigned first_live() const;

 protected:
  void begin(grid_launch& launch, unsigned number);
  std::string describe_waiting() const;

  grid_launch* launch_ = nullptr;
  unsigned number_ = 0;  // linear index in the grid
  unsigned live_ = 0;    // threads that have not returned
  unsigned arrived_ = 0;  // threads at the barrier
  unsigned votes_ = 0;    // of those at the barrier
  unsigned result_ = 0;   // votes at the last barrier
  unsigned converging_ = 0;  // threads in converged()
  std::vector<warp_state> warps_;
};

// Threads supplies
//   guard                        holds what the block's state is guarded by while it lives
//   park(guard&, thread)         returns when the thread has been released
//   release(thread)              lets a parked thread go on
//   release_barrier()            the same for all threads parked in sync()
//   release_yielding()           the same for those parked in yield() because others wait to converge
template <class Threads>
class block_with : public block {
 public:
  unsigned sync(bool predicate) final {
    typename Threads::guard guard(self());
    ++arrived_;
    votes_ += predicate;
    if (arrived_ == live_)
      complete_barrier();
    else
      self().park_at_barrier(guard, current.thread);
    return result_;
  }

  void exchange(unsigned mask, lane_exchange& mine, combine_lanes combine) final {
    const unsigned thread = current.thread, lane = thread % 32;
    warp_state& warp = warps_[thread / 32];
    typename Threads::guard guard(self());
    check_mask(mask, lane);
    warp.exchanges[lane] = &mine;
    warp.combines[lane] = combine;
    warp.masks[lane] = mask;
    warp.exchanging |= 1u << lane;
    if (!complete_exchange(thread / 32, lane, lane)) self().park(guard, thread);
  }

  unsigned converged(const void* call_site) final {
    const unsigned thread = current.thread, lane = thread % 32;
    warp_state& warp = warps_[thread / 32];
    typename Threads::guard guard(self());
    warp.call_sites[lane] = call_site;
    warp.converging |= 1u << lane;
    ++converging_;
    if (warp.converging == warp.live)
      converge_warp(thread / 32, lane);
    else
      self().park(guard, thread);
    return warp.masks[lane];
  }

 protected:
  // To be called with the guard held when a thread has returned.
  void finish(unsigned thread) {
    warp_state& warp = warps_[thread / 32];
    --live_;
    warp.live &= ~(1u << thread % 32);
    if (arrived_ != 0 && arrived_ == live_) complete_barrier();
    for (unsigned rest = warp.exchanging; rest != 0; rest &= rest - 1) {
      const unsigned lane = static_cast<unsigned>(std::countr_zero(rest));
      if ((warp.exchanging >> lane & 1) != 0) complete_exchange(thread / 32, lane, none);
    }
    if (warp.converging != 0 && warp.converging == warp.live) converge_warp(thread / 32, none);
  }

  // Lets the threads in converged() go on with what is there; false if there are none.
  bool converge() {
    if (converging_ == 0) return false;
    for (unsigned i = 0; i < warps_.size(); ++i)
      if (warps_[i].converging != 0) converge_warp(i, none);
    return true;
  }

 private:
  static constexpr unsigned none = ~0u;  // no lane is running

  Threads& self() { return static_cast<Threads&>(*this); }

  void complete_barrier() {
    result_ = votes_;
    votes_ = 0;
    arrived_ = 0;
    self().release_barrier();
  }

  // Ends the exchange that lane waits in if all others are there; running is the lane that needs no release.
  bool complete_exchange(unsigned index, unsigned lane, unsigned running) {
    warp_state& warp = warps_[index];
    const unsigned mask = warp.masks[lane], lanes = mask & warp.live;
    if ((warp.exchanging & lanes) != lanes) return false;
    for (unsigned rest = lanes; rest != 0; rest &= rest - 1)
      if (warp.masks[std::countr_zero(rest)] != mask) return false;
    warp.combines[lane](warp.exchanges, lanes);
    warp.exchanging &= ~lanes;
    release_lanes(index, lanes, running);
    return true;
  }

  void converge_warp(unsigned index, unsigned running) {
    warp_state& warp = warps_[index];
    const unsigned lanes = warp.converging;
    for (unsigned rest = lanes; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      unsigned same = 0;
      for (unsigned other = lanes; other != 0; other &= other - 1)
        if (warp.call_sites[std::countr_zero(other)] == warp.call_sites[lane]) same |= 1u << std::countr_zero(other);
      warp.masks[lane] = same;
    }
    warp.converging = 0;
    converging_ -= static_cast<unsigned>(std::popcount(lanes));
    release_lanes(index, lanes, running);
    if (converging_ == 0) self().release_yielding();
  }

  void release_lanes(unsigned index, unsigned lanes, unsigned running) {
    if (running != none) lanes &= ~(1u << running);
    for (unsigned rest = lanes; rest != 0; rest &= rest - 1)
      self().release(index * 32 + static_cast<unsigned>(std::countr_zero(rest)));
  }

  void check_mask(unsigned mask, unsigned lane) const;
};

[[noreturn, gnu::cold]] void fail_mask(const grid_launch& launch, unsigned number, unsigned thread, unsigned mask);

template <class Threads>
void block_with<Threads>::check_mask(unsigned mask, unsigned lane) const {
  if ((mask >> lane & 1) == 0) fail_mask(*launch_, number_, current.thread, mask);
}

// "kernel name, block (x, y, z)".
std::string describe(const grid_launch& launch, unsigned number);
uint3 coordinates(unsigned linear, const dim3& extent);

// The memory of a block: its shared variables, and stacks if its threads are fibres.
struct block_memory {
  block_memory(unsigned threads, std::size_t stack, std::size_t dynamic_shared);
  ~block_memory();
  block_memory(const block_memory&) = delete;
  block_memory& operator=(const block_memory&) = delete;

  bool fits(unsigned threads, std::size_t dynamic_shared) const;
  void zero() const;  // what shared_kind::zeroed promises
  bool is_guard(const void* address) const;  // of a stack

  unsigned threads;             // stacks
  std::size_t stack;            // bytes of each; 0: none
  std::size_t stride;           // from one stack to the next
  char* stacks = nullptr;       // lowest address
  unsigned guarded = 0;         // stacks with an inaccessible page below them, the lowest not counted
  std::size_t before, after;    // bytes on both sides of shared
  std::size_t dynamic_offset;   // from shared
  std::size_t dynamic_bytes;
  char* shared = nullptr;
};

// Memory of a block that has ended is kept for the next: its pages are there already.
std::unique_ptr<block_memory> take_memory(const grid_launch& launch, std::size_t stack);
void keep_memory(std::unique_ptr<block_memory> memory);

// What the headers declare as threadIdx and so on, constant for a CUDA thread, as the variables that they are here. This
// code never reads them under their other names.
struct extent {
  unsigned x, y, z;
};
extern __thread uint3 thread_index asm("threadIdx") __attribute__((tls_model("initial-exec")));
extern __thread uint3 block_index asm("blockIdx") __attribute__((tls_model("initial-exec")));
extern __thread extent block_extent asm("blockDim") __attribute__((tls_model("initial-exec")));
extern __thread extent grid_extent asm("gridDim") __attribute__((tls_model("initial-exec")));

// The block that the calling OS thread runs a thread of; null outside device code.
extern __thread block* running_block __attribute__((tls_model("initial-exec")));

// Makes the calling OS thread a thread of the block.
inline void enter_block(block& entered, unsigned number, const block_memory& memory) {
  const grid_launch& launch = entered.launch();
  running_block = &entered;
  current.block_threads = launch.threads;
  current.block = number;
  current.grid_blocks = launch.blocks;
  current.shared = memory.shared;
  current.dynamic_shared = memory.shared + memory.dynamic_offset;
  current.dynamic_shared_bytes = launch.dynamic_shared;
  block_index = coordinates(number, launch.grid);
  block_extent = {launch.block.x, launch.block.y, launch.block.z};
  grid_extent = {launch.grid.x, launch.grid.y, launch.grid.z};
}
// The running block, or an error that names the operation.
block& require_block(const char* operation);
inline void leave_block() { running_block = nullptr; }
inline void enter_thread(unsigned thread, const uint3& index) {
  current.thread = thread;
  thread_index = index;
}

}  // namespace gpurma::cpu

#endif
