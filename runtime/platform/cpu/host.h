// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the host runtime asks of the CPU target beyond the CUDA runtime API.
#ifndef GPURMA_PLATFORM_CPU_HOST_H
#define GPURMA_PLATFORM_CPU_HOST_H

#include <cstddef>
#include <cstdint>

#include "kernel.h"

namespace gpurma::cpu {

// Called while a cooperative kernel runs, on the stacks of the threads that run it: whenever all blocks of a thread only
// waited, and now and then when not. Several threads may call it at once. Returns whether it did anything, which keeps
// the threads from backing off. Null: none.
using idle_hook = bool (*)();
void set_idle_hook(idle_hook hook);

// An allocation of cudaMalloc and its kin (managed, asynchronous, pinned and registered host memory included).
struct allocation {
  void* base;        // null: the pointer is in none
  std::size_t size;  // bytes
  std::uint64_t id;  // tells it from later ones at the same address
  bool is_host;      // pinned or registered host memory, not a device's
};
allocation find_allocation(const void* pointer);

// Makes memory that the host runtime has reserved known as an allocation of the device, and unknown again.
void add_allocation(void* base, std::size_t size);
void remove_allocation(void* base);

// A launch's kernel with its arguments; null: the kernel is not known. The caller owns the result.
bound_kernel* bind(const void* kernel, void** args);

// Blocks of a cooperative launch that can be co-resident (GPURMA_CPU_RANKS), and the threads that run them
// (GPURMA_CPU_WORKERS).
unsigned resident_blocks();
unsigned workers();

}  // namespace gpurma::cpu

#endif
