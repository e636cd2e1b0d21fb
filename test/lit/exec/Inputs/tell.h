// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions with directives that two translation units have, each with other waits.
#include <gpurma/gpurma.h>

template <class T> __device__ __noinline__ void tell(const gpurma::window<T> &w, T *p) {
#pragma gpurma put(p[0 : 1]) to((gpurma::rank() + 1) % gpurma::size()) at(w[1]) notify(7)
}
inline __device__ __noinline__ void tell_tag() {
#pragma gpurma notify((gpurma::rank() + 1) % gpurma::size()) tag(8)
}
