// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of the device and memory that host and device both reach, and copies between them that do
// not wait for a running kernel.
#ifndef GPURMA_HOST_MEMORY_H
#define GPURMA_HOST_MEMORY_H

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace gpurma::host {

// Ends all processes if error is one; doing: what failed, "copy a window's table".
void check_cuda(cudaError_t error, const char* doing);

// What looks for an error that explains one of CUDA's better, and ends all processes if it finds
// one (a rank's message, after its kernel has been stopped). Null: nothing.
void explain_cuda_errors_by(void (*look)());

// Chooses the device on which gpurma works, from the calling thread's current one; before all
// others.
void open_device_memory();
void close_device_memory();
int memory_device();

// Multiprocessors of that device.
int count_multiprocessors();

// Makes the device of gpurma the calling thread's.
void use_memory_device();

// Ends all processes if another device is current in the calling thread: its streams and memory
// would not be those of gpurma.
void check_current_device();

// Copies device memory to memory that host and device reach, but waits for a moment only, for what
// holds copies back may be what the watchdog is to report. False: the copy is still on its way, and
// the next call goes on with it. One thread at a time; not on the CPU target.
bool try_copy_bytes(void* to, const void* from, std::size_t bytes);

// Copies between host and device memory, in either direction. Returns when it is done, also while a
// rank kernel runs. Thread-safe.
void copy_bytes(void* to, const void* from, std::size_t bytes);

// Copies between device memory and pinned host memory that are under way, one after another. Not
// thread-safe; the device of gpurma is current. The CPU target copies when it looks.
class copy_stream {
public:
  using ticket = std::uint64_t;

  copy_stream();
  ~copy_stream();
  copy_stream(const copy_stream&) = delete;
  copy_stream& operator=(const copy_stream&) = delete;

  // Both ends stay until the copy is done. Never waits for a running kernel.
  ticket start(void* to, const void* from, std::size_t bytes);
  // Looks at the copies under way; whether one has ended.
  bool poll();
  bool is_done(ticket copy) const { return copy <= done_; }
  bool idle() const { return under_way_.empty(); }

private:
#if GPURMA_TARGET_CPU
  struct copy {
    void* to;
    const void* from;
    std::size_t bytes;
  };
  std::deque<copy> under_way_;
#else
  cudaStream_t stream_ = nullptr;
  std::deque<cudaEvent_t> under_way_;
  std::vector<cudaEvent_t> free_;
#endif
  ticket started_ = 0;
  ticket done_ = 0;
};

// Host memory that the device copies to and from at full speed, until it is unpinned. False: it
// cannot be pinned. Not while a rank kernel runs.
bool pin(void* memory, std::size_t bytes);
void unpin(void* memory);

enum class memory_kind { device, shared };

// Uninitialised memory that grows, aligned for any of the formats. Memory that it has outgrown is
// kept to the end, because freeing waits for the device; sizes at least double.
template <memory_kind Kind> class memory_block {
public:
  memory_block() = default;
  memory_block(const memory_block&) = delete;
  memory_block& operator=(const memory_block&) = delete;
  ~memory_block();

  // Room for `bytes`; keeps nothing of the contents.
  void* resize(std::size_t bytes);
  void* data() const { return pieces_.empty() ? nullptr : pieces_.back(); }
  std::size_t bytes() const { return bytes_; }

private:
  std::vector<void*> pieces_; // the last is in use
  std::size_t bytes_ = 0;
};

} // namespace gpurma::host

#endif
