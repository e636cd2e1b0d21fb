// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums over all threads of a block. Only the first thread gets the sum, as CUB has it; it takes the values in the threads' order.
#ifndef GPURMA_SHIM_CUB_BLOCK_REDUCE_CUH
#define GPURMA_SHIM_CUB_BLOCK_REDUCE_CUH

#include "../thread/thread_operators.cuh"

GPURMA_SHIM_BEGIN

namespace cub {

enum BlockReduceAlgorithm { BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, BLOCK_REDUCE_RAKING, BLOCK_REDUCE_WARP_REDUCTIONS };

template <class T, int BlockDimX, BlockReduceAlgorithm Algorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int BlockDimY = 1, int BlockDimZ = 1>
class BlockReduce {
  static_assert(std::is_trivially_copyable<T>::value, "the gpurma CPU target copies what CUB reduces as bytes");

 public:
  struct TempStorage {
    alignas(T) unsigned char values[sizeof(T) * BlockDimX * BlockDimY * BlockDimZ];
  };

  explicit BlockReduce(TempStorage& storage) : storage_(storage) {}

  template <class Operation>
  T Reduce(T input, Operation operation) {
    return Reduce(input, operation, BlockDimX * BlockDimY * BlockDimZ);
  }
  // Of the first threads.
  template <class Operation>
  T Reduce(T input, Operation operation, int valid_threads) {
    const unsigned thread = ::gpurma::cpu::current.thread;
    std::memcpy(storage_.values + thread * sizeof(T), &input, sizeof(T));
    __syncthreads();
    for (int each = 1; thread == 0 && each < valid_threads; ++each) {
      T other;
      std::memcpy(&other, storage_.values + static_cast<std::size_t>(each) * sizeof(T), sizeof(T));
      input = operation(input, other);
    }
    return input;
  }
  template <int Items, class Operation>
  T Reduce(T (&inputs)[Items], Operation operation) {
    T sum = inputs[0];
    for (int item = 1; item < Items; ++item) sum = operation(sum, inputs[item]);
    return Reduce(sum, operation);
  }

  T Sum(T input) { return Reduce(input, ::cuda::std::plus<>()); }
  T Sum(T input, int valid_threads) { return Reduce(input, ::cuda::std::plus<>(), valid_threads); }
  template <int Items>
  T Sum(T (&inputs)[Items]) {
    return Reduce(inputs, ::cuda::std::plus<>());
  }

 private:
  TempStorage& storage_;
};

}  // namespace cub

GPURMA_SHIM_END

#endif
