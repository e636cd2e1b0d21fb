// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches, and what a program can ask about a kernel.
#include "kernel.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "device_limits.h"
#include "error.h"
#include "host.h"
#include "stream.h"
#include "symbol_name.h"

namespace gpurma::cpu {

namespace {

struct kernel_entry {
  bind_kernel bind = nullptr;
  const char* name = "";  // empty until the first launch of a kernel that was registered without one
  std::size_t max_dynamic_shared = limits::dynamic_shared;  // bytes; cudaFuncSetAttribute raises it
};

struct kernel_table {
  std::shared_mutex mutex;
  std::unordered_map<const void*, kernel_entry> by_address;
  std::vector<std::unique_ptr<const std::string>> found_names;
};
kernel_table& kernels() {
  static kernel_table& instance = *new kernel_table;
  return instance;
}
[[maybe_unused]] const kernel_table& made_before_threads =
    kernels(); // ThreadSanitizer does not see the guard

bool find_kernel(const void* address, kernel_entry& entry) {
  const std::shared_lock lock(kernels().mutex);
  const auto found = kernels().by_address.find(address);
  if (found == kernels().by_address.end()) return false;
  entry = found->second;
  return true;
}

// What runs when a stack is full can ask nobody, so that a kernel has its name before.
const char* find_name(const void* address) {
  auto name = std::make_unique<const std::string>(symbol_name(address));
  const std::unique_lock lock(kernels().mutex);
  kernel_entry& entry = kernels().by_address.at(address);
  if (*entry.name == '\0') entry.name = kernels().found_names.emplace_back(std::move(name))->c_str();
  return entry.name;
}

bool valid_extent(const dim3& extent, unsigned x, unsigned y, unsigned z) {
  return extent.x >= 1 && extent.y >= 1 && extent.z >= 1 && extent.x <= x && extent.y <= y && extent.z <= z;
}

cudaError_t launch(const void* function, dim3 grid, dim3 block, void** args, std::size_t shared, cudaStream_t handle,
                   bool cooperative) {
  kernel_entry entry;
  if (function == nullptr || !find_kernel(function, entry)) return cudaErrorInvalidDeviceFunction;
  if (!valid_extent(grid, limits::grid_x, limits::grid_y, limits::grid_z) ||
      !valid_extent(block, limits::block_x, limits::block_y, limits::block_z))
    return cudaErrorInvalidConfiguration;
  const unsigned long long threads = 1ull * block.x * block.y * block.z, blocks = 1ull * grid.x * grid.y * grid.z;
  if (threads > limits::block_threads || blocks > limits::grid_x) return cudaErrorInvalidConfiguration;
  if (shared > entry.max_dynamic_shared) return cudaErrorInvalidValue;
  if (cooperative && blocks > resident_blocks()) return cudaErrorCooperativeLaunchTooLarge;
  const std::shared_ptr<stream> on = find_stream(handle);
  if (on == nullptr) return cudaErrorInvalidResourceHandle;
  if (const cudaError_t failed = device_error(); failed != cudaSuccess) return failed;

  auto queued = std::make_shared<grid_launch>();
  queued->kernel.reset(entry.bind(function, args));
  queued->name = *entry.name != '\0' ? entry.name : find_name(function);
  queued->grid = grid;
  queued->block = block;
  queued->dynamic_shared = shared;
  queued->cooperative = cooperative;
  queued->blocks = static_cast<unsigned>(blocks);
  queued->threads = static_cast<unsigned>(threads);
  on->enqueue([queued](worker_team& team) {
    team.run(*queued);
    if (const int error = queued->error.load(); error != 0) fail_device(static_cast<cudaError_t>(error));
  });
  return cudaSuccess;
}

}  // namespace

bool register_kernel_binder(const void* kernel, const char* name, bind_kernel bind) {
  const std::unique_lock lock(kernels().mutex);
  const auto [entry, added] = kernels().by_address.try_emplace(kernel);
  if (added) entry->second.bind = bind;
  if (*entry->second.name == '\0') entry->second.name = name;
  return true;
}

bound_kernel* bind(const void* kernel, void** args) {
  kernel_entry entry;
  return kernel != nullptr && find_kernel(kernel, entry) ? entry.bind(kernel, args) : nullptr;
}

}  // namespace gpurma::cpu

using namespace gpurma::cpu;

cudaError_t cudaLaunchKernel(const void* func, dim3 gridDim, dim3 blockDim, void** args, size_t sharedMem,
                             cudaStream_t stream) {
  return result(launch(func, gridDim, blockDim, args, sharedMem, stream, false));
}

