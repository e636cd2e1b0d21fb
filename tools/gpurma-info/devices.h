// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The devices that this machine offers to gpurma programs.
#ifndef GPURMA_INFO_DEVICES_H
#define GPURMA_INFO_DEVICES_H

#include <string>
#include <vector>

namespace gpurma::info {

struct device {
  std::string target; // cpu or cuda
  int index;          // in its target
  std::string name;
  int multiprocessors;
  int ranks; // co-resident blocks; 0: depends on the kernel
};

// A process's own device on the CPU target, as the environment makes it, and the GPUs that the CUDA
// driver knows (none if there is no driver).
std::vector<device> find_devices();

} // namespace gpurma::info

#endif
