// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What notified access costs, measured inside kernels: latencies of a ping-pong (half of a round
// trip), bandwidth, message rate, matching, barriers. Written against the library, as gpurmacc
// would lower it. One process measures two ranks of one device, two processes ranks of two devices
// (GPURMA_ROUTE says how they reach each other). Process 0 prints one JSON object per line;
// medians.
//
//   notified_access
//   mpirun -np 2 notified_access
#include <gpurma/gpurma.h>
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "../../examples/common/check.h"

namespace {

using gpurma::any_source;
using gpurma::comm;
using gpurma::matching;

constexpr int repetitions = 7;

// Nanoseconds that a rank's part took, by repetition.
struct times {
  unsigned long long of[repetitions];
};

__device__ bool leader() {
  return threadIdx.x == 0;
}

// The rank at the other end: the next rank of a single device, or the same rank of the other
// device.
__device__ int partner_of(bool same_device) {
  const int rank = gpurma::rank();
  if (same_device)
    return rank ^ 1;
  return rank < gpurma::device_size() ? rank + gpurma::device_size() : rank - gpurma::device_size();
}

// Ranks 0 and its partner play ping-pong `round_trips` times: notifications alone if bytes is 0.
template <matching M, int Threads>
__global__ void __launch_bounds__(Threads)
    ping_pong(char* memory, int bytes, int round_trips, bool same_device, bool any, times* taken) {
  gpurma::rank_scope scope;
  const int partner = partner_of(same_device);
  const bool first = gpurma::rank() == 0;
  const bool second = partner == 0;
  const int from = any || M == matching::counter ? any_source : partner;
  char* const source = memory + static_cast<std::size_t>(gpurma::device_rank()) * 2 * (bytes + 16);
  gpurma::window<char> w(source + bytes + 16, bytes, comm::world);
  for (int r = 0; r < repetitions; ++r) {
    gpurma::barrier(comm::world);
    const unsigned long long begin = gpurma::platform::clock_ns();
    for (int i = 0; (first || second) && i < round_trips; ++i) {
      if (second)
        gpurma::wait<M>(0, from);
      if (bytes != 0)
        gpurma::put_notify<M>(source, bytes, partner, w, 0, 0);
      else
        gpurma::notify<M>(partner, 0);
      if (first)
        gpurma::wait<M>(0, from);
    }
    if (first && leader())
      taken->of[r] = gpurma::platform::clock_ns() - begin;
  }
}
const gpurma::rank_kernel registered_queue(ping_pong<matching::queue, 256>);
const gpurma::rank_kernel registered_queue_1024(ping_pong<matching::queue, 1024>);
const gpurma::rank_kernel registered_counter(ping_pong<matching::counter, 256>);

// Rank 0 plays ping-pong while `pending` other notifications wait at both ends.
__global__ void match_among(int pending, int round_trips, bool same_device, times* taken) {
  gpurma::rank_scope scope;
  const int partner = partner_of(same_device);
  const bool first = gpurma::rank() == 0;
  const bool second = partner == 0;
  if (first || second) {
    for (int i = 0; i < pending; ++i)
      gpurma::notify(partner, 1 + i);
  }
  for (int r = 0; r < repetitions; ++r) {
    gpurma::barrier(comm::world);
    const unsigned long long begin = gpurma::platform::clock_ns();
    for (int i = 0; (first || second) && i < round_trips; ++i) {
      if (second)
        gpurma::wait(0, partner);
      gpurma::notify(partner, 0);
      if (first)
        gpurma::wait(0, partner);
    }
    if (first && leader())
      taken->of[r] = gpurma::platform::clock_ns() - begin;
  }
  if (first || second) {
    for (int i = 0; i < pending; ++i)
      gpurma::wait(1 + i, partner);
  }
}
const gpurma::rank_kernel registered_match(match_among);

// The first `senders` ranks of the first device put `bytes` each to their partners, `puts` times;
// on one device, even ranks to odd ones. The time is that of all of them.
__global__ void __launch_bounds__(1024)
    stream(char* memory, long long bytes, int senders, int puts, bool same_device, times* taken) {
  gpurma::rank_scope scope;
  const int rank = gpurma::rank();
  const int partner = partner_of(same_device);
  const int number = same_device ? rank / 2 : gpurma::device_rank();
  const bool sends = number < senders && (same_device ? rank % 2 == 0 : rank == number);
  const bool receives = number < senders && !sends;
  char* const mine = memory + gpurma::device_rank() * bytes;
  gpurma::window<char> w(mine, receives ? bytes : 0, comm::world);
  for (int r = 0; r < repetitions; ++r) {
    gpurma::barrier(comm::world);
    const unsigned long long begin = gpurma::platform::clock_ns();
    if (sends) {
      for (int i = 0; i < puts - 1; ++i)
        gpurma::put(mine, bytes, partner, w, 0);
      gpurma::put_notify(mine, bytes, partner, w, 0, 0);
      gpurma::wait(1, partner);
    } else if (receives) {
      gpurma::wait(0, partner);
      gpurma::notify(partner, 1);
    }
    if (sends && leader())
      taken[number].of[r] = gpurma::platform::clock_ns() - begin;
  }
}
const gpurma::rank_kernel registered_stream(stream);

// All ranks of the first device send 8 bytes to their partners, `messages` times.
__global__ void flood(long long* memory, int messages, bool same_device, times* taken) {
  gpurma::rank_scope scope;
  const int rank = gpurma::rank();
  const int partner = partner_of(same_device);
  const int number = same_device ? rank / 2 : gpurma::device_rank();
  const bool sends = same_device ? rank % 2 == 0 : rank == number;
  long long* const mine = memory + 2 * gpurma::device_rank();
  gpurma::window<long long> w(mine, 1, comm::world);
  for (int r = 0; r < repetitions; ++r) {
    gpurma::barrier(comm::world);
    const unsigned long long begin = gpurma::platform::clock_ns();
    if (sends) {
      for (int i = 0; i < messages; ++i)
        gpurma::put_notify(mine + 1, 1, partner, w, 0, 0);
      gpurma::wait(1, partner);
    } else {
      gpurma::wait(0, partner, gpurma::any_window, messages);
      gpurma::notify(partner, 1);
    }
    if (sends && leader())
      taken[number].of[r] = gpurma::platform::clock_ns() - begin;
  }
}
const gpurma::rank_kernel registered_flood(flood);

__global__ void barriers(comm over, int count, times* taken) {
  gpurma::rank_scope scope;
  for (int r = 0; r < repetitions; ++r) {
    gpurma::barrier(comm::world);
    const unsigned long long begin = gpurma::platform::clock_ns();
    for (int i = 0; i < count; ++i)
      gpurma::barrier(over);
    if (gpurma::rank() == 0 && leader())
      taken->of[r] = gpurma::platform::clock_ns() - begin;
  }
}
const gpurma::rank_kernel registered_barriers(barriers);

// Of the slowest rank in the median repetition, in microseconds.
double median(const times* taken, int ranks) {
  std::vector<double> slowest(repetitions, 0);
  for (int r = 0; r < repetitions; ++r) {
    for (int i = 0; i < ranks; ++i)
      slowest[static_cast<std::size_t>(r)] =
          std::max(slowest[static_cast<std::size_t>(r)], static_cast<double>(taken[i].of[r]) / 1e3);
  }
  std::nth_element(slowest.begin(), slowest.begin() + repetitions / 2, slowest.end());
  return slowest[repetitions / 2];
}

class bench {
public:
  bench() {
    const gpurma::layout layout = gpurma::query(flood, dim3(32));
    process_ = layout.process;
    same_device_ = layout.processes == 1;
    const char* const route = std::getenv("GPURMA_ROUTE");
    where_ = same_device_                                           ? "same device"
             : route != nullptr && std::strcmp(route, "proxy") == 0 ? "proxy"
                                                                    : "peer device";
    check(cudaHostAlloc(reinterpret_cast<void**>(&taken_), most_ranks * sizeof(times),
                        cudaHostAllocMapped),
          "allocate");
    check(cudaMalloc(reinterpret_cast<void**>(&memory_), memory_bytes), "allocate");
    int multiprocessors = 0;
    check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, layout.device),
          "query");
    all_ranks_ = multiprocessors;
  }

  void run() {
    const bool proxy = where_ == "proxy";
    const int trips = proxy ? 200 : 5000;
    latency("notify (queue)", ping_pong<matching::queue, 256>, 0, trips, 32);
    latency("notify (counter)", ping_pong<matching::counter, 256>, 0, trips, 32);
    latency("notify (any source)", ping_pong<matching::queue, 256>, 0, trips, 32, true);
    for (const int threads : {32, 128})
      latency("put notify", ping_pong<matching::queue, 256>, 8, trips, threads);
    latency("put notify", ping_pong<matching::queue, 256>, 1024, trips, 256);
    latency("put notify", ping_pong<matching::queue, 256>, 8192, trips, 256);
    latency("put notify", ping_pong<matching::queue, 1024>, 65536, trips, 1024);
    for (const int pending : {0, 64}) {
      gpurma::launch(match_among, dim3(2), dim3(32))(pending, trips, same_device_, taken_);
      finish();
      print(pending == 0 ? "wait" : "wait behind 64 others", 0, 2, "us",
            median(taken_, 1) / trips / 2);
    }
    for (const int senders : {1, 8, same_device_ ? all_ranks_ / 2 : all_ranks_})
      bandwidth(senders, proxy ? 64 << 20 : 4 << 20, proxy ? 2 : 8);
    const int messages = proxy ? 200 : 2000;
    gpurma::launch(flood, dim3(static_cast<unsigned>(all_ranks_)),
                   dim3(32))(reinterpret_cast<long long*>(memory_), messages, same_device_, taken_);
    finish();
    const int senders = same_device_ ? all_ranks_ / 2 : all_ranks_;
    print("message rate", 8, senders, "per_second",
          static_cast<double>(messages) * senders / (median(taken_, senders) * 1e-6));
    for (const comm over : {comm::device, comm::world}) {
      const int count = proxy && over == comm::world ? 50 : 1000;
      gpurma::launch(barriers, dim3(static_cast<unsigned>(all_ranks_)), dim3(256))(over, count,
                                                                                   taken_);
      finish();
      print(over == comm::device ? "device barrier" : "world barrier", 0, all_ranks_, "us",
            median(taken_, 1) / count);
    }
  }