cudaError_t cudaLaunchCooperativeKernel(const void* func, dim3 gridDim, dim3 blockDim, void** args, size_t sharedMem,
                                        cudaStream_t stream) {
  return result(launch(func, gridDim, blockDim, args, sharedMem, stream, true));
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* func, void** args) {
  if (config == nullptr || (config->numAttrs != 0 && config->attrs == nullptr)) return result(cudaErrorInvalidValue);
  bool cooperative = false;
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    switch (config->attrs[i].id) {
      case cudaLaunchAttributeIgnore:
      case cudaLaunchAttributePriority:
        break;
      case cudaLaunchAttributeCooperative:
        cooperative = config->attrs[i].val.cooperative != 0;
        break;
      default:
        return result(cudaErrorNotSupported);
    }
  }
  return result(launch(func, config->gridDim, config->blockDim, args, config->dynamicSmemBytes, config->stream, cooperative));
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attr, const void* func) {
  kernel_entry entry;
  if (attr == nullptr) return result(cudaErrorInvalidValue);
  if (!find_kernel(func, entry)) return result(cudaErrorInvalidDeviceFunction);
  *attr = cudaFuncAttributes{};
  attr->maxThreadsPerBlock = limits::block_threads;
  attr->numRegs = limits::registers_per_thread;
  attr->ptxVersion = attr->binaryVersion = limits::major * 10 + limits::minor;
  attr->maxDynamicSharedSizeBytes = static_cast<int>(entry.max_dynamic_shared);
  attr->preferredShmemCarveout = cudaSharedmemCarveoutDefault;
  return result(cudaSuccess);
}

cudaError_t cudaFuncSetAttribute(const void* func, cudaFuncAttribute attr, int value) {
  const std::unique_lock lock(kernels().mutex);
  const auto found = kernels().by_address.find(func);
  if (found == kernels().by_address.end()) return result(cudaErrorInvalidDeviceFunction);
  switch (attr) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
      if (value < 0 || static_cast<std::size_t>(value) > limits::dynamic_shared_opt_in) return result(cudaErrorInvalidValue);
      found->second.max_dynamic_shared = static_cast<std::size_t>(value);
      return result(cudaSuccess);
    case cudaFuncAttributePreferredSharedMemoryCarveout:
      return result(value < -1 || value > 100 ? cudaErrorInvalidValue : cudaSuccess);
    default:
      return result(cudaErrorInvalidValue);
  }
}

cudaError_t cudaFuncSetCacheConfig(const void* func, cudaFuncCache) {
  kernel_entry entry;
  return result(find_kernel(func, entry) ? cudaSuccess : cudaErrorInvalidDeviceFunction);
}

cudaError_t cudaFuncSetSharedMemConfig(const void* func, cudaSharedMemConfig) {
  kernel_entry entry;
  return result(find_kernel(func, entry) ? cudaSuccess : cudaErrorInvalidDeviceFunction);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* numBlocks, const void* func, int blockSize,
                                                          size_t dynamicSMemSize) {
  kernel_entry entry;
  if (numBlocks == nullptr || blockSize < 1) return result(cudaErrorInvalidValue);
  if (!find_kernel(func, entry)) return result(cudaErrorInvalidDeviceFunction);
  const bool fits =
      blockSize <= static_cast<int>(limits::block_threads) && dynamicSMemSize <= limits::dynamic_shared_opt_in;
  *numBlocks = fits ? static_cast<int>(limits::blocks_per_multiprocessor()) : 0;
  return result(cudaSuccess);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* numBlocks, const void* func, int blockSize,
                                                                   size_t dynamicSMemSize, unsigned int flags) {
  if (flags != cudaOccupancyDefault && flags != cudaOccupancyDisableCachingOverride) return result(cudaErrorInvalidValue);
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(numBlocks, func, blockSize, dynamicSMemSize);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* dynamicSmemSize, const void* func, int numBlocks,
                                                      int blockSize) {
  kernel_entry entry;
  if (dynamicSmemSize == nullptr || numBlocks < 1 || blockSize < 1) return result(cudaErrorInvalidValue);
  if (!find_kernel(func, entry)) return result(cudaErrorInvalidDeviceFunction);
  *dynamicSmemSize = numBlocks <= static_cast<int>(limits::blocks_per_multiprocessor()) ? limits::dynamic_shared_opt_in : 0;
  return result(cudaSuccess);
}
