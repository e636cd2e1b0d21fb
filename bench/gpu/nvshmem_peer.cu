// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same figures as floor.cu and notified_access.cu, of NVSHMEM 3: puts with a signal, signals,
// bandwidth, message rate and barriers. One process per device; with more than two processes only
// the barriers are measured, for everything else is between two. Process 0 prints one JSON object
// per line: medians, with the lowest and the highest repetition. gpu.py compiles and runs it.
//
//   mpirun -np 2 nvshmem_peer

#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <mpi.h>
#include <nvshmem.h>
#include <nvshmemx.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <type_traits>
#include <vector>

#include "../../examples/common/check.h"

namespace {

constexpr int repetitions = 7;
constexpr int warm_up = 200;
constexpr int round_trips = 10000;
constexpr int messages = 2000;
constexpr int barriers = 2000;

constexpr int put_threads = 1024;
constexpr std::size_t put_bytes = std::size_t{4} << 20;
constexpr int puts = 16;

// Signals and payloads of 8 bytes of different blocks lie in lines of their own.
constexpr int apart = 16;

enum class call { signal, put_by_thread, put_by_warp, put_by_block };

__device__ unsigned long long clock_ns() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

template <call Call>
__device__ void send(char* to, const char* from, std::size_t bytes, std::uint64_t* signal,
                     std::uint64_t number, int peer) {
  if constexpr (Call == call::signal) {
    if (threadIdx.x == 0)
      nvshmemx_signal_op(signal, number, NVSHMEM_SIGNAL_SET, peer);
  } else if constexpr (Call == call::put_by_thread) {
    if (threadIdx.x == 0)
      nvshmem_putmem_signal_nbi(to, from, bytes, signal, number, NVSHMEM_SIGNAL_SET, peer);
  } else if constexpr (Call == call::put_by_warp) {
    nvshmemx_putmem_signal_nbi_warp(to, from, bytes, signal, number, NVSHMEM_SIGNAL_SET, peer);
  } else {
    nvshmemx_putmem_signal_nbi_block(to, from, bytes, signal, number, NVSHMEM_SIGNAL_SET, peer);
  }
}

__device__ void receive(std::uint64_t* signal, std::uint64_t number) {
  if (threadIdx.x == 0)
    nvshmem_signal_wait_until(signal, NVSHMEM_CMP_EQ, number);
  __syncthreads();
}

/// Messages are numbered from `begin` on; signals keep the last number and are never cleared.
template <call Call>
__global__ void ping_pong(char* inbox, const char* source, std::size_t bytes, std::uint64_t* signal,
                          std::uint64_t begin, int pe, unsigned long long* taken) {
  unsigned long long start = 0;
  for (int i = 0; i < warm_up + round_trips; ++i) {
    if (i == warm_up)
      start = clock_ns();
    if (pe == 0)
      send<Call>(inbox, source, bytes, signal, begin + i, 1);
    receive(signal, begin + i);
    if (pe == 1)
      send<Call>(inbox, source, bytes, signal, begin + i, 0);
  }
  if (threadIdx.x == 0) {
    *taken = clock_ns() - start;
    nvshmem_quiet();
  }
}

/// Each block of process 0 puts its own 4 MB, `puts` times, until all of them are complete.
template <bool Blocking>
__global__ void __launch_bounds__(put_threads)
    put(char* inbox, const char* source, int pe, unsigned long long* taken) {
  if (pe != 0)
    return;
  inbox += blockIdx.x * put_bytes;
  source += blockIdx.x * put_bytes;
  const unsigned long long start = clock_ns();
  for (int i = 0; i < puts; ++i) {
    if constexpr (Blocking)
      nvshmemx_putmem_block(inbox, source, put_bytes, 1);
    else
      nvshmemx_putmem_nbi_block(inbox, source, put_bytes, 1);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    nvshmem_quiet();
    taken[blockIdx.x] = clock_ns() - start;
  }
}

/// One thread in each block of process 0 sends `messages` puts of 8 bytes with a signal each to the
/// same block of process 1, and has them answered by one signal when all have arrived. A signal
/// that is set to the number of messages so far counts them as well as one that is added to.
template <int Operation>
__global__ void flood(std::uint64_t* inbox, const std::uint64_t* source, std::uint64_t* signals,
                      std::uint64_t before, std::uint64_t number, int pe,
                      unsigned long long* taken) {
  if (threadIdx.x != 0)
    return;
  const int mine = blockIdx.x * apart;
  if (pe == 0) {
    const unsigned long long start = clock_ns();
    for (int i = 1; i <= messages; ++i) {
      nvshmem_putmem_signal_nbi(inbox + mine, source + mine, sizeof(*inbox), signals + mine,
                                Operation == NVSHMEM_SIGNAL_SET ? before + i : 1, Operation, 1);
    }
    nvshmem_signal_wait_until(signals + mine, NVSHMEM_CMP_EQ, number);
    taken[blockIdx.x] = clock_ns() - start;
  } else {
    nvshmem_signal_wait_until(signals + mine, NVSHMEM_CMP_EQ, before + messages);
    nvshmemx_signal_op(signals + mine, number, NVSHMEM_SIGNAL_SET, 0);
  }
  nvshmem_quiet();
}

/// A barrier of one block of each process, or of all their blocks.
__global__ void world_barriers(unsigned long long* taken) {
  const auto grid = cooperative_groups::this_grid();
  unsigned long long start = 0;
  for (int i = 0; i < warm_up + barriers; ++i) {
    if (i == warm_up)
      start = clock_ns();
    if (gridDim.x > 1)
      grid.sync();
    if (blockIdx.x == 0)
      nvshmemx_barrier_all_block();
    if (gridDim.x > 1)
      grid.sync();
  }
  if (grid.thread_rank() == 0)
    *taken = clock_ns() - start;
}

template <class T> T* symmetric(std::size_t count) {
  void* const memory = nvshmem_malloc(count * sizeof(T));
  if (memory == nullptr) {
    std::fprintf(stderr, "nvshmem_malloc: no memory for %zu bytes\n", count * sizeof(T));
    nvshmem_global_exit(EXIT_FAILURE);
  }
  check(cudaMemset(memory, 0, count * sizeof(T)), "clearing of memory");
  return static_cast<T*>(memory);
}

class bench {
public:
  explicit bench(int device) {
    check(cudaDeviceGetAttribute(&all_blocks_, cudaDevAttrMultiProcessorCount, device),
          "query of the device");
    const auto blocks = static_cast<std::size_t>(all_blocks_);
    check(cudaHostAlloc(reinterpret_cast<void**>(&taken_), blocks * sizeof(*taken_),
                        cudaHostAllocMapped),
          "allocation on the host");
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "creation of a stream");
    inbox_ = symmetric<char>(blocks * put_bytes);
    source_ = symmetric<char>(blocks * put_bytes);
    signals_ = symmetric<std::uint64_t>(blocks * apart);
    check(cudaDeviceSynchronize(), "clearing of memory");
  }
  bench(const bench&) = delete;
  bench& operator=(const bench&) = delete;
  ~bench() {
    nvshmem_free(inbox_);
    nvshmem_free(source_);
    nvshmem_free(signals_);
    check(cudaStreamDestroy(stream_), "release of the stream");
    check(cudaFreeHost(taken_), "release of memory");
  }

