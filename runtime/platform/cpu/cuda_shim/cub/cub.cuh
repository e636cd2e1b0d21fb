// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GPURMA_SHIM_CUB_CUB_CUH
#define GPURMA_SHIM_CUB_CUB_CUH

#include "block/block_reduce.cuh"
#include "warp/warp_reduce.cuh"

#endif
