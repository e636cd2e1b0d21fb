// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The floor under notified access: what bare loads, stores and flags take on this machine, with no
// library in between. One process; device 0, and device 1 if the two reach each other's memory.
// Prints one JSON object per line: medians, with the lowest and the highest repetition.
//
//   nvcc -O3 -std=c++17 -arch=sm_90 floor.cu -o floor

#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "../../examples/common/check.h"

namespace {

constexpr int repetitions = 7;
constexpr int warm_up = 200;
constexpr int round_trips = 20000;

// What a side of a ping-pong has in its device's memory. What is polled and what is stored by the
// other side lies in lines of its own.
constexpr std::size_t flag_at = 0;
constexpr std::size_t packet_at = 256;
constexpr std::size_t inbox_at = 4096;
constexpr std::size_t most_bytes = std::size_t{64} << 10;
constexpr std::size_t source_at = inbox_at + most_bytes;
constexpr std::size_t board_bytes = source_at + most_bytes;
constexpr unsigned char source_byte = 0x5a;

constexpr int put_threads = 1024;
constexpr int put_unroll = 8;
constexpr std::size_t put_bytes = std::size_t{4} << 20;
constexpr std::size_t put_vectors = put_bytes / sizeof(uint4);
constexpr int puts = 16;
static_assert(put_vectors % (put_threads * put_unroll) == 0, "put() has no loop for a remainder");

constexpr std::size_t pipeline_bytes = std::size_t{64} << 20;

// Written by kernels into pinned host memory.
struct results {
  unsigned long long nanoseconds;
  unsigned torn;
};

__device__ unsigned long long clock_ns() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

/// A flag that is released after `vectors` stores of 16 bytes by the whole block, or after none.
/// Loads says whether the payload is loaded from memory or made up in registers.
template <cuda::thread_scope Scope, bool Loads> struct flagged_put {
  unsigned* mine;
  unsigned* theirs;
  uint4* inbox;
  const uint4* source;
  int vectors;

  flagged_put(char* my_board, char* their_board, std::size_t bytes)
      : mine(reinterpret_cast<unsigned*>(my_board + flag_at)),
        theirs(reinterpret_cast<unsigned*>(their_board + flag_at)),
        inbox(reinterpret_cast<uint4*>(their_board + inbox_at)),
        source(reinterpret_cast<const uint4*>(my_board + source_at)),
        vectors(static_cast<int>(bytes / sizeof(uint4))) {}

  __device__ void send(unsigned number) const {
    for (int k = threadIdx.x; k < vectors; k += blockDim.x)
      inbox[k] = Loads ? source[k] : make_uint4(number, number, number, number);
    __syncthreads();
    if (threadIdx.x == 0) {
      cuda::atomic_ref<unsigned, Scope>(*theirs).store(number, cuda::memory_order_release);
    }
  }

  __device__ void receive(unsigned number, results*) const {
    if (threadIdx.x == 0) {
      const cuda::atomic_ref<unsigned, Scope> flag(*mine);
      while (flag.load(cuda::memory_order_acquire) != number) {
      }
    }
    __syncthreads();
  }
};

/// 8 bytes of payload and their number in one store of 16 bytes, which needs no fence. All by one
/// thread, for a floor has no reason to tell the others.
struct packet_put {
  void* mine;
  void* theirs;

  packet_put(char* my_board, char* their_board)
      : mine(my_board + packet_at), theirs(their_board + packet_at) {}

  __device__ void send(unsigned number) const {
    if (threadIdx.x != 0)
      return;
    const std::uint64_t payload = number;
    asm volatile(
        "{ .reg .b128 t; mov.b128 t, {%0, %1}; st.relaxed.sys.global.b128 [%2], t; }" ::"l"(
            payload),
        "l"(std::uint64_t{number}), "l"(theirs)
        : "memory");
  }

