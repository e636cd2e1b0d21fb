// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rank kernels over several processes, written against the library: rma_test <mode>, see main.
// Every rank knows the whole (pseudo-random) schedule, so each can say what it must receive.
#include <gpurma/gpurma.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <map>
#include <string>
#include <thread>

#include "check.h"

namespace {

constexpr unsigned file = gpurma::hash_file_name("rma_test.cpp");
const gpurma::source_file file_name(file, "rma_test.cpp");
#define HERE (gpurma::site{file, __LINE__})

constexpr int block_threads = 32;

void check_cuda(cudaError_t error) {
  if (error != cudaSuccess)
    std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(error));
  CHECK(error == cudaSuccess);
}

// Device memory, and the number of wrong values that kernels have found.
int* device_ints(std::size_t count) {
  gpurma::init(); // chooses the device
  void* memory = nullptr;
  check_cuda(cudaMalloc(&memory, count * sizeof(int)));
  check_cuda(cudaMemset(memory, 0xff, count * sizeof(int)));
  return static_cast<int*>(memory);
}

int* new_counter() {
  gpurma::init();
  void* memory = nullptr;
  check_cuda(cudaMallocManaged(&memory, sizeof(int)));
  *static_cast<int*>(memory) = 0;
  return static_cast<int*>(memory);
}

__global__ void nothing() {}

// Processes have different numbers of ranks.
int ranks_here() {
  const gpurma::layout layout = gpurma::query(nothing, dim3(block_threads));
  const int wanted = 1 + layout.process % 3;
  CHECK(layout.device_ranks >= 3); // GPURMA_CPU_RANKS
  return wanted;
}

template <class... P, class... A> void run(void (*kernel)(P...), A... arguments) {
  gpurma::launch_rank_kernel(kernel, dim3(static_cast<unsigned>(ranks_here())),
                             dim3(block_threads))(arguments...);
  check_cuda(cudaGetLastError());
  check_cuda(cudaDeviceSynchronize());
}

__device__ unsigned mix(unsigned a, unsigned b = 0, unsigned c = 0, unsigned d = 0) {
  unsigned h = 2166136261u;
  for (const unsigned value : {a, b, c, d}) {
    h = (h ^ value) * 16777619u;
    h ^= h >> 15;
    h *= 2246822519u;
    h ^= h >> 13;
  }
  return h;
}

__device__ int thread() {
  return static_cast<int>(threadIdx.x);
}

// ---- random traffic ----

enum class what { nothing, put, put_notify, notify, get_notify };

constexpr int operations =
    4; // of one rank in one epoch, at most, and a closing notification for each target
constexpr int longest = 3000; // ints; about a quarter of the transfers are above the eager limit
constexpr int closing_tag = 3;

struct operation {
  what kind;
  int target;
  int length;
  int tag; // 0 to 2
};

// A rank in five exposes nothing.
__device__ bool exposes(int rank) {
  return rank % 5 != 3;
}

__device__ operation planned(int epoch, int source, int index) {
  const unsigned h = mix(static_cast<unsigned>(epoch), static_cast<unsigned>(source),
                         static_cast<unsigned>(index), 1);
  operation o;
  o.kind = static_cast<what>(h % 5);
  o.target = static_cast<int>(h / 5 % static_cast<unsigned>(gpurma::size()));
  o.tag = static_cast<int>(h / 500 % 3);
  o.length = h % 4 == 0 ? static_cast<int>(h / 7 % longest) : static_cast<int>(h / 7 % 200);
  if (!exposes(o.target) && o.kind != what::nothing)
    o.kind = what::notify;
  return o;
}

__device__ int value(int epoch, int source, int index, int at) {
  return static_cast<int>(mix(static_cast<unsigned>(epoch), static_cast<unsigned>(source),
                              static_cast<unsigned>(index), static_cast<unsigned>(at)));
}

__device__ int constant(int rank, int at) {
  return rank * 100000 + at;
}

__device__ std::size_t place(int source, int index) {
  return (static_cast<std::size_t>(source) * operations + static_cast<std::size_t>(index)) *
         longest;
}

// Notifications that `self` gets in an epoch: from a source (or any), with a tag (or any), on the
// data window (or, of get_notify, on the constant one, or both: -1).
__device__ int expected(int epoch, int self, int from, int tag, int constant_window) {
  int count = 0;
  for (int source = 0; source < gpurma::size(); ++source) {
    if (from != gpurma::any_source && source != from)
      continue;
    bool any = false;
    for (int i = 0; i < operations; ++i) {
      const operation o = planned(epoch, source, i);
      if (o.target != self || o.kind == what::nothing)
        continue;
      any = true;
      if (o.kind == what::put)
        continue;
      const bool on_constant = o.kind == what::get_notify;
      if ((tag == gpurma::any_tag || o.tag == tag) &&
          (constant_window < 0 || constant_window == (on_constant ? 1 : 0)))
        ++count;
    }
    if (any && (tag == gpurma::any_tag || tag == closing_tag) && constant_window != 1)
      ++count;
  }
  return count;
}

