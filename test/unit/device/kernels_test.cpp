// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rank kernels written against the library, as the compiler would lower them, in one process. The
// same file compiles for both targets.
#include <gpurma/gpurma.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace {

using gpurma::any_source;
using gpurma::any_tag;
using gpurma::any_window;
using gpurma::comm;
using gpurma::matching;
using gpurma::no_window;

// Memory that kernels and the test share, zeroed.
template <class T> class shared_array {
public:
  explicit shared_array(std::size_t length) : length_(length) {
    EXPECT_EQ(cudaMallocManaged(reinterpret_cast<void**>(&data_),
                                std::max<std::size_t>(length, 1) * sizeof(T)),
              cudaSuccess);
    std::fill_n(data_, length, T{});
  }
  ~shared_array() { static_cast<void>(cudaFree(data_)); }
  shared_array(const shared_array&) = delete;
  shared_array& operator=(const shared_array&) = delete;
  operator T*() const { return data_; }
  T& operator[](std::size_t i) const { return data_[i]; }
  T* begin() const { return data_; }
  T* end() const { return data_ + length_; }

private:
  T* data_ = nullptr;
  std::size_t length_;
};

// Launches a rank kernel of (ranks, threads) and waits for it.
template <class... P, class... A>
void run(void (*kernel)(P...), int ranks, int threads, A&&... arguments) {
  gpurma::launch(kernel, dim3(static_cast<unsigned>(ranks)),
                 dim3(static_cast<unsigned>(threads)))(arguments...);
  ASSERT_EQ(cudaGetLastError(), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

class rank_kernels : public testing::TestWithParam<int> {
protected:
  static constexpr int ranks = 6;
  int threads() const { return GetParam(); }
};
// Of threads more, a sanitizer sees nothing that it does not see of 33.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
INSTANTIATE_TEST_SUITE_P(threads, rank_kernels, testing::Values(1, 33));
#else
INSTANTIATE_TEST_SUITE_P(threads, rank_kernels, testing::Values(1, 33, 64));
#endif

__device__ bool leader() {
  return threadIdx.x == 0;
}

// ---

__global__ void identify(int* seen) {
  gpurma::rank_scope scope;
  if (!leader())
    return;
  int* mine = seen + 6 * blockIdx.x;
  mine[0] = gpurma::rank();
  mine[1] = gpurma::size();
  mine[2] = gpurma::device_rank();
  mine[3] = gpurma::device_size();
  mine[4] = static_cast<int>(blockIdx.x);
  mine[5] = static_cast<int>(gridDim.x);
}
const gpurma::rank_kernel registered_identify(identify);

TEST_P(rank_kernels, know_who_they_are) {
  shared_array<int> seen(6 * ranks);
  run(identify, ranks, threads(), seen);
  for (int r = 0; r < ranks; ++r) {
    const std::vector<int> expected{r, ranks, r, ranks, r, ranks};
    EXPECT_EQ(std::vector<int>(seen + 6 * r, seen + 6 * (r + 1)), expected);
  }
}

TEST_P(rank_kernels, are_as_many_as_fit) {
  const gpurma::layout found = gpurma::query(identify, dim3(static_cast<unsigned>(threads())));
  EXPECT_GT(found.device_ranks, 0);
  EXPECT_EQ(found.world_ranks, found.device_ranks);
  EXPECT_EQ(found.first_rank, 0);
  EXPECT_EQ(found.processes, 1);
  shared_array<int> seen(6 * static_cast<std::size_t>(found.device_ranks));
  run(identify, found.device_ranks + 3, threads(), seen);
  for (int r = 0; r < found.device_ranks; ++r)
    EXPECT_EQ(seen[6 * r + 1], found.device_ranks);
}

// --- put, notify, wait

__global__ void ring(int* data, int length, int steps) {
  gpurma::rank_scope scope;
  const int me = gpurma::rank();
  const int n = gpurma::size();
  int* mine = data + 2 * length * me;
  {
    gpurma::window w(mine, static_cast<std::size_t>(2 * length), comm::world);
    for (int i = static_cast<int>(threadIdx.x); i < length; i += static_cast<int>(blockDim.x))
      mine[i] = me + i;
    for (int step = 0; step < steps; ++step) {
      // What came in the last step goes on; halves alternate.
      const int half = step % 2;
      const std::size_t other = static_cast<std::size_t>((1 - half) * length);
      gpurma::put_notify(mine + half * length, static_cast<std::size_t>(length), (me + 1) % n, w,
                         other, step);
      gpurma::wait(step, (me + n - 1) % n, w);
      // The half that the next step overwrites has been read by the neighbour.
      gpurma::notify((me + n - 1) % n, 1000 + step, w);
      gpurma::wait(1000 + step, (me + 1) % n, w);
    }
  }
}
const gpurma::rank_kernel registered_ring(ring);

TEST_P(rank_kernels, pass_data_around_a_ring) {
  for (const int length : {1, 3, 1000, 20000}) {
    const int steps = 2 * ranks;
    shared_array<int> data(static_cast<std::size_t>(2 * length * ranks));
    run(ring, ranks, threads(), data, length, steps);
    for (int r = 0; r < ranks; ++r) {
      for (int i = 0; i < length; ++i)
        ASSERT_EQ(data[static_cast<std::size_t>(2 * length * r + i)], r + i);
    }
  }
}

// Everyone floods rank 0, which takes the notifications source by source, the last source first.
__global__ void flood(int messages, int* errors) {
  gpurma::rank_scope scope;
  const int me = gpurma::rank();
  if (me != 0) {
    for (int n = 0; n < messages; ++n)
      gpurma::notify(0, n % 3);
  } else {
    for (int source = gpurma::size() - 1; source > 0; --source) {
      for (int tag = 0; tag < 3; ++tag)
        gpurma::wait(tag, source, any_window, messages / 3);
    }
    if (gpurma::test(any_tag, any_source) && leader())
      ++*errors;
  }
}
const gpurma::rank_kernel registered_flood(flood);

TEST_P(rank_kernels, lose_nothing_when_rings_run_full) {
  shared_array<int> errors(1);
  run(flood, ranks, threads(), 600, errors);
  EXPECT_EQ(errors[0], 0);
}

// All flood each other at the same time: a producer that is held back must drain its own ring.
__global__ void flood_all(int messages) {
  gpurma::rank_scope scope;
  const int n = gpurma::size();
  for (int i = 0; i < messages; ++i)
    gpurma::notify((gpurma::rank() + 1 + i % (n - 1)) % n, 5);
  gpurma::wait(5, any_source, any_window, messages);
}
const gpurma::rank_kernel registered_flood_all(flood_all);

TEST_P(rank_kernels, do_not_block_each_other_with_full_rings) {
  run(flood_all, ranks, threads(), 1500);
}

// Order: each message overwrites the last one, and says so in its data.
__global__ void ordered(int* data, int messages, int* errors) {
  gpurma::rank_scope scope;
  const int me = gpurma::rank();
  gpurma::window w(data, static_cast<std::size_t>(messages), comm::world);
  int* scratch = data + messages;
  if (me == 1) {
    for (int n = 0; n < messages; ++n) {
      if (leader())
        scratch[n] = n + 1;
      gpurma::put(scratch + n, 1, 0, w, static_cast<std::size_t>(n));
      gpurma::notify(0, 7, w);
    }
  } else if (me == 0) {
    for (int n = 0; n < messages; ++n) {
      gpurma::wait(7, 1, w);
      if (gpurma::read_volatile(data[n]) != n + 1 && leader())
        ++*errors;
    }
  }
}
const gpurma::rank_kernel registered_ordered(ordered);

TEST_P(rank_kernels, see_data_before_its_notification) {
  constexpr int messages = 2000;
  shared_array<int> data(2 * messages);
  shared_array<int> errors(1);
  run(ordered, 2, threads(), data, messages, errors);
  EXPECT_EQ(errors[0], 0);
}

// --- matching

__global__ void select(int* log) {
  gpurma::rank_scope scope;
  const int me = gpurma::rank();
  gpurma::window w(log, 16, comm::world);
  gpurma::window v(log, 16, comm::world);
  if (me == 1) {
    gpurma::notify(0, 1, w);
    gpurma::notify(0, 2, w);
    gpurma::notify(0, 1, v);
    gpurma::notify(0, 2);
    gpurma::notify(0, 9);
  }
  if (me == 0) {
    gpurma::wait(9, 1, any_window);
    int found = 0;
    found |= gpurma::test(any_tag, 0, any_window) ? 1 : 0;    // rank 0 sent nothing
    found |= gpurma::test(3, any_source, any_window) ? 2 : 0; // no such tag
    found |= gpurma::test(1, 1, any_window, 3) ? 4 : 0;       // only two of them
    found |= gpurma::test(1, 1, v, 2) ? 8 : 0;                // only one of them
    found |= gpurma::test(1, 1, v) ? 16 : 0;
    found |= gpurma::test(1, 1, v) ? 32 : 0; // consumed
    found |= gpurma::test(any_tag, any_source, w, 2) ? 64 : 0;
    found |= gpurma::test(any_tag, any_source, w) ? 128 : 0;  // consumed
    found |= gpurma::test(2, gpurma::null_rank, w) ? 256 : 0; // matches at once
    found |= gpurma::test(2, 1, any_window, 0) ? 512 : 0;     // nothing wanted
    gpurma::wait(2, 1);
    found |= gpurma::test(any_tag, any_source) ? 1024 : 0; // nothing left
    if (leader())
      log[15] = found;
  }
}
const gpurma::rank_kernel registered_select(select);

TEST_P(rank_kernels, match_on_source_tag_and_window) {
  shared_array<int> log(16);
  run(select, 2, threads(), log);
  EXPECT_EQ(log[15], 16 + 64 + 256 + 512);
}

__global__ void count_tags(int rounds, int* errors) {
  gpurma::rank_scope scope;
  const int me = gpurma::rank();
  const int n = gpurma::size();
  for (int round = 0; round < rounds; ++round) {
    for (int r = 0; r < n; ++r)
      gpurma::notify<matching::counter>(r, round % gpurma::counter_tags);
    gpurma::wait<matching::counter>(round % gpurma::counter_tags, any_source, any_window, n - 1);
    while (!gpurma::test<matching::counter>(round % gpurma::counter_tags)) {
    }
    gpurma::barrier(comm::device);
    if (gpurma::test<matching::counter>(round % gpurma::counter_tags) && leader() && me == 0)
      ++*errors;
    gpurma::barrier(comm::device);
  }
}
const gpurma::rank_kernel registered_count_tags(count_tags);

TEST_P(rank_kernels, count_notifications_per_tag) {
  shared_array<int> errors(1);
  run(count_tags, ranks, threads(), 100, errors);
  EXPECT_EQ(errors[0], 0);
}

// --- get and flush

__global__ void read_all(int* data, int* copies, int length, int* errors) {
  gpurma::rank_scope scope;
  const int me = gpurma::rank();
  const int n = gpurma::size();
  int* mine = data + me * length;
  int* copy = copies + me * length;
  for (int i = static_cast<int>(threadIdx.x); i < length; i += static_cast<int>(blockDim.x))
    mine[i] = me * 1000 + i;
  gpurma::window w(mine, static_cast<std::size_t>(length), comm::world);
  for (int r = 0; r < n; ++r) {
    gpurma::get_notify(copy, static_cast<std::size_t>(length - 1), r, w, 1, 4);
    gpurma::flush(w);
    for (int i = static_cast<int>(threadIdx.x); i < length - 1; i += static_cast<int>(blockDim.x)) {
      if (copy[i] != r * 1000 + i + 1)
        atomicAdd(errors, 1);
    }
  }
  // All ranks have read this one: it may change.
  gpurma::wait(4, any_source, w, n);
  if (leader())
    mine[1] = -1;
}
const gpurma::rank_kernel registered_read_all(read_all);

TEST_P(rank_kernels, get_what_others_expose) {
  constexpr int length = 500;
  shared_array<int> data(length * ranks);
  shared_array<int> copies(length * ranks);
  shared_array<int> errors(1);
  run(read_all, ranks, threads(), data, copies, length, errors);
  EXPECT_EQ(errors[0], 0);
}

// --- windows

__global__ void shapes(int* data, int* seen) {
  gpurma::rank_scope scope;
  const int me = gpurma::rank();
  // Rank r exposes r elements, in memory that all share: the windows overlap.
  gpurma::window w(data, static_cast<std::size_t>(me), comm::world);
  gpurma::window d(me == 1 ? data + 8 : nullptr, me == 1 ? std::size_t{2} : std::size_t{0},
                   comm::device);
  if (leader()) {
    seen[3 * me] = static_cast<int>(w.size());
    seen[3 * me + 1] = static_cast<int>(w.size((me + 1) % gpurma::size()));
    seen[3 * me + 2] = static_cast<int>(d.size(1));
  }
  if (me == 2) {
    if (leader())
      data[20] = 55;
    gpurma::put_notify(data + 20, 1, 1, d, 1, 3); // data[9]
    gpurma::put_notify(data, 1, 1, w, 0, 4);      // source and destination are the same
    gpurma::put_notify(data, 0, 0, w, 0, 6);      // rank 0 exposes nothing, and gets nothing
    gpurma::put(data, 1, gpurma::null_rank, w, 99);
  }
  if (me == 1) {
    gpurma::wait(3, 2, d);
    gpurma::wait(4, 2, w);
    if (leader())
      data[21] = data[9];
  }
  if (me == 0)
    gpurma::wait(6, 2, w);
}
const gpurma::rank_kernel registered_shapes(shapes);

TEST_P(rank_kernels, expose_windows_of_any_size) {
  shared_array<int> data(32);
  shared_array<int> seen(3 * ranks);
  data[0] = 17;
  run(shapes, ranks, threads(), data, seen);
  for (int r = 0; r < ranks; ++r) {
    EXPECT_EQ(seen[3 * r], r);
    EXPECT_EQ(seen[3 * r + 1], (r + 1) % ranks);
    EXPECT_EQ(seen[3 * r + 2], 2);
  }
  EXPECT_EQ(data[0], 17);
  EXPECT_EQ(data[9], 55);
  EXPECT_EQ(data[21], 55);
}

// Windows come and go; a notification on an old one does not match a new one in its place.
__global__ void generations(int* data, int rounds, int* errors) {
  gpurma::rank_scope scope;
  const int me = gpurma::rank();
  const int n = gpurma::size();
  for (int round = 0; round < rounds; ++round) {
    gpurma::window w(data + me, 1, comm::world);
    if (gpurma::test(1, any_source, w) && leader())
      atomicAdd(errors, 1);
    gpurma::barrier(comm::world);
    gpurma::notify((me + 1) % n, 1, w);
  }
  gpurma::wait(1, (me + n - 1) % n, any_window, rounds);
}
const gpurma::rank_kernel registered_generations(generations);

TEST_P(rank_kernels, tell_windows_of_one_place_apart) {
  shared_array<int> data(ranks);
  shared_array<int> errors(1);
  run(generations, ranks, threads(), data, 100, errors);
  EXPECT_EQ(errors[0], 0);
}

// --- barrier

__global__ void count_arrivals(int* arrivals, int rounds, int* errors) {
  gpurma::rank_scope scope;
  const int n = gpurma::size();
  for (int round = 0; round < rounds; ++round) {
    if (leader())
      atomicAdd(arrivals + round, 1);
    gpurma::barrier(round % 2 == 0 ? comm::world : comm::device);
    if (gpurma::read_volatile(arrivals[round]) != n)
      atomicAdd(errors, 1);
  }
}
const gpurma::rank_kernel registered_count_arrivals(count_arrivals);

TEST_P(rank_kernels, wait_for_all_at_a_barrier) {
  constexpr int rounds = 200;
  shared_array<int> arrivals(rounds);
  shared_array<int> errors(1);
  run(count_arrivals, ranks, threads(), arrivals, rounds, errors);
  EXPECT_EQ(errors[0], 0);
}

// Of the threads behind the first 32, some meet; others do not come. Counts meetings that one of
// them left before another had come.
__global__ void meet_in_part(int rounds, int* written, int* errors) {
  const unsigned thread = threadIdx.x - 32;
  for (const unsigned threads : {64u, 128u, 64u}) {
    if (thread < threads) {
      for (int round = 1; round <= rounds; ++round) {
        written[thread] = round;
        gpurma::platform::sync_some(threads);
        for (unsigned other = 0; other < threads; ++other)
          if (static_cast<volatile int*>(written)[other] != round)
            atomicAdd(errors, 1);
        gpurma::platform::sync_some(threads);
      }
    }
    __syncthreads();
  }
}

TEST(threads_of_a_block, meet_without_the_others) {
  shared_array<int> written(128);
  shared_array<int> errors(1);
  gpurma::launch(meet_in_part, dim3(1), dim3(192))(20, written, errors);
  ASSERT_EQ(cudaGetLastError(), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(errors[0], 0);
}

// --- launches

// Small data travels inside notifications, large data is stored: a large put comes later than the
// small one before it, also if the target is slow to take the notification of the small one.
__global__ void overlap(double* data, int rounds, int* errors) {
  gpurma::rank_scope scope;
  constexpr int length = 64;
  const int rank = gpurma::rank();
  const int partner = rank ^ 1;
  double* const source = data + rank * length;
  gpurma::window w(data + (gpurma::size() + rank) * length, length, comm::world);
  for (int i = 0; i < rounds; ++i) {
    if (rank % 2 == 0) {
      if (leader())
        source[0] = -1;
      gpurma::put_notify(source, 1, partner, w, i % length, 0);
      gpurma::wait(3, partner); // the small data's source may change now
      for (int k = static_cast<int>(threadIdx.x); k < length; k += static_cast<int>(blockDim.x))
        source[k] = i;
      gpurma::put_notify(source, length, partner, w, 0, 1);
      gpurma::wait(2, partner);
    } else {
      gpurma::notify(partner, 3);
      for (int spin = 0; spin < 100; ++spin)
        __nanosleep(100);
      gpurma::wait(1, partner);
      gpurma::wait(0, partner);
      for (int k = 0; k < length; ++k) {
        if (leader() && w.data()[k] != i)
          ++errors[rank];
      }
      __syncthreads();
      gpurma::notify(partner, 2);
    }
  }
}
const gpurma::rank_kernel registered_overlap(overlap);

TEST_P(rank_kernels, keep_the_order_of_small_and_large_puts) {
  shared_array<double> data(2 * ranks * 64);
  shared_array<int> errors(ranks);
  run(overlap, ranks, threads(), static_cast<double*>(data), 100, static_cast<int*>(errors));
  for (int i = 0; i < ranks; ++i)
    EXPECT_EQ(errors[i], 0) << "rank " << i;
}

// After a barrier a third rank finds data whose notification its target has not waited for.
__global__ void read_after_barrier(long long* data, int rounds, int* errors) {
  gpurma::rank_scope scope;
  const int rank = gpurma::rank();
  const int size = gpurma::size();
  long long* const own = data + 3 * rank; // exposed, source, copy
  gpurma::window w(own, 1, comm::world);
  for (int i = 1; i <= rounds; ++i) {
    if (leader())
      own[1] = 100 * i + rank;
    gpurma::put_notify(own + 1, 1, (rank + 1) % size, w, 0, 7);
    gpurma::barrier(comm::world);
    gpurma::get(own + 2, 1, (rank + 2) % size, w, 0);
    gpurma::flush(any_window);
    if (leader() && own[2] != 100 * i + (rank + 1) % size)
      ++errors[rank];
    gpurma::barrier(comm::world);
    gpurma::wait(7);
  }
}
const gpurma::rank_kernel registered_read_after_barrier(read_after_barrier);

TEST_P(rank_kernels, find_small_data_in_place_after_a_barrier) {
  shared_array<long long> data(3 * ranks);
  shared_array<int> errors(ranks);
  run(read_after_barrier, ranks, threads(), static_cast<long long*>(data), 50,
      static_cast<int*>(errors));
  for (int i = 0; i < ranks; ++i)
    EXPECT_EQ(errors[i], 0) << "rank " << i;
}

// Rank 0 takes nothing: the others send more than its rings and its mailbox hold.
__global__ void send_to_the_dead(int messages) {
  gpurma::rank_scope scope;
  if (gpurma::rank() == 0)
    return;
  for (int i = 0; i < messages; ++i)
    gpurma::notify(0, i);
}
const gpurma::rank_kernel registered_send_to_the_dead(send_to_the_dead);

TEST_P(rank_kernels, may_notify_a_rank_that_has_ended) {
  run(send_to_the_dead, 20, threads(), 300);
}

// Each rank notifies all others: more origins than a rank has rings for, more targets than it has.
__global__ void all_to_all(long long* data, int rounds, int* errors) {
  gpurma::rank_scope scope;
  const int rank = gpurma::rank();
  const int size = gpurma::size();
  long long* const source = data + rank * (size + 1);
  gpurma::window w(source + 1, size, comm::world);
  for (int i = 1; i <= rounds; ++i) {
    if (leader())
      source[0] = 1000 * i + rank;
    for (int k = 1; k < size; ++k)
      gpurma::put_notify(source, 1, (rank + k) % size, w, rank, i);
    for (int k = 1; k < size; ++k) {
      const int from = (rank + k) % size;
      gpurma::wait(i, from, w);
      if (leader() && w.data()[from] != 1000 * i + from)
        ++errors[rank];
    }
    gpurma::barrier(comm::world);
  }
}
const gpurma::rank_kernel registered_all_to_all(all_to_all);

TEST_P(rank_kernels, exchange_small_data_with_all) {
  constexpr int many = 20;
  shared_array<long long> data(many * (many + 1));
  shared_array<int> errors(many);
  run(all_to_all, many, threads(), static_cast<long long*>(data), 20, static_cast<int*>(errors));
  for (int i = 0; i < many; ++i)
    EXPECT_EQ(errors[i], 0) << "rank " << i;
}

// ---

__global__ void append(int* log, int value) {
  gpurma::rank_scope scope;
  gpurma::barrier(comm::device);
  if (gpurma::rank() == 0 && leader())
    log[++log[0]] = value;
}
const gpurma::rank_kernel registered_append(append);

TEST(launches, run_in_order_on_all_streams) {
  constexpr int launches = 30;
  shared_array<int> log(launches + 1);
  std::vector<cudaStream_t> streams(3);
  for (auto& stream : streams)
    ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  for (int n = 0; n < launches; ++n) {
    gpurma::launch(append, dim3(4), dim3(8), 0, streams[static_cast<std::size_t>(n * n % 3)])(log,
                                                                                              n);
  }
  for (auto& stream : streams) {
    ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    ASSERT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  }
  ASSERT_EQ(log[0], launches);
  for (int n = 0; n < launches; ++n)
    EXPECT_EQ(log[static_cast<std::size_t>(n) + 1], n);
}

__global__ void wait_for_host(int* pinned) {
  gpurma::rank_scope scope;
  while (gpurma::platform::load_acquire(pinned, gpurma::platform::scope::system) == 0)
    gpurma::platform::yield();
}
const gpurma::rank_kernel registered_wait_for_host(wait_for_host);

TEST(launches, return_before_the_kernel_ends) {
  int* pinned = nullptr;
  ASSERT_EQ(cudaHostAlloc(reinterpret_cast<void**>(&pinned), sizeof(int), cudaHostAllocMapped),
            cudaSuccess);
  *pinned = 0;
  gpurma::launch(wait_for_host, dim3(2), dim3(4))(pinned);
  __atomic_store_n(pinned, 1, __ATOMIC_RELEASE);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
}

__global__ void plain(int* out, int value) {
  if (leader())
    out[blockIdx.x] = value + static_cast<int>(gridDim.x);
}

TEST(launches, leave_ordinary_kernels_as_they_are) {
  shared_array<int> out(3);
  gpurma::launch(plain, dim3(3), dim3(2))(out, 10);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(std::vector<int>(out.begin(), out.end()), (std::vector<int>{13, 13, 13}));
}

TEST(launches, work_through_cuda_launch_kernel) {
  shared_array<int> log(3);
  int* log_argument = log;
  int value = 41;
  void* arguments[] = {&log_argument, &value};
  ASSERT_EQ(
      gpurma::launch_kernel(reinterpret_cast<const void*>(append), dim3(2), dim3(2), arguments),
      cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(log[1], 41);
}

template <class T> __global__ void fill(T* out, T value) {
  gpurma::rank_scope scope;
  if (leader())
    out[gpurma::rank()] = value;
}

TEST(launches, register_templates_when_they_are_launched) {
  shared_array<double> out(4);
  gpurma::launch_rank_kernel(fill<double>, dim3(4), dim3(2))(out, 2.5);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  for (int r = 0; r < 4; ++r)
    EXPECT_EQ(out[static_cast<std::size_t>(r)], 2.5);
}

TEST(launches, report_an_empty_grid_as_cuda_does) {
  gpurma::launch(plain, dim3(0), dim3(2))(nullptr, 0);
  const cudaError_t expected = cudaGetLastError();
  EXPECT_NE(expected, cudaSuccess);
  gpurma::launch(append, dim3(0), dim3(2))(nullptr, 0);
  EXPECT_EQ(cudaGetLastError(), expected);
}

} // namespace
