// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "registration_cache.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <iterator>
#include <utility>

#include "../../host/log.h"

#undef ibv_reg_mr

namespace gpurma::host::verbs {

namespace {

constexpr int all_access =
    IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;

bool holds(const allocation& what, std::uint64_t begin, std::size_t bytes) {
  return begin >= what.base && begin - what.base <= what.bytes &&
         bytes <= what.bytes - (begin - what.base);
}

} // namespace

registration_cache::~registration_cache() {
  for (const auto& [base, entry] : regions_)
    if (entry.memory != nullptr)
      release(entry.memory);
}

void registration_cache::forget_freed(const memory_questions& ask) {
  ask_ = ask;
  last_ = nullptr;
  for (auto each = regions_.begin(); each != regions_.end();) {
    const allocation& then = each->second.of;
    const allocation now = ask_.find(reinterpret_cast<const void*>(then.base));
    if (now.base == then.base && now.bytes == then.bytes && now.id == then.id) {
      ++each;
      continue;
    }
    if (each->second.memory != nullptr)
      release(each->second.memory);
    each = regions_.erase(each);
  }
}

ibv_mr* registration_cache::find(const void* begin, std::size_t bytes, std::string& reason) {
  const auto address = reinterpret_cast<std::uint64_t>(begin);
  if (last_ == nullptr || !holds(last_->of, address, bytes)) {
    auto next = regions_.upper_bound(address);
    if (next != regions_.begin() && holds(std::prev(next)->second.of, address, bytes)) {
      last_ = &std::prev(next)->second;
    } else {
      const allocation found = ask_.find != nullptr ? ask_.find(begin) : allocation();
      if (found.base == 0 || !holds(found, address, bytes)) {
        reason = text("no allocation holds the ", bytes, " bytes at ", begin);
        return nullptr;
      }
      region added{found, nullptr, {}};
      added.memory = register_memory(found, all_access, added.refusal);
      last_ = &regions_.emplace(found.base, std::move(added)).first->second;
    }
  }
  if (last_->memory == nullptr)
    reason = last_->refusal;
  return last_->memory;
}

ibv_mr* registration_cache::register_once(const void* begin, std::size_t bytes, int access,
                                          std::string& reason) {
  return register_memory({reinterpret_cast<std::uint64_t>(begin), bytes, 0, false}, access, reason);
}

void registration_cache::release(ibv_mr* region) {
  device_.api.ibv_dereg_mr(region);
}

ibv_mr* registration_cache::register_memory(const allocation& what, int access,
                                            std::string& reason) {
  reason.clear();
  if (what.on_gpu && of_gpus_ == gpu_registration::none) {
    reason = "memory of GPUs is not registered (GPURMA_IB_GPU_MEMORY)";
    return nullptr;
  }
  if (what.on_gpu && of_gpus_ != gpu_registration::peermem) {
    ibv_mr* const memory = register_dmabuf(what, access, reason);
    if (memory != nullptr || of_gpus_ == gpu_registration::dmabuf)
      return memory;
    reason += "; ";
  }
  ibv_mr* const memory = device_.api.ibv_reg_mr(device_.domain, reinterpret_cast<void*>(what.base),
                                                what.bytes, access);
  if (memory == nullptr) {
    const int error = errno;
    const char* const hint = what.on_gpu ? " (is the kernel module nvidia-peermem loaded?)"
                             : error == ENOMEM
                                 ? " (is the limit of locked memory, ulimit -l, too low?)"
                                 : "";
    reason +=
        text(what.bytes, what.on_gpu ? " bytes on a GPU" : " bytes", " cannot be registered with ",
             device_.description(), ": ", std::strerror(error), hint);
  }
  return memory;
}

ibv_mr* registration_cache::register_dmabuf(const allocation& what, int access,
                                            std::string& reason) {
  const int file = ask_.export_dmabuf != nullptr ? ask_.export_dmabuf(what, reason) : -1;
  if (file < 0)
    return nullptr;
  ibv_mr* const memory =
      device_.api.ibv_reg_dmabuf_mr(device_.domain, 0, what.bytes, what.base, file, access);
  if (memory == nullptr)
    reason = text("a dma-buf of ", what.bytes, " bytes cannot be registered with ",
                  device_.description(), ": ", std::strerror(errno));
  close(file); // the region holds it
  return memory;
}

} // namespace gpurma::host::verbs
