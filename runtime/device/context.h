// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a kernel finds the context of its launch without a parameter and without relocatable device
// code: a pointer that the host sets before each launch.
#ifndef GPURMA_DEVICE_CONTEXT_H
#define GPURMA_DEVICE_CONTEXT_H

#include <cuda_runtime.h>

#include <gpurma/device/formats.h>

namespace gpurma::detail {

#if GPURMA_TARGET_CUDA
// One for each translation unit; rank_kernel tells the host its address.
static __device__ const launch_context* context_pointer;
#else
inline const launch_context* context_pointer = nullptr;
#endif

// The address of the pointer, as cudaMemcpyToSymbol takes it.
static inline const void* context_symbol() {
  return static_cast<const void*>(&context_pointer);
}

} // namespace gpurma::detail

#endif
