// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CUDA target's side of platform.h, on libcu++ for everything that has an order.
#ifndef GPURMA_PLATFORM_CUDA_PLATFORM_H
#define GPURMA_PLATFORM_CUDA_PLATFORM_H

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#error "gpurma takes devices from compute capability 8.0 on: compile with -arch=sm_80 or later"
#endif

#include <cuda_runtime.h>

#include <cuda/atomic>
#include <cuda/barrier>
#include <new>
#include <type_traits>

#define GPURMA_DEVICE __device__ __forceinline__
#define GPURMA_ROLLED _Pragma("unroll 1")
#define GPURMA_UNROLLED _Pragma("unroll")
#define GPURMA_SLOW_DEVICE inline __device__ __noinline__
#define GPURMA_HOST_DEVICE __host__ __device__ __forceinline__

namespace gpurma::platform {

GPURMA_DEVICE unsigned thread_index() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
GPURMA_DEVICE unsigned thread_index_again() {
  unsigned x, y, z;
  asm volatile("mov.u32 %0, %%tid.x; mov.u32 %1, %%tid.y; mov.u32 %2, %%tid.z;" : "=r"(x), "=r"(y), "=r"(z));
  return x + blockDim.x * (y + blockDim.y * z);
}
GPURMA_DEVICE unsigned block_threads() { return blockDim.x * blockDim.y * blockDim.z; }
GPURMA_DEVICE unsigned block_rank() { return blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z); }
GPURMA_DEVICE unsigned grid_blocks() { return gridDim.x * gridDim.y * gridDim.z; }

GPURMA_DEVICE void sync_block() { __syncthreads(); }
GPURMA_DEVICE void sync_some(unsigned threads) {
  asm volatile("barrier.cta.sync.aligned 1, %0;" ::"r"((threads + 31) / 32 * 32) : "memory");
}
GPURMA_DEVICE void sync_first(unsigned threads) { asm volatile("barrier.cta.sync.aligned 2, %0;" ::"r"(threads) : "memory"); }

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

// Fences of one direction are cheaper than those of both, and libcu++ has none.
#if __CUDACC_VER_MAJOR__ >= 13
#define GPURMA_FENCE(kind, scope_name) asm volatile("fence." kind "." scope_name ";" ::: "memory")
#else
#define GPURMA_FENCE(kind, scope_name) asm volatile("fence.acq_rel." scope_name ";" ::: "memory")
#endif
GPURMA_DEVICE void fence_release(scope s) {
  if (s == scope::device)
    GPURMA_FENCE("release", "gpu");
  else
    GPURMA_FENCE("release", "sys");
}
GPURMA_DEVICE void fence_acquire(scope s) {
  if (s == scope::device)
    GPURMA_FENCE("acquire", "gpu");
  else
    GPURMA_FENCE("acquire", "sys");
}
#undef GPURMA_FENCE

GPURMA_DEVICE void add_relaxed(std::uint64_t* address, std::uint64_t value) {
  asm volatile("red.relaxed.gpu.global.add.u64 [%0], %1;" ::"l"(address), "l"(value) : "memory");
}
GPURMA_DEVICE void add_release(std::uint64_t* address, std::uint64_t value, scope s) {
  fence_release(s);
  if (s == scope::device)
    asm volatile("red.relaxed.gpu.global.add.u64 [%0], %1;" ::"l"(address), "l"(value) : "memory");
  else
    asm volatile("red.relaxed.sys.global.add.u64 [%0], %1;" ::"l"(address), "l"(value) : "memory");
}

template <class T>
GPURMA_DEVICE T load_polled(const T* address) {
  return load_relaxed(address);
}
template <class T>
GPURMA_DEVICE void store_released(T* address, T value) {
  store_relaxed(address, value);
}

template <class Packet>
GPURMA_DEVICE void store_packet(Packet* to, const Packet& value) {
  const std::uint64_t low = value.word[0] | std::uint64_t{value.word[1]} << 32;
  const std::uint64_t high = value.word[2] | std::uint64_t{value.word[3]} << 32;
  asm volatile("{ .reg .b128 t; mov.b128 t, {%0, %1}; st.relaxed.sys.global.b128 [%2], t; }" ::"l"(low), "l"(high), "l"(to)
               : "memory");
}
template <class Packet>
GPURMA_DEVICE Packet load_packet(const Packet* from) {
  std::uint64_t low, high;
  asm volatile("{ .reg .b128 t; ld.relaxed.sys.global.b128 t, [%2]; mov.b128 {%0, %1}, t; }"
               : "=l"(low), "=l"(high)
               : "l"(from)
               : "memory");
  return Packet{{static_cast<std::uint32_t>(low), static_cast<std::uint32_t>(low >> 32), static_cast<std::uint32_t>(high),
                 static_cast<std::uint32_t>(high >> 32)}};
}
// A GPU issues no store before the loads that it depends on have returned, by a branch as well.
template <class T>
GPURMA_DEVICE void store_after_load(T* address, T value) {
  store_relaxed(address, value);
}

