// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launching rank kernels: kernels whose blocks are ranks. All processes launch the same rank
// kernels in the same order. A launch is asynchronous and ordered on its stream, as CUDA says; rank
// kernels of a process run one after another, in the order of their launches, whatever their
// streams.
#ifndef GPURMA_LAUNCH_H
#define GPURMA_LAUNCH_H

#include <cuda_runtime.h>

#include <cstddef>
#include <type_traits>

#include <gpurma/device/context.h>
#include <gpurma/types.h>
#if GPURMA_TARGET_CPU
#include <gpurma/platform/cpu/kernel.h>
#endif

namespace gpurma {

namespace host {

// Untyped entries of the library; the templates below are the API.
void register_rank_kernel(const void* kernel, const void* context_symbol, block_use blocks);
void register_source_file(unsigned hash, const char* name);
using launch_function = cudaError_t (*)(const void* kernel, dim3 grid, dim3 block, void** arguments,
                                        std::size_t shared_bytes, cudaStream_t stream);
// ordinary: how to launch a kernel that is not a rank kernel.
cudaError_t launch(const void* kernel, dim3 grid, dim3 block, void** arguments,
                   std::size_t shared_bytes, cudaStream_t stream, launch_function ordinary);
layout query(const void* kernel, dim3 block, std::size_t shared_bytes);

// Makes a kernel known to the CPU target, which cannot launch a bare function pointer.
template <class... Parameters>
void register_ordinary_kernel([[maybe_unused]] void (*kernel)(Parameters...)) {
#if GPURMA_TARGET_CPU
  cpu::register_kernel(kernel);
#endif
}

} // namespace host

#if GPURMA_TARGET_CUDA
// The address of the context pointer belongs to one translation unit (there is no relocatable
// device code), and so must everything on the host that hands it on.
namespace {
#endif

// Registers a kernel as a rank kernel; a static object of the translation unit that defines the
// kernel.
struct rank_kernel {
  template <class... Parameters>
  explicit rank_kernel(void (*kernel)(Parameters...), block_use blocks = block_use::any_number) {
    host::register_ordinary_kernel(kernel);
    host::register_rank_kernel(reinterpret_cast<const void*>(kernel), detail::context_symbol(),
                               blocks);
  }
};

// The same of several, of which some may be null.
struct rank_kernels {
  template <class Kernel, std::size_t Rows, std::size_t Columns>
  explicit rank_kernels(const Kernel (&kernels)[Rows][Columns]) {
    for (const auto& row : kernels)
      for (const Kernel kernel : row)
        if (kernel != nullptr)
          rank_kernel{kernel};
  }
};

#if GPURMA_TARGET_CUDA
} // namespace
#endif

// Registers the name of a source file for messages; hash: hash_file_name(name as it stands in
// gpurma::site).
struct source_file {
  source_file(unsigned hash, const char* name) { host::register_source_file(hash, name); }
};

// What gpurmacc declares for a kernel template, so that a launch in another template finds the
// instance by its arguments: decltype(gpurma_kernel_step(u, v, n))::value.
template <auto* Kernel> struct kernel_constant { static constexpr auto* value = Kernel; };
// Of kernels that are chosen by the type that they return: std::enable_if_t<...>.
template <class Result> struct returned_by_kernel;

// Registers a kernel that is not a rank kernel, so that cudaLaunchKernel finds it on the CPU
// target.
struct registered_kernel {
  template <class... Parameters> explicit registered_kernel(void (*kernel)(Parameters...)) {
    host::register_ordinary_kernel(kernel);
  }
};

// A launch that lacks its arguments.
template <class... Parameters> class launcher {
public:
  launcher(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared_bytes,
           cudaStream_t stream)
      : kernel_(kernel), grid_(grid), block_(block), shared_bytes_(shared_bytes), stream_(stream) {}

  // Errors are left for cudaGetLastError, as a kernel launch does.
  void operator()(Parameters... arguments) const {
    void* pointers[] = {const_cast<void*>(static_cast<const volatile void*>(&arguments))...,
                        nullptr};
    static_cast<void>(host::launch(reinterpret_cast<const void*>(kernel_), grid_, block_, pointers,
                                   shared_bytes_, stream_, cudaLaunchKernel));
  }

private:
  void (*kernel_)(Parameters...);
  dim3 grid_;
  dim3 block_;
  std::size_t shared_bytes_;
  cudaStream_t stream_;
};

// kernel<<<grid, block, shared_bytes, stream>>>, written launch(kernel, grid, block, shared_bytes,
// stream)(arguments...). A rank kernel runs co-resident with one rank per block: as many as fit on
// the device, or as many as `grid` has if that is less. Other kernels are launched as written.
template <class... Parameters>
launcher<Parameters...> launch(void (*kernel)(Parameters...), dim3 grid, dim3 block,
                               std::size_t shared_bytes = 0, cudaStream_t stream = nullptr) {
  host::register_ordinary_kernel(kernel);
  return launcher<Parameters...>(kernel, grid, block, shared_bytes, stream);
}

// The same for a kernel that is known to be a rank kernel and is defined in this translation unit:
// registers it.
template <class... Parameters>
static launcher<Parameters...> launch_rank_kernel(void (*kernel)(Parameters...), dim3 grid,
                                                  dim3 block, std::size_t shared_bytes = 0,
                                                  cudaStream_t stream = nullptr) {
  rank_kernel registered(kernel);
  static_cast<void>(registered);
  return launcher<Parameters...>(kernel, grid, block, shared_bytes, stream);
}

// cudaLaunchKernel, for rank kernels too.
inline cudaError_t launch_kernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                                 std::size_t shared_bytes = 0, cudaStream_t stream = nullptr) {
  return host::launch(kernel, grid, block, arguments, shared_bytes, stream, cudaLaunchKernel);
}

// cudaLaunchCooperativeKernel, for rank kernels too.
inline cudaError_t launch_cooperative_kernel(const void* kernel, dim3 grid, dim3 block,
                                             void** arguments, std::size_t shared_bytes = 0,
                                             cudaStream_t stream = nullptr) {
  return host::launch(kernel, grid, block, arguments, shared_bytes, stream,
                      cudaLaunchCooperativeKernel);
}

// What a launch of the rank kernel with this block size and no limit by its grid will find.
// Collective over all processes.
template <class... Parameters>
layout query(void (*kernel)(Parameters...), dim3 block, std::size_t shared_bytes = 0) {
  host::register_ordinary_kernel(kernel);
  return host::query(reinterpret_cast<const void*>(kernel), block, shared_bytes);
}

} // namespace gpurma

#endif
