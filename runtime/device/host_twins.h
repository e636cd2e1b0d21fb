// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Twins of what the standard library has for the host.
#ifndef GPURMA_DEVICE_HOST_TWINS_H
#define GPURMA_DEVICE_HOST_TWINS_H

#include <gpurma/platform/platform.h>

namespace gpurma::stages {

template <class T> GPURMA_DEVICE void swap(T& a, T& b) {
  const T c = a;
  a = b;
  b = c;
}
template <class T> GPURMA_DEVICE const T& max(const T& a, const T& b) {
  return a < b ? b : a;
}
template <class T> GPURMA_DEVICE const T& min(const T& a, const T& b) {
  return b < a ? b : a;
}
template <class T> GPURMA_DEVICE const T& clamp(const T& v, const T& low, const T& high) {
  return v < low ? low : high < v ? high : v;
}
// __ldg, of memory that changes while the kernel runs.
template <class T> GPURMA_DEVICE T load(const T* address) {
  return *address;
}
template <class T> GPURMA_DEVICE T& move(T& value) {
  return value;
}
template <class T, class Other> GPURMA_DEVICE T exchange(T& object, Other&& value) {
  const T old = object;
  object = value;
  return old;
}

} // namespace gpurma::stages

#endif
