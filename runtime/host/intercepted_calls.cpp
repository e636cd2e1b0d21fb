// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of the CUDA runtime that programs make through the host runtime.
//
// A call like cudaMemcpy behind a rank kernel waits for the kernel inside CUDA, under a lock of the
// context that the progress thread's copies need, too; a kernel that needs such a copy to end would
// never end. So the waiting is done first, by a call that takes no such lock: cudaStreamSynchronize
// or cudaDeviceSynchronize.
//
// Of a distributed array the process may hold a part only: copies and fills become those of the
// part, and what needs the whole gets it first.
//
// The first call of a program that uses a device comes here before it does, so that the process can
// have a device of its own.
#include <cuda_runtime.h>

#include <type_traits>

#include "host/device_choice.h"
#include "host/distributed_arrays.h"
#include "host/launch.h"
#include "host/launch_graph.h"
#include "host/rank_kernel_gate.h"

namespace gpurma::host {

namespace {

#if GPURMA_TARGET_CUDA

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

#endif

// A call, with what comes before it for distributed arrays. Real: what to call then.
template <class Real> class array_call {
public:
  explicit array_call(Real real) : real_(real) { choose_device_before_use(); }

  cudaError_t operator()(void** memory, std::size_t bytes) const {
    cudaError_t error = cudaSuccess;
    return allocate_distributed(memory, bytes, error) ? error : real_(memory, bytes);
  }
  cudaError_t operator()(void* memory) const {
    return free_distributed(memory) ? cudaSuccess : real_(memory);
  }
  template <class... Stream>
  cudaError_t operator()(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                         Stream... stream) const {
    const int number = kind; // may be none of the enumeration, which CUDA reports
    return copy_held(to, from, bytes, [&](void* here, const void* there, std::size_t part) {
      return real_(here, there, part, static_cast<cudaMemcpyKind>(number), stream...);
    });
  }
  template <class... Stream>
  cudaError_t operator()(void* to, int value, std::size_t bytes, Stream... stream) const {
    return fill_held(to, bytes, [&](void* here, std::size_t part) {
      return real_(here, value, part, stream...);
    });
  }
  template <class Kernel>
  cudaError_t operator()(Kernel kernel, dim3 grid, dim3 block, void** arguments,
                         std::size_t shared_bytes, cudaStream_t stream) const {
    if constexpr (std::is_same_v<Kernel, const void*>)
      if (const auto launched =
              launch_if_rank_kernel(kernel, grid, block, arguments, shared_bytes, stream))
        return *launched;
    make_arguments_whole(kernel, arguments);
    return real_(kernel, grid, block, arguments, shared_bytes, stream_of_launch(stream));
  }
  cudaError_t operator()(const cudaLaunchConfig_t* config, const void* kernel,
                         void** arguments) const {
    if (config != nullptr)
      if (const auto launched =
              launch_if_rank_kernel(kernel, config->gridDim, config->blockDim, arguments,
                                    config->dynamicSmemBytes, config->stream))
        return *launched;
    make_arguments_whole(kernel, arguments);
    if (config == nullptr)
      return real_(config, kernel, arguments);
    cudaLaunchConfig_t taken = *config;
    taken.stream = stream_of_launch(config->stream);
    return real_(&taken, kernel, arguments);
  }
  // Copies of other forms.
  template <class... Arguments> cudaError_t operator()(Arguments... arguments) const {
    (make_whole_if_pointer(arguments), ...);
    return real_(arguments...);
  }

private:
  template <class T> static void make_whole_if_pointer(T argument) {
    if constexpr (std::is_convertible_v<T, const void*>)
      make_whole(argument, "it is copied in another way than by cudaMemcpy");
  }

  Real real_;
};

} // namespace

} // namespace gpurma::host

// The names are the linker's.
// NOLINTBEGIN(bugprone-reserved-identifier)
#define GPURMA_WRAP(name, parameters, arguments, ...)                                              \
  extern "C" cudaError_t __real_##name parameters;                                                 \
  extern "C" cudaError_t __wrap_##name parameters {                                                \
    return gpurma::host::array_call([] parameters { return __VA_ARGS__; }) arguments;              \
  }