// A status goes to the host's memory: not worth it for a wait of microseconds.
inline constexpr bool polls_starve_others = false;
inline constexpr unsigned quiet_polls = 4096;
inline constexpr bool followers_look = true;
inline constexpr unsigned piece_polls = 128;
GPURMA_DEVICE unsigned polling_threads() {
  const unsigned threads = block_threads();
  return threads < 32 ? threads : 32;
}
GPURMA_DEVICE unsigned polling_threads_again() {
  unsigned x, y, z;
  asm volatile("mov.u32 %0, %%ntid.x; mov.u32 %1, %%ntid.y; mov.u32 %2, %%ntid.z;" : "=r"(x), "=r"(y), "=r"(z));
  const unsigned threads = x * y * z;
  return threads < 32 ? threads : 32;
}
// Lanes that the block does not fill count as exited; a mask that is not constant makes a call of each of these.
inline constexpr unsigned all_lanes = 0xffffffff;
GPURMA_DEVICE void sync_polling(unsigned) { __syncwarp(all_lanes); }
GPURMA_DEVICE unsigned ballot(bool flag, unsigned) { return __ballot_sync(all_lanes, flag); }
GPURMA_DEVICE unsigned largest(unsigned value, unsigned) { return __reduce_max_sync(all_lanes, value); }
GPURMA_DEVICE unsigned united(unsigned bits, unsigned) { return __reduce_or_sync(all_lanes, bits); }
template <class T>
GPURMA_DEVICE T broadcast(T value, unsigned thread, unsigned) {
  return __shfl_sync(all_lanes, value, static_cast<int>(thread));
}

GPURMA_DEVICE unsigned lanes_of_warp(bool flag) { return __ballot_sync(all_lanes, flag); }
GPURMA_DEVICE bool is_first_of_warp() { return thread_index_again() % 32 == 0; }
GPURMA_DEVICE unsigned warp_index() { return thread_index_again() / 32; }
inline constexpr int most_warps = 32; // of a block
template <class T, class Combine>
GPURMA_DEVICE T combined_in_warp(T value, const Combine& combine) {
  const unsigned lanes = block_threads() - thread_index_again(); // from the thread's own on, if the block does not fill them
  GPURMA_UNROLLED
  for (unsigned distance = 16; distance != 0; distance /= 2) {
    const T other = __shfl_down_sync(all_lanes, value, distance);
    if (distance < lanes) value = combine(value, other);
  }
  return value;
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
  // Several loads in flight per thread: one block alone is to fill a link. More cost the kernel registers.
  constexpr int batch = 4;
  std::size_t first = thread;
  for (; first + (batch - 1) * threads < items; first += batch * threads) {
    Wide w[batch];
#pragma unroll
    for (int k = 0; k < batch; ++k) w[k] = from[first + k * threads];
#pragma unroll
    for (int k = 0; k < batch; ++k) to[first + k * threads] = w[k];
  }
  constexpr int rest = 2;
  for (; first < items; first += rest * threads) {
    Wide w[rest];
#pragma unroll
    for (int k = 0; k < rest; ++k)
      if (first + k * threads < items) w[k] = from[first + k * threads];
#pragma unroll
    for (int k = 0; k < rest; ++k)
      if (first + k * threads < items) to[first + k * threads] = w[k];
  }
  for (std::size_t i = thread; i < head; i += threads) dst[i] = src[i];
  for (std::size_t i = tail + thread; i < bytes; i += threads) dst[i] = src[i];
}

GPURMA_SLOW_DEVICE void copy_block_unaligned(char* to, const char* from, std::size_t bytes, std::uintptr_t difference) {
  if (difference % 8 == 0)
    copy_block_by<uint2>(to, from, bytes);
  else if (difference % 4 == 0)
    copy_block_by<unsigned>(to, from, bytes);
  else
    copy_block_by<unsigned char>(to, from, bytes);
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
  else
    detail::copy_block_unaligned(to, from, bytes, difference);
  return false;
}