__global__ void traffic(int* windows, int* constants, int* sources, int* got,
                        std::size_t window_ints, int epochs, int* errors) {
  gpurma::rank_scope scope;
  const int self = gpurma::rank(), size = gpurma::size(), here = gpurma::device_rank();
  int* const mine = windows + static_cast<std::size_t>(here) * window_ints;
  int* const my_constants = constants + static_cast<std::size_t>(here) * longest;
  int* const my_sources = sources + static_cast<std::size_t>(here) * operations * longest;
  int* const my_got = got + static_cast<std::size_t>(here) * operations * longest;
  for (int i = thread(); i < longest; i += block_threads)
    my_constants[i] = constant(self, i);
  __syncthreads();
  gpurma::window data(mine, exposes(self) ? window_ints : 0, gpurma::comm::world, HERE);
  gpurma::window fixed(my_constants, exposes(self) ? longest : 0, gpurma::comm::world, HERE);

  for (int epoch = 0; epoch < epochs; ++epoch) {
    for (int i = 0; i < operations; ++i) {
      const operation o = planned(epoch, self, i);
      int* const source = my_sources + i * longest;
      int* const destination = my_got + i * longest;
      for (int at = thread(); at < o.length; at += block_threads)
        source[at] = value(epoch, self, i, at);
      __syncthreads();
      const auto length = static_cast<std::size_t>(o.length);
      switch (o.kind) {
      case what::nothing:
        break;
      case what::put:
        gpurma::put(source, length, o.target, data, place(self, i), HERE);
        break;
      case what::put_notify:
        gpurma::put_notify(source, length, o.target, data, place(self, i), o.tag, HERE);
        break;
      case what::notify:
        gpurma::notify(o.target, o.tag, data, HERE);
        break;
      case what::get_notify:
        gpurma::get_notify(destination, length, o.target, fixed, 0, o.tag, HERE);
        break;
      }
    }
    // The closing notification of each target that this rank has done anything to; after it all is
    // there.
    for (int target = 0; target < size; ++target) {
      bool any = false;
      for (int i = 0; i < operations; ++i) {
        const operation o = planned(epoch, self, i);
        any |= o.target == target && o.kind != what::nothing;
      }
      if (any)
        gpurma::notify(target, closing_tag, data, HERE);
    }
    gpurma::flush(gpurma::any_window, HERE);
    for (int i = 0; i < operations; ++i) {
      const operation o = planned(epoch, self, i);
      for (int at = thread(); at < o.length; at += block_threads) {
        if (o.kind == what::get_notify && my_got[i * longest + at] != constant(o.target, at))
          atomicAdd(errors, 1);
        my_sources[i * longest + at] = -1; // flushed: nobody may read it any more
      }
    }
    __syncthreads();

    switch (mix(static_cast<unsigned>(epoch), static_cast<unsigned>(self), 0, 2) % 5) {
    case 0:
      if (const int n = expected(epoch, self, gpurma::any_source, gpurma::any_tag, -1))
        gpurma::wait(gpurma::any_tag, gpurma::any_source, gpurma::any_window, n, HERE);
      break;
    case 1:
      for (int i = size - 1; i >= 0; --i)
        if (const int n = expected(epoch, self, i, gpurma::any_tag, -1))
          gpurma::wait(gpurma::any_tag, i, gpurma::any_window, n, HERE);
      break;
    case 2:
      for (int tag = closing_tag; tag >= 0; --tag)
        if (const int n = expected(epoch, self, gpurma::any_source, tag, -1))
          gpurma::wait(tag, gpurma::any_source, gpurma::any_window, n, HERE);
      break;
    case 3:
      for (int i = 0; i < size; ++i)
        for (int tag = 0; tag <= closing_tag; ++tag)
          if (const int n = expected(epoch, self, i, tag, -1))
            while (!gpurma::test(tag, i, gpurma::any_window, n, HERE)) {
            }
      break;
    case 4:
      if (const int n = expected(epoch, self, gpurma::any_source, gpurma::any_tag, 1))
        gpurma::wait(gpurma::any_tag, gpurma::any_source, fixed, n, HERE);
      if (const int n = expected(epoch, self, gpurma::any_source, gpurma::any_tag, 0))
        gpurma::wait(gpurma::any_tag, gpurma::any_source, data, n, HERE);
      break;
    }
    if (gpurma::test(gpurma::any_tag, gpurma::any_source, gpurma::any_window, 1, HERE) &&
        thread() == 0)
      atomicAdd(errors, 1); // more than was sent
    for (int source = 0; source < size; ++source)
      for (int i = 0; i < operations; ++i) {
        const operation o = planned(epoch, source, i);
        if (o.target != self || (o.kind != what::put && o.kind != what::put_notify))
          continue;
        for (int at = thread(); at < o.length; at += block_threads)
          if (mine[place(source, i) + static_cast<std::size_t>(at)] != value(epoch, source, i, at))
            atomicAdd(errors, 1);
      }
    gpurma::barrier(gpurma::comm::world, HERE);
  }
}

