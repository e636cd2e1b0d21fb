// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host/kernels.h"

#include <unistd.h>

#include <cstdlib>
#include <mutex>
#include <string>
#include <unordered_map>

#include <gpurma/launch.h>

#include "host/log.h"
#include "host/process.h"

namespace gpurma::host {

namespace {

struct registry {
#if GPURMA_TARGET_CUDA
  // Unless the user says otherwise; CUDA has not started yet, because registration comes before
  // main. Loading kernels lazily waits for running kernels, which may wait for other processes. And
  // under the Multi-Process Service streams share two hardware queues by default, so that copies
  // for a running rank kernel would stand behind it; there, all processes share those of the device,
  // and with 32 for each a third process finds none.
  registry() {
    setenv("CUDA_MODULE_LOADING", "EAGER", 0);
    setenv("CUDA_DEVICE_MAX_CONNECTIONS", shares_device() ? "8" : "32", 0);
  }
  static bool shares_device() {
    const char* const named = std::getenv("CUDA_MPS_PIPE_DIRECTORY");
    const std::string folder = named != nullptr ? named : "/tmp/nvidia-mps";
    return access((folder + "/control").c_str(), F_OK) == 0;
  }
#endif
  std::mutex mutex;
  std::unordered_map<const void*, rank_kernel_entry> kernels;
  std::unordered_map<unsigned, std::string> files;
};

// Static objects of other translation units register, in any order and before main; the registry
// outlives them all.
registry& entries() {
  static registry* const all = new registry;
  return *all;
}

} // namespace

void register_rank_kernel(const void* kernel, const void* context_symbol, block_use blocks) {
  announce_rank_kernels();
  registry& all = entries();
  const std::lock_guard lock(all.mutex);
  all.kernels.try_emplace(kernel, rank_kernel_entry{context_symbol, blocks, false, {}, false});
}

void register_source_file(unsigned hash, const char* name) {
  registry& all = entries();
  const std::lock_guard lock(all.mutex);
  all.files.try_emplace(hash, name);
}

rank_kernel_entry* find_rank_kernel(const void* kernel) {
  registry& all = entries();
  const std::lock_guard lock(all.mutex);
  const auto found = all.kernels.find(kernel);
  return found == all.kernels.end() ? nullptr : &found->second;
}

std::vector<std::pair<const void*, rank_kernel_entry*>> rank_kernels() {
  registry& all = entries();
  const std::lock_guard lock(all.mutex);
  std::vector<std::pair<const void*, rank_kernel_entry*>> kernels;
  for (auto& [kernel, entry] : all.kernels)
    kernels.emplace_back(kernel, &entry);
  return kernels;
}

std::string source_text(site where) {
  if (where.file == 0 && where.line == 0)
    return "unknown place";
  registry& all = entries();
  const std::lock_guard lock(all.mutex);
  const auto found = all.files.find(where.file);
  return text(found == all.files.end() ? "unknown file" : found->second.c_str(), ':', where.line);
}

} // namespace gpurma::host