#define GPURMA_CALL(name, parameters, arguments)                                                   \
  GPURMA_WRAP(name, parameters, arguments, __real_##name arguments)

#if GPURMA_TARGET_CUDA

#define GPURMA_WRAP_COPY(name, parameters, arguments, default_stream)                              \
  GPURMA_WRAP(name, parameters, arguments,                                                         \
              gpurma::host::wait_outside([] { return cudaStreamSynchronize(default_stream); },     \
                                         [&] { return __real_##name arguments; }))
#define GPURMA_WRAP_COPY_ASYNC(name, parameters, arguments, stream, a, b)                          \
  GPURMA_WRAP(                                                                                     \
      name, parameters, arguments,                                                                 \
      gpurma::host::wait_outside([&] { return gpurma::host::wait_for_pageable(stream, a, b); },    \
                                 [&] { return __real_##name arguments; }))
#define GPURMA_COPY(name, parameters, arguments)                                                   \
  GPURMA_WRAP_COPY(name, parameters, arguments, cudaStreamLegacy)                                  \
  GPURMA_WRAP_COPY(name##_ptds, parameters, arguments, cudaStreamPerThread)
#define GPURMA_COPY_ASYNC(name, parameters, arguments, stream, a, b)                               \
  GPURMA_WRAP_COPY_ASYNC(name, parameters, arguments, stream, a, b)                                \
  GPURMA_WRAP_COPY_ASYNC(name##_ptsz, parameters, arguments,                                       \
                         stream == nullptr ? cudaStreamPerThread : stream, a, b)
#define GPURMA_RELEASE(name, parameters, arguments)                                                \
  GPURMA_WRAP(name, parameters, arguments,                                                         \
              gpurma::host::wait_outside([] { return cudaDeviceSynchronize(); },                   \
                                         [&] { return __real_##name arguments; }))
#define GPURMA_CALL_PTDS(name, parameters, arguments)                                              \
  GPURMA_CALL(name, parameters, arguments)                                                         \
  GPURMA_CALL(name##_ptds, parameters, arguments)
#define GPURMA_CALL_PTSZ(name, parameters, arguments)                                              \
  GPURMA_CALL(name, parameters, arguments)                                                         \
  GPURMA_CALL(name##_ptsz, parameters, arguments)
#define GPURMA_CUDA_USE(name, parameters, arguments)                                               \
  extern "C" cudaError_t __real_##name parameters;                                                 \
  extern "C" cudaError_t __wrap_##name parameters {                                                \
    gpurma::host::choose_device_before_use();                                                      \
    return __real_##name arguments;                                                                \
  }
#define GPURMA_CUDA_USE_PTDS(name, parameters, arguments)                                          \
  GPURMA_CUDA_USE(name, parameters, arguments)                                                     \
  GPURMA_CUDA_USE(name##_ptds, parameters, arguments)
#define GPURMA_CUDA_USE_PTSZ(name, parameters, arguments)                                          \
  GPURMA_CUDA_USE(name, parameters, arguments)                                                     \
  GPURMA_CUDA_USE(name##_ptsz, parameters, arguments)
#define GPURMA_CUDA_COPY GPURMA_COPY
#define GPURMA_CUDA_RELEASE GPURMA_RELEASE
#define GPURMA_CUDA_CALL_PTSZ GPURMA_CALL_PTSZ

#else

#define GPURMA_COPY GPURMA_CALL
#define GPURMA_COPY_ASYNC(name, parameters, arguments, stream, a, b)                               \
  GPURMA_CALL(name, parameters, arguments)
#define GPURMA_RELEASE GPURMA_CALL
#define GPURMA_CALL_PTDS GPURMA_CALL
#define GPURMA_CALL_PTSZ GPURMA_CALL
#define GPURMA_CUDA_COPY(name, parameters, arguments)
#define GPURMA_CUDA_RELEASE(name, parameters, arguments)
#define GPURMA_CUDA_CALL_PTSZ(name, parameters, arguments)
#define GPURMA_CUDA_USE(name, parameters, arguments)
#define GPURMA_CUDA_USE_PTDS(name, parameters, arguments)
#define GPURMA_CUDA_USE_PTSZ(name, parameters, arguments)

#endif

#include "host/intercepted_calls.def"
// NOLINTEND(bugprone-reserved-identifier)
