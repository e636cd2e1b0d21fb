// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CUDA target's side of platform.h, on libcu++ for everything that has an order.
#ifndef GPURMA_PLATFORM_CUDA_PLATFORM_H
#define GPURMA_PLATFORM_CUDA_PLATFORM_H

#include <cuda_runtime.h>

#include <cuda/atomic>

#define GPURMA_DEVICE __device__ __forceinline__
#define GPURMA_HOST_DEVICE __host__ __device__ __forceinline__

namespace gpurma::platform {

GPURMA_DEVICE unsigned thread_index() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
GPURMA_DEVICE unsigned block_threads() { return blockDim.x * blockDim.y * blockDim.z; }
GPURMA_DEVICE unsigned block_rank() { return blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z); }
GPURMA_DEVICE unsigned grid_blocks() { return gridDim.x * gridDim.y * gridDim.z; }

GPURMA_DEVICE void sync_block() { __syncthreads(); }

template <class T>
GPURMA_DEVICE T load_relaxed(const T* address) {
  return ::cuda::atomic_ref<T, ::cuda::thread_scope_system>(*const_cast<T*>(address)).load(::cuda::memory_order_relaxed);
}
template <class T>
GPURMA_DEVICE T load_acquire(const T* address, scope s) {
  T& object = *const_cast<T*>(address);
  return s == scope::device
             ? ::cuda::atomic_ref<T, ::cuda::thread_scope_device>(object).load(::cuda::memory_order_acquire)
             : ::cuda::atomic_ref<T, ::cuda::thread_scope_system>(object).load(::cuda::memory_order_acquire);
}
template <class T>
GPURMA_DEVICE void store_relaxed(T* address, T value) {
  ::cuda::atomic_ref<T, ::cuda::thread_scope_system>(*address).store(value, ::cuda::memory_order_relaxed);
}
template <class T>
GPURMA_DEVICE void store_release(T* address, T value, scope s) {
  if (s == scope::device)
    ::cuda::atomic_ref<T, ::cuda::thread_scope_device>(*address).store(value, ::cuda::memory_order_release);
  else
    ::cuda::atomic_ref<T, ::cuda::thread_scope_system>(*address).store(value, ::cuda::memory_order_release);
}
template <class T>
GPURMA_DEVICE T fetch_add(T* address, T value, scope s) {
  return s == scope::device
             ? ::cuda::atomic_ref<T, ::cuda::thread_scope_device>(*address).fetch_add(value, ::cuda::memory_order_acq_rel)
             : ::cuda::atomic_ref<T, ::cuda::thread_scope_system>(*address).fetch_add(value, ::cuda::memory_order_acq_rel);
}
template <class T>
GPURMA_DEVICE bool compare_exchange(T* address, T& expected, T desired, scope s) {
  return s == scope::device ? ::cuda::atomic_ref<T, ::cuda::thread_scope_device>(*address).compare_exchange_strong(
                                  expected, desired, ::cuda::memory_order_acq_rel, ::cuda::memory_order_acquire)
                            : ::cuda::atomic_ref<T, ::cuda::thread_scope_system>(*address).compare_exchange_strong(
                                  expected, desired, ::cuda::memory_order_acq_rel, ::cuda::memory_order_acquire);
}

GPURMA_DEVICE void fence_release(scope s) {
  if (s == scope::device)
    ::cuda::atomic_thread_fence(::cuda::memory_order_release, ::cuda::thread_scope_device);
  else
    ::cuda::atomic_thread_fence(::cuda::memory_order_release, ::cuda::thread_scope_system);
}
GPURMA_DEVICE void fence_acquire(scope s) {
  if (s == scope::device)
    ::cuda::atomic_thread_fence(::cuda::memory_order_acquire, ::cuda::thread_scope_device);
  else
    ::cuda::atomic_thread_fence(::cuda::memory_order_acquire, ::cuda::thread_scope_system);
}

