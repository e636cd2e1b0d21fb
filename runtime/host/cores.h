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

// The cores on which a thread of a process runs that may use those `allowed`: of them the ones near
// the device, in ascending order as both lists are. Launchers bind processes to a core each (Open
// MPI two of them, unless told otherwise); as a thread that waits for the device there keeps
// another from running until its time slice ends, the core of a process that has only one does not
// count. Empty: any.
std::vector<int> choose_cores(const std::vector<int>& near, const std::vector<int>& allowed);

// Keeps the calling thread on the cores next to the device (choose_cores), if GPURMA_PROXY_CORES
// says so. Not on one of them alone, which others might use. Nothing on the CPU target.
void run_near_device();

} // namespace gpurma::host

#endif