  void run() {
    if (nvshmem_n_pes() == 2) {
      for (const int blocks : {1, 8, all_blocks_}) {
        bandwidth<true>("putmem_block", blocks);
        bandwidth<false>("putmem_nbi_block", blocks);
      }
      latency<call::signal>("notify", "thread", 0, 32);
      for (const std::size_t bytes : {std::size_t{8}, std::size_t{8192}}) {
        latency<call::put_by_thread>("put notify", "thread", bytes, 1);
        latency<call::put_by_warp>("put notify", "warp", bytes, 32);
        latency<call::put_by_block>("put notify", "block", bytes, 256);
      }
      message_rate<NVSHMEM_SIGNAL_SET>("set");
      message_rate<NVSHMEM_SIGNAL_ADD>("add");
    }
    for (const int blocks : {1, all_blocks_})
      world_barrier(blocks);
  }

private:
  /// Ascending, of one launch that does not count and `repetitions` ones: the nanoseconds of the
  /// slowest of `timed` blocks.
  template <class Launch> std::vector<double> repeat(int timed, Launch launch) {
    std::vector<double> all;
    for (int r = 0; r <= repetitions; ++r) {
      std::fill_n(taken_, all_blocks_, 0);
      nvshmem_barrier_all();
      launch();
      check(cudaStreamSynchronize(stream_), "kernel");
      if (r > 0)
        all.push_back(static_cast<double>(*std::max_element(taken_, taken_ + timed)));
    }
    nvshmem_barrier_all();
    std::sort(all.begin(), all.end());
    return all;
  }

  template <class... Parameters>
  void launch(void (*kernel)(Parameters...), int blocks, int threads,
              std::common_type_t<Parameters>... arguments) {
    void* addresses[] = {&arguments...};
    const int status = nvshmemx_collective_launch(
        reinterpret_cast<const void*>(kernel), dim3(blocks), dim3(threads), addresses, 0, stream_);
    if (status != 0) {
      std::fprintf(stderr, "nvshmemx_collective_launch of %d blocks of %d threads: %d\n", blocks,
                   threads, status);
      nvshmem_global_exit(EXIT_FAILURE);
    }
  }