namespace detail {

// Items of sizeof(Wide) from the first address where dst is aligned for them; what is left at both ends goes by bytes.
template <class Wide>
GPURMA_DEVICE void copy_block_by(char* dst, const char* src, std::size_t bytes) {
  const std::size_t thread = thread_index(), threads = block_threads();
  std::size_t head = (sizeof(Wide) - reinterpret_cast<std::uintptr_t>(dst) % sizeof(Wide)) % sizeof(Wide);
  if (head > bytes) head = bytes;
  const std::size_t items = (bytes - head) / sizeof(Wide);
  const std::size_t tail = head + items * sizeof(Wide);
  Wide* const to = reinterpret_cast<Wide*>(dst + head);
  const Wide* const from = reinterpret_cast<const Wide*>(src + head);
  for (std::size_t i = thread; i < items; i += threads) to[i] = from[i];
  for (std::size_t i = thread; i < head; i += threads) dst[i] = src[i];
  for (std::size_t i = tail + thread; i < bytes; i += threads) dst[i] = src[i];
}

template <class Word>
GPURMA_DEVICE void copy_words(char* dst, const char* src, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; i += sizeof(Word))
    *reinterpret_cast<Word*>(dst + i) = *reinterpret_cast<const Word*>(src + i);
}

GPURMA_DEVICE void copy_thread(char* dst, const char* src, std::size_t bytes) {
  const std::uintptr_t all = reinterpret_cast<std::uintptr_t>(dst) | reinterpret_cast<std::uintptr_t>(src) | bytes;
  if (all % 8 == 0)
    copy_words<std::uint64_t>(dst, src, bytes);
  else if (all % 4 == 0)
    copy_words<std::uint32_t>(dst, src, bytes);
  else
    copy_words<std::uint8_t>(dst, src, bytes);
}

}  // namespace detail

GPURMA_DEVICE bool copy_block(void* dst, const void* src, std::size_t bytes) {
  char* const to = static_cast<char*>(dst);
  const char* const from = static_cast<const char*>(src);
  // A barrier takes longer than the few accesses of one thread.
  if (bytes <= 16) {
    if (thread_index() == 0) detail::copy_thread(to, from, bytes);
    return true;
  }
  // The accesses can be as wide as both addresses have the same remainder.
  const std::uintptr_t difference = reinterpret_cast<std::uintptr_t>(to) ^ reinterpret_cast<std::uintptr_t>(from);
  if (difference % 16 == 0)
    detail::copy_block_by<uint4>(to, from, bytes);
  else if (difference % 8 == 0)
    detail::copy_block_by<uint2>(to, from, bytes);
  else if (difference % 4 == 0)
    detail::copy_block_by<unsigned>(to, from, bytes);
  else
    detail::copy_block_by<unsigned char>(to, from, bytes);
  return false;
}

template <class T>
GPURMA_DEVICE T load_volatile(const T* address) {
  static_assert(std::is_trivially_copyable<T>::value, "only a trivially copyable object can be read as bytes");
  // By words as wide as T's alignment allows, so that a built-in type is one access.
  using word = std::conditional_t<
      alignof(T) % 8 == 0, unsigned long long,
      std::conditional_t<alignof(T) % 4 == 0, unsigned,
                         std::conditional_t<alignof(T) % 2 == 0, unsigned short, unsigned char>>>;
  static_assert(sizeof(T) % sizeof(word) == 0, "the size is a multiple of the alignment");
  union {
    word words[sizeof(T) / sizeof(word)];
    T object;
  } copy;
  const volatile word* const from = reinterpret_cast<const volatile word*>(address);
#pragma unroll
  for (unsigned i = 0; i < sizeof(T) / sizeof(word); ++i) copy.words[i] = from[i];
  return copy.object;
}

GPURMA_DEVICE void yield() {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
  __nanosleep(20);
#endif
}

GPURMA_DEVICE std::uint64_t clock_ns() {
  std::uint64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

GPURMA_DEVICE void trap() { __trap(); }

template <class T>
GPURMA_DEVICE T& block_shared() {
  __shared__ T object;
  return object;
}

}  // namespace gpurma::platform

#endif