void run_traffic() {
  const auto ranks = static_cast<std::size_t>(ranks_here());
  constexpr std::size_t most_ranks = 5 * 3;
  const std::size_t window_ints = most_ranks * operations * longest;
  int* const errors = new_counter();
  int* const windows = device_ints(ranks * window_ints);
  int* const constants = device_ints(ranks * longest);
  int* const sources = device_ints(ranks * operations * longest);
  int* const got = device_ints(ranks * operations * longest);
  run(traffic, windows, constants, sources, got, window_ints, 30, errors);
  CHECK(*errors == 0);
  // Once more in the same process, and other kernels in between, with what the first has left
  // behind.
  run(traffic, windows, constants, sources, got, window_ints, 5, errors);
  CHECK(*errors == 0);
  for (int* memory : {windows, constants, sources, got, errors})
    check_cuda(cudaFree(memory));
}

// ---- order of one pair ----

constexpr int order_messages = 60;

__device__ int order_length(int n) {
  return n % 3 == 0 ? longest : n % 3;
}

// Messages of different sizes to the next rank; each wait consumes the earliest, whose data must be
// there.
__global__ void order(int* windows, int* source, int* errors) {
  gpurma::rank_scope scope;
  const std::size_t ints = std::size_t{order_messages} * longest;
  int* const mine = windows + static_cast<std::size_t>(gpurma::device_rank()) * ints;
  gpurma::window w(mine, ints, gpurma::comm::world, HERE);
  const int next = (gpurma::rank() + 1) % gpurma::size();
  for (int n = 0; n < order_messages; ++n)
    gpurma::put_notify(source, static_cast<std::size_t>(order_length(n)), next, w,
                       static_cast<std::size_t>(n) * longest, n % 7, HERE);
  for (int n = 0; n < order_messages; ++n) {
    gpurma::wait(gpurma::any_tag, gpurma::any_source, w, 1, HERE);
    for (int at = thread(); at < order_length(n); at += block_threads)
      if (mine[n * longest + at] != at)
        atomicAdd(errors, 1);
  }
  // The same with tags: tag n % 7 in its order, whatever came between.
  for (int n = 0; n < order_messages; ++n)
    gpurma::notify(next, n, w, HERE);
  for (int n = order_messages - 1; n >= 0; --n)
    gpurma::wait(n, gpurma::any_source, w, 1, HERE);
}

void run_order() {
  int* const errors = new_counter();
  int* const windows =
      device_ints(static_cast<std::size_t>(ranks_here()) * order_messages * longest);
  int* const source = device_ints(longest);
  for (int i = 0; i < longest; ++i)
    check_cuda(cudaMemcpy(source + i, &i, sizeof i, cudaMemcpyHostToDevice));
  run(order, windows, source, errors);
  CHECK(*errors == 0);
}

// ---- gets in both directions ----

constexpr int longest_get = 100000;

// Pairs of ranks get from each other, and send each other something while the answers are under
// way.
__global__ void exchange(int* constants, int* got, int rounds, int* errors) {
  gpurma::rank_scope scope;
  const int self = gpurma::rank(), size = gpurma::size(), here = gpurma::device_rank();
  int* const mine = constants + static_cast<std::size_t>(here) * (longest_get + 1);
  int* const my_got = got + static_cast<std::size_t>(here) * longest_get;
  for (int at = thread(); at < longest_get; at += block_threads)
    mine[at] = constant(self, at);
  __syncthreads();
  gpurma::window w(mine, longest_get + 1, gpurma::comm::world, HERE);
  for (int round = 0; round < rounds; ++round) {
    const int partner = (round % size + size - self) % size;
    gpurma::barrier(gpurma::comm::world, HERE); // so that the requests cross
    if (partner == self)
      continue;
    const int length = 2000 + static_cast<int>(mix(static_cast<unsigned>(round)) % 98001u);
    gpurma::get_notify(my_got, static_cast<std::size_t>(length), partner, w, 0, 1, HERE);
    if (round % 2 == 0)
      gpurma::notify(partner, 2, w, HERE);
    else
      gpurma::put_notify(mine, 1, partner, w, longest_get, 2, HERE);
    gpurma::flush(w, HERE);
    for (int at = thread(); at < length; at += block_threads)
      if (my_got[at] != constant(partner, at))
        atomicAdd(errors, 1);
    gpurma::wait(1, partner, w, 1, HERE);
    gpurma::wait(2, partner, w, 1, HERE);
  }
}

