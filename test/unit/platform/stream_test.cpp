// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams and events: what is ordered, what is not, and what is an error.
#include <atomic>
#include <chrono>
#include <thread>

#include "launch.h"

namespace {

using gpurma::platform::load_acquire;
using gpurma::platform::scope;
using gpurma::platform::store_release;

__global__ void wait_for(int* flag) {
  while (load_acquire(flag, scope::system) == 0) gpurma::platform::yield();
}
__global__ void append(int* log, int* n, int value) { log[(*n)++] = value; }

struct Stream : testing::Test {
  Stream() {
    EXPECT_EQ(cudaStreamCreate(&a), cudaSuccess);
    EXPECT_EQ(cudaStreamCreate(&b), cudaSuccess);
    EXPECT_EQ(cudaStreamCreateWithFlags(&free, cudaStreamNonBlocking), cudaSuccess);
  }
  ~Stream() override {
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    for (cudaStream_t stream : {a, b, free}) EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  }
  void append_on(cudaStream_t stream, int value) {
    ASSERT_EQ(launch_on(stream, grid_kind::ordinary, append, 1, 1, 0, log.get(), length.get(), value), cudaSuccess);
  }
  void hold(cudaStream_t stream) {
    ASSERT_EQ(launch_on(stream, grid_kind::ordinary, wait_for, 1, 1, 0, gate.get()), cudaSuccess);
  }
  void open() { store_release(gate.get(), 1, scope::system); }

  managed<int> log{64}, length{1}, gate{1};
  cudaStream_t a, b, free;
};

TEST_F(Stream, WorkOfAStreamIsInOrder) {
  hold(a);
  for (int i = 0; i < 30; ++i) append_on(a, i);
  EXPECT_EQ(cudaStreamQuery(a), cudaErrorNotReady);
  open();
  EXPECT_EQ(cudaStreamSynchronize(a), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(a), cudaSuccess);
  ASSERT_EQ(length[0], 30);
  for (int i = 0; i < 30; ++i) EXPECT_EQ(log[static_cast<std::size_t>(i)], i);
}

TEST_F(Stream, StreamsDoNotWaitForEachOther) {
  hold(a);
  append_on(b, 1);
  EXPECT_EQ(cudaStreamSynchronize(b), cudaSuccess);
  EXPECT_EQ(length[0], 1);
  append_on(free, 2);
  EXPECT_EQ(cudaStreamSynchronize(free), cudaSuccess);
  EXPECT_EQ(length[0], 2);
  EXPECT_EQ(cudaStreamQuery(a), cudaErrorNotReady);
  open();
}

TEST_F(Stream, TheLegacyStreamWaitsForBlockingStreamsAndTheyForIt) {
  hold(a);
  append_on(nullptr, 1);  // after a
  append_on(b, 2);        // after the legacy stream
  append_on(free, 3);     // after nothing
  EXPECT_EQ(cudaStreamSynchronize(free), cudaSuccess);
  EXPECT_EQ(length[0], 1);
  EXPECT_EQ(log[0], 3);
  EXPECT_EQ(cudaStreamQuery(b), cudaErrorNotReady);
  open();
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(length[0], 3);
  EXPECT_EQ(log[1], 1);
  EXPECT_EQ(log[2], 2);
}

TEST_F(Stream, MemcpyOnTheLegacyStreamSeesEarlierWork) {
  hold(a);
  append_on(a, 77);
  ASSERT_EQ(cudaLaunchHostFunc(free, [](void* self) { static_cast<Stream*>(self)->open(); }, this), cudaSuccess);
  int value = 0;
  EXPECT_EQ(cudaMemcpy(&value, log.get(), sizeof(int), cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(value, 77);
}

TEST_F(Stream, EventsOrderStreams) {
  cudaEvent_t event;
  ASSERT_EQ(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(event), cudaSuccess);  // never recorded
  hold(a);
  append_on(a, 1);
  ASSERT_EQ(cudaEventRecord(event, a), cudaSuccess);
  ASSERT_EQ(cudaStreamWaitEvent(free, event), cudaSuccess);
  append_on(free, 2);
  EXPECT_EQ(cudaEventQuery(event), cudaErrorNotReady);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);  // not an error
  open();
  EXPECT_EQ(cudaEventSynchronize(event), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(free), cudaSuccess);
  ASSERT_EQ(length[0], 2);
  EXPECT_EQ(log[0], 1);
  EXPECT_EQ(log[1], 2);
  EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
  EXPECT_EQ(cudaEventDestroy(event), cudaErrorInvalidResourceHandle);
  cudaGetLastError();
}

TEST_F(Stream, AnEventMayBeRecordedWhileAnotherThreadHasTheStreamWaitForIt) {
  cudaEvent_t event;
  ASSERT_EQ(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), cudaSuccess);
  hold(a);
  std::atomic<bool> done{false};
  std::thread waiting([&] {
    while (!done) EXPECT_EQ(cudaStreamWaitEvent(a, event), cudaSuccess);
  });
  for (int i = 0; i < 100000; ++i) ASSERT_EQ(cudaEventRecord(event, a), cudaSuccess);
  done = true;
  waiting.join();
  open();
  EXPECT_EQ(cudaStreamSynchronize(a), cudaSuccess);
  EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
}

__global__ void wait_ns(std::uint64_t ns) {
  const std::uint64_t start = gpurma::platform::clock_ns();
  while (gpurma::platform::clock_ns() - start < ns) gpurma::platform::yield();
}

TEST_F(Stream, EventsMeasureWhatLiesBetweenThem) {
  cudaEvent_t start, end, untimed;
  ASSERT_EQ(cudaEventCreate(&start), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&end), cudaSuccess);
  ASSERT_EQ(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming), cudaSuccess);
  float ms = -1;
  EXPECT_EQ(cudaEventElapsedTime(&ms, start, end), cudaErrorInvalidResourceHandle);
  ASSERT_EQ(cudaEventRecord(start, a), cudaSuccess);
  ASSERT_EQ(launch_on(a, grid_kind::ordinary, wait_ns, 1, 1, 0, 2000000), cudaSuccess);
  hold(a);
  ASSERT_EQ(cudaEventRecord(end, a), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&ms, start, end), cudaErrorNotReady);
  open();
  ASSERT_EQ(cudaEventSynchronize(end), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&ms, start, end), cudaSuccess);
  EXPECT_GE(ms, 2.0f);
  ASSERT_EQ(cudaEventRecord(untimed, a), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&ms, start, untimed), cudaErrorInvalidResourceHandle);
  cudaGetLastError();
  for (cudaEvent_t event : {start, end, untimed}) EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
}

