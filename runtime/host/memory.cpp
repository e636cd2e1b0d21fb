// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host/memory.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>

#include "host/distributed_arrays.h"
#include "host/log.h"
#include "host/process.h"
#if GPURMA_TARGET_CPU
#include <link.h>

#include <gpurma/platform/cpu/host.h>
#else
#include "host/device_choice.h"
#include "host/driver.h"
#endif

namespace gpurma::host {

namespace {
int device = 0;
#if GPURMA_TARGET_CUDA
cudaStream_t copies = nullptr;
#endif
void (*look_for_explanation)() = nullptr;
} // namespace

void explain_cuda_errors_by(void (*look)()) {
  look_for_explanation = look;
}

void check_cuda(cudaError_t error, const char* doing) {
  if (error != cudaSuccess) {
    if (look_for_explanation != nullptr)
      look_for_explanation();
    fatal(text("cannot ", doing, " on device ", device, ": ", cudaGetErrorName(error), ": ",
               cudaGetErrorString(error)));
  }
}

int memory_device() {
  return device;
}

int count_multiprocessors() {
  int count = 0;
  check_cuda(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, memory_device()),
             "count multiprocessors");
  return count;
}

void use_memory_device() {
  check_cuda(cudaSetDevice(device), "use CUDA");
}

void check_current_device() {
  int current = 0;
  check_cuda(cudaGetDevice(&current), "find the current device");
  if (current != device) {
    fatal(text("device ", current,
               " is current in a thread that uses gpurma, which works on device ", device,
               " in this process; call cudaSetDevice(", device, ") in the thread, or ",
               "cudaSetDevice(", current, ") before gpurma starts"));
  }
}

bool pin(void* memory, std::size_t bytes) {
  if (cudaHostRegister(memory, bytes, cudaHostRegisterPortable) == cudaSuccess)
    return true;
  static_cast<void>(cudaGetLastError());
  return false;
}

void unpin(void* memory) {
  static_cast<void>(cudaHostUnregister(memory));
}

namespace {

// The first copy of a kind may set things up that wait for all running work. That must not happen
// while a rank kernel waits for the copy. On the CPU target it only keeps its start like the CUDA
// target's, for its tests.
void warm_up() {
  constexpr std::size_t most = 1 << 20;
  std::vector<char> host(most);
  void* memory = nullptr;
  check_cuda(cudaMalloc(&memory, most), "allocate memory");
  for (const std::size_t bytes : {std::size_t{8}, std::size_t{64}, std::size_t{4096}, most}) {
    copy_bytes(memory, host.data(), bytes);
    copy_bytes(host.data(), memory, bytes);
  }
  check_cuda(cudaFree(memory), "free memory");
}

} // namespace

#if GPURMA_TARGET_CPU

void open_device_memory() {
  check_cuda(cudaGetDevice(&device), "find the current device");
  warm_up();
}

void close_device_memory() {}

void copy_bytes(void* to, const void* from, std::size_t bytes) {
  std::memcpy(to, from, bytes);
}

copy_stream::copy_stream() = default;
copy_stream::~copy_stream() = default;

copy_stream::ticket copy_stream::start(void* to, const void* from, std::size_t bytes) {
  under_way_.push_back({to, from, bytes});
  return ++started_;
}

bool copy_stream::poll() {
  if (under_way_.empty())
    return false;
  const copy& next = under_way_.front();
  copy_bytes(next.to, next.from, next.bytes);
  under_way_.pop_front();
  ++done_;
  return true;
}

namespace {

struct static_search {
  std::uint64_t address;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

// A `__device__` or `__constant__` variable lies in a segment of the program or of a library on the
// CPU target.
int look_in_file(dl_phdr_info* file, std::size_t, void* state) {
  auto& search = *static_cast<static_search*>(state);
  for (int i = 0; i < file->dlpi_phnum; ++i) {
    const auto& segment = file->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD)
      continue;
    const std::uint64_t begin = file->dlpi_addr + segment.p_vaddr;
    if (search.address >= begin && search.address - begin < segment.p_memsz) {
      search.begin = begin;
      search.end = begin + segment.p_memsz;
      return 1;
    }
  }
  return 0;
}

} // namespace