void run_exchange() {
  const auto ranks = static_cast<std::size_t>(ranks_here());
  int* const errors = new_counter();
  run(exchange, device_ints(ranks * (longest_get + 1)), device_ints(ranks * longest_get), 60,
      errors);
  CHECK(*errors == 0);
}

// ---- payloads of every size, and their order ----

// Lengths round the limits of what travels inside a command, with its message, and in one chunk.
constexpr int length_count = 26;
__device__ int length_of(unsigned number) {
  constexpr int lengths[length_count] = {1,    3,    8,    31,   32,   33,   63,    64,   65,
                                         72,   99,   100,  101,  127,  128,  129,   1000, 3967,
                                         3968, 3969, 4999, 5000, 5001, 9999, 10000, 10001};
  return lengths[number % length_count];
}
constexpr int largest = 10001 + 16;

__device__ unsigned char byte_of(int source, int step, int at) {
  return static_cast<unsigned char>(
      mix(static_cast<unsigned>(source), static_cast<unsigned>(step), static_cast<unsigned>(at)));
}

__device__ void fill(unsigned char* to, int length, int source, int step) {
  __syncthreads();
  for (int at = thread(); at < length; at += block_threads)
    to[at] = byte_of(source, step, at);
  __syncthreads();
}

__device__ void expect(const unsigned char* found, int length, int source, int step, int* errors) {
  __syncthreads();
  for (int at = thread(); at < length; at += block_threads)
    if (found[at] != byte_of(source, step, at))
      atomicAdd(errors, 1);
  __syncthreads();
}

// Each rank sends to the next one and gets from it.
__global__ void payloads(unsigned char* memory, int* errors) {
  constexpr auto counter = gpurma::matching::counter;
  gpurma::rank_scope scope;
  const int self = gpurma::rank(), size = gpurma::size();
  const int next = (self + 1) % size, before = (self + size - 1) % size;
  unsigned char* const mine = memory + gpurma::device_rank() * 3 * largest;
  unsigned char* const source = mine + largest;
  unsigned char* const got = source + largest;
  gpurma::window w(mine, largest, gpurma::comm::world, HERE);
  int step = 0;
  for (unsigned number = 0; number < length_count; ++number) {
    const int length = length_of(number);
    for (int shift = 0; shift < 2; ++shift) { // aligned and not
      const auto bytes = static_cast<std::size_t>(length);
      const auto at = static_cast<std::size_t>(shift * 5);
      fill(source, length + shift, self, ++step);
      gpurma::put_notify(source + shift, bytes, next, w, at, step, HERE);
      gpurma::flush(w, HERE);
      fill(source, length + shift, self, step + 1); // flushed
      gpurma::wait(step, before, w, 1, HERE);
      for (int i = thread(); i < length; i += block_threads)
        if (mine[at + static_cast<std::size_t>(i)] != byte_of(before, step, i + shift))
          atomicAdd(errors, 1);
      gpurma::barrier(gpurma::comm::world, HERE);

      // Counted.
      fill(source, length, self, ++step);
      gpurma::put_notify<counter>(source, bytes, next, w, at, step % 5, HERE);
      gpurma::wait<counter>(step % 5, gpurma::any_source, gpurma::any_window, 1, HERE);
      expect(mine + at, length, before, step, errors);
      gpurma::barrier(gpurma::comm::world, HERE);

      // Without a notification, to be seen behind a barrier; got back again.
      fill(source, length, self, ++step);
      gpurma::put(source, bytes, next, w, at, HERE);
      gpurma::barrier(gpurma::comm::world, HERE);
      expect(mine + at, length, before, step, errors);
      gpurma::get(got, bytes, next, w, at, HERE);
      gpurma::flush(w, HERE);
      expect(got, length, self, step, errors);
      gpurma::barrier(gpurma::comm::world, HERE);

      // Notified, and nobody waits before the barrier.
      fill(source, length, self, ++step);
      gpurma::put_notify(source, bytes, next, w, at, step, HERE);
      gpurma::barrier(gpurma::comm::world, HERE);
      expect(mine + at, length, before, step, errors);
      gpurma::wait(step, before, w, 1, HERE);
      gpurma::barrier(gpurma::comm::world, HERE);
    }
  }
}

