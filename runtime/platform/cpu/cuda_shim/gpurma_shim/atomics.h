// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUDA's atomic functions. Relaxed order, as on a GPU; the forms _block and _system name a scope, and the CPU has only one.
#ifndef GPURMA_SHIM_ATOMICS_H
#define GPURMA_SHIM_ATOMICS_H

#include <gpurma/platform/cpu/execution.h>

#include "prelude.h"

GPURMA_SHIM_BEGIN

namespace gpurma::cpu {

// A program may spin on an atomic that does not change, with no other call in the loop: after some such operations the
// thread yields, so that the thread it waits for can run.
extern __thread unsigned unchanged_atomics __attribute__((tls_model("initial-exec")));
inline void atomic_changed_nothing() {
  if (++unchanged_atomics % 64 == 0 && in_kernel()) yield();
}

// For operations that the processor does not have.
template <class T, class Bits, class Operation>
T atomic_update(T* address, Operation operation) {
  static_assert(sizeof(T) == sizeof(Bits), "compared as an integer of the same size");
  Bits* const target = reinterpret_cast<Bits*>(address);
  Bits seen = __atomic_load_n(target, __ATOMIC_RELAXED);
  for (;;) {
    T old;
    std::memcpy(&old, &seen, sizeof(T));
    const T updated = operation(old);
    Bits wanted;
    std::memcpy(&wanted, &updated, sizeof(T));
    if (wanted == seen) {
      atomic_changed_nothing();
      return old;
    }
    if (__atomic_compare_exchange_n(target, &seen, wanted, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return old;
  }
}

template <class T>
T atomic_compare_and_swap(T* address, T compare, T value) {
  T seen = compare;
  const bool swapped = __atomic_compare_exchange_n(address, &seen, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  if (!swapped || compare == value) atomic_changed_nothing();
  return seen;
}
template <class T>
T atomic_exchange(T* address, T value) {
  const T old = __atomic_exchange_n(address, value, __ATOMIC_RELAXED);
  if (old == value) atomic_changed_nothing();
  return old;
}
template <class T>
T atomic_add(T* address, T value) {
  if (value == 0) atomic_changed_nothing();
  return __atomic_fetch_add(address, value, __ATOMIC_RELAXED);
}
template <class T>
T atomic_sub(T* address, T value) {
  if (value == 0) atomic_changed_nothing();
  return __atomic_fetch_sub(address, value, __ATOMIC_RELAXED);
}
template <class T>
T atomic_and(T* address, T value) {
  const T old = __atomic_fetch_and(address, value, __ATOMIC_RELAXED);
  if ((old & value) == old) atomic_changed_nothing();
  return old;
}
template <class T>
T atomic_or(T* address, T value) {
  const T old = __atomic_fetch_or(address, value, __ATOMIC_RELAXED);
  if ((old | value) == old) atomic_changed_nothing();
  return old;
}
template <class T>
T atomic_xor(T* address, T value) {
  if (value == 0) atomic_changed_nothing();
  return __atomic_fetch_xor(address, value, __ATOMIC_RELAXED);
}

}  // namespace gpurma::cpu

#define GPURMA_ATOMIC(name, type, parameters, expression) \
  inline type name parameters { return expression; }      \
  inline type name##_block parameters { return expression; } \
  inline type name##_system parameters { return expression; }
#define GPURMA_ATOMIC_VALUE(name, type, expression) GPURMA_ATOMIC(name, type, (type * address, type value), expression)

GPURMA_ATOMIC_VALUE(atomicAdd, int, ::gpurma::cpu::atomic_add(address, value))
GPURMA_ATOMIC_VALUE(atomicAdd, unsigned int, ::gpurma::cpu::atomic_add(address, value))
GPURMA_ATOMIC_VALUE(atomicAdd, unsigned long long int, ::gpurma::cpu::atomic_add(address, value))
GPURMA_ATOMIC_VALUE(atomicAdd, float,
                    (::gpurma::cpu::atomic_update<float, std::uint32_t>(address, [=](float old) { return old + value; })))
GPURMA_ATOMIC_VALUE(atomicAdd, double, (::gpurma::cpu::atomic_update<double, std::uint64_t>(address, [=](double old) {
                      return old + value;
                    })))

GPURMA_ATOMIC_VALUE(atomicSub, int, ::gpurma::cpu::atomic_sub(address, value))
GPURMA_ATOMIC_VALUE(atomicSub, unsigned int, ::gpurma::cpu::atomic_sub(address, value))

GPURMA_ATOMIC_VALUE(atomicExch, int, ::gpurma::cpu::atomic_exchange(address, value))
GPURMA_ATOMIC_VALUE(atomicExch, unsigned int, ::gpurma::cpu::atomic_exchange(address, value))
GPURMA_ATOMIC_VALUE(atomicExch, unsigned long long int, ::gpurma::cpu::atomic_exchange(address, value))
GPURMA_ATOMIC_VALUE(atomicExch, float,
                    (::gpurma::cpu::atomic_update<float, std::uint32_t>(address, [=](float) { return value; })))

#define GPURMA_ATOMIC_EXTREME(type, bits)                                                                        \
  GPURMA_ATOMIC_VALUE(atomicMin, type, (::gpurma::cpu::atomic_update<type, bits>(address, [=](type old) {        \
                        return value < old ? value : old;                                                        \
                      })))                                                                                       \
  GPURMA_ATOMIC_VALUE(atomicMax, type, (::gpurma::cpu::atomic_update<type, bits>(address, [=](type old) {        \
                        return old < value ? value : old;                                                        \
                      })))
GPURMA_ATOMIC_EXTREME(int, std::uint32_t)
GPURMA_ATOMIC_EXTREME(unsigned int, std::uint32_t)
GPURMA_ATOMIC_EXTREME(long long int, std::uint64_t)
GPURMA_ATOMIC_EXTREME(unsigned long long int, std::uint64_t)
#undef GPURMA_ATOMIC_EXTREME

GPURMA_ATOMIC_VALUE(atomicInc, unsigned int,
                    (::gpurma::cpu::atomic_update<unsigned int, std::uint32_t>(address, [=](unsigned int old) {
                      return old >= value ? 0u : old + 1u;
                    })))
GPURMA_ATOMIC_VALUE(atomicDec, unsigned int,
                    (::gpurma::cpu::atomic_update<unsigned int, std::uint32_t>(address, [=](unsigned int old) {
                      return old == 0u || old > value ? value : old - 1u;
                    })))

#define GPURMA_ATOMIC_CAS(type)                                                \
  GPURMA_ATOMIC(atomicCAS, type, (type * address, type compare, type value), \
                ::gpurma::cpu::atomic_compare_and_swap(address, compare, value))
GPURMA_ATOMIC_CAS(int)
GPURMA_ATOMIC_CAS(unsigned int)
GPURMA_ATOMIC_CAS(unsigned long long int)
GPURMA_ATOMIC_CAS(unsigned short int)
#undef GPURMA_ATOMIC_CAS

#define GPURMA_ATOMIC_BITS(type)                                                  \
  GPURMA_ATOMIC_VALUE(atomicAnd, type, ::gpurma::cpu::atomic_and(address, value)) \
  GPURMA_ATOMIC_VALUE(atomicOr, type, ::gpurma::cpu::atomic_or(address, value))   \
  GPURMA_ATOMIC_VALUE(atomicXor, type, ::gpurma::cpu::atomic_xor(address, value))
GPURMA_ATOMIC_BITS(int)
GPURMA_ATOMIC_BITS(unsigned int)
GPURMA_ATOMIC_BITS(unsigned long long int)
#undef GPURMA_ATOMIC_BITS

#undef GPURMA_ATOMIC_VALUE
#undef GPURMA_ATOMIC

GPURMA_SHIM_END

#endif
