// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device memory of which only a part is there: a range of addresses, and pages for some of it. An
// access elsewhere is a fault (CPU target) or cudaErrorIllegalAddress.
#ifndef GPURMA_HOST_SPARSE_MEMORY_H
#define GPURMA_HOST_SPARSE_MEMORY_H

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "host/byte_ranges.h"
#if GPURMA_TARGET_CUDA
#include "host/file_exchange.h"
#endif

namespace gpurma::host {

class sparse_memory {
public:
  // Bytes of a page; ranges are rounded to whole pages.
  static std::uint64_t page_bytes();

  explicit sparse_memory(std::uint64_t bytes);
  ~sparse_memory();
  sparse_memory(const sparse_memory&) = delete;
  sparse_memory& operator=(const sparse_memory&) = delete;

  // Null: there was no room for the addresses.
  char* base() const { return base_; }
  // What is there.
  const byte_ranges& present() const { return present_; }

  // Adds pages, so that `wanted` is there, too; keeps what is there. New pages hold anything.
  cudaError_t grow(const byte_ranges& wanted);
  // Gives pages back that hold nothing of `wanted`. No work of the device may use them.
  void shrink(const byte_ranges& wanted);

#if GPURMA_TARGET_CUDA
  // Files by which other processes map what is there, each with the begin and end of its range.
  bool export_pages(file_parcel& to, std::string& reason) const;
#endif

private:
  byte_ranges pages_of(const byte_ranges& wanted) const;

  char* base_ = nullptr;
  std::uint64_t reserved_;
  byte_ranges present_; // whole pages
#if GPURMA_TARGET_CUDA
  // Pages that are mapped together, and can only be unmapped so.
  struct segment {
    byte_range range;
    std::uint64_t handle;
  };
  cudaError_t map(const byte_range& range);
  void unmap(const segment& one) const;

  std::vector<segment> segments_;
#endif
};

#if GPURMA_TARGET_CUDA

// What another process has exported, at the same offsets from here().
class peer_pages {
public:
  peer_pages() = default;
  ~peer_pages();
  peer_pages(const peer_pages&) = delete;
  peer_pages& operator=(const peer_pages&) = delete;

  // `bytes`: of the whole array.
  bool map(std::uint64_t bytes, const file_parcel& exported, std::string& reason);
  char* here() const { return base_; }

private:
  char* base_ = nullptr;
  std::uint64_t reserved_ = 0;
  std::vector<byte_range> mapped_;
};

#endif

} // namespace gpurma::host

#endif
