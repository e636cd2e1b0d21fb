// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device memory is host memory that is noted down: which addresses, of which kind. Copies run on their stream.
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <vector>

#include "device_limits.h"
#include "error.h"
#include "host.h"
#include "stream.h"

namespace gpurma::cpu {

namespace {

struct region {
  std::size_t size;
  cudaMemoryType type;
  bool registered;  // by cudaHostRegister or add_allocation: not ours to free
  unsigned flags;
  std::uint64_t id;
};

struct region_table {
  std::shared_mutex mutex;
  std::uint64_t made = 0;  // regions so far
  std::map<std::uintptr_t, region> by_base;
  std::size_t device_bytes = 0;  // of regions that are no host memory, and of those about to be
};
region_table& regions() {
  static region_table& instance = *new region_table;
  return instance;
}
[[maybe_unused]] const region_table& made_before_threads =
    regions(); // ThreadSanitizer does not see the guard

std::uintptr_t address(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

// The region that holds the pointer; a pointer just past the end is in none.
bool find_region(const void* pointer, std::uintptr_t& base, region& found) {
  const std::shared_lock lock(regions().mutex);
  auto next = regions().by_base.upper_bound(address(pointer));
  if (next == regions().by_base.begin()) return false;
  --next;
  if (address(pointer) - next->first >= next->second.size) return false;
  base = next->first;
  found = next->second;
  return true;
}

std::size_t total_memory() {
  return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

// As coarse as CUDA's, so that what is aligned here is aligned there.
constexpr std::size_t alignment = 256;

cudaError_t allocate(void** pointer, std::size_t size, cudaMemoryType type, unsigned flags) {
  if (pointer == nullptr) return cudaErrorInvalidValue;
  if (size == 0) {
    *pointer = nullptr;
    return cudaSuccess;
  }
  const std::size_t device_bytes = type == cudaMemoryTypeHost ? 0 : size;
  {
    const std::unique_lock lock(regions().mutex);
    if (size > total_memory() || device_bytes > total_memory() - regions().device_bytes) return cudaErrorMemoryAllocation;
    regions().device_bytes += device_bytes;
  }
  // No more than is asked for: AddressSanitizer is to find what lies behind.
  void* memory = nullptr;
  const bool made = posix_memalign(&memory, alignment, size) == 0;
  const std::unique_lock lock(regions().mutex);
  if (!made) {
    regions().device_bytes -= device_bytes;
    return cudaErrorMemoryAllocation;
  }
  regions().by_base[address(memory)] = region{size, type, false, flags, ++regions().made};
  *pointer = memory;
  return cudaSuccess;
}

// Takes the region out of the table; false: the pointer is no start of one of these types.
bool forget(void* pointer, bool host) {
  const std::unique_lock lock(regions().mutex);
  const auto found = regions().by_base.find(address(pointer));
  if (found == regions().by_base.end() || found->second.registered ||
      (found->second.type == cudaMemoryTypeHost) != host)
    return false;
  if (!host) regions().device_bytes -= found->second.size;
  regions().by_base.erase(found);
  return true;
}

cudaError_t release(void* pointer, bool host) {
  if (pointer == nullptr) return cudaSuccess;
  if (on_stream_thread()) return cudaErrorNotPermitted;
  std::uintptr_t base;
  region found;
  if (!find_region(pointer, base, found) || base != address(pointer)) return cudaErrorInvalidValue;
  wait_for_device();
  if (!forget(pointer, host)) return cudaErrorInvalidValue;
  std::free(pointer);
  return cudaSuccess;
}

// False if the bytes reach over the end of the allocation that they begin in.
bool inside_allocation(const void* pointer, std::size_t bytes) {
  std::uintptr_t base;
  region found;
  return !find_region(pointer, base, found) || bytes <= found.size - (address(pointer) - base);
}

bool is_pageable(const void* pointer) {
  std::uintptr_t base;
  region found;
  return !find_region(pointer, base, found);
}

// Whether the address lies in a variable of the program, of the host or of the device: they look alike.
bool is_static(const void* pointer) {
  Dl_info info;
  return dladdr(pointer, &info) != 0;
}

// Rows of bytes at a pitch; one row for plain copies, several slices for 3D.
struct shape {
  std::size_t width;       // bytes of a row
  std::size_t height = 1;  // rows of a slice
  std::size_t depth = 1;   // slices
};
struct layout {
  std::size_t pitch = 0;  // bytes from row to row
  std::size_t slice = 0;  // bytes from slice to slice
};

// The largest number there is if there are more.
std::size_t extent_bytes(const shape& s, const layout& l) {
  if (s.width == 0 || s.height == 0 || s.depth == 0) return 0;
  std::size_t slices, rows, bytes;
  if (__builtin_mul_overflow(s.depth - 1, l.slice, &slices) || __builtin_mul_overflow(s.height - 1, l.pitch, &rows) ||
      __builtin_add_overflow(slices, rows, &bytes) || __builtin_add_overflow(bytes, s.width, &bytes))
    return std::numeric_limits<std::size_t>::max();
  return bytes;
}

void copy_rows(char* dst, const layout& to, const char* src, const layout& from, const shape& s) {
  for (std::size_t z = 0; z < s.depth; ++z)
    for (std::size_t y = 0; y < s.height; ++y)
      std::memmove(dst + z * to.slice + y * to.pitch, src + z * from.slice + y * from.pitch, s.width);
}

bool valid_kind(cudaMemcpyKind kind) { return kind >= cudaMemcpyHostToHost && kind <= cudaMemcpyDefault; }

// Whether the call returns only when the copy is complete, or may return before. What CUDA says of pageable host memory
// holds in both cases: it may be reused when the call returns.
enum class completion { waits, stream_ordered };

cudaError_t copy(void* dst, const layout& to, const void* src, const layout& from, const shape& s, cudaMemcpyKind kind,
                 cudaStream_t handle, completion when) {
  if (!valid_kind(kind)) return cudaErrorInvalidMemcpyDirection;
  const std::shared_ptr<stream> on = find_stream(handle);
  if (on == nullptr) return cudaErrorInvalidResourceHandle;
  const std::size_t to_bytes = extent_bytes(s, to), from_bytes = extent_bytes(s, from);
  if (to_bytes == 0) return cudaSuccess;
  if (dst == nullptr || src == nullptr) return cudaErrorInvalidValue;
  if (s.height > 1 && (to.pitch < s.width || from.pitch < s.width)) return cudaErrorInvalidPitchValue;
  if (!inside_allocation(dst, to_bytes) || !inside_allocation(src, from_bytes)) return cudaErrorInvalidValue;

  char* const target = static_cast<char*>(dst);
  const char* const source = static_cast<const char*>(src);
  const bool from_host = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyHostToHost || kind == cudaMemcpyDefault;
  const bool to_host = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyHostToHost || kind == cudaMemcpyDefault;
  if (when == completion::stream_ordered && to_host && is_pageable(dst)) when = completion::waits;
  // A __device__ variable is read when its turn comes, one of the host before the call returns: so both at once.
  if (when == completion::stream_ordered && kind == cudaMemcpyDefault && is_pageable(src) && is_static(src))
    when = completion::waits;
  if (when == completion::waits) {
    if (on_stream_thread()) return cudaErrorNotPermitted;
    on->wait(on->run_or_enqueue([=](worker_team&) { copy_rows(target, to, source, from, s); }));
  } else if (from_host && is_pageable(src) && !on->idle()) {
    // The source may change as soon as the call returns, so it is staged.
    auto staged = std::make_shared<std::vector<char>>(source, source + from_bytes);
    on->enqueue([=](worker_team&) { copy_rows(target, to, staged->data(), from, s); });
  } else if (from_host && is_pageable(src)) {
    on->wait(on->run_or_enqueue([=](worker_team&) { copy_rows(target, to, source, from, s); }));
  } else {
    on->enqueue([=](worker_team&) { copy_rows(target, to, source, from, s); });
  }
  return cudaSuccess;
}

cudaError_t fill(void* dst, const layout& to, int value, const shape& s, cudaStream_t handle, completion when) {
  const std::shared_ptr<stream> on = find_stream(handle);
  if (on == nullptr) return cudaErrorInvalidResourceHandle;
  const std::size_t bytes = extent_bytes(s, to);
  if (bytes == 0) return cudaSuccess;
  if (dst == nullptr) return cudaErrorInvalidValue;
  if (s.height > 1 && to.pitch < s.width) return cudaErrorInvalidPitchValue;
  if (!inside_allocation(dst, bytes)) return cudaErrorInvalidValue;
  char* const target = static_cast<char*>(dst);
  auto work = [=](worker_team&) {
    for (std::size_t z = 0; z < s.depth; ++z)
      for (std::size_t y = 0; y < s.height; ++y) std::memset(target + z * to.slice + y * to.pitch, value, s.width);
  };
  if (when == completion::waits) {
    if (on_stream_thread()) return cudaErrorNotPermitted;
    on->wait(on->run_or_enqueue(std::move(work)));
  } else {
    on->enqueue(std::move(work));
  }
  return cudaSuccess;
}

// Rows of device memory, each at a multiple of the alignment.
cudaError_t allocate_rows(void** pointer, std::size_t* pitch, std::size_t width, std::size_t height, std::size_t depth) {
  std::size_t padded, rows, bytes;
  if (__builtin_add_overflow(width, alignment - 1, &padded) || __builtin_mul_overflow(height, depth, &rows) ||
      __builtin_mul_overflow(padded / alignment * alignment, rows, &bytes))
    return cudaErrorMemoryAllocation;
  *pitch = padded / alignment * alignment;
  return allocate(pointer, bytes, cudaMemoryTypeDevice, 0);
}

// CUDA checks the pitch of a single row, too.
bool valid_pitch(std::size_t pitch, std::size_t width) { return width <= pitch && pitch <= limits::pitch; }

cudaError_t copy_2d(void* dst, std::size_t dpitch, const void* src, std::size_t spitch, std::size_t width,
                    std::size_t height, cudaMemcpyKind kind, cudaStream_t handle, completion when) {
  if (height != 0 && (!valid_pitch(dpitch, width) || !valid_pitch(spitch, width))) return cudaErrorInvalidPitchValue;
  return copy(dst, {dpitch}, src, {spitch}, {width, height}, kind, handle, when);
}

cudaError_t fill_2d(void* dst, std::size_t pitch, int value, std::size_t width, std::size_t height, cudaStream_t handle,
                    completion when) {
  if (height != 0 && !valid_pitch(pitch, width)) return cudaErrorInvalidPitchValue;
  return fill(dst, {pitch}, value, {width, height}, handle, when);
}

cudaError_t fill_3d(const cudaPitchedPtr& p, int value, const cudaExtent& extent, cudaStream_t handle, completion when) {
  if (p.pitch > limits::pitch) return cudaErrorInvalidPitchValue;
  return fill(p.ptr, {p.pitch, p.pitch * p.ysize}, value, {extent.width, extent.height, extent.depth}, handle, when);
}

cudaError_t copy_3d(const cudaMemcpy3DParms* p, cudaStream_t handle, completion when) {
  if (p == nullptr) return cudaErrorInvalidValue;
  if (p->dstPtr.pitch > limits::pitch || p->srcPtr.pitch > limits::pitch) return cudaErrorInvalidPitchValue;
  const layout to{p->dstPtr.pitch, p->dstPtr.pitch * p->dstPtr.ysize};
  const layout from{p->srcPtr.pitch, p->srcPtr.pitch * p->srcPtr.ysize};
  if (p->dstPtr.ptr == nullptr || p->srcPtr.ptr == nullptr) return cudaErrorInvalidValue;
  char* const dst =
      static_cast<char*>(p->dstPtr.ptr) + p->dstPos.z * to.slice + p->dstPos.y * to.pitch + p->dstPos.x;
  const char* const src =
      static_cast<const char*>(p->srcPtr.ptr) + p->srcPos.z * from.slice + p->srcPos.y * from.pitch + p->srcPos.x;
  return copy(dst, to, src, from, {p->extent.width, p->extent.height, p->extent.depth}, p->kind, handle, when);
}

}  // namespace

allocation find_allocation(const void* pointer) {
  std::uintptr_t base;
  region found;
  if (!find_region(pointer, base, found)) return {nullptr, 0, 0, false};
  return {reinterpret_cast<void*>(base), found.size, found.id, found.type == cudaMemoryTypeHost};
}

void add_allocation(void* base, std::size_t size) {
  const std::unique_lock lock(regions().mutex);
  regions().by_base[address(base)] = region{size, cudaMemoryTypeDevice, true, 0, ++regions().made};
}

void remove_allocation(void* base) {
  const std::unique_lock lock(regions().mutex);
  regions().by_base.erase(address(base));
}

}  // namespace gpurma::cpu

using namespace gpurma::cpu;

cudaError_t cudaMalloc(void** devPtr, size_t size) { return result(allocate(devPtr, size, cudaMemoryTypeDevice, 0)); }

cudaError_t cudaMallocManaged(void** devPtr, size_t size, unsigned int flags) {
  if (size == 0 || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)) return result(cudaErrorInvalidValue);
  return result(allocate(devPtr, size, cudaMemoryTypeManaged, flags));
}

cudaError_t cudaMallocHost(void** ptr, size_t size) { return cudaHostAlloc(ptr, size, cudaHostAllocDefault); }

cudaError_t cudaHostAlloc(void** ptr, size_t size, unsigned int flags) {
  if ((flags & ~static_cast<unsigned>(cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined)) != 0)
    return result(cudaErrorInvalidValue);
  return result(allocate(ptr, size, cudaMemoryTypeHost, flags));
}

cudaError_t cudaMallocAsync(void** devPtr, size_t size, cudaStream_t handle) {
  if (find_stream(handle) == nullptr) return result(cudaErrorInvalidResourceHandle);
  return result(allocate(devPtr, size, cudaMemoryTypeDevice, 0));
}

cudaError_t cudaMallocPitch(void** devPtr, size_t* pitch, size_t width, size_t height) {
  if (pitch == nullptr) return result(cudaErrorInvalidValue);
  return result(allocate_rows(devPtr, pitch, width, height, 1));
}

cudaError_t cudaMalloc3D(cudaPitchedPtr* pitchedDevPtr, cudaExtent extent) {
  if (pitchedDevPtr == nullptr) return result(cudaErrorInvalidValue);
  void* memory = nullptr;
  std::size_t pitch = 0;
  const cudaError_t error = allocate_rows(&memory, &pitch, extent.width, extent.height, extent.depth);
  if (error == cudaSuccess) *pitchedDevPtr = make_cudaPitchedPtr(memory, pitch, extent.width, extent.height);
  return result(error);
}

cudaError_t cudaFree(void* devPtr) { return result(release(devPtr, false)); }

cudaError_t cudaFreeHost(void* ptr) { return result(release(ptr, true)); }

cudaError_t cudaFreeAsync(void* devPtr, cudaStream_t handle) {
  const std::shared_ptr<stream> on = find_stream(handle);
  if (on == nullptr) return result(cudaErrorInvalidResourceHandle);
  if (devPtr == nullptr) return result(cudaSuccess);
  std::uintptr_t base;
  region found;
  if (!find_region(devPtr, base, found) || base != address(devPtr) || found.type != cudaMemoryTypeDevice)
    return result(cudaErrorInvalidValue);
  on->enqueue(
      [devPtr](worker_team&) {
        if (forget(devPtr, false)) std::free(devPtr);
      },
      true);
  return result(cudaSuccess);
}

cudaError_t cudaHostRegister(void* ptr, size_t size, unsigned int flags) {
  if (ptr == nullptr || size == 0 ||
      (flags & ~static_cast<unsigned>(cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterIoMemory |
                                      cudaHostRegisterReadOnly)) != 0)
    return result(cudaErrorInvalidValue);
  const std::unique_lock lock(regions().mutex);
  auto& all = regions().by_base;
  const auto next = all.lower_bound(address(ptr));
  if (next != all.end() && next->first < address(ptr) + size) return result(cudaErrorHostMemoryAlreadyRegistered);
  if (next != all.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second.size > address(ptr)) return result(cudaErrorHostMemoryAlreadyRegistered);
  }
  all[address(ptr)] = region{size, cudaMemoryTypeHost, true, flags, ++regions().made};
  return result(cudaSuccess);
}