// Puts of different sizes to overlapping places of one target: the last one wins; a get behind them
// sees it; and a counted notification is behind all of them.
__global__ void overlaps(unsigned char* memory, int rounds, int* errors) {
  constexpr auto counter = gpurma::matching::counter;
  constexpr int places = 128;
  gpurma::rank_scope scope;
  const int self = gpurma::rank(), size = gpurma::size();
  const int next = (self + 1) % size, before = (self + size - 1) % size;
  unsigned char* const mine = memory + gpurma::device_rank() * 3 * largest;
  unsigned char* const source = mine + largest;
  unsigned char* const got = source + largest;
  gpurma::window w(mine, largest, gpurma::comm::world, HERE);
  for (int round = 0; round < rounds; ++round) {
    constexpr int puts = 4;
    fill(source, largest, self, round);
    int notified = 0;
    for (int n = 0; n < puts; ++n) {
      const unsigned h = mix(static_cast<unsigned>(round), static_cast<unsigned>(n), 7);
      const int length = length_of(h);
      const auto bytes = static_cast<std::size_t>(length);
      const auto at = static_cast<std::size_t>(h / 50 % 10);
      if (h / 1000 % 3 == 0) {
        gpurma::put(source + n, bytes, next, w, at, HERE);
      } else {
        gpurma::put_notify(source + n, bytes, next, w, at, 1, HERE);
        ++notified;
      }
    }
    const bool reads = round % 3 == 0;
    if (reads) {
      gpurma::get(got, places, next, w, 0, HERE);
      gpurma::flush(w, HERE);
    }
    // What has to be there, by the same schedule; -1: from earlier rounds.
    const auto check = [&](const unsigned char* found, int origin) {
      __syncthreads();
      for (int place = thread(); place < places; place += block_threads) {
        int value = -1;
        for (int n = 0; n < puts; ++n) {
          const unsigned h = mix(static_cast<unsigned>(round), static_cast<unsigned>(n), 7);
          const int at = static_cast<int>(h / 50 % 10);
          if (place >= at && place < at + length_of(h))
            value = byte_of(origin, round, place - at + n);
        }
        if (value >= 0 && found[place] != value)
          atomicAdd(errors, 1);
      }
      __syncthreads();
    };
    if (reads)
      check(got, self);
    if (round % 2 == 0) {
      gpurma::notify<counter>(next, round % 3, w, HERE);
      if (round % 4 == 0) {
        gpurma::wait<counter>(round % 3, gpurma::any_source, gpurma::any_window, 1, HERE);
      } else {
        while (!gpurma::test<counter>(round % 3, gpurma::any_source, gpurma::any_window, 1, HERE)) {
        }
      }
    } else {
      gpurma::notify(next, 2, w, HERE);
      gpurma::wait(2, before, w, 1, HERE);
    }
    check(mine, before);
    if (notified != 0)
      gpurma::wait(1, before, w, notified, HERE);
    gpurma::barrier(gpurma::comm::world, HERE);
  }
}

// More notifications that carry data than the pending list has room for, before a barrier, behind
// which all data must be there.
__global__ void carry_many(int* memory, int* errors) {
  constexpr int puts = 20;
  gpurma::rank_scope scope;
  const int self = gpurma::rank(), size = gpurma::size();
  const int next = (self + 1) % size, before = (self + size - 1) % size;
  const bool elsewhere = size > 1 && gpurma::device_size() == 1;
  int* const mine = memory + gpurma::device_rank() * 2 * puts;
  int* const source = mine + puts;
  for (int n = thread(); n < puts; n += block_threads)
    source[n] = constant(self, n);
  __syncthreads();
  gpurma::window w(mine, puts, gpurma::comm::world, HERE);
  for (int n = 0; n < (elsewhere ? puts : 2); ++n)
    gpurma::put_notify(source + n, 1, next, w, static_cast<std::size_t>(n), 1, HERE);
  gpurma::barrier(gpurma::comm::world, HERE);
  for (int n = thread(); n < (elsewhere ? puts : 2); n += block_threads)
    if (mine[n] != constant(before, n))
      atomicAdd(errors, 1);
  gpurma::wait(1, before, w, elsewhere ? puts : 2, HERE);
}

void run_pending_few() {
  int* const errors = new_counter();
  gpurma::launch_rank_kernel(carry_many, dim3(1), dim3(block_threads))(device_ints(40), errors);
  check_cuda(cudaDeviceSynchronize());
  CHECK(*errors == 0);
}

void run_payloads() {
  const auto ranks = static_cast<std::size_t>(ranks_here());
  int* const errors = new_counter();
  auto* const memory = reinterpret_cast<unsigned char*>(device_ints(ranks * 3 * largest / 4 + 1));
  run(payloads, memory, errors);
  CHECK(*errors == 0);
  run(overlaps, memory, 200, errors);
  CHECK(*errors == 0);
}

// ---- counters ----

__global__ void counters(int* windows, int rounds, int* errors) {
  constexpr auto counter = gpurma::matching::counter;
  gpurma::rank_scope scope;
  const int self = gpurma::rank(), size = gpurma::size();
  int* const mine = windows + gpurma::device_rank() * 64;
  gpurma::window w(mine, 64, gpurma::comm::world, HERE);
  int* const source = windows + (gpurma::device_size() + gpurma::device_rank()) * 64;
  for (int round = 0; round < rounds; ++round) {
    if (thread() == 0)
      source[0] = round * 1000 + self;
    __syncthreads();
    for (int target = 0; target < size; ++target)
      gpurma::put_notify<counter>(source, 1, target, w, static_cast<std::size_t>(self), round % 3,
                                  HERE);
    gpurma::wait<counter>(round % 3, gpurma::any_source, gpurma::any_window, size, HERE);
    for (int i = thread(); i < size; i += block_threads)
      if (mine[i] != round * 1000 + i)
        atomicAdd(errors, 1);
    if (gpurma::test<counter>(round % 3, gpurma::any_source, gpurma::any_window, 1, HERE) &&
        thread() == 0)
      atomicAdd(errors, 1);
    gpurma::barrier(gpurma::comm::world, HERE);
  }
}

