// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread's parts of reduced scalars, and what a kernel's text has in place of pointers to these.
#ifndef GPURMA_DEVICE_THREAD_PARTS_H
#define GPURMA_DEVICE_THREAD_PARTS_H

#include <type_traits>

#include <gpurma/device/stage_plan.h>

namespace gpurma::stages {

// What a thread adds up of a reduced scalar while the tiles of its rank run, in a register: an
// atomic for each update would be one of many that wait for each other.
template <class T, class Operation> class thread_part {
public:
  GPURMA_DEVICE void update(T value) { value_ = Operation::combine(value_, value); }
  GPURMA_DEVICE T value() const { return value_; }

  // All threads of the block, behind their tiles. Warps in which no thread has anything leave the
  // rank's part alone.
  GPURMA_DEVICE void add_to(T* of_rank) const {
    if (!platform::any_of_warp(value_ != Operation::template identity<T>))
      return;
    const T sum =
        platform::combined_in_warp(value_, [](T a, T b) { return Operation::combine(a, b); });
    if (platform::is_first_of_warp())
      update_part(Operation{}, of_rank, sum); // M23
  }

private:
  // Of a flag. What other warps store is the same.
  template <class Any> GPURMA_DEVICE static void update_part(Any, T* of_rank, T value) {
    *of_rank = value;
  }
  // CUDA has no atomics for long, and no sums of long long, which are those of their bits.
  template <bool IsSigned>
  using cuda_type =
      std::conditional_t<std::is_integral_v<T> && sizeof(T) == 8,
                         std::conditional_t<IsSigned, long long, unsigned long long>, T>;

  GPURMA_DEVICE static void update_part(plus, T* of_rank, T value) {
    using type = cuda_type<false>;
    ::atomicAdd(reinterpret_cast<type*>(of_rank), static_cast<type>(value));
  }
  GPURMA_DEVICE static void update_part(maximum, T* of_rank, T value) {
    using type = cuda_type<std::is_signed_v<T>>;
    if constexpr (std::is_floating_point_v<T>)
      update_bits(of_rank, value);
    else
      ::atomicMax(reinterpret_cast<type*>(of_rank), static_cast<type>(value));
  }
  GPURMA_DEVICE static void update_part(minimum, T* of_rank, T value) {
    using type = cuda_type<std::is_signed_v<T>>;
    if constexpr (std::is_floating_point_v<T>)
      update_bits(of_rank, value);
    else
      ::atomicMin(reinterpret_cast<type*>(of_rank), static_cast<type>(value));
  }
  // CUDA has no atomicMax and atomicMin for these types. M23
  GPURMA_DEVICE static void update_bits(T* of_rank, T value) {
    using bits = std::conditional_t<sizeof(T) == 8, unsigned long long, unsigned int>;
    auto* const word = reinterpret_cast<bits*>(of_rank);
    bits seen = ::atomicOr(word, bits{0});
    while (true) {
      const T old = from_bits<T>(seen);
      if (Operation::combine(old, value) == old)
        return;
      const bits before = ::atomicCAS(word, seen, static_cast<bits>(bits_of(value)));
      if (before == seen)
        return;
      seen = before;
    }
  }

  T value_ = Operation::template identity<T>;
};

// `*flag = 1;` and `flag[0] = 1;` of such a pointer.
template <class T, class Operation> struct part_reference {
  thread_part<T, Operation>& part;
  GPURMA_DEVICE void operator=(T value) const { part.update(value); }
};

// What a kernel's text has instead of a pointer to a reduced scalar: CUDA's atomics of these names,
// without a result, and stores to a flag. The value converts as for CUDA's.
template <class T, class Operation> struct part_pointer {
  using value_type = T;
  thread_part<T, Operation>& part;
  GPURMA_DEVICE part_reference<T, Operation> operator*() const { return {part}; }
  GPURMA_DEVICE part_reference<T, Operation> operator[](int) const { return {part}; }
};
template <class T>
GPURMA_DEVICE void atomicAdd(const part_pointer<T, plus>& to,
                             typename part_pointer<T, plus>::value_type value) {
  to.part.update(value);
}
template <class T>
GPURMA_DEVICE void atomicMax(const part_pointer<T, maximum>& to,
                             typename part_pointer<T, maximum>::value_type value) {
  to.part.update(value);
}
template <class T>
GPURMA_DEVICE void atomicMin(const part_pointer<T, minimum>& to,
                             typename part_pointer<T, minimum>::value_type value) {
  to.part.update(value);
}

} // namespace gpurma::stages

#endif
