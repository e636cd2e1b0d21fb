// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What goes wrong in a kernel: it ends with an error that says what and where, and never hangs.
#undef NDEBUG
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>

#include "launch.h"

namespace {

struct Failure : testing::Test {
  // Death tests start new processes instead of forking one with running threads.
  Failure() { testing::FLAGS_gtest_death_test_style = "threadsafe"; }
};

__global__ void fail_in_thread_3(int* out) {
  assert(threadIdx.x != 3 && "the fourth thread");
  out[threadIdx.x] = 1;
}

TEST_F(Failure, AFailedAssertionIsAStickyError) {
  if (!fibres()) {
    managed<int> out(8);
    EXPECT_EXIT(run(fail_in_thread_3, 1, 8, out.get()), testing::ExitedWithCode(1), "ended by a failed assertion");
    return;
  }
  managed<int> out(8);
  testing::internal::CaptureStderr();
  // The launch may already see the error of its kernel.
  launch_on(nullptr, grid_kind::ordinary, fail_in_thread_3, 1, 8, 0, out.get());
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorAssert);
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("block: [0,0,0], thread: [3,0,0] Assertion `threadIdx.x != 3 && \"the fourth thread\"` failed."),
            std::string::npos)
      << text;
  // It stays: no call works, nothing is launched, until the device is reset.
  EXPECT_EQ(cudaGetLastError(), cudaErrorAssert);
  EXPECT_EQ(cudaGetLastError(), cudaErrorAssert);
  void* memory = nullptr;
  EXPECT_EQ(cudaMalloc(&memory, 64), cudaErrorAssert);
  EXPECT_EQ(launch_on(nullptr, grid_kind::ordinary, fail_in_thread_3, 1, 2, 0, out.get()), cudaErrorAssert);
  EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  run(fail_in_thread_3, 1, 3, out.get());
  EXPECT_EQ(out[2], 1);
}

__global__ void trap_in_one_block(int* flag) {
  if (blockIdx.x == 1) __trap();
  while (gpurma::platform::load_acquire(flag, gpurma::platform::scope::device) == 0) gpurma::platform::yield();
}

TEST_F(Failure, ATrapEndsACooperativeKernelWhoseOtherBlocksWait) {
  if (!fibres()) GTEST_SKIP() << "OS threads cannot be dropped";
  managed<int> flag(1);
  launch_on(nullptr, grid_kind::cooperative, trap_in_one_block, 8, 16, 0, flag.get());
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
  EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
}

__global__ void half_at_barrier(int) {
  if (threadIdx.x < 20) {
    __syncthreads();
  } else {
    __syncwarp(0xffffffffu);  // lanes 0 to 19 of the warp never come here
  }
}

TEST_F(Failure, ABlockInWhichNoThreadCanGoOnIsReported) {
  EXPECT_EXIT(run(half_at_barrier, 1, 32, 0), testing::ExitedWithCode(1),
              "kernel test kernel, block \\(0, 0, 0\\): no thread can go on: 20 of 32 threads that have not returned wait at "
              "__syncthreads; in warp 0 lanes 0xfff00000 wait at a warp operation, lane 20 with mask 0xffffffff, where "
              "0x000fffff have not come");
}

template <class T>
__global__ void without_a_name(T) {
  __syncwarp(0u);
}

TEST_F(Failure, AKernelThatWasRegisteredWithoutANameHasItsOwn) {
  gpurma::cpu::register_kernel(without_a_name<float>);
  float value = 0;
  void* arguments[] = {&value};
  EXPECT_EXIT(cudaLaunchKernel(without_a_name<float>, 1, 1, arguments); cudaDeviceSynchronize(), testing::ExitedWithCode(1),
              "kernel void .anonymous namespace.::without_a_name<float>\\(float\\), block \\(0, 0, 0\\)");
}

__global__ void wrong_mask(int) {
  if (threadIdx.x == 7) __shfl_sync(0x0fu, 1, 0);
}

TEST_F(Failure, AMaskWithoutTheCallingLaneIsReported) {
  EXPECT_EXIT(run(wrong_mask, 1, 32, 0), testing::ExitedWithCode(1),
              "thread \\(7, 0, 0\\): a warp operation is called with mask 0x0000000f, which does not have the calling lane 7");
}

__global__ void grid_barrier(int) { gpurma::cpu::sync_grid(); }

TEST_F(Failure, AGridBarrierInAnOrdinaryLaunchIsReported) {
  EXPECT_EXIT(run(grid_barrier, 1, 32, 0), testing::ExitedWithCode(1), "not launched with cudaLaunchCooperativeKernel");
}

