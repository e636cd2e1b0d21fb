// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the CPU target is set up for this process: the environment, read once, and what the machine has.
#ifndef GPURMA_PLATFORM_CPU_SETTINGS_H
#define GPURMA_PLATFORM_CPU_SETTINGS_H

#include <cstddef>

namespace gpurma::cpu {

enum class thread_kind { fibre, os_thread };

struct settings_table {
  unsigned workers;          // OS threads that run the blocks of a launch
  unsigned resident_blocks;  // most blocks of a cooperative launch
  thread_kind threads;
  std::size_t stack;         // bytes per fibre, whole pages
  bool oversubscribed;       // the workers of this node's processes outnumber its cores
};

const settings_table& settings();

// The part of settings() that needs no environment table, for tests. cores and local_processes are at least 1; zero for
// the other two asks for their defaults.
settings_table make_settings(unsigned cores, unsigned local_processes, unsigned workers, unsigned resident_blocks);

// Processes of this run on this node, as the launcher's environment says; 1 without one.
unsigned local_processes();

}  // namespace gpurma::cpu

#endif
