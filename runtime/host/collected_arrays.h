// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays that a persistent region collects: each process has them whole, one rank of one process
// stores each element, and behind the region all processes have all of them.
#ifndef GPURMA_HOST_COLLECTED_ARRAYS_H
#define GPURMA_HOST_COLLECTED_ARRAYS_H

#include <cstdint>
#include <string>

namespace gpurma::host {

struct region_launch;

// Before the region's kernel: no rank has stored anything. How many elements there are; `name` is
// the region's, for messages.
std::int64_t begin_collecting(const region_launch& region, const std::string& name);

// Behind it: processes give each other what they have stored. Ends the process if several ranks
// have stored an element, or one that is not there. Collective.
void end_collecting(const region_launch& region, const std::string& name);

} // namespace gpurma::host

#endif
