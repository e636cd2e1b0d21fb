// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device API: what a rank (one block of a rank kernel) can do. The directives of `#pragma
// gpurma` become calls of these functions; without the compiler they can be called directly, in a
// kernel that opens with a `gpurma::rank_scope` and is known to the host by a `gpurma::rank_kernel`
// (launch.h).
//
// All functions but rank, size, device_rank, device_size, read_volatile and volatile_place are
// block-collective: every thread of the block calls them with the same arguments. Ranks in
// arguments are those of the window's communicator (device ranks for a window of comm::device), and
// world ranks where no window is named. Lengths and offsets are in elements of the window. `site`
// is what error messages and the watchdog print.
//
// Ordering: a put, get or notify begins after everything that the block's threads did before it.
// Between one origin and one target, notifications arrive in the order in which they were sent and
// after the data of every earlier put of the pair (docs/memory-model.md).
//
// Errors (a rank out of range, a negative tag, an access outside the target's part of the window,
// ...) end all processes with a message that names rank, directive, file, line and values.
#ifndef GPURMA_DEVICE_H
#define GPURMA_DEVICE_H

#include <cuda_runtime.h>

#include <gpurma/device/formats.h>
#include <gpurma/types.h>

namespace gpurma {

// World rank of the block and number of ranks; the same on its device.
__device__ int rank();
__device__ int size();
__device__ int device_rank();
__device__ int device_size();

// Opens a rank kernel: sets the block's runtime state up. The end of its scope waits until the
// commands that the rank gave to its host are done.
struct rank_scope {
  __device__ rank_scope();
  __device__ ~rank_scope();
  rank_scope(const rank_scope&) = delete;
  rank_scope& operator=(const rank_scope&) = delete;
};

// Memory that every rank of a communicator exposes. Construction and destruction are collective
// over the communicator, in the same order on all of its ranks; destruction completes all earlier
// puts of all of its ranks at their targets.
template <class T> class window {
public:
  // gpurmacc, whose Clang knows C++26, says what to do instead of a copy.
#if GPURMA_PARSE
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wc++26-extensions"
  window(const window&) = delete("a window is not copied: pass and capture it by reference, and "
                                 "put pointers to several into an array");
  window& operator=(const window&) = delete("a window is not assigned: use a pointer to it");
#pragma clang diagnostic pop
#else
  window(const window&) = delete;
  window& operator=(const window&) = delete;
#endif

  // Exposes base[0, length); length may differ from rank to rank and may be 0.
  __device__ window(T* base, std::size_t length, comm over, site where = {});
  __device__ ~window();

  __device__ T* data() const { return base_; }
  // Elements that this rank, or a rank of the communicator, exposes.
  __device__ std::size_t size() const { return length_; }
  __device__ std::size_t size(int rank) const;

  // For the functions of this library.
  __device__ const detail::window_handle& handle() const { return handle_; }

private:
  T* base_;
  std::size_t length_;
  site where_;
  detail::window_handle handle_;
};

template <class T> window(T*, std::size_t, comm, site) -> window<T>;
template <class T> window(T*, std::size_t, comm) -> window<T>;

// Copies source[0, count) to elements [offset, offset + count) of the target's part of the window.
// source and destination may be the same address: nothing is copied. The source may be reused after
// a flush.
template <class Source, class T>
__device__ void put(Source* source, std::size_t count, int target, const window<T>& w,
                    std::size_t offset, site where = {});

// The same, and delivers a notification (this rank, tag, window) to the target after the data.
template <matching Matching = matching::queue, class Source, class T>
__device__ void put_notify(Source* source, std::size_t count, int target, const window<T>& w,
                           std::size_t offset, int tag, site where = {});

// Copies elements [offset, offset + count) of the target's part of the window to destination, which
// may be read after a flush.
template <class T>
__device__ void get(T* destination, std::size_t count, int target, const window<T>& w,
                    std::size_t offset, site where = {});

// The same, and notifies the target when its data has been read.
template <matching Matching = matching::queue, class T>
__device__ void get_notify(T* destination, std::size_t count, int target, const window<T>& w,
                           std::size_t offset, int tag, site where = {});

// A notification without data.
template <matching Matching = matching::queue, class T>
__device__ void notify(int target, int tag, const window<T>& w, site where = {});
template <matching Matching = matching::queue>
__device__ void notify(int target, int tag, no_window_t = {}, site where = {});

// Blocks until `count` matching notifications have come and consumes them, the earliest first. What
// was put before them is then visible to the whole block. Counter matching knows neither source nor
// window: they must be any_source, any_window.
template <matching Matching = matching::queue, class T>
__device__ void wait(int tag, int source, const window<T>& w, int count = 1, site where = {});
template <matching Matching = matching::queue>
__device__ void wait(int tag, int source = any_source, any_window_t = {}, int count = 1,
                     site where = {});

// The same without blocking: whether `count` matching notifications had come; consumes them only if
// they had.
template <matching Matching = matching::queue, class T>
__device__ bool test(int tag, int source, const window<T>& w, int count = 1, site where = {});
template <matching Matching = matching::queue>
__device__ bool test(int tag, int source = any_source, any_window_t = {}, int count = 1,
                     site where = {});

// Waits until this rank's earlier puts and gets (on the window) are complete at the origin.
template <class T> __device__ void flush(const window<T>& w, site where = {});
__device__ void flush(any_window_t = {}, site where = {});

// All ranks of the communicator. Completes all earlier puts of all of them at their targets.
__device__ void barrier(comm over, site where = {});

// Says that a value is the same for all threads of the block, where the compiler cannot see it.
// Returns the value; under GPURMA_CHECK every thread compares its own with thread 0's. T: trivially
// copyable.
template <class T>
__device__ T uniform(T value, const char* file = __builtin_FILE(),
                     unsigned line = __builtin_LINE());

// What read_volatile returns.
template <class T>
using read_result =
    std::conditional_t<std::is_trivially_copyable_v<T> && std::is_copy_constructible_v<T>, T,
                       const T&>;

// Loads an object of window memory from memory, whatever the compiler knows of its value. A loop
// may poll it: on the CPU target other threads run before the load. On the host, and where the
// compiler computes a constant, a plain load. T: trivially copyable; of another type, as the text
// of a template may be for, it is the object itself.
template <class T> __host__ __device__ constexpr read_result<T> read_volatile(const T& object);

// The same for an object that may also be assigned to, where a macro's text does both. T: scalar.
template <class T> __host__ __device__ volatile T& volatile_place(T& object);

// Tells the compiler that others may read and write the memory behind a pointer from here on, which
// `__restrict__` denies (the MPI_F_sync_reg of MPI RMA). No instruction; not block-collective.
__device__ void sync_reg(const volatile void* pointer);

} // namespace gpurma

// The compiler's front end, and host compilers, need the declarations only.
#if !GPURMA_PARSE && (GPURMA_TARGET_CPU || defined(__CUDACC__))
#include <gpurma/device/directives.h>
#endif

#endif
