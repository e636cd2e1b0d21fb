// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams: each is a queue of work that an OS thread of its own runs in order. Work of different streams is ordered by what
// it must wait for, fixed when it is queued: events, and the rules of the legacy default stream.
#ifndef GPURMA_PLATFORM_CPU_STREAM_H
#define GPURMA_PLATFORM_CPU_STREAM_H

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "cuda_shim/cuda_runtime_api.h"
#include "worker_team.h"

namespace gpurma::cpu {

class stream : public std::enable_shared_from_this<stream> {
 public:
  enum class kind { legacy, blocking, non_blocking };

  stream(kind k, unsigned flags, int priority) : kind_(k), flags_(flags), priority_(priority) {}

  // Queues work. It runs on a thread of the stream, after everything queued before that CUDA orders before it; it is left
  // out once the device has failed, unless always is set. Returns its number in the stream, for wait().
  using task = std::function<void(worker_team&)>;
  std::uint64_t enqueue(task work, bool always = false);
  // The same, but runs short work at once on the calling thread if nothing is queued that it would have to wait for.
  std::uint64_t run_or_enqueue(task work, bool always = false);

  void wait(std::uint64_t number);
  std::uint64_t queued() const;
  bool idle() const;

  kind ordering() const { return kind_; }
  unsigned flags() const { return flags_; }
  int priority() const { return priority_; }

  // Lets the thread end once the queue is empty. Nothing can be queued afterwards.
  void close();

 private:
  struct dependency {
    std::shared_ptr<stream> on;
    std::uint64_t number;
  };
  struct item {
    task work;
    std::vector<dependency> after;
    bool always;
  };
  std::uint64_t push(task work, bool always, std::vector<dependency> after);
  std::vector<dependency> dependencies();
  static void thread_main(std::shared_ptr<stream> self);

  const kind kind_;
  const unsigned flags_;
  const int priority_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<item> items_;
  std::uint64_t queued_ = 0;
  std::uint64_t completed_ = 0;
  bool inline_ = false;  // the last of those that are not complete runs on the thread that queued it
  bool thread_runs_ = false;
  bool closing_ = false;
};

// The stream that a handle means, 0 and the special ones included; null: there is none.
std::shared_ptr<stream> find_stream(cudaStream_t handle);
std::shared_ptr<stream> legacy_stream();

// Waits for everything queued on any stream.
void wait_for_device();

// True on the thread of a stream: host functions must not call the CUDA runtime.
bool on_stream_thread();

}  // namespace gpurma::cpu

#endif