// Declared by the device library (device/checks.h).
bool find_buffer(std::uint64_t address, std::uint64_t& begin, std::uint64_t& end) {
  if (const auto found = cpu::find_allocation(reinterpret_cast<const void*>(address));
      found.base != nullptr) {
    begin = reinterpret_cast<std::uint64_t>(found.base);
    end = begin + found.size;
    return true;
  }
  static_search search{address};
  if (dl_iterate_phdr(look_in_file, &search) == 0)
    return false;
  begin = search.begin;
  end = search.end;
  return true;
}

#else

namespace {

// Streams share hardware queues with others of their priority: in a queue of its own, a copy for
// a running rank kernel is never behind work that waits for that kernel.
cudaStream_t make_copy_stream() {
  int lowest = 0;
  int highest = 0;
  check_cuda(cudaDeviceGetStreamPriorityRange(&lowest, &highest), "query stream priorities");
  cudaStream_t stream = nullptr;
  check_cuda(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, highest),
             "create a stream");
  return stream;
}

// With fewer hardware queues than CUDA has by default, not even priorities keep streams apart.
void check_connections() {
  constexpr int least = 8;
  const char* const connections = std::getenv("CUDA_DEVICE_MAX_CONNECTIONS");
  if (connections != nullptr && std::atoi(connections) < least) {
    fatal(text("CUDA_DEVICE_MAX_CONNECTIONS is ", connections,
               ", so that copies for a running rank kernel would wait behind it: unset it, or set ",
               least, " or more"));
  }
}

// By the driver: no call of the program, so nothing of intercepted_calls.cpp.
void enqueue_copy(void* to, const void* from, std::size_t bytes, cudaStream_t stream) {
  static auto* const copy = driver_function<decltype(cuMemcpyAsync)>("cuMemcpyAsync");
  const CUresult result =
      copy(reinterpret_cast<CUdeviceptr>(to), reinterpret_cast<CUdeviceptr>(from), bytes, stream);
  // The errors of both interfaces have the same numbers.
  check_cuda(static_cast<cudaError_t>(result), "copy memory");
}

bool is_managed(const void* memory) {
  static auto* const get_attribute =
      driver_function<decltype(cuPointerGetAttribute)>("cuPointerGetAttribute");
  unsigned managed = 0;
  return get_attribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED,
                       reinterpret_cast<CUdeviceptr>(memory)) == CUDA_SUCCESS &&
         managed != 0;
}

// Does the copies of try_copy_bytes in a thread of its own: what holds a copy back may hold the
// call back, too.
class watching_copier {
public:
  watching_copier()
      : thread_([this] {
          // Fails if the program ends at once.
          static_cast<void>(cudaSetDevice(memory_device()));
          std::unique_lock lock(mutex_);
          while (changed_.wait(lock, [this] { return stop_ || next_.bytes != 0; }), !stop_) {
            const copy_request next = next_;
            lock.unlock();
            enqueue_copy(next.to, next.from, next.bytes, stream_);
            check_cuda(cudaStreamSynchronize(stream_), "copy memory");
            lock.lock();
            next_ = {};
            changed_.notify_all();
          }
        }) {}
  ~watching_copier() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    thread_.join();
    static_cast<void>(cudaStreamDestroy(stream_));
  }
  watching_copier(const watching_copier&) = delete;
  watching_copier& operator=(const watching_copier&) = delete;

  bool copy(void* to, const void* from, std::size_t bytes) {
    constexpr std::chrono::milliseconds patience(100);
    std::unique_lock lock(mutex_);
    if (next_.bytes == 0) {
      next_ = {to, from, bytes};
      changed_.notify_all();
    }
    return changed_.wait_for(lock, patience, [this] { return next_.bytes == 0; });
  }

