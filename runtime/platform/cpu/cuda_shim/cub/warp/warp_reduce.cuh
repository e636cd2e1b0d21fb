// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums over the threads of a warp, or of a part of it. Only the first of them gets the sum, as CUB has it.
#ifndef GPURMA_SHIM_CUB_WARP_REDUCE_CUH
#define GPURMA_SHIM_CUB_WARP_REDUCE_CUH

#include "../../cooperative_groups.h"
#include "../thread/thread_operators.cuh"

GPURMA_SHIM_BEGIN

namespace cub {

template <class T, int LogicalWarpThreads = 32>
class WarpReduce {
 public:
  struct TempStorage {};

  explicit WarpReduce(TempStorage&) {}

  template <class Operation>
  T Reduce(T input, Operation operation) {
    return Reduce(input, operation, LogicalWarpThreads);
  }
  // Of the first threads.
  template <class Operation>
  T Reduce(T input, Operation operation, int valid_threads) {
    const ::cooperative_groups::thread_block_tile<LogicalWarpThreads> lanes;
    T sum = input;
    for (int lane = 1; lane < LogicalWarpThreads; ++lane) {
      const T other = lanes.shfl(input, lane);
      if (lanes.thread_rank() == 0 && lane < valid_threads) sum = operation(sum, other);
    }
    return sum;
  }

  T Sum(T input) { return Reduce(input, ::cuda::std::plus<>()); }
  T Sum(T input, int valid_threads) { return Reduce(input, ::cuda::std::plus<>(), valid_threads); }
};

}  // namespace cub

GPURMA_SHIM_END

#endif
