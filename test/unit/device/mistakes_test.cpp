// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mistakes that the library finds at run time: each ends the run with a message that names the
// rank, the directive, its place, the values, and what to do.
#include <gpurma/gpurma.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <new>

namespace {

using gpurma::any_source;
using gpurma::any_window;
using gpurma::comm;
using gpurma::matching;
using gpurma::site;

#if GPURMA_TARGET_CUDA
constexpr bool on_gpu = true;
#else
constexpr bool on_gpu = false;
#endif
constexpr unsigned file = gpurma::hash_file_name("mistakes.cu");
const gpurma::source_file registered_file(file, "mistakes.cu");

// Rank 1 of 3 makes the mistake that the functor's place(memory, 100 ints of device memory of the
// rank) contains.
template <class Mistake> __global__ void make(int* memory) {
  gpurma::rank_scope scope;
  Mistake::place(memory + 100 * gpurma::rank());
}

template <class Mistake> void expect_message(const char* pattern) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        int* memory = nullptr;
        static_cast<void>(cudaMalloc(reinterpret_cast<void**>(&memory), 300 * sizeof(int)));
        gpurma::launch_rank_kernel(make<Mistake>, dim3(3), dim3(4))(memory);
        static_cast<void>(cudaDeviceSynchronize());
        std::exit(0);
      },
      testing::ExitedWithCode(1), pattern);
}

#define MISTAKE(name, pattern, ...)                                                                \
  struct name {                                                                                    \
    static __device__ void place([[maybe_unused]] int* memory) {                                   \
      __VA_ARGS__                                                                                  \
    }                                                                                              \
  };                                                                                               \
  TEST(mistakes, name) {                                                                           \
    expect_message<name>(pattern);                                                                 \
  }

MISTAKE(outside_window,
        "put at mistakes.cu:10 on rank 1: elements \\[95, 105\\) lie outside what rank 2 exposes "
        "in the window, 100 "
        "elements of 4 bytes; make",
        gpurma::window w(memory, 100, comm::world);
        if (gpurma::rank() == 1) gpurma::put(memory, 10, 2, w, 95, site{file, 10});
        gpurma::barrier(comm::world);)

MISTAKE(outside_window_by_overflow,
        "get at mistakes.cu:11 on rank 1: elements .* lie outside what rank 0 exposes",
        gpurma::window w(memory, 100, comm::world);
        if (gpurma::rank() == 1) gpurma::get(memory, 2, 0, w, ~std::size_t{0}, site{file, 11});
        gpurma::barrier(comm::world);)

MISTAKE(negative_length, "put at mistakes.cu:28 on rank 1: length -1 is negative; put or get 0 or",
        gpurma::window w(memory, 100, comm::world);
        if (gpurma::rank() == 1) gpurma::put(memory, gpurma::rank() - 2, 2, w, 2, site{file, 28});
        gpurma::barrier(comm::world);)

MISTAKE(negative_window,
        "window at mistakes.cu:36 on rank 1: the window's length is negative; expose 0 or more",
        gpurma::window w(memory, gpurma::rank() == 1 ? -1 : 1, comm::world, site{file, 36});)

MISTAKE(
    rank_too_large,
    "notify at mistakes.cu:12 on rank 1: rank 3 does not exist: the communicator has ranks 0 to 2",
    if (gpurma::rank() == 1) gpurma::notify(3, 0, gpurma::no_window, site{file, 12});
    gpurma::barrier(comm::world);)

MISTAKE(source_too_large, "wait at mistakes.cu:13 on rank 1: rank 7 does not exist",
        if (gpurma::rank() == 1) gpurma::wait(0, 7, any_window, 1, site{file, 13});
        gpurma::barrier(comm::world);)

MISTAKE(negative_tag, "put at mistakes.cu:14 on rank 1: tag -5 is negative",
        gpurma::window w(memory, 100, comm::device);
        if (gpurma::rank() == 1) gpurma::put_notify(memory, 1, 2, w, 0, -5, site{file, 14});
        gpurma::barrier(comm::world);)

// Numbers that programs compute by mistake are no wildcards.
MISTAKE(computed_tag, "wait at mistakes.cu:30 on rank 1: tag -3 is negative",
        if (gpurma::rank() == 1) gpurma::wait(-3, any_source, any_window, 1, site{file, 30});
        gpurma::barrier(comm::world);)

MISTAKE(computed_source, "wait at mistakes.cu:31 on rank 1: rank -2 does not exist",
        if (gpurma::rank() == 1) gpurma::wait(0, -2, any_window, 1, site{file, 31});
        gpurma::barrier(comm::world);)

MISTAKE(unsigned_source, "wait at mistakes.cu:32 on rank 1: the rank is a number that int has not",
        if (gpurma::rank() == 1)
            gpurma::wait(0, gpurma::to_int(0u - 2), any_window, 1, site{file, 32});
        gpurma::barrier(comm::world);)

MISTAKE(endless_window, "window at mistakes.cu:33 on rank 1: the window's length is negative",
        if (gpurma::rank() == 1)
            gpurma::window w(memory, (std::size_t{1} << 62) + 4, comm::device, site{file, 33});)

MISTAKE(negative_count, "test at mistakes.cu:15 on rank 1: count -1 is negative",
        if (gpurma::rank() == 1) gpurma::test(0, any_source, any_window, -1, site{file, 15});
        gpurma::barrier(comm::world);)

