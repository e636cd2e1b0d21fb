// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pinned host memory through which payloads travel where the transport cannot read and write the
// device's memory, and the copies to and from it. Made before rank kernels run, since pinning
// memory may wait for them.
//
// The processes of a host map each other's outgoing buffers, so that between them a payload is
// copied twice, from one device to the buffer and from there to the other device, and MPI carries
// only its header.
#ifndef GPURMA_HOST_STAGING_H
#define GPURMA_HOST_STAGING_H

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "host/memory.h"

namespace gpurma::host {

// A buffer that somebody holds, until give_back().
struct staging_buffer {
  std::byte* memory = nullptr;
  std::uint32_t* busy = nullptr; // null: of its own, not pinned
  std::uint16_t number = 0;      // of an outgoing buffer that other processes map; else 0

  explicit operator bool() const { return memory != nullptr; }
  void give_back();
};

// Buffers of one size in one block of memory, which starts as zero.
class staging_pool {
public:
  static std::size_t needed(std::size_t count, std::size_t bytes);

  void open(void* block, std::size_t count, std::size_t bytes, bool numbered);
  // Nothing if none is free.
  staging_buffer take();
  // The buffer with this number, or with this memory.
  staging_buffer numbered(std::uint16_t number) const;
  staging_buffer at(const void* memory) const;
  std::size_t bytes() const { return bytes_; }

private:
  staging_buffer buffer(std::size_t index) const;

  std::byte* block_ = nullptr;
  std::size_t count_ = 0;
  std::size_t bytes_ = 0;
  std::size_t next_ = 0;
  bool numbered_ = false;
};

class staging {
public:
  // Collective over all processes.
  staging();
  ~staging();
  staging(const staging&) = delete;
  staging& operator=(const staging&) = delete;

  // Largest payload of one buffer.
  std::size_t chunk() const { return outgoing_.bytes(); }

  // A buffer for up to chunk() bytes; nothing if none is free. Buffers wait for messages, and these
  // may wait for ranks, which may wait for what needs a buffer here; so that a run goes on even
  // then, there is memory that is not pinned after a while.
  staging_buffer take_outgoing(std::size_t bytes);
  // The same for what has come, which waits for nobody.
  staging_buffer take_incoming(std::size_t bytes);
  staging_buffer incoming_at(const void* memory) const;

  // Whether a process reads numbered buffers of this one, and those of a process.
  bool is_mapped_by(int process) const { return mapped_by_[static_cast<std::size_t>(process)]; }
  staging_buffer of(int process, std::uint16_t number) const;

  // Small payloads have streams of their own, not to wait behind large ones.
  copy_stream& from_device(std::size_t bytes) { return bytes <= small_ ? leave_soon_ : leave_; }
  copy_stream& to_device(std::size_t bytes) { return bytes <= small_ ? come_soon_ : come_; }
  bool poll();

private:
  void* open_shared(std::size_t bytes);
  void map_others(std::size_t bytes);
  void warm_up();

  // A block of pinned memory.
  struct block {
    void* memory;
    std::size_t bytes;
    bool pinned;
  };
  void* add_block(void* memory, std::size_t bytes);

  std::size_t small_;
  char name_[40] = {}; // of the shared block
  std::vector<block> blocks_;
  staging_pool outgoing_, outgoing_small_, incoming_, incoming_small_;
  std::vector<staging_pool> others_; // outgoing ones, by process
  std::vector<bool> mapped_by_;
  std::chrono::steady_clock::time_point exhausted_since_[2] = {}; // large and small outgoing ones
  copy_stream leave_, leave_soon_, come_, come_soon_;
};

} // namespace gpurma::host

#endif
