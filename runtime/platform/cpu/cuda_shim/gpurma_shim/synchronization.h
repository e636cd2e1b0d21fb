// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers, fences, warp operations, cached loads, time and assertions of device code.
#ifndef GPURMA_SHIM_SYNCHRONIZATION_H
#define GPURMA_SHIM_SYNCHRONIZATION_H

#include <gpurma/platform/cpu/execution.h>

#include "../device_launch_parameters.h"
#include "prelude.h"

#include <type_traits>

GPURMA_SHIM_BEGIN

#if !GPURMA_PARSE  // there: a builtin of Clang's CUDA mode
inline void __syncthreads() { ::gpurma::cpu::sync_block(); }
#endif
inline int __syncthreads_count(int predicate) {
  return static_cast<int>(::gpurma::cpu::sync_block_count(predicate != 0));
}
inline int __syncthreads_and(int predicate) { return ::gpurma::cpu::sync_block_count(predicate == 0) == 0; }
inline int __syncthreads_or(int predicate) { return ::gpurma::cpu::sync_block_count(predicate != 0) != 0; }

inline void __threadfence() { ::gpurma::cpu::fence(); }
inline void __threadfence_block() { ::gpurma::cpu::fence(); }
inline void __threadfence_system() { ::gpurma::cpu::fence(); }

inline long long int clock64() {
#if defined(__x86_64__)
  return static_cast<long long int>(__builtin_ia32_rdtsc());
#else
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000ll + now.tv_nsec;
#endif
}
// clock() is the C library's: processor time in units of 1 / CLOCKS_PER_SEC.
inline void __nanosleep(unsigned int) { ::gpurma::cpu::yield(); }
[[noreturn]] inline void __trap() { ::gpurma::cpu::end_kernel(719 /* cudaErrorLaunchFailure */); }
inline void __brkpt() { __builtin_trap(); }

template <class T>
T __ldg(const T* address) {
  return *address;
}
template <class T>
T __ldcg(const T* address) {
  return *address;
}
template <class T>
T __ldca(const T* address) {
  return *address;
}
template <class T>
T __ldcs(const T* address) {
  return *address;
}
template <class T>
T __ldlu(const T* address) {
  return *address;
}
// Of vectors, a part after the other.
template <class T>
T __ldcv(const T* address) {
  if constexpr (std::is_class_v<T>) {
    T value;
    for (std::size_t i = 0; i != sizeof(T); ++i)
      reinterpret_cast<char*>(&value)[i] = reinterpret_cast<const volatile char*>(address)[i];
    return value;
  } else {
    return *const_cast<const volatile T*>(address);
  }
}
template <class T>
void __stwb(T* address, T value) {
  *address = value;
}
template <class T>
void __stcg(T* address, T value) {
  *address = value;
}
template <class T>
void __stcs(T* address, T value) {
  *address = value;
}
template <class T>
void __stwt(T* address, T value) {
  if constexpr (std::is_class_v<T>) {
    for (std::size_t i = 0; i != sizeof(T); ++i)
      reinterpret_cast<volatile char*>(address)[i] = reinterpret_cast<const char*>(&value)[i];
  } else {
    *const_cast<volatile T*>(address) = value;
  }
}