private:
  struct copy_request {
    void* to = nullptr;
    const void* from = nullptr;
    std::size_t bytes = 0; // 0: nothing is to be copied
  };
  const cudaStream_t stream_ = make_copy_stream(); // before a kernel runs
  std::mutex mutex_;
  std::condition_variable changed_;
  copy_request next_;
  bool stop_ = false;
  std::thread thread_;
};

std::unique_ptr<watching_copier> watching;

} // namespace

void open_device_memory() {
  check_connections();
  device = device_at_start();
  use_memory_device();
  copies = make_copy_stream();
  watching = std::make_unique<watching_copier>();
  warm_up();
}

void close_device_memory() {
  // The program may be ending after an error that made every call fail.
  static_cast<void>(cudaStreamDestroy(copies));
  copies = nullptr;
  watching.reset();
}

bool try_copy_bytes(void* to, const void* from, std::size_t bytes) {
  return watching->copy(to, from, bytes);
}

// Events are made before a kernel runs.
copy_stream::copy_stream() : stream_(make_copy_stream()) {
  constexpr std::size_t most_under_way = 256;
  free_.resize(most_under_way);
  for (cudaEvent_t& event : free_)
    check_cuda(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "create an event");
}

copy_stream::~copy_stream() {
  // The program may be ending after an error that made every call fail.
  for (cudaEvent_t event : under_way_)
    static_cast<void>(cudaEventDestroy(event));
  for (cudaEvent_t event : free_)
    static_cast<void>(cudaEventDestroy(event));
  static_cast<void>(cudaStreamDestroy(stream_));
}

copy_stream::ticket copy_stream::start(void* to, const void* from, std::size_t bytes) {
  // Managed memory is copied by the processor, which may access it while a kernel runs: CUDA's copy
  // of it does not end before a rank kernel that leaves no room on the device.
  if (is_managed(to) || is_managed(from)) {
    while (!idle())
      poll();
    std::memcpy(to, from, bytes);
    done_ = ++started_;
    return started_;
  }
  while (free_.empty())
    poll();
  enqueue_copy(to, from, bytes, stream_);
  const cudaEvent_t event = free_.back();
  free_.pop_back();
  check_cuda(cudaEventRecord(event, stream_), "copy memory");
  under_way_.push_back(event);
  return ++started_;
}

bool copy_stream::poll() {
  bool any = false;
  while (!under_way_.empty()) {
    const cudaError_t state = cudaEventQuery(under_way_.front());
    if (state == cudaErrorNotReady)
      break;
    check_cuda(state, "copy memory");
    free_.push_back(under_way_.front());
    under_way_.pop_front();
    ++done_;
    any = true;
  }
  return any;
}

void copy_bytes(void* to, const void* from, std::size_t bytes) {
  if (bytes == 0)
    return;
  use_memory_device();
  enqueue_copy(to, from, bytes, copies);
  check_cuda(cudaStreamSynchronize(copies), "copy memory");
}

#endif

template <memory_kind Kind> void* memory_block<Kind>::resize(std::size_t bytes) {
  if (bytes <= bytes_)
    return data();
  bytes_ = std::max(bytes, 2 * bytes_);
  const ordinary_allocations of_the_runtime;
  void* piece = nullptr;
  if constexpr (Kind == memory_kind::device) {
    check_cuda(cudaMalloc(&piece, bytes_), "allocate queues");
  } else {
    check_cuda(cudaHostAlloc(&piece, bytes_, cudaHostAllocPortable | cudaHostAllocMapped),
               "allocate queues");
  }
  pieces_.push_back(piece);
  return piece;
}

template <memory_kind Kind> memory_block<Kind>::~memory_block() {
  // Errors are those of a program that is ending.
  for (void* piece : pieces_) {
    if constexpr (Kind == memory_kind::device) {
      static_cast<void>(cudaFree(piece));
    } else {
      static_cast<void>(cudaFreeHost(piece));
    }
  }
}

template class memory_block<memory_kind::device>;
template class memory_block<memory_kind::shared>;

} // namespace gpurma::host