void run_counters() {
  int* const errors = new_counter();
  run(counters, device_ints(2 * 64 * static_cast<std::size_t>(ranks_here())), 50, errors);
  CHECK(*errors == 0);
}

// ---- full queues ----

// Everybody floods everybody, while nobody takes anything for a while: queues fill and must hold
// back, not lose.
__global__ void flood(int messages) {
  gpurma::rank_scope scope;
  const int size = gpurma::size();
  for (int n = 0; n < messages; ++n)
    for (int i = 0; i < size; ++i)
      gpurma::notify((gpurma::rank() + i) % size, n % 2, gpurma::no_window, HERE);
  for (int source = size - 1; source >= 0; --source) {
    gpurma::wait(1, source, gpurma::any_window, messages / 2, HERE);
    gpurma::wait(0, source, gpurma::any_window, messages / 2, HERE);
  }
}

void run_flood() {
  run(flood, 40);
}

// ---- windows ----

// Windows of every size, in scopes, over the world and the device, with slots used again and again.
__global__ void windows(int* memory, int rounds, int* errors) {
  gpurma::rank_scope scope;
  const int self = gpurma::rank(), size = gpurma::size(), here = gpurma::device_rank();
  int* const mine = memory + here * 1024;
  for (int round = 0; round < rounds; ++round) {
    const std::size_t length =
        (self + round) % 3 == 0 ? 0 : static_cast<std::size_t>(size + self + round);
    gpurma::window outer(mine, length, gpurma::comm::world, HERE);
    for (int r = 0; r < size; ++r) {
      const std::size_t theirs =
          (r + round) % 3 == 0 ? 0 : static_cast<std::size_t>(size + r + round);
      if (outer.size(r) != theirs && thread() == 0)
        atomicAdd(errors, 1);
    }
    {
      gpurma::window inner(mine + 512, 1, gpurma::comm::device, HERE);
      gpurma::put_notify(mine + 600, 1, (here + 1) % gpurma::device_size(), inner, 0, round, HERE);
      gpurma::wait(round, gpurma::any_source, inner, 1, HERE);
    }
    if (thread() == 0)
      mine[700] = round * 100 + self;
    __syncthreads();
    for (int r = 0; r < size; ++r)
      if (outer.size(r) != 0)
        gpurma::put_notify(mine + 700, 1, r, outer, static_cast<std::size_t>(self), 0, HERE);
    if (length != 0) {
      gpurma::wait(0, gpurma::any_source, outer, size, HERE);
      for (int r = thread(); r < size; r += block_threads)
        if (mine[r] != round * 100 + r)
          atomicAdd(errors, 1);
    }
    gpurma::notify(gpurma::null_rank, 0, outer, HERE);
    gpurma::wait(0, gpurma::null_rank, outer, 1, HERE);
    // A put whose source is its destination only notifies.
    if (length != 0) {
      gpurma::put_notify(mine, 1, self, outer, 0, 9, HERE);
      gpurma::wait(9, self, outer, 1, HERE);
    }
  }
}

void run_windows() {
  int* const errors = new_counter();
  int* const memory = device_ints(1024 * static_cast<std::size_t>(ranks_here()));
  run(windows, memory, 80, errors);
  CHECK(*errors == 0);
}

// ---- launches, and MPI of the program ----

__global__ void add_ranks(int* sum) {
  gpurma::rank_scope scope;
  int* const mine = sum + gpurma::device_rank();
  gpurma::window w(mine, 1, gpurma::comm::world, HERE);
  if (thread() == 0)
    *mine = 0;
  gpurma::barrier(gpurma::comm::world, HERE);
  // A token that each rank adds itself to, around all ranks.
  const int self = gpurma::rank(), size = gpurma::size();
  if (self != 0)
    gpurma::wait(1, self - 1, w, 1, HERE);
  if (thread() == 0)
    *mine += self;
  __syncthreads();
  if (self + 1 < size)
    gpurma::put_notify(mine, 1, self + 1, w, 0, 1, HERE);
  gpurma::barrier(gpurma::comm::world, HERE);
}

__global__ void ordinary(int* values, int add) {
  atomicAdd(values + blockIdx.x, add);
}

void use_mpi() {
  int size = 0, sum = 0, one = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(sum == size);
}

