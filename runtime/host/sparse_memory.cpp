// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host/sparse_memory.h"

#include <algorithm>

#include "host/memory.h"
#if GPURMA_TARGET_CPU
#include <sys/mman.h>
#include <unistd.h>
#else
#include "host/driver.h"
#endif

namespace gpurma::host {

byte_ranges sparse_memory::pages_of(const byte_ranges& wanted) const {
  const std::uint64_t page = page_bytes();
  byte_ranges pages;
  for (const byte_range& one : wanted)
    pages.add({one.begin / page * page, std::min(reserved_, (one.end + page - 1) / page * page)});
  return pages;
}

#if GPURMA_TARGET_CPU

std::uint64_t sparse_memory::page_bytes() {
  static const auto bytes = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

sparse_memory::sparse_memory(std::uint64_t bytes)
    : reserved_((bytes + page_bytes() - 1) / page_bytes() * page_bytes()) {
  void* const memory =
      mmap(nullptr, reserved_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  base_ = memory == MAP_FAILED ? nullptr : static_cast<char*>(memory);
}

sparse_memory::~sparse_memory() {
  if (base_ != nullptr)
    munmap(base_, reserved_);
}

cudaError_t sparse_memory::grow(const byte_ranges& wanted) {
  for (const byte_range& more : difference(pages_of(wanted), present_)) {
    if (mprotect(base_ + more.begin, more.size(), PROT_READ | PROT_WRITE) != 0)
      return cudaErrorMemoryAllocation;
    present_.add(more);
  }
  return cudaSuccess;
}

void sparse_memory::shrink(const byte_ranges& wanted) {
  const byte_ranges pages = pages_of(wanted);
  for (const byte_range& dropped : difference(present_, pages))
    if (mmap(base_ + dropped.begin, dropped.size(), PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED)
      check_cuda(cudaErrorMemoryAllocation, "give back pages of a distributed array");
  present_ = intersection(present_, pages);
}

#else

namespace {

// Into how many segments a whole array is cut. A range that shrinks may keep one too much on either
// side.
constexpr std::uint64_t pieces = 128;

constexpr CUmemAllocationHandleType file_handle = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;

CUmemAllocationProp properties() {
  CUmemAllocationProp wanted{};
  wanted.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  wanted.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  wanted.location.id = memory_device();
  wanted.requestedHandleTypes = file_handle;
  return wanted;
}

CUmemAccessDesc own_access() {
  CUmemAccessDesc access{};
  access.location = properties().location;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  return access;
}

// The errors of both interfaces have the same numbers.
cudaError_t runtime_error(CUresult result) {
  return static_cast<cudaError_t>(result);
}

} // namespace

std::uint64_t sparse_memory::page_bytes() {
  static const std::uint64_t bytes = [] {
    const CUmemAllocationProp wanted = properties();
    std::size_t granularity = 0;
    check_cuda(runtime_error(driver_function<decltype(cuMemGetAllocationGranularity)>(
                   "cuMemGetAllocationGranularity")(&granularity, &wanted,
                                                    CU_MEM_ALLOC_GRANULARITY_RECOMMENDED)),
               "query the size of pages");
    return std::uint64_t{granularity};
  }();
  return bytes;
}

sparse_memory::sparse_memory(std::uint64_t bytes)
    : reserved_((bytes + page_bytes() - 1) / page_bytes() * page_bytes()) {
  use_memory_device();
  CUdeviceptr memory = 0;
  if (driver_function<decltype(cuMemAddressReserve)>("cuMemAddressReserve")(&memory, reserved_, 0,
                                                                            0, 0) == CUDA_SUCCESS)
    base_ = reinterpret_cast<char*>(memory);
}

sparse_memory::~sparse_memory() {
  if (base_ == nullptr)
    return;
  for (const segment& one : segments_)
    unmap(one);
  // Errors are those of a program that is ending.
  static_cast<void>(driver_function<decltype(cuMemAddressFree)>("cuMemAddressFree")(
      reinterpret_cast<CUdeviceptr>(base_), reserved_));
}

cudaError_t sparse_memory::map(const byte_range& range) {
  static auto* const create = driver_function<decltype(cuMemCreate)>("cuMemCreate");
  static auto* const map_at = driver_function<decltype(cuMemMap)>("cuMemMap");
  static auto* const set_access = driver_function<decltype(cuMemSetAccess)>("cuMemSetAccess");
  static auto* const release = driver_function<decltype(cuMemRelease)>("cuMemRelease");
  const CUmemAllocationProp wanted = properties();
  CUmemGenericAllocationHandle handle = 0;
  if (const CUresult result = create(&handle, range.size(), &wanted, 0); result != CUDA_SUCCESS)
    return runtime_error(result);
  const auto address = reinterpret_cast<CUdeviceptr>(base_ + range.begin);
  if (const CUresult result = map_at(address, range.size(), 0, handle, 0); result != CUDA_SUCCESS) {
    static_cast<void>(release(handle));
    return runtime_error(result);
  }
  segments_.push_back({range, handle});
  const CUmemAccessDesc access = own_access();
  return runtime_error(set_access(address, range.size(), &access, 1));
}

void sparse_memory::unmap(const segment& one) const {
  static auto* const unmap_at = driver_function<decltype(cuMemUnmap)>("cuMemUnmap");
  static auto* const release = driver_function<decltype(cuMemRelease)>("cuMemRelease");
  // Errors are those of a program that is ending.
  static_cast<void>(
      unmap_at(reinterpret_cast<CUdeviceptr>(base_ + one.range.begin), one.range.size()));
  static_cast<void>(release(one.handle));
}

cudaError_t sparse_memory::grow(const byte_ranges& wanted) {
  use_memory_device();
  const std::uint64_t piece =
      std::max(page_bytes(), reserved_ / pieces / page_bytes() * page_bytes());
  for (const byte_range& part : difference(pages_of(wanted), present_))
    for (byte_range next{part.begin, part.begin}; next.begin < part.end; next.begin = next.end) {
      next.end = std::min(part.end, (next.begin / piece + 1) * piece);
      if (const cudaError_t error = map(next); error != cudaSuccess)
        return error;
      present_.add(next);
    }
  return cudaSuccess;
}

void sparse_memory::shrink(const byte_ranges& wanted) {
  const byte_ranges kept = intersection(present_, pages_of(wanted));
  present_ = {};
  const auto dropped =
      std::stable_partition(segments_.begin(), segments_.end(), [&](const segment& one) {
        return !intersection(one.range, kept).empty();
      });
  for (auto one = dropped; one != segments_.end(); ++one)
    unmap(*one);
  segments_.erase(dropped, segments_.end());
  for (const segment& one : segments_)
    present_.add(one.range);
}

bool sparse_memory::export_pages(file_parcel& to, std::string& reason) const {
  static auto* const export_handle =
      driver_function<decltype(cuMemExportToShareableHandle)>("cuMemExportToShareableHandle");
  for (const segment& one : segments_) {
    int file = -1;
    if (const CUresult result = export_handle(&file, one.handle, file_handle, 0);
        result != CUDA_SUCCESS) {
      reason = text("cuMemExportToShareableHandle: ", cudaGetErrorName(runtime_error(result)));
      return false;
    }
    to.files.emplace_back(file);
    to.words.push_back(one.range.begin);
    to.words.push_back(one.range.end);
  }
  return true;
}

bool peer_pages::map(std::uint64_t bytes, const file_parcel& exported, std::string& reason) {
  static auto* const reserve =
      driver_function<decltype(cuMemAddressReserve)>("cuMemAddressReserve");
  static auto* const import_handle =
      driver_function<decltype(cuMemImportFromShareableHandle)>("cuMemImportFromShareableHandle");
  static auto* const map_at = driver_function<decltype(cuMemMap)>("cuMemMap");
  static auto* const set_access = driver_function<decltype(cuMemSetAccess)>("cuMemSetAccess");
  static auto* const release = driver_function<decltype(cuMemRelease)>("cuMemRelease");
  const auto failed = [&](const char* call, CUresult result) {
    if (result != CUDA_SUCCESS)
      reason = text(call, ": ", cudaGetErrorName(runtime_error(result)));
    return result != CUDA_SUCCESS;
  };
  use_memory_device();
  const std::uint64_t page = sparse_memory::page_bytes();
  reserved_ = (bytes + page - 1) / page * page;
  CUdeviceptr base = 0;
  if (failed("cuMemAddressReserve", reserve(&base, reserved_, 0, 0, 0)))
    return false;
  base_ = reinterpret_cast<char*>(base);
  for (std::size_t k = 0; k < exported.files.size(); ++k) {
    const byte_range range{exported.words[2 * k], exported.words[2 * k + 1]};
    CUmemGenericAllocationHandle handle = 0;
    const auto file = static_cast<std::uintptr_t>(exported.files[k].number());
    if (failed("cuMemImportFromShareableHandle",
               import_handle(&handle, reinterpret_cast<void*>(file), file_handle)))
      return false;
    const CUresult result = map_at(base + range.begin, range.size(), 0, handle, 0);
    static_cast<void>(release(handle)); // what is mapped stays
    if (failed("cuMemMap", result))
      return false;
    mapped_.push_back(range);
    const CUmemAccessDesc access = own_access();
    if (failed("cuMemSetAccess", set_access(base + range.begin, range.size(), &access, 1)))
      return false;
  }
  return true;
}

peer_pages::~peer_pages() {
  if (base_ == nullptr)
    return;
  // Errors are those of a program that is ending.
  const auto base = reinterpret_cast<CUdeviceptr>(base_);
  for (const byte_range& range : mapped_)
    static_cast<void>(
        driver_function<decltype(cuMemUnmap)>("cuMemUnmap")(base + range.begin, range.size()));
  static_cast<void>(
      driver_function<decltype(cuMemAddressFree)>("cuMemAddressFree")(base, reserved_));
}

#endif

} // namespace gpurma::host