  template <call Call>
  void latency(const char* what, const char* scope, std::size_t bytes, int threads) {
    const auto nanoseconds = repeat(1, [&] {
      launch(ping_pong<Call>, 1, threads, inbox_, source_, bytes, signals_, next_, pe_, taken_);
      next_ += warm_up + round_trips;
    });
    print(what, bytes, 2, threads, "scope", scope, "us", nanoseconds,
          [](double ns) { return ns / 1e3 / round_trips / 2; });
  }

  template <bool Blocking> void bandwidth(const char* function, int blocks) {
    const auto nanoseconds = repeat(
        blocks, [&] { launch(put<Blocking>, blocks, put_threads, inbox_, source_, pe_, taken_); });
    print("put bandwidth", put_bytes, blocks, put_threads, "call", function, "gbps", nanoseconds,
          [&](double ns) { return static_cast<double>(put_bytes) * puts * blocks / ns; });
  }

  template <int Operation> void message_rate(const char* operation) {
    // The values that signals still have would be taken for messages.
    check(
        cudaMemset(signals_, 0, static_cast<std::size_t>(all_blocks_) * apart * sizeof(*signals_)),
        "clearing of the signals");
    check(cudaDeviceSynchronize(), "clearing of the signals");
    std::uint64_t before = 0;
    std::uint64_t answer = 1;
    const auto nanoseconds = repeat(all_blocks_, [&] {
      launch(flood<Operation>, all_blocks_, 1, reinterpret_cast<std::uint64_t*>(inbox_),
             reinterpret_cast<std::uint64_t*>(source_), signals_, before, answer, pe_, taken_);
      before += messages;
      ++answer;
    });
    print("message rate", 8, all_blocks_, 1, "signal", operation, "per_second", nanoseconds,
          [&](double ns) { return static_cast<double>(messages) * all_blocks_ / (ns * 1e-9); });
  }

  void world_barrier(int blocks) {
    constexpr int threads = 256;
    const auto nanoseconds = repeat(1, [&] { launch(world_barriers, blocks, threads, taken_); });
    print("world barrier", 0, blocks, threads, "scope", "block", "us", nanoseconds,
          [](double ns) { return ns / 1e3 / barriers; });
  }

  /// `figure` turns nanoseconds into the figure of a repetition.
  template <class Figure>
  void print(const char* what, std::size_t bytes, int blocks, int threads, const char* variant,
             const char* value, const char* unit, const std::vector<double>& nanoseconds,
             Figure figure) const {
    if (pe_ != 0)
      return;
    const double fastest = figure(nanoseconds.front()), slowest = figure(nanoseconds.back());
    std::printf("{\"what\": \"%s\", \"where\": \"peer device\", \"by\": \"nvshmem\", "
                "\"bytes\": %zu, \"blocks\": %d, \"threads\": %d, \"%s\": \"%s\", \"%s\": %.4g, "
                "\"low\": %.4g, \"high\": %.4g}\n",
                what, bytes, blocks, threads, variant, value, unit,
                figure(nanoseconds[nanoseconds.size() / 2]), std::min(fastest, slowest),
                std::max(fastest, slowest));
    std::fflush(stdout);
  }

  const int pe_ = nvshmem_my_pe();
  int all_blocks_ = 0;
  unsigned long long* taken_ = nullptr;
  cudaStream_t stream_ = nullptr;
  char* inbox_ = nullptr;
  char* source_ = nullptr;
  std::uint64_t* signals_ = nullptr;
  std::uint64_t next_ = 1;
};

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm host;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  int device = 0, processes = 0, devices = 0;
  MPI_Comm_rank(host, &device);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  check(cudaGetDeviceCount(&devices), "count of devices");
  if (processes < 2 || device >= devices) {
    std::fprintf(stderr, "nvshmem_peer needs 2 processes or more and a device for each of them\n");
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  }
  check(cudaSetDevice(device), "choice of a device");

  MPI_Comm world = MPI_COMM_WORLD;
  nvshmemx_init_attr_t attributes = NVSHMEMX_INIT_ATTR_INITIALIZER;
  attributes.mpi_comm = &world;
  nvshmemx_init_attr(NVSHMEMX_INIT_WITH_MPI_COMM, &attributes);
  bench(device).run();
  nvshmem_finalize();

  MPI_Comm_free(&host);
  MPI_Finalize();
  return EXIT_SUCCESS;
}
