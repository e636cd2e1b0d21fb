// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What device code on the CPU target stands on: who the running CUDA thread is, the block's memory, and the operations at
// which a thread may wait. Included by the CUDA headers of the CPU target and by the device library.
#ifndef GPURMA_PLATFORM_CPU_EXECUTION_H
#define GPURMA_PLATFORM_CPU_EXECUTION_H

#include <cstddef>
#include <cstdint>

#if GPURMA_PARSE
#pragma clang force_cuda_host_device begin
#endif

namespace gpurma::cpu {

// The running CUDA thread as its operating system thread sees it.
struct execution {
  unsigned thread;         // linear index in the block
  unsigned block_threads;  // threads of the block
  unsigned block;          // linear index in the grid
  unsigned grid_blocks;    // blocks of the grid
  char* shared;            // the block's arena of shared variables
  char* dynamic_shared;    // the block's dynamic shared memory
  std::size_t dynamic_shared_bytes;
};
extern __thread execution current __attribute__((tls_model("initial-exec")));

// True in device code, that is, while the calling operating system thread runs a CUDA thread.
bool in_kernel();

// __syncthreads over the threads of the block that have not returned yet. The last two combine a predicate.
void sync_block();
unsigned sync_block_count(bool predicate);

// Lets other threads of the block run, then other blocks, then the idle hook. To be called in every loop that waits for
// memory to change.
void yield();

// Microseconds that the operating system thread has run, so that neither others on its core nor a sleep count; and how
// many pass between a test in one of its blocks and the next, at most, if all of them only poll.
std::uint32_t work_time();
std::uint32_t least_work();

// One lane's part in an exchange between the lanes of a warp. value is what it gives, source the lane (in the warp)
// that it asks for, result what it gets.
struct lane_exchange {
  std::uint64_t value;
  std::uint64_t result;
  unsigned source;
};
// Called once, by the last lane of mask to arrive; mask then holds the lanes that take part, lanes[] their exchanges.
using combine_lanes = void (*)(lane_exchange* const* lanes, unsigned mask);
// Waits until all lanes of mask that have not returned are here with the same mask; then each has its result.
void exchange_lanes(unsigned mask, lane_exchange& mine, combine_lanes combine);

// The lanes of the warp that wait at the same call once no lane can go on without it: the largest
// set that may be called converged. Of two calls the compiler of kernels must not make one.
#ifdef __clang__
__attribute__((convergent, nomerge))
#endif
unsigned active_lanes();

// Ends the kernel with a sticky error, as a failing device-side assert does. error: a cudaError_t.
[[noreturn]] void end_kernel(int error);

// Waits until every block of the grid is here. Cooperative launches only.
void sync_grid();
bool grid_is_cooperative();

// ThreadSanitizer does not know fences; there, each is a read-modify-write of one object.
#if defined(__SANITIZE_THREAD__)
#define GPURMA_CPU_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define GPURMA_CPU_TSAN 1
#endif
#endif
#if GPURMA_CPU_TSAN
extern unsigned fence_object;
inline void fence_acquire() { __atomic_fetch_add(&fence_object, 0u, __ATOMIC_ACQ_REL); }
inline void fence_release() { __atomic_fetch_add(&fence_object, 0u, __ATOMIC_ACQ_REL); }
inline void fence() { __atomic_fetch_add(&fence_object, 0u, __ATOMIC_SEQ_CST); }
#else
inline void fence_acquire() { __atomic_thread_fence(__ATOMIC_ACQUIRE); }
inline void fence_release() { __atomic_thread_fence(__ATOMIC_RELEASE); }
inline void fence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
#endif

// Reads memory with volatile accesses, by words where it is aligned for them.
inline void copy_volatile(void* to, const void* from, std::size_t bytes) {
  char* target = static_cast<char*>(to);
  const char* source = static_cast<const char*>(from);
  if (reinterpret_cast<std::uintptr_t>(from) % sizeof(std::uint64_t) == 0) {
    for (; bytes >= sizeof(std::uint64_t); bytes -= sizeof(std::uint64_t)) {
      const std::uint64_t word = *reinterpret_cast<const volatile std::uint64_t*>(source);
      __builtin_memcpy(target, &word, sizeof(word));
      target += sizeof(word);
      source += sizeof(word);
    }
  }
  for (; bytes > 0; --bytes) *target++ = *const_cast<const volatile char*>(source++);
}

constexpr std::size_t larger(std::size_t a, std::size_t b) {
  return a > b ? a : b;
}

// Shared variables: each has a place in the arena of every block, given out at program start.
enum class shared_kind { uninitialised, zeroed };  // zeroed: when the block starts
std::ptrdiff_t place_shared(std::size_t bytes, std::size_t alignment, shared_kind kind);  // from execution::shared

template <class T, class Key, shared_kind Kind, std::size_t Alignment = alignof(T)>
struct shared_place {
  static const std::ptrdiff_t offset;
};
template <class T, class Key, shared_kind Kind, std::size_t Alignment>
const std::ptrdiff_t shared_place<T, Key, Kind, Alignment>::offset = place_shared(sizeof(T),
                                                                                  Alignment, Kind);

// The block's object for `__shared__ T name;`. Key tells variables of the same type apart. T as an
// argument lacks the alignment that the declaration gives the variable.
template <class T, class Key, std::size_t Alignment = alignof(T)> T& shared_variable() {
  return *reinterpret_cast<T*>(current.shared +
                               shared_place<T, Key, shared_kind::uninitialised, Alignment>::offset);
}

// The block's object for `extern __shared__ E name[];`; T is E[].
template <class T>
T& dynamic_shared() {
  return *reinterpret_cast<T*>(current.dynamic_shared);
}

}  // namespace gpurma::cpu

#if GPURMA_PARSE
#pragma clang force_cuda_host_device end
#endif

#endif