cudaError_t cudaHostUnregister(void* ptr) {
  if (ptr == nullptr) return result(cudaErrorInvalidValue);
  const std::unique_lock lock(regions().mutex);
  const auto found = regions().by_base.find(address(ptr));
  if (found == regions().by_base.end() || !found->second.registered) return result(cudaErrorHostMemoryNotRegistered);
  regions().by_base.erase(found);
  return result(cudaSuccess);
}

cudaError_t cudaHostGetDevicePointer(void** pDevice, void* pHost, unsigned int flags) {
  std::uintptr_t base;
  region found;
  if (pDevice == nullptr || flags != 0 || !find_region(pHost, base, found)) return result(cudaErrorInvalidValue);
  *pDevice = pHost;
  return result(cudaSuccess);
}

cudaError_t cudaHostGetFlags(unsigned int* flags, void* pHost) {
  std::uintptr_t base;
  region found;
  if (flags == nullptr || !find_region(pHost, base, found) || found.type != cudaMemoryTypeHost)
    return result(cudaErrorInvalidValue);
  *flags = found.flags;
  return result(cudaSuccess);
}

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  if (free == nullptr || total == nullptr) return result(cudaErrorInvalidValue);
  *total = total_memory();
  const std::shared_lock lock(regions().mutex);
  // Pages that are allocated and not yet touched are still the system's.
  *free = std::min(*total - regions().device_bytes, static_cast<std::size_t>(sysconf(_SC_AVPHYS_PAGES)) *
                                                        static_cast<std::size_t>(sysconf(_SC_PAGESIZE)));
  return result(cudaSuccess);
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* ptr) {
  if (attributes == nullptr) return result(cudaErrorInvalidValue);
  std::uintptr_t base;
  region found;
  void* const pointer = const_cast<void*>(ptr);
  if (!find_region(ptr, base, found))
    *attributes = {cudaMemoryTypeUnregistered, cudaInvalidDeviceId, nullptr, pointer};
  else
    *attributes = {found.type, 0, pointer, found.type == cudaMemoryTypeDevice ? nullptr : pointer};
  return result(cudaSuccess);
}