GPURMA_DEVICE bool is_word(const void* address, std::uint32_t bytes) {
  return ((bytes == 8) | (bytes == 4)) & ((reinterpret_cast<std::uintptr_t>(address) & (bytes - 1)) == 0);
}
GPURMA_DEVICE std::uint64_t load_word(const void* src, std::uint32_t bytes) {
  return bytes == 8 ? *static_cast<const std::uint64_t*>(src) : *static_cast<const std::uint32_t*>(src);
}
GPURMA_DEVICE void store_word(void* dst, std::uint64_t value, std::uint32_t bytes) {
  if (bytes == 8)
    *static_cast<std::uint64_t*>(dst) = value;
  else
    *static_cast<std::uint32_t*>(dst) = static_cast<std::uint32_t>(value);
}
GPURMA_DEVICE std::uint64_t load_bytes(const void* src, std::uint32_t bytes) {
  if (is_word(src, bytes)) return load_word(src, bytes);
  std::uint64_t value = 0;
  GPURMA_ROLLED
  for (std::uint32_t i = 0; i < bytes; ++i)
    value |= std::uint64_t{static_cast<const unsigned char*>(src)[i]} << (8 * i);
  return value;
}
GPURMA_DEVICE void store_bytes(void* dst, std::uint64_t value, std::uint32_t bytes) {
  if (is_word(dst, bytes)) {
    store_word(dst, value, bytes);
    return;
  }
  GPURMA_ROLLED
  for (std::uint32_t i = 0; i < bytes; ++i) static_cast<unsigned char*>(dst)[i] = static_cast<unsigned char>(value >> (8 * i));
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
  union words_of_object {
    GPURMA_DEVICE words_of_object() {} // T may have members with initial values
    word words[sizeof(T) / sizeof(word)];
    T object;
  } copy;
  const volatile word* const from = reinterpret_cast<const volatile word*>(address);
#pragma unroll
  for (unsigned i = 0; i < sizeof(T) / sizeof(word); ++i) copy.words[i] = from[i];
  return copy.object;
}

// Blocks are resident, and a sleep would lengthen waits of a microsecond.
GPURMA_DEVICE void yield() {}
// A thousand ranks that look at some words each take much of the second-level cache's throughput from those that compute.
GPURMA_DEVICE void back_off(unsigned looks) {
  if (looks >= 8) __nanosleep(looks < 64 ? 40 : 200);
}

GPURMA_DEVICE std::uint64_t clock_ns() {
  std::uint64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

// In cycles, 16 to 30 microseconds: a test takes 2, and some programs sleep a little between tests.
GPURMA_DEVICE std::uint32_t work_time() { return static_cast<std::uint32_t>(clock()); }
GPURMA_DEVICE std::uint32_t least_work() { return 1u << 15; }

GPURMA_DEVICE void trap() { __trap(); }

template <class T>
GPURMA_DEVICE T& block_shared() {
  __shared__ T object;
  return object;
}

// Lanes of one warp come here in different places. `__syncthreads_or` does not end then, nor does barrier.cta.red, which does not
// ask for aligned lanes (H100, CUDA 13.0); an mbarrier counts threads.
struct leaving_barrier {
  alignas(::cuda::barrier<::cuda::thread_scope_block>) unsigned char barrier[sizeof(::cuda::barrier<::cuda::thread_scope_block>)];
  unsigned left;
};
GPURMA_DEVICE ::cuda::barrier<::cuda::thread_scope_block>& staying() {
  return *reinterpret_cast<::cuda::barrier<::cuda::thread_scope_block>*>(block_shared<leaving_barrier>().barrier);
}
GPURMA_DEVICE void begin_leaving() {
  sync_block();
  if (thread_index() == 0) {
    new (&staying())::cuda::barrier<::cuda::thread_scope_block>(static_cast<std::ptrdiff_t>(block_threads()));
    block_shared<leaving_barrier>().left = 0;
  }
  sync_block();
}
GPURMA_DEVICE void sync_staying() { staying().arrive_and_wait(); }
GPURMA_DEVICE void leave() {
  staying().arrive_and_drop();
  // An mbarrier is made anew only where there is none.
  using counter = ::cuda::atomic_ref<unsigned, ::cuda::thread_scope_block>;
  if (counter(block_shared<leaving_barrier>().left).fetch_add(1, ::cuda::memory_order_acq_rel) + 1 == block_threads())
    staying().~barrier();
}
// Each instantiation of a function template has static shared memory of its own.
inline constexpr bool shared_memory_of_instantiations = true;

// The loop over a rank's tiles is compiled for each way to go from one to the next, as it has few
// registers.
inline constexpr bool loops_by_way = true;

// What a caller keeps in registers, the function that it calls has not: ptxas 13.0 gives each function a place in one file for all.
inline constexpr bool callers_take_registers = true;

// The compiler computes the address of shared memory again at each use, from a special register that takes long to read.
// Here it cannot.
template <class T>
GPURMA_DEVICE T& in_register(T& shared) {
  auto address = static_cast<unsigned>(__cvta_generic_to_shared(&shared));
  asm("" : "+r"(address));
  return *static_cast<T*>(__cvta_shared_to_generic(address));
}
// What is in memory is not kept in registers any longer.
GPURMA_DEVICE void forget_memory() { asm volatile("" ::: "memory"); }
// Nothing that is computed from the value is computed before.
template <class T>
GPURMA_DEVICE T computed_here(T value) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  if constexpr (sizeof(T) == 4)
    asm volatile("" : "+r"(value));
  else
    asm volatile("" : "+l"(value));
  return value;
}
// But as the argument of a function, the known address takes no register.
template <class T>
GPURMA_DEVICE T& off_fast_path(T&) {
  return block_shared<std::remove_const_t<T>>();
}

}  // namespace gpurma::platform

#endif
