// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types and constants that host and device code of gpurma share. Needs no CUDA header.
#ifndef GPURMA_TYPES_H
#define GPURMA_TYPES_H

#include <climits>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace gpurma {

// The ranks that an operation is about: those of all processes, or those of this process's device.
enum class comm : int { world, device };

// How notifications are matched: by a queue on (source, tag, window) in the order of their arrival,
// or by one arrival counter per tag. All kernels of a translation unit use the same kind; gpurmacc
// picks it.
enum class matching : int { queue, counter };

// Tags that counter matching knows: 0 to counter_tags - 1.
inline constexpr int counter_tags = 64;

// As a target: the operation does nothing. As the source of a wait: the wait returns at once.
inline constexpr int null_rank = -1;
// Wildcards of wait and test: no rank or tag that a program computes by mistake.
inline constexpr int any_source = INT_MIN + 1;
inline constexpr int any_tag = INT_MIN + 2;

// A rank, tag or count of any type, as gpurmacc passes those that may be no int. What no int is
// becomes the least one, at which the operation ends with an error. A class may have a conversion
// for one side only.
#ifdef __NVCC__
#pragma nv_exec_check_disable
#endif
template <class T>
#ifdef __CUDACC__
__host__ __device__
#endif
    constexpr int
    to_int(T value) {
  if constexpr (sizeof(T) >= sizeof(int) || std::is_class_v<T>) {
    const auto wide = static_cast<long long>(value);
    return wide < INT_MIN || wide > INT_MAX ? INT_MIN : static_cast<int>(wide);
  } else {
    return static_cast<int>(value);
  }
}

// The base of a section, as gpurmacc passes one of volatile elements.
template <class T>
#ifdef __CUDACC__
__host__ __device__
#endif
    constexpr T*
    without_volatile(volatile T* base) {
  return const_cast<T*>(base);
}

// "Sent without a window" and "whatever the window", where a window is expected.
struct no_window_t {};
struct any_window_t {};
inline constexpr no_window_t no_window{};
inline constexpr any_window_t any_window{};

// What a rank kernel does with the number of its block. each: it does not ask how many blocks there
// are, so that those that are not resident are missed.
enum class block_use { any_number, each };

// Where a directive stands in the source, for error messages. file: hash_file_name of the file as
// given to the compiler; 0 is unknown.
struct site {
  unsigned file = 0;
  unsigned line = 0;
};

// 32-bit FNV-1a.
#ifdef __CUDACC__
__host__ __device__
#endif
    constexpr unsigned
     hash_file_name(const char* name) {
  unsigned hash = 2166136261u;
  for (; *name != '\0'; ++name)
    hash = (hash ^ static_cast<unsigned char>(*name)) * 16777619u;
  return hash;
}

// What a launch of a rank kernel will find; see query().
struct layout {
  int device_ranks; // ranks on this process's device
  int world_ranks;  // ranks on all devices
  int first_rank;   // world rank of this device's rank 0
  int process;      // this process, 0 to processes - 1
  int processes;
  int device;           // CUDA device of this process
  int devices_per_node; // processes with gpurma on this node, one device each
  int node;             // this node, 0 to nodes - 1
  int nodes;
};

} // namespace gpurma

#endif