TEST_F(Stream, HostFunctionsAndCallbacksRunInOrder) {
  std::atomic<int> steps{0};
  struct call {
    std::atomic<int>* steps;
    int expected;
    bool good = false;
    cudaError_t synchronize = cudaSuccess;
  } first{&steps, 0}, second{&steps, 1};
  hold(a);
  ASSERT_EQ(cudaLaunchHostFunc(
                a,
                [](void* data) {
                  call& c = *static_cast<call*>(data);
                  c.good = (*c.steps)++ == c.expected;
                  c.synchronize = cudaDeviceSynchronize();
                },
                &first),
            cudaSuccess);
  ASSERT_EQ(cudaStreamAddCallback(
                a,
                [](cudaStream_t, cudaError_t status, void* data) {
                  call& c = *static_cast<call*>(data);
                  c.good = (*c.steps)++ == c.expected && status == cudaSuccess;
                },
                &second, 0),
            cudaSuccess);
  EXPECT_EQ(steps.load(), 0);
  open();
  ASSERT_EQ(cudaStreamSynchronize(a), cudaSuccess);
  EXPECT_TRUE(first.good);
  EXPECT_TRUE(second.good);
  EXPECT_EQ(first.synchronize, cudaErrorNotPermitted);
}

TEST_F(Stream, WorkSurvivesTheDestructionOfItsStream) {
  cudaStream_t stream;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  hold(stream);
  append_on(stream, 5);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorInvalidResourceHandle);
  cudaGetLastError();
  open();
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(length[0], 1);
}

TEST_F(Stream, WorkThatRunsOnTheCallingThreadIsInTheStream) {
  constexpr std::size_t bytes = std::size_t{1} << 24;
  void* memory = nullptr;
  ASSERT_EQ(cudaMalloc(&memory, bytes), cudaSuccess);
  std::atomic<bool> done{false};
  std::thread setting([&] {
    while (!done) EXPECT_EQ(cudaMemset(memory, 1, bytes), cudaSuccess);
  });
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  bool seen = false;
  while (!seen && std::chrono::steady_clock::now() < deadline) seen = cudaStreamQuery(nullptr) == cudaErrorNotReady;
  done = true;
  setting.join();
  EXPECT_TRUE(seen);
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
}

TEST_F(Stream, FlagsAndPriorities) {
  unsigned flags = 7;
  int priority = 7;
  EXPECT_EQ(cudaStreamGetFlags(free, &flags), cudaSuccess);
  EXPECT_EQ(flags, static_cast<unsigned>(cudaStreamNonBlocking));
  EXPECT_EQ(cudaStreamGetPriority(a, &priority), cudaSuccess);
  EXPECT_EQ(priority, 0);
  cudaStream_t none;
  EXPECT_EQ(cudaStreamCreateWithFlags(&none, 64), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
}

TEST_F(Stream, ThePerThreadStreamIsAStream) {
  append_on(cudaStreamPerThread, 3);
  EXPECT_EQ(cudaStreamSynchronize(cudaStreamPerThread), cudaSuccess);
  EXPECT_EQ(log[0], 3);
}

TEST_F(Stream, CooperativeKernelsOfTwoStreamsRunTogether) {
  managed<int> other(1);
  // Each waits for what comes after it; neither may keep the other from running.
  ASSERT_EQ(launch_on(a, grid_kind::cooperative, wait_for, 4, 8, 0, gate.get()), cudaSuccess);
  ASSERT_EQ(launch_on(free, grid_kind::cooperative, wait_for, 4, 8, 0, other.get()), cudaSuccess);
  store_release(other.get(), 1, scope::system);
  EXPECT_EQ(cudaStreamSynchronize(free), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(a), cudaErrorNotReady);
  open();
  EXPECT_EQ(cudaStreamSynchronize(a), cudaSuccess);
}

}  // namespace
