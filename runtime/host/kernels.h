// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What translation units register at program start: rank kernels and the names of source files.
#ifndef GPURMA_HOST_KERNELS_H
#define GPURMA_HOST_KERNELS_H

#include <string>
#include <utility>
#include <vector>

#include <gpurma/types.h>

namespace gpurma::host {

struct rank_kernel_entry {
  const void* context_symbol; // as cudaGetSymbolAddress takes it
  block_use blocks;
  // The launch code's.
  bool prepared;       // loaded, and its translation unit knows the context
  std::string name;    // empty: not asked for yet
  bool knows_resident; // the program has asked how many blocks are, or has been told
};

// Null: not a rank kernel. Entries stay where they are.
rank_kernel_entry* find_rank_kernel(const void* kernel);
// All that have registered, with their addresses.
std::vector<std::pair<const void*, rank_kernel_entry*>> rank_kernels();

// "file.cu:12"; what is not known is said so.
std::string source_text(site where);

} // namespace gpurma::host

#endif