  __device__ void receive(unsigned number, results* result) const {
    if (threadIdx.x != 0)
      return;
    std::uint64_t payload, arrived;
    do {
      asm volatile("{ .reg .b128 t; ld.relaxed.sys.global.b128 t, [%2]; mov.b128 {%0, %1}, t; }"
                   : "=l"(payload), "=l"(arrived)
                   : "l"(mine)
                   : "memory");
    } while (arrived != number);
    if (payload != number)
      ++result->torn;
  }
};

/// Both sides as two blocks of one device, or one side on each of two devices. Messages are
/// numbered from `begin` on; the flags keep the last number, so that nothing has to be cleared.
template <class Message>
__global__ void ping_pong(Message first, Message second, int side_of_block_0, unsigned begin,
                          results* result) {
  const bool starts = side_of_block_0 + static_cast<int>(blockIdx.x) == 0;
  const Message message = starts ? first : second;
  unsigned long long start = 0;
  for (int i = 0; i < warm_up + round_trips; ++i) {
    if (i == warm_up)
      start = clock_ns();
    const unsigned number = begin + static_cast<unsigned>(i);
    if (starts) {
      message.send(number);
      message.receive(number, result);
    } else {
      message.receive(number, result);
      message.send(number);
    }
  }
  if (starts && threadIdx.x == 0)
    result->nanoseconds = clock_ns() - start;
}

/// Each block copies its own 4 MB, `puts` times, so that the launch does not count.
__global__ void __launch_bounds__(put_threads) put(const uint4* from, uint4* to) {
  from += blockIdx.x * put_vectors;
  to += blockIdx.x * put_vectors;
  for (int i = 0; i < puts; ++i) {
    for (std::size_t k = threadIdx.x; k < put_vectors; k += put_threads * put_unroll) {
      // All loads before the first store: one block alone has to fill a link.
      uint4 vectors[put_unroll];
#pragma unroll
      for (int u = 0; u < put_unroll; ++u)
        vectors[u] = from[k + u * put_threads];
#pragma unroll
      for (int u = 0; u < put_unroll; ++u)
        to[k + u * put_threads] = vectors[u];
    }
  }
}

__global__ void grid_barriers(int count, results* result) {
  const auto grid = cooperative_groups::this_grid();
  grid.sync();
  const unsigned long long start = clock_ns();
  for (int i = 0; i < count; ++i)
    grid.sync();
  if (grid.thread_rank() == 0)
    result->nanoseconds = clock_ns() - start;
}

using host_flag = cuda::atomic_ref<unsigned, cuda::thread_scope_system>;

// Both flags lie in the host's memory. What they announce has to be seen, so they are released and
// acquired, as the commands of a proxy are.
__global__ void answer_host(unsigned* question, unsigned* answer, int count) {
  for (unsigned number = 1; number <= static_cast<unsigned>(count); ++number) {
    while (host_flag(*question).load(cuda::memory_order_acquire) != number) {
    }
    host_flag(*answer).store(number, cuda::memory_order_release);
  }
}

/// One call that does not count, then the results of `repetitions` ones.
template <class Measure> std::vector<double> repeat(Measure measure) {
  measure();
  std::vector<double> all;
  for (int i = 0; i < repetitions; ++i)
    all.push_back(measure());
  std::sort(all.begin(), all.end());
  return all;
}

double median(const std::vector<double>& sorted) {
  return sorted[sorted.size() / 2];
}

void print(const char* what, const char* where, std::size_t bytes, int blocks, int threads,
           const char* unit, const std::vector<double>& sorted) {
  std::printf("{\"what\": \"%s\", \"where\": \"%s\", \"by\": \"floor\", \"bytes\": %zu, "
              "\"blocks\": %d, \"threads\": %d, \"%s\": %.4g, \"low\": %.4g, \"high\": %.4g}\n",
              what, where, bytes, blocks, threads, unit, median(sorted), sorted.front(),
              sorted.back());
  std::fflush(stdout);
}

template <class T> T* on_device(int device, std::size_t bytes, unsigned char fill) {
  void* memory = nullptr;
  check(cudaSetDevice(device), "choice of a device");
  check(cudaMalloc(&memory, bytes), "allocation on a device");
  check(cudaMemset(memory, fill, bytes), "filling of an allocation");
  check(cudaDeviceSynchronize(), "filling of an allocation");
  return static_cast<T*>(memory);
}

template <class T> T* pinned(std::size_t bytes) {
  void* memory = nullptr;
  check(cudaHostAlloc(&memory, bytes, cudaHostAllocPortable | cudaHostAllocMapped),
        "allocation on the host");
  std::fill_n(static_cast<char*>(memory), bytes, 0);
  return static_cast<T*>(memory);
}

cudaStream_t stream_on(int device) {
  cudaStream_t stream;
  check(cudaSetDevice(device), "choice of a device");
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "creation of a stream");
  return stream;
}