namespace gpurma::cpu {

template <class T>
std::uint64_t to_bits(T value) {
  static_assert(sizeof(T) <= sizeof(std::uint64_t), "warp operations take values of at most 8 bytes");
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  return bits;
}
template <class T>
T from_bits(std::uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}

inline unsigned lane() { return current.thread % 32; }

inline void combine_nothing(lane_exchange* const*, unsigned) {}
inline void combine_shuffle(lane_exchange* const* lanes, unsigned mask) {
  for (unsigned rest = mask; rest != 0; rest &= rest - 1) {
    lane_exchange& mine = *lanes[__builtin_ctz(rest)];
    // A lane that asks for one outside the mask gets its own value; CUDA leaves that undefined.
    mine.result = (mask >> mine.source & 1) != 0 ? lanes[mine.source]->value : mine.value;
  }
}
inline void combine_ballot(lane_exchange* const* lanes, unsigned mask) {
  unsigned ballot = 0;
  for (unsigned rest = mask; rest != 0; rest &= rest - 1) {
    const int i = __builtin_ctz(rest);
    if (lanes[i]->value != 0) ballot |= 1u << i;
  }
  for (unsigned rest = mask; rest != 0; rest &= rest - 1) {
    lane_exchange& mine = *lanes[__builtin_ctz(rest)];
    mine.result = ballot;
    mine.source = mask;
  }
}
inline void combine_match(lane_exchange* const* lanes, unsigned mask) {
  for (unsigned mine = mask; mine != 0; mine &= mine - 1) {
    lane_exchange& asking = *lanes[__builtin_ctz(mine)];
    unsigned same = 0;
    for (unsigned other = mask; other != 0; other &= other - 1) {
      const int i = __builtin_ctz(other);
      if (lanes[i]->value == asking.value) same |= 1u << i;
    }
    asking.result = same;
    asking.source = mask;
  }
}

template <class T, class Operation>
void combine_reduce(lane_exchange* const* lanes, unsigned mask) {
  T sum = from_bits<T>(lanes[__builtin_ctz(mask)]->value);
  for (unsigned rest = mask & (mask - 1); rest != 0; rest &= rest - 1)
    sum = Operation()(sum, from_bits<T>(lanes[__builtin_ctz(rest)]->value));
  for (unsigned rest = mask; rest != 0; rest &= rest - 1) lanes[__builtin_ctz(rest)]->result = to_bits(sum);
}
struct reduce_add {
  template <class T>
  T operator()(T a, T b) const {
    return a + b;
  }
};
struct reduce_min {
  template <class T>
  T operator()(T a, T b) const {
    return b < a ? b : a;
  }
};
struct reduce_max {
  template <class T>
  T operator()(T a, T b) const {
    return a < b ? b : a;
  }
};
struct reduce_and {
  template <class T>
  T operator()(T a, T b) const {
    return a & b;
  }
};
struct reduce_or {
  template <class T>
  T operator()(T a, T b) const {
    return a | b;
  }
};
struct reduce_xor {
  template <class T>
  T operator()(T a, T b) const {
    return a ^ b;
  }
};
template <class Operation, class T>
T reduce_lanes(unsigned mask, T value) {
  lane_exchange mine{to_bits(value), 0, 0};
  exchange_lanes(mask, mine, combine_reduce<T, Operation>);
  return from_bits<T>(mine.result);
}

template <class T>
T shuffle(unsigned mask, T value, unsigned source) {
  lane_exchange mine{to_bits(value), 0, source};
  exchange_lanes(mask, mine, combine_shuffle);
  return from_bits<T>(mine.result);
}

struct ballot_result {
  unsigned ballot;
  unsigned lanes;
};
inline ballot_result ballot(unsigned mask, bool predicate) {
  lane_exchange mine{predicate, 0, 0};
  exchange_lanes(mask, mine, combine_ballot);
  return {static_cast<unsigned>(mine.result), mine.source};
}

}  // namespace gpurma::cpu

inline void __syncwarp(unsigned mask = 0xffffffffu) {
  ::gpurma::cpu::lane_exchange mine{0, 0, 0};
  ::gpurma::cpu::exchange_lanes(mask, mine, ::gpurma::cpu::combine_nothing);
}

