// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "../plain.h"
#include "constants.h"

namespace exchange {
template <class T> __device__ void both(gpurma::window<T> &w, const T *from) {
#pragma gpurma put(from[0:1]) to(gpurma::rank() ^ 1) at(w[0]) notify(tag)
#pragma gpurma wait tag(tag)
}
__device__ int doubled(int value) { return twice(value); }
} // namespace exchange