/// Device 0 and where its messages go: to itself, or to device 1.
class pair_of_sides {
public:
  pair_of_sides(int other, int blocks, results* result)
      : where_(other == 0 ? "same device" : "peer device"), other_(other), result_(result),
        streams_{stream_on(0), stream_on(other)} {
    for (const int side : {0, 1})
      boards_[side] = on_device<char>(side == 0 ? 0 : other, board_bytes, 0);
    from_ = on_device<uint4>(0, static_cast<std::size_t>(blocks) * put_bytes, source_byte);
    to_ = on_device<uint4>(other, static_cast<std::size_t>(blocks) * put_bytes, 0);
  }
  pair_of_sides(const pair_of_sides&) = delete;
  pair_of_sides& operator=(const pair_of_sides&) = delete;
  ~pair_of_sides() {
    check(cudaFree(from_), "release of memory");
    check(cudaFree(to_), "release of memory");
    for (const int side : {0, 1}) {
      check(cudaFree(boards_[side]), "release of memory");
      check(cudaStreamDestroy(streams_[side]), "release of a stream");
    }
  }

  template <cuda::thread_scope Scope> void latencies() {
    flagged<Scope, false>("notify", 0, 32);
    print("put notify", where_, 8, 2, 32, "us",
          one_way(packet_put(boards_[0], boards_[1]), packet_put(boards_[1], boards_[0]), 32));
    const struct {
      std::size_t bytes;
      int threads;
    } sizes[] = {{1024, 256}, {8192, 256}, {most_bytes, 1024}};
    for (const auto size : sizes) {
      flagged<Scope, false>("put notify", size.bytes, size.threads);
      flagged<Scope, true>("put notify with loads", size.bytes, size.threads);
    }
  }

  void bandwidth(int blocks) {
    cudaEvent_t start, stop;
    check(cudaSetDevice(0), "choice of a device");
    check(cudaEventCreate(&start), "creation of an event");
    check(cudaEventCreate(&stop), "creation of an event");
    const auto rates = repeat([&] {
      check(cudaEventRecord(start, streams_[0]), "record of an event");
      put<<<blocks, put_threads, 0, streams_[0]>>>(from_, to_);
      check(cudaGetLastError(), "launch of put");
      check(cudaEventRecord(stop, streams_[0]), "record of an event");
      check(cudaEventSynchronize(stop), "put");
      float milliseconds = 0;
      check(cudaEventElapsedTime(&milliseconds, start, stop), "time of put");
      return static_cast<double>(put_bytes) * puts * blocks / (milliseconds * 1e6);
    });
    check(cudaEventDestroy(start), "release of an event");
    check(cudaEventDestroy(stop), "release of an event");
    unsigned last = 0;
    check(cudaMemcpy(&last, to_ + static_cast<std::size_t>(blocks) * put_vectors - 1, sizeof(last),
                     cudaMemcpyDefault),
          "copy of the payload");
    expect(last == source_byte * 0x01010101u, "put");
    print("put bandwidth", where_, put_bytes, blocks, put_threads, "gbps", rates);
  }

private:
  static void expect(bool right, const char* what) {
    if (right)
      return;
    std::fprintf(stderr, "%s: the payload that arrived is wrong\n", what);
    std::exit(EXIT_FAILURE);
  }