private:
  template <class Kernel>
  void latency(const char* what, Kernel kernel, int bytes, int trips, int threads,
               bool any = false) {
    gpurma::launch(kernel, dim3(2), dim3(static_cast<unsigned>(threads)))(
        memory_, bytes, trips, same_device_, any, taken_);
    finish();
    print(what, bytes, 2, "us", median(taken_, 1) / trips / 2, threads);
  }

  void bandwidth(int senders, long long bytes, int puts) {
    if (bytes * senders * 2 > static_cast<long long>(memory_bytes))
      return;
    const int ranks = same_device_ ? 2 * senders : senders;
    gpurma::launch(stream, dim3(static_cast<unsigned>(ranks)),
                   dim3(1024))(memory_, bytes, senders, puts, same_device_, taken_);
    finish();
    print("put bandwidth", bytes, senders, "gbps",
          static_cast<double>(bytes) * puts * senders / (median(taken_, senders) * 1e-6) / 1e9);
  }

  void finish() const {
    check(cudaGetLastError(), "launch");
    check(cudaDeviceSynchronize(), "run");
  }

  void print(const char* what, long long bytes, int blocks, const char* unit, double value,
             int threads = 0) const {
    if (process_ != 0)
      return;
    std::printf("{\"what\": \"%s\", \"where\": \"%s\", \"by\": \"gpurma\", \"bytes\": %lld, "
                "\"blocks\": %d, \"threads\": %d, \"%s\": %.4g}\n",
                what, where_.c_str(), bytes, blocks, threads, unit, value);
    std::fflush(stdout);
  }

  static constexpr int most_ranks = 1024;
  static constexpr std::size_t memory_bytes = std::size_t{4} << 30;
  int process_ = 0;
  int all_ranks_ = 0;
  bool same_device_ = true;
  std::string where_;
  times* taken_ = nullptr;
  char* memory_ = nullptr;
};

} // namespace

int main(int argc, char** argv) {
  gpurma::init(&argc, &argv);
  bench().run();
  gpurma::finalize();
}
