// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread's parts of reduced scalars, and what a kernel's text has in place of pointers to these.
#ifndef GPURMA_DEVICE_THREAD_PARTS_H
#define GPURMA_DEVICE_THREAD_PARTS_H

#include <cstddef>
#include <type_traits>

#include <gpurma/device/stage_plan.h>

namespace gpurma::stages {

// What the warps of a rank have added up of a reduced scalar, in shared memory.
using parts_of_warps = std::uint64_t[platform::most_warps];

// What a thread adds up of a reduced scalar while the tiles of its rank run, in a register: an
// atomic for each update would be one of many that wait for each other.
template <class T, class Operation> class thread_part {
public:
  GPURMA_DEVICE void update(T value) { value_ = Operation::combine(value_, value); }
  GPURMA_DEVICE T value() const { return value_; }

  // All threads of the block, behind their tiles, for each warp by itself: to what it has in
  // shared memory, since others would wait for an atomic in global memory. Always in the same
  // order.
  GPURMA_DEVICE void add_to(parts_of_warps& by_warp) const {
    const unsigned lanes = platform::lanes_of_warp(value_ != Operation::template identity<T>);
    if (lanes == 0)
      return;
    T sum = value_;
    if (lanes != 1) // as if the kernel adds up a block's by itself
      sum = platform::combined_in_warp(value_, [](T a, T b) { return Operation::combine(a, b); });
    if (!platform::is_first_of_warp())
      return;
    std::uint64_t& own = by_warp[platform::warp_index()]; // M23
    own = bits_of(Operation::combine(from_bits<T>(own), sum));
  }

private:
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
  // The scalar is there.
  GPURMA_DEVICE explicit operator bool() const { return true; }
  GPURMA_DEVICE friend bool operator==(const part_pointer&, std::nullptr_t) { return false; }
  GPURMA_DEVICE friend bool operator==(std::nullptr_t, const part_pointer&) { return false; }
  GPURMA_DEVICE friend bool operator!=(const part_pointer&, std::nullptr_t) { return true; }
  GPURMA_DEVICE friend bool operator!=(std::nullptr_t, const part_pointer&) { return true; }
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
