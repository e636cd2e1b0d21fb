// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>
#include <unordered_map>
#include <utility>

#include "error.h"

namespace gpurma::cpu {

namespace {

thread_local bool in_stream_thread = false;

// All streams there are. Never destroyed: work may be left when main returns, and the process ends with it.
struct stream_table {
  std::mutex order;  // held while work is queued that others may have to wait for, so that there is one order of it
  std::mutex mutex;
  std::unordered_map<cudaStream_t, std::shared_ptr<stream>> by_handle;
  std::vector<std::weak_ptr<stream>> all;
  std::uintptr_t next_handle = 0x100;
  std::shared_ptr<stream> legacy;
};

stream_table& table() {
  static stream_table& instance = *[] {
    auto* made = new stream_table;
    made->legacy = std::make_shared<stream>(stream::kind::legacy, cudaStreamDefault, 0);
    made->all.push_back(made->legacy);
    return made;
  }();
  return instance;
}
[[maybe_unused]] const stream_table& streams_made_before_threads =
    table(); // ThreadSanitizer does not see the guard

std::vector<std::shared_ptr<stream>> all_streams() {
  std::vector<std::shared_ptr<stream>> streams;
  const std::lock_guard lock(table().mutex);
  std::erase_if(table().all, [](const std::weak_ptr<stream>& s) { return s.expired(); });
  for (const std::weak_ptr<stream>& weak : table().all)
    if (std::shared_ptr<stream> strong = weak.lock()) streams.push_back(std::move(strong));
  return streams;
}

std::shared_ptr<stream> make_stream(unsigned flags, int priority) {
  const stream::kind kind =
      (flags & cudaStreamNonBlocking) != 0 ? stream::kind::non_blocking : stream::kind::blocking;
  auto made = std::make_shared<stream>(kind, flags, priority);
  const std::lock_guard lock(table().mutex);
  table().all.push_back(made);
  return made;
}

}  // namespace

bool on_stream_thread() { return in_stream_thread; }

std::shared_ptr<stream> legacy_stream() { return table().legacy; }

std::shared_ptr<stream> find_stream(cudaStream_t handle) {
  if (handle == nullptr || handle == cudaStreamLegacy) return table().legacy;
  if (handle == cudaStreamPerThread) {
    struct owner {
      std::shared_ptr<stream> mine = make_stream(cudaStreamDefault, 0);
      ~owner() { mine->close(); }
    };
    thread_local owner per_thread;
    return per_thread.mine;
  }
  const std::lock_guard lock(table().mutex);
  const auto found = table().by_handle.find(handle);
  return found == table().by_handle.end() ? nullptr : found->second;
}

void wait_for_device() {
  for (const std::shared_ptr<stream>& s : all_streams()) s->wait(s->queued());
}

// What must be complete before work that is queued now; table().order is held.
std::vector<stream::dependency> stream::dependencies() {
  std::vector<dependency> after;
  if (kind_ == kind::legacy) {
    for (std::shared_ptr<stream>& s : all_streams())
      if (s->kind_ == kind::blocking && !s->idle()) after.push_back({s, s->queued()});
  } else if (kind_ == kind::blocking && !table().legacy->idle()) {
    after.push_back({table().legacy, table().legacy->queued()});
  }
  return after;
}

// The threads of streams stay with the parent, so that nothing that a child enqueues would ever
// run. Its calls fail, as CUDA's do.
std::atomic<bool> is_child{false};

void fail_in_children() {
  static const int registered = pthread_atfork(nullptr, nullptr, [] {
    is_child = true;
    fail_device(cudaErrorInitializationError);
  });
  static_cast<void>(registered);
}

std::uint64_t stream::push(task work, bool always, std::vector<dependency> after) {
  std::uint64_t number;
  bool start;
  {
    const std::lock_guard lock(mutex_);
    items_.push_back({std::move(work), std::move(after), always});
    number = ++queued_;
    start = !std::exchange(thread_runs_, true);
  }
  if (start) {
    fail_in_children();
    start_thread([self = shared_from_this()] { thread_main(self); }, [] {
      return std::string("a stream; use fewer streams or a lower GPURMA_CPU_WORKERS");
    }).detach();
  } else {
    changed_.notify_all();
  }
  return number;
}

std::uint64_t stream::enqueue(task work, bool always) {
  const std::lock_guard order(table().order);
  return push(std::move(work), always, dependencies());
}

std::uint64_t stream::run_or_enqueue(task work, bool always) {
  std::uint64_t number;
  {
    const std::lock_guard order(table().order);
    std::vector<dependency> after = dependencies();
    if (!after.empty() || !idle()) return push(std::move(work), always, std::move(after));
    const std::lock_guard lock(mutex_);
    number = ++queued_;
    inline_ = true;
  }
  worker_team none;
  if (always || device_error() == cudaSuccess) work(none);
  {
    const std::lock_guard lock(mutex_);
    ++completed_;
    inline_ = false;
  }
  changed_.notify_all();
  return number;
}

void stream::wait(std::uint64_t number) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return completed_ >= number || is_child; });
}

