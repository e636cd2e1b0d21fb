// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A call like cudaMemcpy behind a rank kernel waits for the kernel inside CUDA, under a lock of the
// context that the progress thread's copies need, too; a kernel that needs such a copy to end would
// never end. So the waiting is done first, by a call that takes no such lock: cudaStreamSynchronize
// or cudaDeviceSynchronize.
#include <cuda_runtime.h>

#include "host/rank_kernel_gate.h"

namespace gpurma::host {

namespace {

bool is_pageable(const void* memory) {
  cudaPointerAttributes attributes{};
  if (memory == nullptr)
    return false;
  // Fails before CUDA starts, when nothing waits either.
  return cudaPointerGetAttributes(&attributes, memory) == cudaSuccess &&
         attributes.type == cudaMemoryTypeUnregistered;
}

bool is_capturing(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  return cudaStreamIsCapturing(stream, &status) == cudaSuccess &&
         status != cudaStreamCaptureStatusNone;
}

template <class Wait, class Call> cudaError_t wait_outside(Wait wait, Call call) {
  cudaError_t error = cudaSuccess;
  if (rank_kernels_on_device().run_unless_open([&] { error = call(); }))
    return error;
  // What fails in work before it, the call reports, too.
  static_cast<void>(wait());
  return call();
}

cudaError_t wait_for_pageable(cudaStream_t stream, const void* a, const void* b) {
  if ((is_pageable(a) || is_pageable(b)) && !is_capturing(stream))
    return cudaStreamSynchronize(stream);
  return cudaSuccess;
}

} // namespace

} // namespace gpurma::host

// The names are the linker's.
// NOLINTBEGIN(bugprone-reserved-identifier)
#define GPURMA_WRAP_COPY(name, parameters, arguments, default_stream)                              \
  extern "C" cudaError_t __real_##name parameters;                                                 \
  extern "C" cudaError_t __wrap_##name parameters {                                                \
    return gpurma::host::wait_outside([] { return cudaStreamSynchronize(default_stream); },        \
                                      [&] { return __real_##name arguments; });                    \
  }
#define GPURMA_WRAP_COPY_ASYNC(name, parameters, arguments, stream, a, b)                          \
  extern "C" cudaError_t __real_##name parameters;                                                 \
  extern "C" cudaError_t __wrap_##name parameters {                                                \
    return gpurma::host::wait_outside(                                                             \
        [&] { return gpurma::host::wait_for_pageable(stream, a, b); },                             \
        [&] { return __real_##name arguments; });                                                  \
  }
#define GPURMA_BLOCKING_COPY(name, parameters, arguments)                                          \
  GPURMA_WRAP_COPY(name, parameters, arguments, cudaStreamLegacy)                                  \
  GPURMA_WRAP_COPY(name##_ptds, parameters, arguments, cudaStreamPerThread)
#define GPURMA_BLOCKING_COPY_ASYNC(name, parameters, arguments, stream, a, b)                      \
  GPURMA_WRAP_COPY_ASYNC(name, parameters, arguments, stream, a, b)                                \
  GPURMA_WRAP_COPY_ASYNC(name##_ptsz, parameters, arguments,                                       \
                         stream == nullptr ? cudaStreamPerThread : stream, a, b)
#define GPURMA_BLOCKING_RELEASE(name, parameters, arguments)                                       \
  extern "C" cudaError_t __real_##name parameters;                                                 \
  extern "C" cudaError_t __wrap_##name parameters {                                                \
    return gpurma::host::wait_outside([] { return cudaDeviceSynchronize(); },                      \
                                      [&] { return __real_##name arguments; });                    \
  }
#include "host/blocking_calls.def"
// NOLINTEND(bugprone-reserved-identifier)
