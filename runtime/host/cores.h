// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On which cores the host's threads run.
#ifndef GPURMA_HOST_CORES_H
#define GPURMA_HOST_CORES_H

#include <string_view>
#include <vector>

namespace gpurma::host {

// The numbers in a list of cores as Linux writes it, "0-3,8,10-11"; nothing if it is none.
std::vector<int> parse_core_list(std::string_view text);

// Keeps the calling thread on the cores next to the device, as far as it may run there, if
// GPURMA_PROXY_CORES says so. Not on one of them alone, which others might use. Nothing on the CPU
// target.
void run_near_device();

} // namespace gpurma::host

#endif
