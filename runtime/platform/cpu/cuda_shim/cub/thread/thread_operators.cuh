// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What values are combined by. CUDA 13 has cuda::std::plus, cuda::maximum and cuda::minimum instead.
#ifndef GPURMA_SHIM_CUB_THREAD_OPERATORS_CUH
#define GPURMA_SHIM_CUB_THREAD_OPERATORS_CUH

#include <cuda/functional>
#include <cuda/std/functional>

GPURMA_SHIM_BEGIN

namespace cub {

using Sum = ::cuda::std::plus<>;
using Max = ::cuda::maximum<>;
using Min = ::cuda::minimum<>;

}  // namespace cub

GPURMA_SHIM_END

#endif
