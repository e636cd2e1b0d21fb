// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registered memory. An allocation is registered as a whole when it is first used, and stays so
// until it is found to have been freed: registering pins its pages, which takes far longer than to
// send a message.
#ifndef GPURMA_TRANSPORT_VERBS_REGISTRATION_CACHE_H
#define GPURMA_TRANSPORT_VERBS_REGISTRATION_CACHE_H

#include <cstddef>
#include <map>
#include <string>

#include "../transport.h"
#include "device.h"

namespace gpurma::host::verbs {

// How memory of a GPU is registered (GPURMA_IB_GPU_MEMORY).
enum class gpu_registration {
  none,    // not at all: its contents go through host memory
  dmabuf,  // as a dma-buf that the GPU's driver exports
  peermem, // like host memory, by the kernel module nvidia-peermem
  any      // dmabuf or else peermem
};

class registration_cache {
public:
  registration_cache(device& on, gpu_registration of_gpus) : device_(on), of_gpus_(of_gpus) {}
  ~registration_cache();
  registration_cache(const registration_cache&) = delete;
  registration_cache& operator=(const registration_cache&) = delete;

  // Deregisters allocations that are no more, or have been replaced by others at their address. An
  // entry that outlived its allocation would send from, and write to, pages that nobody sees.
  void forget_freed(const memory_questions& ask);

  // The region of the allocation that holds [begin, begin + bytes). Null: there is no such
  // allocation, or it cannot be registered; `reason` says which.
  ibv_mr* find(const void* begin, std::size_t bytes, std::string& reason);

  // A region of exactly these bytes, outside of the cache, for memory that is in no allocation that
  // ask_ knows (constants of the program, for one, so with no more access than is needed:
  // bits of ibv_access_flags). Null: as above. The caller gives it to release().
  ibv_mr* register_once(const void* begin, std::size_t bytes, int access, std::string& reason);
  void release(ibv_mr* region);

  std::size_t size() const { return regions_.size(); }

private:
  struct region {
    allocation of;
    ibv_mr* memory;      // null: it cannot be registered, which is not tried again
    std::string refusal; // then why
  };
  ibv_mr* register_memory(const allocation& what, int access, std::string& reason);
  ibv_mr* register_dmabuf(const allocation& what, int access, std::string& reason);

  device& device_;
  const gpu_registration of_gpus_;
  memory_questions ask_;
  std::map<std::uint64_t, region> regions_; // by base
  const region* last_ = nullptr;            // found last
};

} // namespace gpurma::host::verbs

#endif