void run_launches() {
  MPI_Init(nullptr, nullptr);
  use_mpi();
  const int ranks = ranks_here();
  int* const sum = device_ints(static_cast<std::size_t>(ranks));
  cudaStream_t stream;
  check_cuda(cudaStreamCreate(&stream));
  const auto grid = dim3(static_cast<unsigned>(ranks));
  for (int round = 0; round < 10; ++round) {
    // One after another on a stream, asynchronous, while this thread uses MPI.
    gpurma::launch_rank_kernel(add_ranks, grid, dim3(block_threads), 0, stream)(sum);
    gpurma::launch(ordinary, dim3(static_cast<unsigned>(ranks)), dim3(1), 0, stream)(sum, 1000);
    gpurma::launch_rank_kernel(add_ranks, grid, dim3(block_threads), 0, stream)(sum);
    use_mpi();
    gpurma::launch(ordinary, dim3(static_cast<unsigned>(ranks)), dim3(1), 0, stream)(sum, 5000);
    check_cuda(cudaStreamSynchronize(stream));
    int last = 0;
    check_cuda(cudaMemcpy(&last, sum + ranks - 1, sizeof last, cudaMemcpyDeviceToHost));
    const gpurma::layout layout = gpurma::query(add_ranks, dim3(block_threads));
    int process = 0, first = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &process);
    CHECK(layout.process == process);
    MPI_Exscan(&ranks, &first, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (process == 0)
      first = 0;
    const int rank = first + ranks - 1;
    CHECK(last == rank * (rank + 1) / 2 + 5000);
  }
  use_mpi();
  MPI_Finalize();
}

// ---- more ranks and threads than cores ----

constexpr int crowd_steps = 5;

// Around the ring; each step has its own place, since a rank may be many steps ahead of the next
// one.
__global__ void crowd(int* values, int* errors) {
  gpurma::rank_scope scope;
  const int self = gpurma::rank(), size = gpurma::size(), before = (self + size - 1) % size;
  const int threads = static_cast<int>(blockDim.x);
  int* const mine = values + gpurma::device_rank() * (crowd_steps + 1) * threads;
  int* const source = mine + crowd_steps * threads;
  gpurma::window w(mine, static_cast<std::size_t>(crowd_steps * threads), gpurma::comm::world,
                   HERE);
  for (int step = 0; step < crowd_steps; ++step) {
    source[thread()] = self * 1000 + thread() + step;
    gpurma::put_notify(source, static_cast<std::size_t>(threads), (self + 1) % size, w,
                       static_cast<std::size_t>(step * threads), step, HERE);
    gpurma::wait(step, before, w, 1, HERE);
    if (mine[step * threads + thread()] != before * 1000 + thread() + step)
      atomicAdd(errors, 1);
    gpurma::flush(w, HERE);
  }
  gpurma::barrier(gpurma::comm::world, HERE);
}

void run_crowd() {
  constexpr int threads = 256;
  const int ranks = gpurma::query(crowd, dim3(threads)).device_ranks;
  int* const errors = new_counter();
  int* const values = device_ints(static_cast<std::size_t>(ranks) * (crowd_steps + 1) * threads);
  gpurma::launch_rank_kernel(crowd, dim3(static_cast<unsigned>(ranks)), dim3(threads))(values,
                                                                                       errors);
  check_cuda(cudaDeviceSynchronize());
  CHECK(*errors == 0);
}

// ---- runs that have to end with an error ----

enum class mistake {
  out_of_range,
  bad_rank,
  bad_source,
  negative_tag,
  local_source,
  freed_window,
  too_many_windows,
  pending_full,
  stall,
  trap
};

__global__ void make_mistake(int* memory, mistake which) {
  gpurma::rank_scope scope;
  const int size = gpurma::size(), last = size - 1;
  gpurma::window w(memory + gpurma::device_rank() * 8, 8, gpurma::comm::world, HERE);
  if (gpurma::rank() == 0) {
    switch (which) {
    case mistake::out_of_range:
      gpurma::put(memory, 3, last, w, 6, HERE);
      break;
    case mistake::bad_rank:
      gpurma::put(memory, 1, gpurma::size() + 2, w, 0, HERE);
      break;
    case mistake::bad_source:
      gpurma::wait(0, gpurma::size() + 2, w, 1, HERE);
      break;
    case mistake::negative_tag:
      gpurma::notify(last, -7, w, HERE);
      break;
    case mistake::local_source: {
      int of_this_thread = 0;
      gpurma::put(&of_this_thread, 1, last, w, 0, HERE);
      break;
    }
    case mistake::freed_window: {
      const gpurma::window<int>* outlived = nullptr;
      if (size > 0) {
        gpurma::window inner(memory + gpurma::device_rank() * 8, 8, gpurma::comm::device, HERE);
        outlived = &inner;
      }
      gpurma::put(memory, 1, 0, *outlived, 0, HERE);
      break;
    }
    case mistake::too_many_windows: {
      gpurma::window second(memory, 8, gpurma::comm::world, HERE);
      break;
    }
    case mistake::pending_full:
      for (int tag = 1; tag <= 4; ++tag)
        gpurma::notify(0, tag, w, HERE);
      gpurma::wait(5, 0, w, 1, HERE);
      break;
    case mistake::trap:
      if (thread() == 0)
        __trap();
      break;
    case mistake::stall:
      break;
    }
  }
  // Nobody sends this; ranks end by the other rank's mistake, or by the time-out.
  gpurma::wait(77, last, w, 2, HERE);
}

