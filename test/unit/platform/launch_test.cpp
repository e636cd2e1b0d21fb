// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches: what is refused, and how arguments get there.
#include "launch.h"

namespace {

__global__ void store(int* out, int value) { *out = value; }
__global__ void unknown() {}

const void* address(void (*kernel)(int*, int)) {
  gpurma::cpu::register_kernel(kernel, "store");
  return reinterpret_cast<const void*>(kernel);
}

TEST(Launch, WrongConfigurationsAreRefused) {
  managed<int> out(1);
  int* pointer = out.get();
  int value = 5;
  void* arguments[] = {&pointer, &value};
  const auto launch = [&](dim3 grid, dim3 block, std::size_t shared = 0) {
    const cudaError_t error = cudaLaunchKernel(address(store), grid, block, arguments, shared, nullptr);
    EXPECT_EQ(cudaGetLastError(), error);
    return error;
  };
  EXPECT_EQ(launch(0, 32), cudaErrorInvalidConfiguration);
  EXPECT_EQ(launch(1, 0), cudaErrorInvalidConfiguration);
  EXPECT_EQ(launch(1, 1025), cudaErrorInvalidConfiguration);
  EXPECT_EQ(launch(1, dim3(1, 1, 65)), cudaErrorInvalidConfiguration);
  EXPECT_EQ(launch(1, dim3(64, 32)), cudaErrorInvalidConfiguration);
  EXPECT_EQ(launch(dim3(1, 65536), 1), cudaErrorInvalidConfiguration);
  EXPECT_EQ(launch(1, 1, 49 * 1024), cudaErrorInvalidValue);
  EXPECT_EQ(cudaLaunchKernel(address(store), 1, 1, arguments, 0, reinterpret_cast<cudaStream_t>(0x7)),
            cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaLaunchKernel(reinterpret_cast<const void*>(&unknown), 1, 1, nullptr, 0, nullptr), cudaErrorInvalidDeviceFunction);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDeviceFunction);
  EXPECT_EQ(out[0], 0);
}

__global__ void use_dynamic(int n, int* out) {
  typedef int dynamic_type[];
  dynamic_type& values = ::gpurma::cpu::dynamic_shared<dynamic_type>();
  values[n - 1] = n;
  *out = values[n - 1];
}

TEST(Launch, MoreDynamicSharedMemoryNeedsTheAttribute) {
  managed<int> out(1);
  const int n = 100 * 1024 / 4;
  EXPECT_EQ(launch_on(nullptr, grid_kind::ordinary, use_dynamic, 1, 1, 100 * 1024, n, out.get()), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFuncSetAttribute(use_dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 500 * 1024), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFuncSetAttribute(use_dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 * 1024), cudaSuccess);
  cudaGetLastError();
  EXPECT_EQ(launch_on(nullptr, grid_kind::ordinary, use_dynamic, 1, 1, 100 * 1024, n, out.get()), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(out[0], n);
  cudaFuncAttributes attributes;
  ASSERT_EQ(cudaFuncGetAttributes(&attributes, use_dynamic), cudaSuccess);
  EXPECT_EQ(attributes.maxDynamicSharedSizeBytes, 100 * 1024);
  EXPECT_EQ(attributes.maxThreadsPerBlock, 1024);
}

TEST(Launch, ArgumentsAreCopiedWhenTheLaunchReturns) {
  managed<int> out(1);
  int* pointer = out.get();
  int value = 17;
  void* arguments[] = {&pointer, &value};
  ASSERT_EQ(cudaLaunchKernel(address(store), 1, 1, arguments, 0, nullptr), cudaSuccess);
  value = 3;
  pointer = nullptr;
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(out[0], 17);
}

struct parameters {
  double factor;
  int shift;
  const int* in;
};

__global__ void with_structure(const parameters p, int* out) {
  out[threadIdx.x] = static_cast<int>(p.factor * p.in[threadIdx.x]) + p.shift;
}

template <class Function>
__global__ void with_function(Function function, int n) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < static_cast<unsigned>(n); i += blockDim.x * gridDim.x)
    function(i);
}

TEST(Launch, StructuresAndFunctionObjectsByValue) {
  managed<int> in(32), out(32);
  for (int i = 0; i < 32; ++i) in[static_cast<std::size_t>(i)] = i;
  run(with_structure, 1, 32, parameters{2.5, 7, in.get()}, out.get());
  EXPECT_EQ(out[31], 84);
  int* const to = out.get();
  const auto square = [to](unsigned i) { to[i] = static_cast<int>(i * i); };
  run(with_function<decltype(square)>, 2, 4, square, 32);
  for (int i = 0; i < 32; ++i) EXPECT_EQ(out[static_cast<std::size_t>(i)], i * i);
}

TEST(Launch, ExtendedLaunchConvertsArgumentsAndReadsAttributes) {
  managed<int> out(1);
  address(store);
  cudaLaunchConfig_t config{};
  config.gridDim = config.blockDim = 1;
  EXPECT_EQ(cudaLaunchKernelEx(&config, store, out.get(), 12.9), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(out[0], 12);
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeCooperative;
  attribute.val.cooperative = 1;
  config.attrs = &attribute;
  config.numAttrs = 1;
  config.gridDim = gpurma::cpu::resident_blocks() + 1;
  EXPECT_EQ(cudaLaunchKernelEx(&config, store, out.get(), 1), cudaErrorCooperativeLaunchTooLarge);
  EXPECT_EQ(cudaGetLastError(), cudaErrorCooperativeLaunchTooLarge);
}

__global__ void many_blocks(unsigned* sum) { atomicAdd(sum, blockIdx.x + gridDim.x * blockIdx.y); }

TEST(Launch, MoreBlocksThanAreResidentRunInTurn) {
  if (!fibres()) GTEST_SKIP() << "20000 blocks of OS threads";
  managed<unsigned> sum(1);
  run(many_blocks, dim3(200, 100), 1, sum.get());
  EXPECT_EQ(sum[0], 20000u * 19999u / 2);
}

}  // namespace