cudaError_t cudaMemcpy(void* dst, const void* src, size_t count, cudaMemcpyKind kind) {
  return result(copy(dst, {}, src, {}, {count}, kind, nullptr, completion::waits));
}

cudaError_t cudaMemcpyAsync(void* dst, const void* src, size_t count, cudaMemcpyKind kind, cudaStream_t handle) {
  return result(copy(dst, {}, src, {}, {count}, kind, handle, completion::stream_ordered));
}

cudaError_t cudaMemcpyPeer(void* dst, int dstDevice, const void* src, int srcDevice, size_t count) {
  if (dstDevice != 0 || srcDevice != 0) return result(cudaErrorInvalidDevice);
  return cudaMemcpy(dst, src, count, cudaMemcpyDeviceToDevice);
}

cudaError_t cudaMemcpyPeerAsync(void* dst, int dstDevice, const void* src, int srcDevice, size_t count,
                                cudaStream_t handle) {
  if (dstDevice != 0 || srcDevice != 0) return result(cudaErrorInvalidDevice);
  return cudaMemcpyAsync(dst, src, count, cudaMemcpyDeviceToDevice, handle);
}

cudaError_t cudaMemcpy2D(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height,
                         cudaMemcpyKind kind) {
  return result(copy_2d(dst, dpitch, src, spitch, width, height, kind, nullptr, completion::waits));
}

