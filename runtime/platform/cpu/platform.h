// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CPU target's side of platform.h. Both scopes are the same here: one coherent memory.
#ifndef GPURMA_PLATFORM_CPU_PLATFORM_H
#define GPURMA_PLATFORM_CPU_PLATFORM_H

#include <cuda_runtime.h>
#include <gpurma/platform/cpu/execution.h>

#include <cstdlib>
#include <cstring>
#include <ctime>
#include <type_traits>

// Without optimisation, to inline functions only takes the compiler longer.
#ifdef __OPTIMIZE__
#define GPURMA_INLINE __forceinline__
#else
#define GPURMA_INLINE inline
#endif
#define GPURMA_DEVICE __device__ GPURMA_INLINE
#define GPURMA_ROLLED
#define GPURMA_UNROLLED
#define GPURMA_SLOW_DEVICE __device__ inline
#define GPURMA_HOST_DEVICE __host__ __device__ GPURMA_INLINE

#if GPURMA_PARSE
#pragma clang force_cuda_host_device begin
#endif

namespace gpurma::platform {

inline unsigned thread_index() { return cpu::current.thread; }
inline unsigned thread_index_again() { return thread_index(); }
inline unsigned block_threads() { return cpu::current.block_threads; }
inline unsigned block_rank() { return cpu::current.block; }
inline unsigned grid_blocks() { return cpu::current.grid_blocks; }

inline void sync_block() { cpu::sync_block(); }
inline void begin_leaving() {}
inline void sync_staying() { cpu::sync_block_count(true); }
inline void leave() {
  while (cpu::sync_block_count(false) != 0) {
  }
}

template <class T>
T load_relaxed(const T* address) {
  T value;
  __atomic_load(address, &value, __ATOMIC_RELAXED);
  return value;
}
template <class T>
T load_acquire(const T* address, scope) {
  T value;
  __atomic_load(address, &value, __ATOMIC_ACQUIRE);
  return value;
}
template <class T>
void store_relaxed(T* address, T value) {
  __atomic_store(address, &value, __ATOMIC_RELAXED);
}
template <class T>
void store_release(T* address, T value, scope) {
  __atomic_store(address, &value, __ATOMIC_RELEASE);
}
template <class T>
T fetch_add(T* address, T value, scope) {
  return __atomic_fetch_add(address, value, __ATOMIC_ACQ_REL);
}
template <class T>
bool compare_exchange(T* address, T& expected, T desired, scope) {
  return __atomic_compare_exchange_n(address, &expected, desired, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

template <class T>
void add_relaxed(T* address, T value) {
  __atomic_fetch_add(address, value, __ATOMIC_RELAXED);
}
template <class T>
void add_release(T* address, T value, scope) {
  __atomic_fetch_add(address, value, __ATOMIC_RELEASE);
}

inline void fence_release(scope) { cpu::fence_release(); }
inline void fence_acquire(scope) { cpu::fence_acquire(); }

// ThreadSanitizer does not know fences, and these cost no more here.
template <class T>
T load_polled(const T* address) {
  return __atomic_load_n(address, __ATOMIC_ACQUIRE);
}
template <class T>
void store_released(T* address, T value) {
  __atomic_store(address, &value, __ATOMIC_RELEASE);
}

// The last word is stored last and loaded first: who finds it finds the others.
template <class Packet>
void store_packet(Packet* to, const Packet& value) {
  for (int i = 0; i < 3; ++i) __atomic_store_n(&to->word[i], value.word[i], __ATOMIC_RELAXED);
  __atomic_store_n(&to->word[3], value.word[3], __ATOMIC_RELEASE);
}
template <class Packet>
Packet load_packet(const Packet* from) {
  Packet value;
  value.word[3] = __atomic_load_n(&from->word[3], __ATOMIC_ACQUIRE);
  for (int i = 0; i < 3; ++i) value.word[i] = __atomic_load_n(&from->word[i], __ATOMIC_RELAXED);
  return value;
}
template <class T>
void store_after_load(T* address, T value) {
  __atomic_store(address, &value, __ATOMIC_RELEASE);
}

inline constexpr bool polls_starve_others = true;
inline constexpr unsigned quiet_polls = 1;
inline constexpr bool followers_look = false;
inline constexpr unsigned piece_polls = 1;
inline unsigned polling_threads() { return 1; }
inline unsigned polling_threads_again() { return 1; }
inline void sync_polling(unsigned) {}
inline unsigned ballot(bool flag, unsigned) { return flag ? 1 : 0; }
inline unsigned largest(unsigned value, unsigned) { return value; }
inline unsigned united(unsigned bits, unsigned) { return bits; }
template <class T>
T broadcast(T value, unsigned, unsigned) {
  return value;
}

inline unsigned lanes_of_warp(bool flag) { return flag ? 1 : 0; }
inline bool is_first_of_warp() { return true; }
inline unsigned warp_index() { return 0; }
inline constexpr int most_warps = 1; // of a block, whose threads share one core
template <class T, class Combine>
T combined_in_warp(T value, const Combine&) {
  return value;
}

// The threads of a block share one core. A put of nothing may come from nowhere, which memcpy does not take.
inline bool copy_block(void* dst, const void* src, std::size_t bytes) {
  if (bytes != 0 && cpu::current.thread == 0) std::memcpy(dst, src, bytes);
  return true;
}

inline std::uint64_t load_bytes(const void* src, std::uint32_t bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, src, bytes);
  return value;
}
inline void store_bytes(void* dst, std::uint64_t value, std::uint32_t bytes) { std::memcpy(dst, &value, bytes); }
inline bool is_word(const void*, std::uint32_t bytes) { return bytes != 0; }
inline std::uint64_t load_word(const void* src, std::uint32_t bytes) { return load_bytes(src, bytes); }
inline void store_word(void* dst, std::uint64_t value, std::uint32_t bytes) { store_bytes(dst, value, bytes); }

template <class T>
T load_volatile(const T* address) {
  static_assert(std::is_trivially_copyable<T>::value, "only a trivially copyable object can be read as bytes");
  if constexpr (std::is_scalar<T>::value) {
    return *const_cast<const volatile T*>(address);
  } else {
    T copy;
    cpu::copy_volatile(&copy, address, sizeof(T));
    return copy;
  }
}

inline void yield() { cpu::yield(); }
inline void back_off(unsigned) {}

inline std::uint64_t clock_ns() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1000000000u + static_cast<std::uint64_t>(now.tv_nsec);
}

inline std::uint32_t work_time() { return cpu::work_time(); }
inline std::uint32_t least_work() { return cpu::least_work(); }

[[noreturn]] inline void trap() { std::abort(); }

template <class T>
T& block_shared() {
  return *reinterpret_cast<T*>(cpu::current.shared + cpu::shared_place<T, T, cpu::shared_kind::zeroed>::offset);
}
template <class T>
T& in_register(T& shared) {
  return shared;
}
inline void forget_memory() {}
template <class T>
T computed_here(T value) {
  return value;
}
template <class T>
T& off_fast_path(T& shared) {
  return shared;
}

struct meeting {
  unsigned arrived;
  unsigned turn;
};
inline void meet(meeting& at, unsigned threads) {
  const unsigned turn = __atomic_load_n(&at.turn, __ATOMIC_RELAXED);
  if (__atomic_add_fetch(&at.arrived, 1, __ATOMIC_ACQ_REL) == threads) {
    at.arrived = 0;
    __atomic_store_n(&at.turn, turn + 1, __ATOMIC_RELEASE);
  }
  while (__atomic_load_n(&at.turn, __ATOMIC_ACQUIRE) == turn) yield();
}
struct meeting_of_some : meeting {};
inline void sync_some(unsigned threads) { meet(block_shared<meeting_of_some>(), threads); }
struct meeting_of_first : meeting {};
inline void sync_first(unsigned threads) { meet(block_shared<meeting_of_first>(), threads); }

// A shared variable is in one place in a block, whichever instantiation of its function asks.
inline constexpr bool shared_memory_of_instantiations = false;

// One loop over a rank's tiles for all ways to go from one to the next is compiled sooner.
inline constexpr bool loops_by_way = false;

// A function has all registers, whoever calls it.
inline constexpr bool callers_take_registers = false;

}  // namespace gpurma::platform

#if GPURMA_PARSE
#pragma clang force_cuda_host_device end
#endif

#endif