template <mistake which> void run_mistake() {
  run(make_mistake, device_ints(8 * 3), which);
}

// What a program does that checks for errors: rank 0's device has one, the others wait for it.
void run_trap() {
  gpurma::launch_rank_kernel(make_mistake, dim3(static_cast<unsigned>(ranks_here())),
                             dim3(block_threads))(device_ints(8 * 3), mistake::trap);
  if (cudaDeviceSynchronize() != cudaSuccess)
    std::exit(EXIT_FAILURE);
}

// Process 0 gets a signal while its ranks wait.
template <int Signal> void run_signal() {
  const gpurma::layout layout = gpurma::query(make_mistake, dim3(block_threads));
  gpurma::launch_rank_kernel(make_mistake, dim3(static_cast<unsigned>(ranks_here())),
                             dim3(block_threads))(device_ints(8 * 3), mistake::stall);
  if (layout.process == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    std::raise(Signal);
  }
  check_cuda(cudaDeviceSynchronize());
}

// Process 0 ends before the others launch.
void run_early_exit() {
  gpurma::init();
  const gpurma::layout layout = gpurma::query(make_mistake, dim3(block_threads));
  if (layout.process == 0)
    std::exit(0);
  run_mistake<mistake::stall>();
}

// As gpurmacc registers a rank kernel: before main.
const gpurma::rank_kernel registered(make_mistake);

// Process 0 has no use for gpurma, which the others start.
void run_never_used() {
  MPI_Init(nullptr, nullptr);
  int process = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &process);
  if (process != 0)
    run_mistake<mistake::stall>();
  MPI_Finalize();
}

// Nobody uses gpurma, which is not an error.
void run_nothing() {
  MPI_Init(nullptr, nullptr);
  use_mpi();
  MPI_Finalize();
}

// Process 1 ends with an error while its launch waits for that of the others, who do not come.
void run_exit_while_launching() {
  const auto ranks = static_cast<unsigned>(ranks_here());
  if (gpurma::query(make_mistake, dim3(block_threads)).process != 1) {
    int never = 0;
    MPI_Recv(&never, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  gpurma::launch_rank_kernel(make_mistake, dim3(ranks), dim3(block_threads))(device_ints(8 * 3),
                                                                             mistake::stall);
  std::exit(3);
}

// Two processes that MPI knows nothing of.
void run_unique_id() {
  const gpurma::unique_id id = gpurma::make_unique_id();
  const pid_t child = fork();
  gpurma::init(child == 0 ? 1 : 0, 2, id);
  run_exchange();
  gpurma::finalize();
  if (child == 0)
    std::exit(0);
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

void run_late_unique_id() {
  gpurma::init();
  gpurma::init(0, 1, gpurma::make_unique_id());
}

void run_bad_place() {
  gpurma::init(2, 2, gpurma::make_unique_id());
}

} // namespace

int main(int argc, char** argv) {
  const std::map<std::string, void (*)()> modes = {
      {"traffic", run_traffic},
      {"order", run_order},
      {"exchange", run_exchange},
      {"unique_id", run_unique_id},
      {"late_unique_id", run_late_unique_id},
      {"bad_place", run_bad_place},
      {"payloads", run_payloads},
      {"pending_few", run_pending_few},
      {"counters", run_counters},
      {"flood", run_flood},
      {"windows", run_windows},
      {"launches", run_launches},
      {"crowd", run_crowd},
      {"out_of_range", run_mistake<mistake::out_of_range>},
      {"bad_rank", run_mistake<mistake::bad_rank>},
      {"bad_source", run_mistake<mistake::bad_source>},
      {"negative_tag", run_mistake<mistake::negative_tag>},
      {"local_source", run_mistake<mistake::local_source>},
      {"freed_window", run_mistake<mistake::freed_window>},
      {"too_many_windows", run_mistake<mistake::too_many_windows>},
      {"pending_full", run_mistake<mistake::pending_full>},
      {"stall", run_mistake<mistake::stall>},
      {"killed", run_signal<SIGKILL>},
      {"stopped", run_signal<SIGSTOP>},
      {"trap", run_trap},
      {"early_exit", run_early_exit},
      {"never_used", run_never_used},
      {"nothing", run_nothing},
      {"exit_while_launching", run_exit_while_launching},
  };
  const auto mode = modes.find(argc > 1 ? argv[1] : "");
  if (mode == modes.end())
    return 2;
  mode->second();
}