// Writes the stack from top down to that many bytes below it.
__attribute__((noinline)) int dig(const char* top, std::ptrdiff_t bytes) {
  volatile char frame[256];
  for (volatile char& byte : frame) byte = 1;
  return top - const_cast<const char*>(frame) >= bytes ? frame[0] : dig(top, bytes) + frame[1];
}

__global__ void use_stack(std::ptrdiff_t bytes, int* out) {
  __syncthreads();  // so that thread 1 has a stack of its own, above that of thread 0
  if (threadIdx.x == 1) *out = dig(static_cast<const char*>(__builtin_frame_address(0)), bytes);
  __syncthreads();
}

__global__ void use_array(int* out) {
  volatile int values[24 * 1024];
  for (int i = 24 * 1024; i-- > 0;) values[i] = i;
  *out = values[threadIdx.x];
}

TEST_F(Failure, AStackThatIsTooSmallIsReported) {
  if (!fibres()) GTEST_SKIP() << "the stacks of OS threads are the system's";
  managed<int> out(1);
  run(use_stack, 1, 2, 60 * 1024, out.get());
  EXPECT_EXIT(run(use_stack, 1, 2, 65 * 1024, out.get()), testing::ExitedWithCode(1),
              "kernel test kernel, block \\(0, 0, 0\\), thread \\(1, 0, 0\\) needs more stack than it has; set "
              "GPURMA_CPU_STACK higher");
  EXPECT_EXIT(run(use_array, 1, 2, out.get()), testing::ExitedWithCode(1),
              "thread \\(0, 0, 0\\) needs more stack than it has");
}

template <class T>
__global__ void use_stack_without_a_name(T* out) {
  *out = dig(static_cast<const char*>(__builtin_frame_address(0)), 1024 * 1024);
}

TEST_F(Failure, AKernelWithoutANameThatNeedsMoreStackHasItsOwn) {
  if (!fibres()) GTEST_SKIP() << "the stacks of OS threads are the system's";
  gpurma::cpu::register_kernel(use_stack_without_a_name<int>);
  managed<int> out(1);
  int* pointer = out.get();
  void* arguments[] = {&pointer};
  EXPECT_EXIT(cudaLaunchKernel(use_stack_without_a_name<int>, 1, 1, arguments); cudaDeviceSynchronize(),
              testing::ExitedWithCode(1),
              "kernel void .anonymous namespace.::use_stack_without_a_name<int>\\(int\\*\\), block \\(0, 0, 0\\), thread "
              "\\(0, 0, 0\\) needs more stack than it has");
}

__global__ void write_below_stack(int* out) {
  __syncthreads();
  if (threadIdx.x == 1) {
    // To the canary, which is what is left where there are too many stacks for guards.
    const auto top = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    const std::uintptr_t bottom = (top - 60 * 1024) & ~std::uintptr_t{4095};
    *reinterpret_cast<volatile int*>(bottom) = 1;
    *out = 1;
  }
  __syncthreads();
}

TEST_F(Failure, ADamagedCanaryIsReported) {
  if (!fibres()) GTEST_SKIP() << "the stacks of OS threads are the system's";
  managed<int> out(1);
  EXPECT_EXIT(run(write_below_stack, 1, 2, out.get()), testing::ExitedWithCode(1),
              "has written past the end of its stack of 65536 bytes; set GPURMA_CPU_STACK higher");
}

// From now on the process gets no room for the stack of another thread.
void forbid_threads() {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlim_t bytes = pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + (1u << 20);
  const rlimit limit{bytes, bytes};
  setrlimit(RLIMIT_AS, &limit);
}

__global__ void take_number(int) {}

TEST_F(Failure, AThreadThatCannotStartIsReported) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers need address space of their own";
#endif
  EXPECT_EXIT(forbid_threads(); run(take_number, 1, 1, 0), testing::ExitedWithCode(1),
              "cannot start an OS thread \\(.*\\) for a stream; use fewer streams or a lower GPURMA_CPU_WORKERS");
  if (fibres())
    EXPECT_EXIT(run(take_number, 1, 1, 0); forbid_threads(); run(take_number, 2, 1, 0), testing::ExitedWithCode(1),
                "cannot start an OS thread \\(.*\\) for each of the 2 workers of a stream; use fewer streams or a lower "
                "GPURMA_CPU_WORKERS");
  else
    EXPECT_EXIT(run(take_number, 1, 1, 0); forbid_threads(); run(take_number, 1, 64, 0), testing::ExitedWithCode(1),
                "cannot start an OS thread \\(.*\\) for each of the 64 threads of a block of kernel test kernel; use "
                "smaller blocks, fewer ranks or GPURMA_CPU_THREADS=fibers");
}

TEST_F(Failure, BarriersOutsideAKernelAreReported) {
  EXPECT_EXIT(__syncthreads(), testing::ExitedWithCode(1), "__syncthreads is called outside a kernel");
}

}  // namespace
