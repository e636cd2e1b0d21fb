// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many ranks a persistent region has.
#ifndef GPURMA_HOST_REGION_RANKS_H
#define GPURMA_HOST_REGION_RANKS_H

#include <algorithm>
#include <cstdint>

namespace gpurma::host {

// Of as many ranks as are resident together on a GPU, those that a region uses. Where none would
// have more than one of `tiles`, they do little but wait for each other, and ranks with 1024
// threads on a multiprocessor are up to 14 % faster than with 2048 (docs/performance.md, "Fewer
// ranks for small grids").
inline int ranks_of_region(int resident, std::int64_t tiles, unsigned threads,
                           int multiprocessors) {
  constexpr int threads_of_multiprocessor = 1024;
  const int enough = multiprocessors * (threads_of_multiprocessor / static_cast<int>(threads));
  return tiles <= resident && enough > 0 ? std::min(resident, enough) : resident;
}

} // namespace gpurma::host

#endif
