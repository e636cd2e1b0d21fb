// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launching kernels from plain C++ tests.
#ifndef GPURMA_TEST_UNIT_PLATFORM_LAUNCH_H
#define GPURMA_TEST_UNIT_PLATFORM_LAUNCH_H

#include <cuda_runtime.h>
#include <gpurma/platform/platform.h>
#include <gpurma/platform/cpu/host.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <string_view>
#include <type_traits>
#include <vector>

inline bool fibres() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return false;
#else
  const char* const threads = std::getenv("GPURMA_CPU_THREADS");
  return threads == nullptr || std::string_view(threads) != "os";
#endif
}

enum class grid_kind { ordinary, cooperative };

template <class... P>
cudaError_t launch_on(cudaStream_t stream, grid_kind kind, void (*kernel)(P...), dim3 grid, dim3 block,
                      std::size_t shared, std::type_identity_t<P>... arguments) {
  gpurma::cpu::register_kernel(kernel, "test kernel");
  std::array<void*, sizeof...(P) + 1> pointers{&arguments..., nullptr};
  return kind == grid_kind::ordinary
             ? cudaLaunchKernel(reinterpret_cast<const void*>(kernel), grid, block, pointers.data(), shared, stream)
             : cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(kernel), grid, block, pointers.data(), shared,
                                           stream);
}

// Launches and waits; fails the test on an error.
template <class... P>
void run(void (*kernel)(P...), dim3 grid, dim3 block, std::type_identity_t<P>... arguments) {
  ASSERT_EQ(launch_on(nullptr, grid_kind::ordinary, kernel, grid, block, 0, arguments...), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}
template <class... P>
void run_cooperative(void (*kernel)(P...), dim3 grid, dim3 block, std::type_identity_t<P>... arguments) {
  ASSERT_EQ(launch_on(nullptr, grid_kind::cooperative, kernel, grid, block, 0, arguments...), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

// Managed memory, freed with its owner; zero at first.
template <class T>
class managed {
 public:
  explicit managed(std::size_t n) : size_(n) {
    EXPECT_EQ(cudaMallocManaged(&data_, n * sizeof(T)), cudaSuccess);
    for (std::size_t i = 0; i < n; ++i) data_[i] = T{};
  }
  ~managed() { EXPECT_EQ(cudaFree(data_), cudaSuccess); }
  managed(const managed&) = delete;
  managed& operator=(const managed&) = delete;
  T* get() { return data_; }
  T& operator[](std::size_t i) { return data_[i]; }
  std::size_t size() const { return size_; }

 private:
  T* data_ = nullptr;
  std::size_t size_;
};

#endif
