// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays of reduced scalars: what kernels of a persistent region have instead of a pointer to one,
// and elements that the region names.
#ifndef GPURMA_DEVICE_REDUCED_ELEMENTS_H
#define GPURMA_DEVICE_REDUCED_ELEMENTS_H

#include <cstdint>

#include <gpurma/device/checks.h>
#include <gpurma/device/stage_plan.h>

namespace gpurma::stages {

// The rank's parts of scalars, which lie equally far apart, as elements of an array: `&sums[k]`
// and `sums + k`.
template <class T> struct reduced_elements {
  T* first;
  std::int64_t apart; // in bytes
  std::int64_t count;
  site where;

  template <class... More>
  GPURMA_DEVICE reduced_elements(site launch, T* one, T* next, More*... more)
      : first(one), apart(reinterpret_cast<char*>(next) - reinterpret_cast<char*>(one)),
        count(2 + sizeof...(more)), where(launch) {}

  template <class Index> GPURMA_DEVICE T& operator[](Index index) const { return *(*this + index); }
  template <class Index> GPURMA_DEVICE T* operator+(Index index) const {
    auto element = static_cast<std::int64_t>(index);
    if (element < 0 || element >= count) {
      detail::fail(detail::block(), error_code::no_element, directive::stage, where, element,
                   count);
      element = 0;
    }
    return reinterpret_cast<T*>(reinterpret_cast<char*>(first) + element * apart);
  }
};

// `sums[k]` in the region, which is the same in all ranks.
template <class Scalar, class... More>
GPURMA_DEVICE Scalar& element_of(site where, std::int64_t index, Scalar& first, More&... more) {
  constexpr std::int64_t count = 1 + sizeof...(more);
  if (index < 0 || index >= count)
    detail::fail(detail::block(), error_code::no_element, directive::reduce, where, index, count);
  Scalar* found = &first;
  std::int64_t at = 0;
  ((found = ++at == index ? &more : found), ...);
  return *found;
}

} // namespace gpurma::stages

#endif