  template <cuda::thread_scope Scope, bool Loads>
  void flagged(const char* what, std::size_t bytes, int threads) {
    using message = flagged_put<Scope, Loads>;
    for (const int side : {0, 1}) {
      check(cudaMemset(boards_[side] + source_at, source_byte, most_bytes),
            "filling of the source");
      check(cudaMemset(boards_[side] + inbox_at, 0, most_bytes), "clearing of the inbox");
    }
    const auto times = one_way(message(boards_[0], boards_[1], bytes),
                               message(boards_[1], boards_[0], bytes), threads);
    for (const int side : {0, 1}) {
      if (bytes == 0)
        break;
      unsigned last = 0;
      check(cudaMemcpy(&last, boards_[side] + inbox_at + bytes - sizeof(last), sizeof(last),
                       cudaMemcpyDefault),
            "copy of the payload");
      expect(last == (Loads ? source_byte * 0x01010101u : next_ - 1), what);
    }
    print(what, where_, bytes, 2, threads, "us", times);
  }

  template <class Message>
  std::vector<double> one_way(const Message& first, const Message& second, int threads) {
    return repeat([&] {
      check(cudaDeviceSynchronize(), "clearing of the boards");
      result_->torn = 0;
      if (other_ != 0)
        launch(1, 1, first, second, threads);
      launch(0, other_ == 0 ? 2 : 1, first, second, threads);
      for (const auto stream : streams_)
        check(cudaStreamSynchronize(stream), "ping_pong");
      next_ += warm_up + round_trips;
      expect(result_->torn == 0, "a store of 16 bytes");
      return static_cast<double>(result_->nanoseconds) / 1e3 / round_trips / 2;
    });
  }

  template <class Message>
  void launch(int side, int blocks, const Message& first, const Message& second, int threads) {
    check(cudaSetDevice(side == 0 ? 0 : other_), "choice of a device");
    ping_pong<<<blocks, threads, 0, streams_[side]>>>(first, second, side, next_, result_);
    check(cudaGetLastError(), "launch of ping_pong");
  }

  const char* where_;
  int other_;
  results* result_;
  cudaStream_t streams_[2];
  char* boards_[2];
  uint4* from_;
  uint4* to_;
  unsigned next_ = 1;
};

void measure_grid_barrier(int blocks, results* result) {
  constexpr int threads = 256;
  int count = 10000;
  check(cudaSetDevice(0), "choice of a device");
  const auto times = repeat([&] {
    void* arguments[] = {&count, &result};
    check(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(grid_barriers), dim3(blocks),
                                      dim3(threads), arguments, 0, nullptr),
          "launch of grid_barriers");
    check(cudaDeviceSynchronize(), "grid_barriers");
    return static_cast<double>(result->nanoseconds) / 1e3 / count;
  });
  print("device barrier", "same device", 0, blocks, threads, "us", times);
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void measure_host_round_trip() {
  constexpr std::size_t apart = 64;
  unsigned* const flags = pinned<unsigned>(2 * apart * sizeof(unsigned));
  const host_flag question(flags[0]), answer(flags[apart]);
  const cudaStream_t stream = stream_on(0);
  const auto times = repeat([&] {
    question.store(0, cuda::memory_order_relaxed);
    answer.store(0, cuda::memory_order_relaxed);
    answer_host<<<1, 1, 0, stream>>>(flags, flags + apart, warm_up + round_trips);
    check(cudaGetLastError(), "launch of answer_host");
    std::chrono::steady_clock::time_point start;
    for (unsigned number = 1; number <= warm_up + round_trips; ++number) {
      if (number == warm_up + 1)
        start = std::chrono::steady_clock::now();
      question.store(number, cuda::memory_order_release);
      while (answer.load(cuda::memory_order_acquire) != number) {
      }
    }
    const double elapsed = seconds_since(start);
    check(cudaStreamSynchronize(stream), "answer_host");
    return elapsed * 1e6 / round_trips;
  });
  check(cudaStreamDestroy(stream), "release of a stream");
  check(cudaFreeHost(flags), "release of memory");
  print("host round trip", "host", 0, 1, 1, "us", times);
}

