// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The marker functions that gpurmacc's frontend calls in place of directives while it parses. No compiled program includes
// this header.
#ifndef GPURMA_ANNOTATE_H
#define GPURMA_ANNOTATE_H

#ifndef GPURMA_PARSE
#error "gpurma/annotate.h belongs to gpurmacc; include gpurma/gpurma.h"
#endif

#include <gpurma/device.h>

namespace gpurma {

/// Of types without linkage, Clang takes no function that is only declared.
template <class T> __attribute__((device)) T uniform(T value, const char*, unsigned) {
  return value;
}
template <class T>
__attribute__((host, device)) constexpr read_result<T> read_volatile(const T& object) {
  return object;
}
template <class T> __attribute__((host, device)) volatile T& volatile_place(T& object) {
  return object;
}

} // namespace gpurma

namespace gpurma_ann {

/// An argument of any type is taken by const reference, which binds to bit-fields and to uncopyable objects alike. What cannot be
/// bound (void, the name of an overloaded function) goes to the ellipsis, where Clang reports it at the argument.
#define GPURMA_MARKER(name)                                                                                                       \
  template <class... Arguments> __attribute__((host, device)) constexpr void name(unsigned, const Arguments &...) {}              \
  __attribute__((host, device)) void name(unsigned, ...);

GPURMA_MARKER(put)
GPURMA_MARKER(get)
GPURMA_MARKER(notify)
GPURMA_MARKER(wait)
GPURMA_MARKER(flush)
GPURMA_MARKER(barrier)

#undef GPURMA_MARKER

/// The condition of a loop that owns the statement behind `persistent`.
template <class... Arguments> __attribute__((host, device)) bool persistent(unsigned, const Arguments &...) { return false; }
__attribute__((host, device)) bool persistent(unsigned, ...);

/// The condition of an `if` whose `else` owns the statement behind `host`.
__attribute__((host, device)) bool host(unsigned);

/// The flag is written to, so it need not have a value before.
template <class Flag, class... Arguments>
__attribute__((host, device)) constexpr void test(unsigned, Flag &&, const Arguments &...) {}
__attribute__((host, device)) void test(unsigned, ...);

template <class T> struct window_of {
  using type = ::gpurma::window<int>; // reported by the compiler: the base is no pointer to writable elements
};
template <class T> struct window_of<T *> {
  using type = ::gpurma::window<T>;
};
template <class T> struct window_of<const T *> : window_of<T *> {};
template <class T> struct window_of<volatile T*> : window_of<T*> {};
template <class T> struct window_of<const volatile T*> : window_of<T*> {};
template <> struct window_of<void *> : window_of<int *> {};
template <class T> struct window_of<T &> : window_of<T> {};
template <class T> struct window_of<T *const> : window_of<T *> {};
template <class T> struct window_of<T *volatile> : window_of<T *> {};
template <class T> struct window_of<T *__restrict__> : window_of<T *> {};
template <class T> struct window_of<T *const __restrict__> : window_of<T *> {};
template <class T, decltype(sizeof(0)) Length> struct window_of<T[Length]> : window_of<T *> {};
template <class T> struct window_of<T[]> : window_of<T *> {};
template <class Result, class... Parameters> struct window_of<Result (*)(Parameters...)> : window_of<int *> {};

/// `window(w = base[lo:len])` declares `auto w = window(id, base, lo, len)`. Has a body because an argument's type may be without
/// linkage (an unnamed enumeration), and a function of such a type has to be defined where it is used.
template <class Base, class... Arguments>
__attribute__((host, device)) typename window_of<Base>::type window(unsigned, Base &&, const Arguments &...) {
  __builtin_unreachable();
}
__attribute__((host, device)) ::gpurma::window<int> window(unsigned, ...);

} // namespace gpurma_ann

#endif // GPURMA_ANNOTATE_H
