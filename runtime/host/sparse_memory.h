// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device memory of which only a part is there: a range of addresses, and pages for one interval of
// it. An access elsewhere is a fault (CPU target) or cudaErrorIllegalAddress.
#ifndef GPURMA_HOST_SPARSE_MEMORY_H
#define GPURMA_HOST_SPARSE_MEMORY_H

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#if GPURMA_TARGET_CUDA
#include "host/file_exchange.h"
#endif

namespace gpurma::host {

// Bytes begin to end - 1 of an array.
struct byte_range {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  bool empty() const { return end <= begin; }
  std::uint64_t size() const { return empty() ? 0 : end - begin; }
  bool contains(const byte_range& other) const {
    return other.empty() || (begin <= other.begin && other.end <= end);
  }
};
byte_range intersection(const byte_range& a, const byte_range& b);
// The smallest range that holds both.
byte_range hull(const byte_range& a, const byte_range& b);

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
  const byte_range& present() const { return present_; }

  // Adds pages, so that `wanted` is there, too; keeps what is there. New pages hold anything.
  cudaError_t grow(const byte_range& wanted);
  // Gives pages back that hold nothing of `wanted`. No work of the device may use them.
  void shrink(const byte_range& wanted);

#if GPURMA_TARGET_CUDA
  // Files by which other processes map what is there, each with the begin and end of its range.
  bool export_pages(file_parcel& to, std::string& reason) const;
#endif

private:
  byte_range pages_of(const byte_range& wanted) const;

  char* base_ = nullptr;
  std::uint64_t reserved_;
  byte_range present_; // whole pages
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
