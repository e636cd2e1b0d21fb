// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the device library needs from a target, written once per target in cuda/platform.h and cpu/platform.h:
//
//   thread_index() block_threads() block_rank() grid_blocks()   who the thread is, linear indices
//   thread_index_again()            the same, for once: not kept in a register, or in memory, from where it was needed before
//   sync_block()                    barrier of the block's threads
//   sync_some(threads)              barrier of so many of the block's threads, of all of a warp or none, the same number in all
//                                   calls of a time
//   sync_first(threads)             the same of the block's first threads, whole warps; at another time than those
//   sync_staying()                  barrier of the block's threads that have not come to leave() since begin_leaving(), to
//                                   which all come, each after it has left
//   load_* store_* fetch_add compare_exchange   atomic accesses to 32- and 64-bit integers, enumerations and pointers
//   add_release(p, value, scope)    atomic addition without a result
//   add_relaxed(p, value)           the same, relaxed; device scope
//   fence_release fence_acquire     fences, for plain accesses before and after relaxed ones
//   load_polled(p)                  a relaxed load, after which fence_acquire comes once it has found what it is for
//   store_released(p, value)        a relaxed store, before which fence_release has come; system scope
//   store_packet load_packet        16 bytes at once, any scope: relaxed, the words are of one store
//   store_after_load(p, value)      a store that others see only after the loads on which it depends; system scope
//   polling_threads_again()         as the next, once, as thread_index_again()
//   polling_threads()               threads, from thread 0 on, that look for notifications together; the next four
//                                   are for them, called by all of `width` threads with the same `width`
//   sync_polling(width)             barrier
//   ballot(flag, width)             a bit for each thread
//   largest(value, width)           of all threads
//   united(bits, width)             those of any thread
//   broadcast(value, thread, width) the thread's value
//   lanes_of_warp(flag) combined_in_warp(value, combine) is_first_of_warp() warp_index() most_warps
//                                   for all threads of the block: a bit for each thread of the warp whose flag is true;
//                                   the values of all of them combined, in the warp's first thread; whether it is that;
//                                   which warp it is, of up to so many. On the CPU target each thread is a warp, one at a
//                                   time, so that they have one number
//   polls_starve_others             whether others run only when the thread yields
//   quiet_polls                     how often a waiting rank looks before it says so to its host
//   followers_look                  whether a warp that follows looks at other ranks while the first warp does something else
//   piece_polls                     how often a rank that is ahead of others in a stage looks whether they follow
//   copy_block(dst, src, bytes)     copies with all threads of the block, widest aligned accesses; no barrier, no fence;
//                                   true: thread 0 did it alone, because that is as fast
//   load_bytes(src, bytes) store_bytes(dst, value, bytes)   up to 8 bytes, in the order of memory, as one integer
//   is_word(address, bytes)         whether one access reads or writes them; load_word(src, bytes) and
//                                   store_word(dst, value, bytes) do
//   GPURMA_ROLLED                   before a loop: not to be unrolled, for its registers
//   load_volatile(p)                reads any trivially copyable object from memory, every time
//   yield()                         in every loop that waits: lets others run, lowers the pressure on memory
//   back_off(looks)                 in a loop of many ranks that look at memory of others: waits a little after the first few
//   clock_ns()                      a monotonic clock, in nanoseconds
//   work_time()                     a clock of 32 bits for what a rank does between two tests; if that is polling, it takes less
//                                   than least_work()
//   trap()                          ends the program abnormally
//   in_register(shared)             the same object of block_shared, for a function that is to be fast
//   computed_here(value)            the value, from which the compiler computes nothing in advance
//   off_fast_path(shared)           the same, as an argument of a GPURMA_SLOW_DEVICE function
//   block_shared<T>()               one T per block in shared memory; zeroed at the block's start on the CPU target only
//
// GPURMA_DEVICE and GPURMA_SLOW_DEVICE mark functions of the device library. The first are inlined: a call keeps registers
// in local memory, and what an acquire leaves of the first-level cache is not there when they are read again. The second
// are off the fast path and kept out of it.
//
// scope says who takes part: threads of this device, or also the host, other devices and their processes.
#ifndef GPURMA_PLATFORM_PLATFORM_H
#define GPURMA_PLATFORM_PLATFORM_H

#include <cstddef>
#include <cstdint>

namespace gpurma::platform {

enum class scope { device, system };

}  // namespace gpurma::platform

#if GPURMA_TARGET_CPU
#include <gpurma/platform/cpu/platform.h>
#elif GPURMA_TARGET_CUDA
#include <gpurma/platform/cuda/platform.h>
#else
#error "neither GPURMA_TARGET_CPU nor GPURMA_TARGET_CUDA is 1; compile with gpurmacc, or define the one that you mean"
#endif

#endif