// width splits the warp in sections of a power of two lanes; a source outside the section is the lane itself.
template <class T>
T __shfl_sync(unsigned mask, T value, int source, int width = warpSize) {
  const unsigned first = ::gpurma::cpu::lane() & ~(static_cast<unsigned>(width) - 1);
  return ::gpurma::cpu::shuffle(mask, value, first + (static_cast<unsigned>(source) & (static_cast<unsigned>(width) - 1)));
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = warpSize) {
  const unsigned mine = ::gpurma::cpu::lane(), in_section = mine & (static_cast<unsigned>(width) - 1);
  return ::gpurma::cpu::shuffle(mask, value, in_section >= delta ? mine - delta : mine);
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = warpSize) {
  const unsigned mine = ::gpurma::cpu::lane(), in_section = mine & (static_cast<unsigned>(width) - 1);
  return ::gpurma::cpu::shuffle(mask, value,
                                in_section + delta < static_cast<unsigned>(width) ? mine + delta : mine);
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = warpSize) {
  const unsigned mine = ::gpurma::cpu::lane(), end = (mine | (static_cast<unsigned>(width) - 1)) + 1;
  const unsigned source = mine ^ static_cast<unsigned>(lane_mask);
  return ::gpurma::cpu::shuffle(mask, value, source < end ? source : mine);
}

inline unsigned __ballot_sync(unsigned mask, int predicate) { return ::gpurma::cpu::ballot(mask, predicate != 0).ballot; }
inline int __any_sync(unsigned mask, int predicate) { return ::gpurma::cpu::ballot(mask, predicate != 0).ballot != 0; }
inline int __all_sync(unsigned mask, int predicate) {
  const ::gpurma::cpu::ballot_result result = ::gpurma::cpu::ballot(mask, predicate != 0);
  return result.ballot == result.lanes;
}
__attribute__((always_inline)) inline unsigned __activemask() { return ::gpurma::cpu::active_lanes(); }

template <class T>
unsigned __match_any_sync(unsigned mask, T value) {
  ::gpurma::cpu::lane_exchange mine{::gpurma::cpu::to_bits(value), 0, 0};
  ::gpurma::cpu::exchange_lanes(mask, mine, ::gpurma::cpu::combine_match);
  return static_cast<unsigned>(mine.result);
}
template <class T>
unsigned __match_all_sync(unsigned mask, T value, int* all) {
  ::gpurma::cpu::lane_exchange mine{::gpurma::cpu::to_bits(value), 0, 0};
  ::gpurma::cpu::exchange_lanes(mask, mine, ::gpurma::cpu::combine_match);
  *all = mine.result == mine.source;
  return *all != 0 ? mine.source : 0;
}

inline int __reduce_add_sync(unsigned mask, int value) {
  return static_cast<int>(::gpurma::cpu::reduce_lanes<::gpurma::cpu::reduce_add>(mask, static_cast<unsigned>(value)));
}
inline unsigned __reduce_add_sync(unsigned mask, unsigned value) {
  return ::gpurma::cpu::reduce_lanes<::gpurma::cpu::reduce_add>(mask, value);
}
inline int __reduce_min_sync(unsigned mask, int value) {
  return ::gpurma::cpu::reduce_lanes<::gpurma::cpu::reduce_min>(mask, value);
}
inline unsigned __reduce_min_sync(unsigned mask, unsigned value) {
  return ::gpurma::cpu::reduce_lanes<::gpurma::cpu::reduce_min>(mask, value);
}
inline int __reduce_max_sync(unsigned mask, int value) {
  return ::gpurma::cpu::reduce_lanes<::gpurma::cpu::reduce_max>(mask, value);
}
inline unsigned __reduce_max_sync(unsigned mask, unsigned value) {
  return ::gpurma::cpu::reduce_lanes<::gpurma::cpu::reduce_max>(mask, value);
}
inline unsigned __reduce_and_sync(unsigned mask, unsigned value) {
  return ::gpurma::cpu::reduce_lanes<::gpurma::cpu::reduce_and>(mask, value);
}
inline unsigned __reduce_or_sync(unsigned mask, unsigned value) {
  return ::gpurma::cpu::reduce_lanes<::gpurma::cpu::reduce_or>(mask, value);
}
inline unsigned __reduce_xor_sync(unsigned mask, unsigned value) {
  return ::gpurma::cpu::reduce_lanes<::gpurma::cpu::reduce_xor>(mask, value);
}

GPURMA_SHIM_END

#endif
