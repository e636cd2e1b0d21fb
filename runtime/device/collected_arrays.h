// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kernels of a persistent region have instead of pointers to arrays that are collected: it
// notes which rank stores which element, so that the host knows what to give to other processes,
// and that no two ranks have stored the same, in an order that nothing defines.
#ifndef GPURMA_DEVICE_COLLECTED_ARRAYS_H
#define GPURMA_DEVICE_COLLECTED_ARRAYS_H

#include <cstdint>

#include <gpurma/device/stage_plan.h>
#include <gpurma/device/stages.h>

namespace gpurma::stages {

// What `trace[i] = value` stores into; at is null for an element that is not there.
template <class T> struct collected_element {
  T* at;
  std::uint32_t* stored_by;
  std::uint32_t rank;

  GPURMA_DEVICE T operator=(T value) const {
    const std::uint32_t before = ::atomicCAS(stored_by, 0, rank);
    if (before != 0 && before != rank)
      *stored_by = collected_plan::several;
    if (at != nullptr)
      *at = value;
    return value;
  }
};

template <class T> struct collected_pointer {
  T* data;
  std::uint32_t* ranks;
  std::int64_t first; // which of the array's elements it points to
  std::int64_t count;
  std::uint32_t rank;

  template <class Index> GPURMA_DEVICE collected_element<T> operator[](Index index) const {
    const std::int64_t element = first + static_cast<std::int64_t>(index);
    const bool is_there = 0 <= element && element < count;
    return {is_there ? data + static_cast<std::int64_t>(index) : nullptr,
            ranks + (is_there ? element : count), rank};
  }
};

// As a launch passes it.
template <class T>
GPURMA_DEVICE collected_pointer<T> collected_at(const collected_plan& of, T* pointer) {
  return {pointer, of.ranks, pointer - reinterpret_cast<T*>(of.base), of.count,
          static_cast<std::uint32_t>(detail::block().rank) + 1};
}

} // namespace gpurma::stages

#endif