std::uint64_t stream::queued() const {
  const std::lock_guard lock(mutex_);
  return queued_;
}

bool stream::idle() const {
  const std::lock_guard lock(mutex_);
  return completed_ == queued_;
}

void stream::close() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
}

void stream::thread_main(std::shared_ptr<stream> self) {
  in_stream_thread = true;
  worker_team team;
  std::unique_lock lock(self->mutex_);
  for (;;) {
    self->changed_.wait(lock, [&] { return !self->inline_ && (!self->items_.empty() || self->closing_); });
    if (self->items_.empty()) return;
    item next = std::move(self->items_.front());
    self->items_.pop_front();
    lock.unlock();
    for (const dependency& before : next.after) before.on->wait(before.number);
    if (next.always || device_error() == cudaSuccess) next.work(team);
    next = item{};  // what the work holds goes before it counts as complete
    lock.lock();
    ++self->completed_;
    self->changed_.notify_all();
  }
}

}  // namespace gpurma::cpu

// An event is a place for the state of its last record.
struct CUevent_st {
  struct record {
    std::mutex mutex;
    std::condition_variable changed;
    bool complete = false;
    std::chrono::steady_clock::time_point time;

    void wait() {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return complete; });
    }
    void set() {
      {
        const std::lock_guard lock(mutex);
        time = std::chrono::steady_clock::now();
        complete = true;
      }
      changed.notify_all();
    }
    bool is_complete() {
      const std::lock_guard lock(mutex);
      return complete;
    }
  };

  explicit CUevent_st(unsigned f) : flags(f) {}
  std::shared_ptr<record> last() {
    const std::lock_guard lock(mutex);
    return recorded;
  }

  const unsigned flags;
  std::mutex mutex;
  std::shared_ptr<record> recorded;  // null: never recorded
};

using namespace gpurma::cpu;

namespace {

// Live events, so that a handle that is none is an error and not a crash.
struct event_table {
  std::mutex mutex;
  std::unordered_map<cudaEvent_t, std::shared_ptr<CUevent_st>> by_handle;
};
event_table& events() {
  static event_table& instance = *new event_table;
  return instance;
}
[[maybe_unused]] const event_table& events_made_before_threads = events();

std::shared_ptr<CUevent_st> find_event(cudaEvent_t handle) {
  const std::lock_guard lock(events().mutex);
  const auto found = events().by_handle.find(handle);
  return found == events().by_handle.end() ? nullptr : found->second;
}

}  // namespace

cudaError_t cudaStreamCreate(cudaStream_t* pStream) { return cudaStreamCreateWithPriority(pStream, cudaStreamDefault, 0); }

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* pStream, unsigned int flags) {
  return cudaStreamCreateWithPriority(pStream, flags, 0);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* pStream, unsigned int flags, int priority) {
  if (pStream == nullptr || (flags & ~static_cast<unsigned>(cudaStreamNonBlocking)) != 0) return result(cudaErrorInvalidValue);
  std::shared_ptr<stream> made = make_stream(flags, priority);
  const std::lock_guard lock(table().mutex);
  *pStream = reinterpret_cast<cudaStream_t>(table().next_handle += 0x10);
  table().by_handle.emplace(*pStream, std::move(made));
  return result(cudaSuccess);
}

cudaError_t cudaStreamDestroy(cudaStream_t handle) {
  std::shared_ptr<stream> destroyed;
  {
    const std::lock_guard lock(table().mutex);
    const auto found = table().by_handle.find(handle);
    if (found == table().by_handle.end()) return result(cudaErrorInvalidResourceHandle);
    destroyed = std::move(found->second);
    table().by_handle.erase(found);
  }
  destroyed->close();
  return result(cudaSuccess);
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  if (on_stream_thread()) return result(cudaErrorNotPermitted);
  const std::shared_ptr<stream> s = find_stream(handle);
  if (s == nullptr) return result(cudaErrorInvalidResourceHandle);
  s->wait(s->queued());
  return result(cudaSuccess);
}

cudaError_t cudaStreamQuery(cudaStream_t handle) {
  const std::shared_ptr<stream> s = find_stream(handle);
  if (s == nullptr) return result(cudaErrorInvalidResourceHandle);
  return result(s->idle() ? cudaSuccess : cudaErrorNotReady);
}

cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned int* flags) {
  const std::shared_ptr<stream> s = find_stream(handle);
  if (s == nullptr) return result(cudaErrorInvalidResourceHandle);
  if (flags == nullptr) return result(cudaErrorInvalidValue);
  *flags = s->flags();
  return result(cudaSuccess);
}

cudaError_t cudaStreamGetPriority(cudaStream_t handle, int* priority) {
  const std::shared_ptr<stream> s = find_stream(handle);
  if (s == nullptr) return result(cudaErrorInvalidResourceHandle);
  if (priority == nullptr) return result(cudaErrorInvalidValue);
  *priority = s->priority();
  return result(cudaSuccess);
}

cudaError_t cudaStreamAddCallback(cudaStream_t handle, cudaStreamCallback_t callback, void* userData, unsigned int flags) {
  const std::shared_ptr<stream> s = find_stream(handle);
  if (s == nullptr) return result(cudaErrorInvalidResourceHandle);
  if (callback == nullptr || flags != 0) return result(cudaErrorInvalidValue);
  s->enqueue([=](worker_team&) { callback(handle, device_error(), userData); }, true);
  return result(cudaSuccess);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t handle, cudaHostFn_t fn, void* userData) {
  const std::shared_ptr<stream> s = find_stream(handle);
  if (s == nullptr) return result(cudaErrorInvalidResourceHandle);
  if (fn == nullptr) return result(cudaErrorInvalidValue);
  s->enqueue([=](worker_team&) { fn(userData); });
  return result(cudaSuccess);
}

cudaError_t cudaDeviceSynchronize() {
  if (on_stream_thread()) return result(cudaErrorNotPermitted);
  wait_for_device();
  return result(cudaSuccess);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags) {
  if (event == nullptr || (flags & ~static_cast<unsigned>(cudaEventBlockingSync | cudaEventDisableTiming)) != 0)
    return result(cudaErrorInvalidValue);
  auto made = std::make_shared<CUevent_st>(flags);
  *event = made.get();
  const std::lock_guard lock(events().mutex);
  events().by_handle.emplace(*event, std::move(made));
  return result(cudaSuccess);
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  const std::lock_guard lock(events().mutex);
  return result(events().by_handle.erase(event) == 1 ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t handle) {
  const std::shared_ptr<CUevent_st> e = find_event(event);
  const std::shared_ptr<stream> s = find_stream(handle);
  if (e == nullptr || s == nullptr) return result(cudaErrorInvalidResourceHandle);
  auto record = std::make_shared<CUevent_st::record>();
  s->run_or_enqueue([record](worker_team&) { record->set(); }, true);
  // Only now: a wait for it that another thread queued before it on this stream would never end.
  const std::lock_guard lock(e->mutex);
  e->recorded = std::move(record);
  return result(cudaSuccess);
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t handle, unsigned int flags) {
  if (flags != cudaEventRecordDefault) return result(cudaErrorNotSupported);
  return cudaEventRecord(event, handle);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  if (on_stream_thread()) return result(cudaErrorNotPermitted);
  const std::shared_ptr<CUevent_st> e = find_event(event);
  if (e == nullptr) return result(cudaErrorInvalidResourceHandle);
  if (const auto record = e->last()) record->wait();
  return result(cudaSuccess);
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  const std::shared_ptr<CUevent_st> e = find_event(event);
  if (e == nullptr) return result(cudaErrorInvalidResourceHandle);
  const auto record = e->last();
  return result(record == nullptr || record->is_complete() ? cudaSuccess : cudaErrorNotReady);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event, unsigned int flags) {
  if (flags != cudaEventWaitDefault) return result(cudaErrorNotSupported);
  const std::shared_ptr<CUevent_st> e = find_event(event);
  const std::shared_ptr<stream> s = find_stream(handle);
  if (e == nullptr || s == nullptr) return result(cudaErrorInvalidResourceHandle);
  if (const auto record = e->last(); record != nullptr && !record->is_complete())
    s->enqueue([record](worker_team&) { record->wait(); }, true);
  return result(cudaSuccess);
}

cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t start, cudaEvent_t end) {
  const std::shared_ptr<CUevent_st> first = find_event(start), second = find_event(end);
  if (first == nullptr || second == nullptr) return result(cudaErrorInvalidResourceHandle);
  if (ms == nullptr) return result(cudaErrorInvalidValue);
  if (((first->flags | second->flags) & cudaEventDisableTiming) != 0) return result(cudaErrorInvalidResourceHandle);
  const auto from = first->last(), to = second->last();
  if (from == nullptr || to == nullptr) return result(cudaErrorInvalidResourceHandle);
  if (!from->is_complete() || !to->is_complete()) return result(cudaErrorNotReady);
  *ms = std::chrono::duration<float, std::milli>(to->time - from->time).count();
  return result(cudaSuccess);
}