cudaError_t cudaMemcpy2DAsync(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height,
                              cudaMemcpyKind kind, cudaStream_t handle) {
  return result(copy_2d(dst, dpitch, src, spitch, width, height, kind, handle, completion::stream_ordered));
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* p) { return result(copy_3d(p, nullptr, completion::waits)); }

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* p, cudaStream_t handle) {
  return result(copy_3d(p, handle, completion::stream_ordered));
}

cudaError_t cudaGetSymbolAddress(void** devPtr, const void* symbol) {
  if (devPtr == nullptr) return result(cudaErrorInvalidValue);
  if (symbol == nullptr) return result(cudaErrorInvalidSymbol);
  *devPtr = const_cast<void*>(symbol);
  return result(cudaSuccess);
}

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* src, size_t count, size_t offset, cudaMemcpyKind kind) {
  if (symbol == nullptr) return result(cudaErrorInvalidSymbol);
  return cudaMemcpy(static_cast<char*>(const_cast<void*>(symbol)) + offset, src, count, kind);
}

cudaError_t cudaMemcpyFromSymbol(void* dst, const void* symbol, size_t count, size_t offset, cudaMemcpyKind kind) {
  if (symbol == nullptr) return result(cudaErrorInvalidSymbol);
  return cudaMemcpy(dst, static_cast<const char*>(symbol) + offset, count, kind);
}

cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* src, size_t count, size_t offset,
                                    cudaMemcpyKind kind, cudaStream_t handle) {
  if (symbol == nullptr) return result(cudaErrorInvalidSymbol);
  return cudaMemcpyAsync(static_cast<char*>(const_cast<void*>(symbol)) + offset, src, count,
                         // The symbol is no allocation and would pass for pageable host memory.
                         kind == cudaMemcpyDefault ? cudaMemcpyHostToDevice : kind, handle);
}

cudaError_t cudaMemcpyFromSymbolAsync(void* dst, const void* symbol, size_t count, size_t offset, cudaMemcpyKind kind,
                                      cudaStream_t handle) {
  if (symbol == nullptr) return result(cudaErrorInvalidSymbol);
  return cudaMemcpyAsync(dst, static_cast<const char*>(symbol) + offset, count,
                         kind == cudaMemcpyDefault ? cudaMemcpyDeviceToHost : kind, handle);
}

cudaError_t cudaMemset(void* devPtr, int value, size_t count) {
  return result(fill(devPtr, {}, value, {count}, nullptr, completion::waits));
}

cudaError_t cudaMemsetAsync(void* devPtr, int value, size_t count, cudaStream_t handle) {
  return result(fill(devPtr, {}, value, {count}, handle, completion::stream_ordered));
}