/// From device 0 through two buffers of the host to device `to`: while one chunk goes down, the
/// chunk before it goes up. The best of several sizes of a chunk is the floor.
void measure_pinned_pipeline(int to) {
  constexpr std::size_t chunks_of[] = {std::size_t{1} << 20, std::size_t{2} << 20,
                                       std::size_t{4} << 20, std::size_t{8} << 20};
  char* const source = on_device<char>(0, pipeline_bytes, source_byte);
  char* const target = on_device<char>(to, pipeline_bytes, 0);
  char* const buffers = pinned<char>(2 * chunks_of[3]);
  const cudaStream_t down = stream_on(0), up = stream_on(to);
  cudaEvent_t filled[2], emptied[2];
  for (int i = 0; i < 2; ++i) {
    check(cudaSetDevice(0), "choice of a device");
    check(cudaEventCreateWithFlags(&filled[i], cudaEventDisableTiming), "creation of an event");
    check(cudaSetDevice(to), "choice of a device");
    check(cudaEventCreateWithFlags(&emptied[i], cudaEventDisableTiming), "creation of an event");
  }
  std::vector<double> best{0};
  for (const std::size_t chunk : chunks_of) {
    const auto rates = repeat([&] {
      const auto start = std::chrono::steady_clock::now();
      for (std::size_t i = 0; i < pipeline_bytes / chunk; ++i) {
        const std::size_t which = i % 2;
        char* const buffer = buffers + which * chunk;
        // An event that was never recorded holds nobody back.
        check(cudaStreamWaitEvent(down, emptied[which], 0), "wait for a buffer");
        check(cudaMemcpyAsync(buffer, source + i * chunk, chunk, cudaMemcpyDeviceToHost, down),
              "copy to the host");
        check(cudaEventRecord(filled[which], down), "record of an event");
        check(cudaStreamWaitEvent(up, filled[which], 0), "wait for a chunk");
        check(cudaMemcpyAsync(target + i * chunk, buffer, chunk, cudaMemcpyHostToDevice, up),
              "copy from the host");
        check(cudaEventRecord(emptied[which], up), "record of an event");
      }
      check(cudaStreamSynchronize(up), "pinned pipeline");
      return static_cast<double>(pipeline_bytes) / seconds_since(start) / 1e9;
    });
    if (median(rates) > median(best))
      best = rates;
  }
  for (int i = 0; i < 2; ++i) {
    check(cudaEventDestroy(filled[i]), "release of an event");
    check(cudaEventDestroy(emptied[i]), "release of an event");
  }
  check(cudaStreamDestroy(down), "release of a stream");
  check(cudaStreamDestroy(up), "release of a stream");
  check(cudaFreeHost(buffers), "release of memory");
  check(cudaFree(source), "release of memory");
  check(cudaFree(target), "release of memory");
  print("pinned pipeline", "host", pipeline_bytes, 0, 0, "gbps", best);
}

bool reach_each_other(int one, int other) {
  int there = 0, back = 0;
  check(cudaDeviceCanAccessPeer(&there, one, other), "query of peer access");
  check(cudaDeviceCanAccessPeer(&back, other, one), "query of peer access");
  if (there == 0 || back == 0)
    return false;
  check(cudaSetDevice(one), "choice of a device");
  check(cudaDeviceEnablePeerAccess(other, 0), "peer access");
  check(cudaSetDevice(other), "choice of a device");
  check(cudaDeviceEnablePeerAccess(one, 0), "peer access");
  return true;
}

} // namespace

int main() {
  // Kernels that are loaded at their first launch would wait for the one that already runs and
  // waits for them.
  setenv("CUDA_MODULE_LOADING", "EAGER", 1);
  int devices = 0, multiprocessors = 0;
  check(cudaGetDeviceCount(&devices), "count of devices");
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0),
        "query of device 0");
  const bool peers = devices > 1 && reach_each_other(0, 1);
  results* const result = pinned<results>(sizeof(results));

  for (const int other : {0, 1}) {
    if (other == 1 && !peers)
      break;
    pair_of_sides sides(other, multiprocessors, result);
    // Bandwidth first: it brings idle devices to their full clock.
    for (const int blocks : {1, 8, multiprocessors / 2, multiprocessors})
      sides.bandwidth(blocks);
    if (other == 0)
      sides.latencies<cuda::thread_scope_device>();
    else
      sides.latencies<cuda::thread_scope_system>();
  }
  measure_grid_barrier(multiprocessors, result);
  measure_host_round_trip();
  measure_pinned_pipeline(devices > 1 ? 1 : 0);
  check(cudaFreeHost(result), "release of memory");
  return EXIT_SUCCESS;
}
