// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "registration_cache.h"

#include <cerrno>
#include <cstring>
#include <iterator>

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
    device_.api.ibv_dereg_mr(entry.memory);
}

void registration_cache::forget_freed(remote_access::allocation_lookup lookup) {
  lookup_ = lookup;
  last_ = nullptr;
  for (auto each = regions_.begin(); each != regions_.end();) {
    const allocation& then = each->second.of;
    const allocation now = lookup(reinterpret_cast<const void*>(then.base));
    if (now.base == then.base && now.bytes == then.bytes && now.id == then.id) {
      ++each;
      continue;
    }
    release(each->second.memory);
    each = regions_.erase(each);
  }
}

ibv_mr* registration_cache::find(const void* begin, std::size_t bytes, std::string& reason) {
  const auto address = reinterpret_cast<std::uint64_t>(begin);
  if (last_ != nullptr && holds(last_->of, address, bytes))
    return last_->memory;
  auto next = regions_.upper_bound(address);
  if (next != regions_.begin() && holds(std::prev(next)->second.of, address, bytes)) {
    last_ = &std::prev(next)->second;
    return last_->memory;
  }
  const allocation found = lookup_ != nullptr ? lookup_(begin) : allocation();
  if (found.base == 0 || !holds(found, address, bytes)) {
    reason = text("no allocation holds the ", bytes, " bytes at ", begin);
    return nullptr;
  }
  ibv_mr* const memory = register_memory(found, all_access, reason);
  if (memory == nullptr)
    return nullptr;
  last_ = &regions_.emplace(found.base, region{found, memory}).first->second;
  return memory;
}

ibv_mr* registration_cache::register_once(const void* begin, std::size_t bytes, int access,
                                          std::string& reason) {
  return register_memory({reinterpret_cast<std::uint64_t>(begin), bytes, 0, true}, access, reason);
}

void registration_cache::release(ibv_mr* region) {
  device_.api.ibv_dereg_mr(region);
}

ibv_mr* registration_cache::register_memory(const allocation& what, int access,
                                            std::string& reason) {
  ibv_mr* const memory = device_.api.ibv_reg_mr(device_.domain, reinterpret_cast<void*>(what.base),
                                                what.bytes, access);
  if (memory == nullptr) {
    const int error = errno;
    reason = text(what.bytes, " bytes cannot be registered with ", device_.description(), ": ",
                  std::strerror(error),
                  error == ENOMEM ? " (is the limit of locked memory, ulimit -l, too low?)" : "");
  }
  return memory;
}

} // namespace gpurma::host::verbs