MISTAKE(tag_without_counter,
        "notify at mistakes.cu:16 on rank 1: tag 64 has no counter: .* tags 0 to 63; use queue",
        if (gpurma::rank() == 1)
            gpurma::notify<matching::counter>(0, 64, gpurma::no_window, site{file, 16});
        gpurma::barrier(comm::world);)

MISTAKE(source_with_counter,
        "wait at mistakes.cu:17 on rank 1: source 2 is named, but counter matching",
        if (gpurma::rank() == 1)
            gpurma::wait<matching::counter>(0, 2, any_window, 1, site{file, 17});
        gpurma::barrier(comm::world);)

MISTAKE(freed_window, "put at mistakes.cu:18 on rank 1: the window has been freed",
        alignas(gpurma::window<int>) char place[sizeof(gpurma::window<int>)];
        auto* w = new(place) gpurma::window<int>(memory, 100, comm::world); w->~window();
        if (gpurma::rank() == 1) gpurma::put(memory, 1, 0, *w, 0, site{file, 18});
        gpurma::barrier(comm::world);)

MISTAKE(source_that_is_no_device_memory,
        "put at mistakes.cu:19 on rank 1: the source of 4 bytes at 0x[0-9a-f]+ does not lie inside",
        gpurma::window w(memory, 100, comm::world);
        int* const nowhere = reinterpret_cast<int*>(std::uintptr_t{0x1000});
        if (gpurma::rank() == 1) gpurma::put(nowhere, 1, 0, w, 0, site{file, 19});
        gpurma::barrier(comm::world);)

MISTAKE(source_beyond_its_allocation,
        "put at mistakes.cu:20 on rank 1: the source of 400 bytes .* does not lie inside",
        gpurma::window w(memory, 100, comm::world);
        if (gpurma::rank() == 1) gpurma::put(memory + 101, 100, 0, w, 0, site{file, 20});
        gpurma::barrier(comm::world);)

MISTAKE(destination_that_is_no_device_memory,
        "get at mistakes.cu:21 on rank 1: the destination of 4 bytes",
        gpurma::window w(memory, 100, comm::world);
        int* const nowhere = reinterpret_cast<int*>(std::uintptr_t{0x1000});
        if (gpurma::rank() == 1) gpurma::get(nowhere, 1, 0, w, 0, site{file, 21});
        gpurma::barrier(comm::world);)

MISTAKE(window_beyond_its_allocation,
        "window at mistakes.cu:22 on rank [012]: the window of 1600 bytes",
        gpurma::window w(memory, 400, comm::world, site{file, 22});)

MISTAKE(too_many_windows,
        "window at mistakes.cu:23 on rank [012]: more than 32 windows are open at a time; set "
        "GPURMA_WINDOWS larger",
        alignas(gpurma::window<int>) char place[sizeof(gpurma::window<int>)];
        for (int n = 0; n < 33; ++n) new(place)
            gpurma::window<int>(memory, 100, comm::world, site{file, 23});)

MISTAKE(
    pending_list_full,
    "wait at mistakes.cu:24 on rank 1: 4096 notifications have come that this wait does not match",
    if (gpurma::rank() == 0) {
      for (int n = 0; n < 6000; ++n)
        gpurma::notify(1, 3);
    } if (gpurma::rank() == 1) gpurma::wait(4, any_source, any_window, 1, site{file, 24});
    gpurma::barrier(comm::world);)

// The file is compiled with GPURMA_CHECK.
MISTAKE(different_arguments,
        "put at mistakes.cu:25 on rank 1: the offset is 3 in thread 3 and 0 in thread 0; all "
        "threads of a block",
        gpurma::window w(memory, 100, comm::world);
        if (gpurma::rank() == 1)
            gpurma::put(memory, 1, 0, w, threadIdx.x == 3 ? 3 : 0, site{file, 25});
        gpurma::barrier(comm::world);)

MISTAKE(different_directives, "the source line is 27 in thread 2 and 26 in thread 0",
        gpurma::barrier(comm::world, threadIdx.x == 2 ? site{file, 27} : site{file, 26});)

MISTAKE(not_uniform,
        "uniform at mistakes.cu:28 on rank [012]: the value is 1 in thread 1 and 0 in thread 0",
        gpurma::uniform(threadIdx.x == 1, "mistakes.cu", 28);)

MISTAKE(unknown_place, "notify at unknown place on rank 1: tag -7 is negative",
        if (gpurma::rank() == 1) gpurma::notify(0, -7);
        gpurma::barrier(comm::world);)

__global__ void stray() {
  gpurma::rank_scope scope;
}

TEST(mistakes, launch_without_gpurma) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        gpurma::registered_kernel known(stray);
        static_cast<void>(cudaLaunchKernel(reinterpret_cast<const void*>(stray), dim3(1), dim3(1),
                                           nullptr, 0, nullptr));
        std::exit(cudaDeviceSynchronize() == cudaSuccess ? 0 : 1);
      },
      // A kernel on a GPU prints to the standard output.
      testing::ExitedWithCode(1),
      on_gpu ? "" : "the rank kernel was launched without gpurma::launch");
}

template <class T> __global__ void never_fits() {
  gpurma::rank_scope scope;
}

TEST(mistakes, block_that_does_not_fit) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        gpurma::launch_rank_kernel(never_fits<int>, dim3(1), dim3(64, 64))();
        std::exit(0);
      },
      testing::ExitedWithCode(1), "no block of 64 x 64 x 1 threads .* fits on a multiprocessor");
}

} // namespace
