// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The limits of the CPU target's device: what CUDA says of compute capability 9.0 where programs build on it, and as many
// co-resident blocks as the settings say.
#ifndef GPURMA_PLATFORM_CPU_DEVICE_LIMITS_H
#define GPURMA_PLATFORM_CPU_DEVICE_LIMITS_H

#include <cstddef>

#include "settings.h"

namespace gpurma::cpu::limits {

inline constexpr int major = 9;
inline constexpr int minor = 0;
inline constexpr unsigned block_threads = 1024;
inline constexpr unsigned block_x = 1024, block_y = 1024, block_z = 64;
inline constexpr unsigned grid_x = 2147483647, grid_y = 65535, grid_z = 65535;
inline constexpr std::size_t dynamic_shared = 48 * 1024;          // bytes, without cudaFuncSetAttribute
inline constexpr std::size_t dynamic_shared_opt_in = 227 * 1024;  // bytes, with it
inline constexpr int registers_per_thread = 32;
inline constexpr int registers = 65536;  // of a block and of a multiprocessor
inline constexpr std::size_t pitch = 2147483647;  // bytes, of copies and sets

// A multiprocessor is a worker thread, where the co-resident blocks can be shared evenly among them.
inline unsigned multiprocessors() {
  const settings_table& s = settings();
  return s.resident_blocks % s.workers == 0 ? s.workers : s.resident_blocks;
}
inline unsigned blocks_per_multiprocessor() { return settings().resident_blocks / multiprocessors(); }

}  // namespace gpurma::cpu::limits

#endif
