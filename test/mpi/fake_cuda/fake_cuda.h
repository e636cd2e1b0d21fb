// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As much of CUDA as the host runtime of the CUDA target needs to start and to hold distributed
// arrays, without a GPU: memory of a device is memory of the process, in pages of 2 MiB where it
// comes from cuMemCreate, and streams are done at once. Breaking a rule of virtual memory
// management (what is mapped twice, unmapped in part, used without access) ends the process; an
// access to what is not there is a fault. Kernels do not run.
#ifndef GPURMA_TEST_FAKE_CUDA_H
#define GPURMA_TEST_FAKE_CUDA_H

#include <cstddef>
#include <string>
#include <vector>

namespace fake_cuda {

inline constexpr std::size_t page = 2 << 20;

// What can be launched; its address is the function's.
struct kernel {
  std::vector<std::size_t> parameters; // their bytes
  int launches = 0;
};

// The driver's function with this name fails from now on, or hangs; empty: none does.
void fail_in(const std::string& function);
void hang_in(const std::string& function);

// Of what is there now.
struct usage {
  std::size_t reservations = 0;
  std::size_t mappings = 0;
  std::size_t handles = 0;
};
usage used();

} // namespace fake_cuda

#endif
