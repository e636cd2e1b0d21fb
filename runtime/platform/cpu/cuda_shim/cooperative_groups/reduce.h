// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// reduce() over tiles and coalesced groups.
#ifndef GPURMA_SHIM_COOPERATIVE_GROUPS_REDUCE_H
#define GPURMA_SHIM_COOPERATIVE_GROUPS_REDUCE_H

#include "../cooperative_groups.h"

GPURMA_SHIM_BEGIN

namespace cooperative_groups {

template <class T>
struct plus {
  T operator()(T a, T b) const { return a + b; }
};
template <class T>
struct less {
  T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T>
struct greater {
  T operator()(T a, T b) const { return a < b ? b : a; }
};
template <class T>
struct bit_and {
  T operator()(T a, T b) const { return a & b; }
};
template <class T>
struct bit_or {
  T operator()(T a, T b) const { return a | b; }
};
template <class T>
struct bit_xor {
  T operator()(T a, T b) const { return a ^ b; }
};

// Every thread gets the sum in the order of the ranks.
template <class Group, class T, class Operation>
T reduce(const Group& group, T value, Operation operation) {
  T sum = group.shfl(value, 0);
  for (unsigned rank = 1; rank < group.size(); ++rank) sum = operation(sum, group.shfl(value, static_cast<int>(rank)));
  return sum;
}

}  // namespace cooperative_groups

GPURMA_SHIM_END

#endif
