// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays of which each process holds a band only (GPURMA_DISTRIBUTED_ARRAYS). All processes make
// the same calls of CUDA on such an array, as if each had the whole; docs/runtime.md has the rules.
#ifndef GPURMA_HOST_DISTRIBUTED_ARRAYS_H
#define GPURMA_HOST_DISTRIBUTED_ARRAYS_H

#include <cuda_runtime.h>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "host/peers.h"
#include "host/sparse_memory.h"
#include "transport/transport.h"

namespace gpurma::host {

// While one lives, allocations of the thread are CUDA's: those of the runtime itself.
class ordinary_allocations {
public:
  ordinary_allocations();
  ~ordinary_allocations();
  ordinary_allocations(const ordinary_allocations&) = delete;
  ordinary_allocations& operator=(const ordinary_allocations&) = delete;
};

// --- What the program's calls of CUDA do first (intercepted_calls.cpp)

// False: the allocation is to be CUDA's.
bool allocate_distributed(void** memory, std::size_t bytes, cudaError_t& error);
// False: the memory is no distributed array.
bool free_distributed(void* memory);
// Does a copy, or a fill, as far as the process holds what is concerned, by `real`: once for each
// piece, and for all of other memory. Of an array it also copies what other processes hold; then
// the call is collective. The first error.
using copy_of_piece = std::function<cudaError_t(void* to, const void* from, std::size_t bytes)>;
using fill_of_piece = std::function<cudaError_t(void* to, std::size_t bytes)>;
cudaError_t copy_held(void* to, const void* from, std::size_t bytes, const copy_of_piece& real);
cudaError_t fill_held(void* to, std::size_t bytes, const fill_of_piece& real);
// Gets the whole of the array that holds an address, if there is one and the process holds only a
// part. Collective. `use` is for the log.
void make_whole(const void* address, const char* use);
// The same for all arrays to which the arguments of a kernel point.
void make_arguments_whole(const void* kernel, void** arguments);
#if GPURMA_TARGET_CUDA
void make_arguments_whole(cudaKernel_t kernel, void** arguments);
#endif

// --- For persistent regions

// An array of a region: process p computes the bytes bands[p] of it, and accesses touched[p].
struct banded_array {
  char* base;
  std::uint64_t bytes;
  std::vector<byte_ranges> bands;
  std::vector<byte_ranges> touched;
  // Each process holds what it touches; set by hold_bands. If not, each has the whole array.
  bool banded = false;
};
// Prepares the arrays of a region, lets the other processes of the host map them, and gets others
// whole to which words of a structure point. Collective; processes have agreed to begin the region
// before, so that the run ends if one does not come. `region` is for messages.
void hold_bands(const std::string& region, std::vector<banded_array>& of_region, const void* values,
                std::size_t value_bytes);
// While one lives, what is launched takes distributed arrays as they are.
class region_runs {
public:
  region_runs();
  ~region_runs();
  region_runs(const region_runs&) = delete;
  region_runs& operator=(const region_runs&) = delete;
};

// --- For networks

// What is there, around an address, of the distributed array that holds it, as an allocation; it is
// another one when pages have come or gone. False: there is no such array.
bool find_distributed(const void* address, allocation& present);
// Whether what is there of the array that holds an address is in several pieces.
bool is_held_in_pieces(const void* address);

#if GPURMA_TARGET_CUDA
// --- For peer_memory

// Whether an address lies in a distributed array, and how the others know it; base 0: not all of
// them have mapped it as it is now.
bool share_distributed(std::uint64_t address, shared_allocation& found);
// Where a distributed array of another process begins here; 0: `of` is not one.
std::uint64_t mapped_distributed(int process, const shared_allocation& of);
#endif

} // namespace gpurma::host

#endif