cudaError_t cudaMemset2D(void* devPtr, size_t pitch, int value, size_t width, size_t height) {
  return result(fill_2d(devPtr, pitch, value, width, height, nullptr, completion::waits));
}

cudaError_t cudaMemset2DAsync(void* devPtr, size_t pitch, int value, size_t width, size_t height, cudaStream_t handle) {
  return result(fill_2d(devPtr, pitch, value, width, height, handle, completion::stream_ordered));
}

cudaError_t cudaMemset3D(cudaPitchedPtr p, int value, cudaExtent extent) {
  return result(fill_3d(p, value, extent, nullptr, completion::waits));
}

cudaError_t cudaMemset3DAsync(cudaPitchedPtr p, int value, cudaExtent extent, cudaStream_t handle) {
  return result(fill_3d(p, value, extent, handle, completion::stream_ordered));
}

// One memory: nothing to move, nothing to be advised on.
cudaError_t cudaMemPrefetchAsync(const void* devPtr, size_t count, int dstDevice, cudaStream_t handle) {
  if (find_stream(handle) == nullptr) return result(cudaErrorInvalidResourceHandle);
  if (dstDevice != 0 && dstDevice != cudaCpuDeviceId) return result(cudaErrorInvalidDevice);
  return result(devPtr == nullptr || !inside_allocation(devPtr, count) ? cudaErrorInvalidValue : cudaSuccess);
}

cudaError_t cudaMemPrefetchAsync(const void* devPtr, size_t count, cudaMemLocation location, unsigned int flags,
                                 cudaStream_t handle) {
  if (flags != 0) return result(cudaErrorInvalidValue);
  return cudaMemPrefetchAsync(devPtr, count, location.type == cudaMemLocationTypeDevice ? location.id : cudaCpuDeviceId,
                              handle);
}

cudaError_t cudaMemAdvise(const void* devPtr, size_t count, cudaMemoryAdvise, int device) {
  if (device != 0 && device != cudaCpuDeviceId) return result(cudaErrorInvalidDevice);
  return result(devPtr == nullptr || !inside_allocation(devPtr, count) ? cudaErrorInvalidValue : cudaSuccess);
}

cudaError_t cudaMemAdvise(const void* devPtr, size_t count, cudaMemoryAdvise advice, cudaMemLocation location) {
  return cudaMemAdvise(devPtr, count, advice,
                       location.type == cudaMemLocationTypeDevice ? location.id : cudaCpuDeviceId);
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t handle, void* devPtr, size_t, unsigned int) {
  if (find_stream(handle) == nullptr) return result(cudaErrorInvalidResourceHandle);
  return result(devPtr == nullptr ? cudaErrorInvalidValue : cudaSuccess);
}
